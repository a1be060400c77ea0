//===- GateTables.h - Polynomials for the tails of sigmoid and gelu ---------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Printed by utils/fit_gates.py, which says how they are made.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_MATHEXPANSION_GATETABLES_H
#define FUSE_LIB_CODEGEN_MATHEXPANSION_GATETABLES_H

namespace mlir::fuse {

/// g(-a) of a gate g for 0 <= a < limit, to about 2^-24 of it: with k = a (quadratic a + linear),
/// rounded to an integer, a polynomial in a - centers[k] whose coefficients are coefficients[i][k],
/// i from the lowest power up.
struct GateTail {
  double quadratic, linear, limit;
  float centers[16];
  float coefficients[7][16];
};

inline constexpr GateTail kSigmoidTail = {
    0x1.47ae140000000p-8,
    0x1.2666660000000p+0,
    0x1.985e2e0000000p+3,
    {0x1.3973bap-2f, 0x1.0a97cap+0f, 0x1.e574cap+0f, 0x1.5fe3dep+1f, 0x1.cbe5d0p+1f, 0x1.1bf0f2p+2f,
     0x1.51a7d6p+2f, 0x1.86156ep+2f, 0x1.ba8402p+2f, 0x1.ef437ep+2f, 0x1.118f2ap+3f, 0x1.2b575ep+3f,
     0x1.452e4ap+3f, 0x1.5e6986p+3f, 0x1.78117cp+3f, 0x1.90e696p+3f},
    {{0x1.b23e42p-2f, 0x1.0b2532p-2f, 0x1.0b5160p-3f, 0x1.eca090p-5f, 0x1.b6c3e6p-6f,
      0x1.7f50e6p-7f, 0x1.4d6a08p-8f, 0x1.26c4eap-9f, 0x1.042c72p-10f, 0x1.c8b1aap-12f,
      0x1.965508p-13f, 0x1.6b1f02p-14f, 0x1.43e754p-15f, 0x1.267508p-16f, 0x1.0827c4p-17f,
      0x1.e64c68p-19f},
     {-0x1.f430f0p-3f, -0x1.8ae70ep-3f, -0x1.d0da02p-4f, -0x1.cf00c8p-5f, -0x1.ab03dep-6f,
      -0x1.7ad500p-7f, -0x1.4bb7cap-8f, -0x1.261b34p-9f, -0x1.03ea56p-10f, -0x1.c87ebcp-12f,
      -0x1.9640dep-13f, -0x1.6b16f4p-14f, -0x1.43e41ep-15f, -0x1.2673b4p-16f, -0x1.08273ap-17f,
      -0x1.e64bf2p-19f},
     {0x1.2fda78p-6f, 0x1.79b632p-5f, 0x1.578068p-5f, 0x1.975116p-6f, 0x1.9424b6p-7f,
      0x1.71f804p-8f, 0x1.4857c0p-9f, 0x1.24c89cp-10f, 0x1.036652p-11f, 0x1.c8190ap-13f,
      0x1.9618a8p-14f, 0x1.6b06f0p-15f, 0x1.43ddc6p-16f, 0x1.267120p-17f, 0x1.082634p-18f,
      0x1.e64b24p-20f},
     {0x1.36628ap-6f, 0x1.4a59e4p-8f, -0x1.8b9c54p-8f, -0x1.97f574p-8f, -0x1.e04af4p-9f,
      -0x1.d61120p-10f, -0x1.acdd48p-11f, -0x1.82df38p-12f, -0x1.588062p-13f, -0x1.2f8b40p-14f,
      -0x1.0e877cp-15f, -0x1.e3e1a4p-17f, -0x1.afc534p-18f, -0x1.889242p-19f, -0x1.603324p-20f,
      -0x1.443320p-21f},
     {-0x1.86e8dcp-9f, -0x1.4b7bbep-8f, -0x1.4c74e0p-10f, 0x1.5e7c6cp-11f, 0x1.72bc90p-11f,
      0x1.a8f248p-12f, 0x1.9b21d2p-13f, 0x1.7bbafap-14f, 0x1.5599bep-15f, 0x1.2e57d0p-16f,
      0x1.0dfac2p-17f, 0x1.e35134p-19f, 0x1.af7056p-20f, 0x1.885490p-21f, 0x1.60070ap-22f,
      0x1.440ae2p-23f},
     {-0x1.bb7e94p-10f, 0x1.1c0b7ep-11f, 0x1.b1304cp-11f, 0x1.2bf3f6p-13f, -0x1.1892a4p-14f,
      -0x1.0f514ap-14f, -0x1.2c4f92p-15f, -0x1.2373c6p-16f, -0x1.0bc5d8p-17f, -0x1.dde810p-19f,
      -0x1.ac4dfcp-20f, -0x1.8042a0p-21f, -0x1.569cecp-22f, -0x1.38695cp-23f, -0x1.17a6bap-24f,
      -0x1.01f600p-25f},
     {0x1.5d0564p-12f, 0x1.f15b9ep-12f, -0x1.7cb246p-14f, -0x1.bebe3ep-14f, -0x1.46ce20p-16f,
      0x1.3421eep-18f, 0x1.672578p-18f, 0x1.9bd246p-19f, 0x1.907022p-20f, 0x1.6fd6eap-21f,
      0x1.4d5f70p-22f, 0x1.2add8cp-23f, 0x1.0e900ap-24f, 0x1.e54b28p-26f, 0x1.b9fb84p-27f,
      0x1.91e7bap-28f}}};

inline constexpr GateTail kGeluTanhTail = {
    0x1.d70a3e0000000p-2,
    0x1.0ccccc0000000p+0,
    0x1.31755c0000000p+2,
    {0x1.21d970p-2f, 0x1.a343aap-1f, 0x1.5157c8p+0f, 0x1.ba1a46p+0f, 0x1.0b1f68p+1f, 0x1.33ecb2p+1f,
     0x1.59b990p+1f, 0x1.7cec98p+1f, 0x1.9d6e7ep+1f, 0x1.bc6222p+1f, 0x1.da20bap+1f, 0x1.f5ed3cp+1f,
     0x1.0872f0p+2f, 0x1.157620p+2f, 0x1.220740p+2f, 0x1.2de1e6p+2f},
    {{0x1.8de658p-2f, 0x1.a6fdb6p-3f, 0x1.80e718p-4f, 0x1.595428p-5f, 0x1.2ce7d2p-6f,
      0x1.030a7ep-7f, 0x1.ae20b6p-9f, 0x1.59bfc4p-10f, 0x1.1152f4p-11f, 0x1.9fb192p-13f,
      0x1.2e6aacp-14f, 0x1.b319eap-16f, 0x1.2b28d2p-17f, 0x1.8c7450p-19f, 0x1.fb5616p-21f,
      0x1.435d10p-22f},
     {-0x1.8866bep-2f, -0x1.23e148p-2f, -0x1.57102ep-3f, -0x1.718114p-4f, -0x1.755dd0p-5f,
      -0x1.6c3ca8p-6f, -0x1.5268f8p-7f, -0x1.2d683ap-8f, -0x1.0580a0p-9f, -0x1.b1e302p-11f,
      -0x1.56ad6ep-12f, -0x1.09ce0cp-13f, -0x1.88b056p-15f, -0x1.167732p-16f, -0x1.7bfc1ap-18f,
      -0x1.0103dep-19f},
     {0x1.be40aap-5f, 0x1.de42f0p-4f, 0x1.c1beb8p-4f, 0x1.3cd4fap-4f, 0x1.84a1aep-5f,
      0x1.b9e676p-6f, 0x1.d4c6dep-7f, 0x1.d5d158p-8f, 0x1.c4e722p-9f, 0x1.9e2d5ep-10f,
      0x1.664c5cp-11f, 0x1.2ded80p-12f, 0x1.e260f4p-14f, 0x1.702fd4p-15f, 0x1.0d38a6p-16f,
      0x1.842782p-18f},
     {0x1.e2b2c0p-5f, 0x1.f2f58cp-7f, -0x1.510602p-6f, -0x1.de9c36p-6f, -0x1.9919a6p-6f,
      -0x1.2161d8p-6f, -0x1.6c85e4p-7f, -0x1.a63c46p-8f, -0x1.cd3fd0p-9f, -0x1.d84e34p-10f,
      -0x1.c558e8p-11f, -0x1.a365b0p-12f, -0x1.6d90c2p-13f, -0x1.2ea118p-14f, -0x1.dd6b58p-16f,
      -0x1.70d442p-17f},
     {-0x1.b94f78p-7f, -0x1.7528c8p-6f, -0x1.6ff54ap-7f, -0x1.8e1088p-16f, 0x1.4ca136p-8f,
      0x1.84d8aep-8f, 0x1.4533c2p-8f, 0x1.ce3ed0p-9f, 0x1.291a14p-9f, 0x1.5dfdf8p-10f,
      0x1.7c894cp-11f, 0x1.88a9e6p-12f, 0x1.7a543ap-13f, 0x1.575152p-14f, 0x1.26b5d6p-15f,
      0x1.eb7dbap-17f},
     {-0x1.1059a0p-7f, 0x1.b13ea2p-10f, 0x1.976a04p-8f, 0x1.17d18cp-8f, 0x1.8172a8p-10f,
      -0x1.faf95cp-13f, -0x1.f37d84p-11f, -0x1.1884fcp-10f, -0x1.d36b5ap-11f, -0x1.5131acp-11f,
      -0x1.afd71cp-12f, -0x1.fed706p-13f, -0x1.1585ccp-13f, -0x1.18a02ap-14f, -0x1.0916bep-15f,
      -0x1.e2cc9cp-17f},
     {0x1.9de7cep-10f, 0x1.a2dbc2p-9f, 0x1.181958p-11f, -0x1.2be3ecp-10f, -0x1.3e5ae6p-10f,
      -0x1.7ea32ap-11f, -0x1.0631b0p-12f, -0x1.9d783cp-19f, 0x1.43dc6ep-13f, 0x1.730a58p-13f,
      0x1.478924p-13f, 0x1.e5b462p-14f, 0x1.3e7db2p-14f, 0x1.762286p-15f, 0x1.985a66p-16f,
      0x1.9c1bb2p-17f}}};

inline constexpr GateTail kGeluErfTail = {
    0x1.ae147a0000000p-2,
    0x1.99999a0000000p-1,
    0x1.4c77ce0000000p+2,
    {0x1.5fc518p-2f, 0x1.ed00d8p-1f, 0x1.849dd0p+0f, 0x1.f5bac6p+0f, 0x1.2caa5ap+1f, 0x1.5857d6p+1f,
     0x1.809294p+1f, 0x1.a5ae4ep+1f, 0x1.c86338p+1f, 0x1.e986aap+1f, 0x1.04516ap+2f, 0x1.1301c4p+2f,
     0x1.21383cp+2f, 0x1.2ed184p+2f, 0x1.3c0e82p+2f, 0x1.48bbd0p+2f},
    {{0x1.766048p-2f, 0x1.57a750p-3f, 0x1.083456p-4f, 0x1.99ade6p-6f, 0x1.347410p-7f,
      0x1.d403c2p-9f, 0x1.5cb49cp-10f, 0x1.02931cp-11f, 0x1.7cc37ep-13f, 0x1.12e498p-14f,
      0x1.8eae64p-16f, 0x1.227a7cp-17f, 0x1.a0d9c6p-19f, 0x1.2b1230p-20f, 0x1.a6e76ep-22f,
      0x1.2c9a0cp-23f},
     {-0x1.811c1cp-2f, -0x1.00f78ep-2f, -0x1.02219ap-3f, -0x1.dedc16p-5f, -0x1.9e3276p-6f,
      -0x1.5ea176p-7f, -0x1.1e9236p-8f, -0x1.cc00fap-10f, -0x1.6afc52p-11f, -0x1.16e9eep-12f,
      -0x1.ab9514p-14f, -0x1.4779f8p-15f, -0x1.ec28acp-17f, -0x1.7065cep-18f, -0x1.0f064cp-19f,
      -0x1.8fb202p-21f},
     {0x1.0896e2p-4f, 0x1.eede18p-4f, 0x1.87da28p-4f, 0x1.d5410ap-5f, 0x1.e676b6p-6f,
      0x1.d7a13ap-7f, 0x1.ae7f62p-8f, 0x1.7adb66p-9f, 0x1.438f14p-10f, 0x1.0aabccp-11f,
      0x1.b2cb72p-13f, 0x1.5fca5ap-14f, 0x1.160316p-15f, 0x1.b3c5bcp-17f, 0x1.4e9b3ep-18f,
      0x1.00a0c0p-19f},
     {0x1.c4e79ep-5f, 0x1.8eab10p-9f, -0x1.c0fcdcp-6f, -0x1.c580a6p-6f, -0x1.37db44p-6f,
      -0x1.6c7ac4p-7f, -0x1.7f5f0cp-8f, -0x1.79b364p-9f, -0x1.624dfcp-10f, -0x1.3cb756p-11f,
      -0x1.14f0bcp-12f, -0x1.dc98eep-14f, -0x1.8e491ap-15f, -0x1.484dbap-16f, -0x1.081e5ep-17f,
      -0x1.a6bf52p-19f},
     {-0x1.fbcea2p-7f, -0x1.566886p-6f, -0x1.6c3582p-8f, 0x1.072704p-8f, 0x1.985fa0p-8f,
      0x1.4d23d0p-8f, 0x1.b07b12p-9f, 0x1.efde9ap-10f, 0x1.05dfdep-10f, 0x1.0253c6p-11f,
      0x1.eaa3fcp-13f, 0x1.c5342cp-14f, 0x1.937992p-15f, 0x1.5fdf34p-16f, 0x1.2a0bf0p-17f,
      0x1.f3cf3ep-19f},
     {-0x1.ddf29cp-8f, 0x1.d98364p-9f, 0x1.7fa9a2p-8f, 0x1.5259b8p-9f, -0x1.57c03cp-14f,
      -0x1.19bdaap-10f, -0x1.234e78p-10f, -0x1.aa90b4p-11f, -0x1.0b1ae6p-11f, -0x1.2b442ep-12f,
      -0x1.3b2dd4p-13f, -0x1.3d29e6p-14f, -0x1.300598p-15f, -0x1.1ad18cp-16f, -0x1.fb30fap-18f,
      -0x1.c006ecp-19f},
     {0x1.f9a182p-10f, 0x1.62293ep-9f, -0x1.3fb2e0p-12f, -0x1.6a4674p-10f, -0x1.e90052p-11f,
      -0x1.38e9e0p-12f, 0x1.0dbc92p-14f, 0x1.94fc8ep-13f, 0x1.730bf0p-13f, 0x1.0c2eb6p-13f,
      0x1.49fe04p-14f, 0x1.76524ap-15f, 0x1.8d7e52p-16f, 0x1.92a11ap-17f, 0x1.881e4ep-18f,
      0x1.70c3aap-19f}}};

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_MATHEXPANSION_GATETABLES_H
