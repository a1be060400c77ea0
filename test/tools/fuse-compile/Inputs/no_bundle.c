int no_bundle(void) { return 0; }
