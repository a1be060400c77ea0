/* A shared library that says it is a bundle of a later binary interface. */
int fuse_bundle_abi_version(void) { return 99; }
const char *fuse_bundle_version(void) { return "9.8.7"; }
