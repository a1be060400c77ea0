//===- GateTables.h - Polynomials for the tails of sigmoid and gelu, and for tanh ---------------===//
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

/// A function of a for 0 <= a < limit: with k = a (quadratic a + linear), rounded to an integer, a polynomial in
/// a - centers[k] whose coefficients are coefficients[i][k], i from the lowest power up. The tails g(-a) of gates g are
/// right to about 2^-24 of them; those named `Short`, for results that are rounded to f16 or bf16, to 2^-15.
template <unsigned kDegree>
struct FunctionTable {
  double quadratic, linear, limit;
  float centers[16];
  float coefficients[kDegree + 1][16];
};

inline constexpr FunctionTable<6> kSigmoidTail = {
    0x1.47ae140000000p-8, 0x1.2666660000000p+0, 0x1.985e2e0000000p+3,
    {0x1.3973bap-2f, 0x1.0a97cap+0f, 0x1.e574cap+0f, 0x1.5fe3dep+1f,
     0x1.cbe5d0p+1f, 0x1.1bf0f2p+2f, 0x1.51a7d6p+2f, 0x1.86156ep+2f,
     0x1.ba8402p+2f, 0x1.ef437ep+2f, 0x1.118f2ap+3f, 0x1.2b575ep+3f,
     0x1.452e4ap+3f, 0x1.5e6986p+3f, 0x1.78117cp+3f, 0x1.90e696p+3f},
    {
        {0x1.b23e42p-2f, 0x1.0b2532p-2f, 0x1.0b5160p-3f, 0x1.eca090p-5f,
         0x1.b6c3e6p-6f, 0x1.7f50e6p-7f, 0x1.4d6a08p-8f, 0x1.26c4eap-9f,
         0x1.042c72p-10f, 0x1.c8b1aap-12f, 0x1.965508p-13f, 0x1.6b1f02p-14f,
         0x1.43e754p-15f, 0x1.267508p-16f, 0x1.0827c4p-17f, 0x1.e64c68p-19f},
        {-0x1.f430f0p-3f, -0x1.8ae70ep-3f, -0x1.d0da02p-4f, -0x1.cf00c8p-5f,
         -0x1.ab03dep-6f, -0x1.7ad500p-7f, -0x1.4bb7cap-8f, -0x1.261b34p-9f,
         -0x1.03ea56p-10f, -0x1.c87ebcp-12f, -0x1.9640dep-13f, -0x1.6b16f4p-14f,
         -0x1.43e41ep-15f, -0x1.2673b4p-16f, -0x1.08273ap-17f, -0x1.e64bf2p-19f},
        {0x1.2fda78p-6f, 0x1.79b632p-5f, 0x1.578068p-5f, 0x1.975116p-6f,
         0x1.9424b6p-7f, 0x1.71f804p-8f, 0x1.4857c0p-9f, 0x1.24c89cp-10f,
         0x1.036652p-11f, 0x1.c8190ap-13f, 0x1.9618a8p-14f, 0x1.6b06f0p-15f,
         0x1.43ddc6p-16f, 0x1.267120p-17f, 0x1.082634p-18f, 0x1.e64b24p-20f},
        {0x1.36628ap-6f, 0x1.4a59e4p-8f, -0x1.8b9c54p-8f, -0x1.97f574p-8f,
         -0x1.e04af4p-9f, -0x1.d61120p-10f, -0x1.acdd48p-11f, -0x1.82df38p-12f,
         -0x1.588062p-13f, -0x1.2f8b40p-14f, -0x1.0e877cp-15f, -0x1.e3e1a4p-17f,
         -0x1.afc534p-18f, -0x1.889242p-19f, -0x1.603324p-20f, -0x1.443320p-21f},
        {-0x1.86e8dcp-9f, -0x1.4b7bbep-8f, -0x1.4c74e0p-10f, 0x1.5e7c6cp-11f,
         0x1.72bc90p-11f, 0x1.a8f248p-12f, 0x1.9b21d2p-13f, 0x1.7bbafap-14f,
         0x1.5599bep-15f, 0x1.2e57d0p-16f, 0x1.0dfac2p-17f, 0x1.e35134p-19f,
         0x1.af7056p-20f, 0x1.885490p-21f, 0x1.60070ap-22f, 0x1.440ae2p-23f},
        {-0x1.bb7e94p-10f, 0x1.1c0b7ep-11f, 0x1.b1304cp-11f, 0x1.2bf3f6p-13f,
         -0x1.1892a4p-14f, -0x1.0f514ap-14f, -0x1.2c4f92p-15f, -0x1.2373c6p-16f,
         -0x1.0bc5d8p-17f, -0x1.dde810p-19f, -0x1.ac4dfcp-20f, -0x1.8042a0p-21f,
         -0x1.569cecp-22f, -0x1.38695cp-23f, -0x1.17a6bap-24f, -0x1.01f600p-25f},
        {0x1.5d0564p-12f, 0x1.f15b9ep-12f, -0x1.7cb246p-14f, -0x1.bebe3ep-14f,
         -0x1.46ce20p-16f, 0x1.3421eep-18f, 0x1.672578p-18f, 0x1.9bd246p-19f,
         0x1.907022p-20f, 0x1.6fd6eap-21f, 0x1.4d5f70p-22f, 0x1.2add8cp-23f,
         0x1.0e900ap-24f, 0x1.e54b28p-26f, 0x1.b9fb84p-27f, 0x1.91e7bap-28f}}};

inline constexpr FunctionTable<6> kGeluTanhTail = {
    0x1.d70a3e0000000p-2, 0x1.0ccccc0000000p+0, 0x1.31755c0000000p+2,
    {0x1.21d970p-2f, 0x1.a343aap-1f, 0x1.5157c8p+0f, 0x1.ba1a46p+0f,
     0x1.0b1f68p+1f, 0x1.33ecb2p+1f, 0x1.59b990p+1f, 0x1.7cec98p+1f,
     0x1.9d6e7ep+1f, 0x1.bc6222p+1f, 0x1.da20bap+1f, 0x1.f5ed3cp+1f,
     0x1.0872f0p+2f, 0x1.157620p+2f, 0x1.220740p+2f, 0x1.2de1e6p+2f},
    {
        {0x1.8de658p-2f, 0x1.a6fdb6p-3f, 0x1.80e718p-4f, 0x1.595428p-5f,
         0x1.2ce7d2p-6f, 0x1.030a7ep-7f, 0x1.ae20b6p-9f, 0x1.59bfc4p-10f,
         0x1.1152f4p-11f, 0x1.9fb192p-13f, 0x1.2e6aacp-14f, 0x1.b319eap-16f,
         0x1.2b28d2p-17f, 0x1.8c7450p-19f, 0x1.fb5616p-21f, 0x1.435d10p-22f},
        {-0x1.8866bep-2f, -0x1.23e148p-2f, -0x1.57102ep-3f, -0x1.718114p-4f,
         -0x1.755dd0p-5f, -0x1.6c3ca8p-6f, -0x1.5268f8p-7f, -0x1.2d683ap-8f,
         -0x1.0580a0p-9f, -0x1.b1e302p-11f, -0x1.56ad6ep-12f, -0x1.09ce0cp-13f,
         -0x1.88b056p-15f, -0x1.167732p-16f, -0x1.7bfc1ap-18f, -0x1.0103dep-19f},
        {0x1.be40aap-5f, 0x1.de42f0p-4f, 0x1.c1beb8p-4f, 0x1.3cd4fap-4f,
         0x1.84a1aep-5f, 0x1.b9e676p-6f, 0x1.d4c6dep-7f, 0x1.d5d158p-8f,
         0x1.c4e722p-9f, 0x1.9e2d5ep-10f, 0x1.664c5cp-11f, 0x1.2ded80p-12f,
         0x1.e260f4p-14f, 0x1.702fd4p-15f, 0x1.0d38a6p-16f, 0x1.842782p-18f},
        {0x1.e2b2c0p-5f, 0x1.f2f58cp-7f, -0x1.510602p-6f, -0x1.de9c36p-6f,
         -0x1.9919a6p-6f, -0x1.2161d8p-6f, -0x1.6c85e4p-7f, -0x1.a63c46p-8f,
         -0x1.cd3fd0p-9f, -0x1.d84e34p-10f, -0x1.c558e8p-11f, -0x1.a365b0p-12f,
         -0x1.6d90c2p-13f, -0x1.2ea118p-14f, -0x1.dd6b58p-16f, -0x1.70d442p-17f},
        {-0x1.b94f78p-7f, -0x1.7528c8p-6f, -0x1.6ff54ap-7f, -0x1.8e1088p-16f,
         0x1.4ca136p-8f, 0x1.84d8aep-8f, 0x1.4533c2p-8f, 0x1.ce3ed0p-9f,
         0x1.291a14p-9f, 0x1.5dfdf8p-10f, 0x1.7c894cp-11f, 0x1.88a9e6p-12f,
         0x1.7a543ap-13f, 0x1.575152p-14f, 0x1.26b5d6p-15f, 0x1.eb7dbap-17f},
        {-0x1.1059a0p-7f, 0x1.b13ea2p-10f, 0x1.976a04p-8f, 0x1.17d18cp-8f,
         0x1.8172a8p-10f, -0x1.faf95cp-13f, -0x1.f37d84p-11f, -0x1.1884fcp-10f,
         -0x1.d36b5ap-11f, -0x1.5131acp-11f, -0x1.afd71cp-12f, -0x1.fed706p-13f,
         -0x1.1585ccp-13f, -0x1.18a02ap-14f, -0x1.0916bep-15f, -0x1.e2cc9cp-17f},
        {0x1.9de7cep-10f, 0x1.a2dbc2p-9f, 0x1.181958p-11f, -0x1.2be3ecp-10f,
         -0x1.3e5ae6p-10f, -0x1.7ea32ap-11f, -0x1.0631b0p-12f, -0x1.9d783cp-19f,
         0x1.43dc6ep-13f, 0x1.730a58p-13f, 0x1.478924p-13f, 0x1.e5b462p-14f,
         0x1.3e7db2p-14f, 0x1.762286p-15f, 0x1.985a66p-16f, 0x1.9c1bb2p-17f}}};

inline constexpr FunctionTable<6> kGeluErfTail = {
    0x1.ae147a0000000p-2, 0x1.99999a0000000p-1, 0x1.4c77ce0000000p+2,
    {0x1.5fc518p-2f, 0x1.ed00d8p-1f, 0x1.849dd0p+0f, 0x1.f5bac6p+0f,
     0x1.2caa5ap+1f, 0x1.5857d6p+1f, 0x1.809294p+1f, 0x1.a5ae4ep+1f,
     0x1.c86338p+1f, 0x1.e986aap+1f, 0x1.04516ap+2f, 0x1.1301c4p+2f,
     0x1.21383cp+2f, 0x1.2ed184p+2f, 0x1.3c0e82p+2f, 0x1.48bbd0p+2f},
    {
        {0x1.766048p-2f, 0x1.57a750p-3f, 0x1.083456p-4f, 0x1.99ade6p-6f,
         0x1.347410p-7f, 0x1.d403c2p-9f, 0x1.5cb49cp-10f, 0x1.02931cp-11f,
         0x1.7cc37ep-13f, 0x1.12e498p-14f, 0x1.8eae64p-16f, 0x1.227a7cp-17f,
         0x1.a0d9c6p-19f, 0x1.2b1230p-20f, 0x1.a6e76ep-22f, 0x1.2c9a0cp-23f},
        {-0x1.811c1cp-2f, -0x1.00f78ep-2f, -0x1.02219ap-3f, -0x1.dedc16p-5f,
         -0x1.9e3276p-6f, -0x1.5ea176p-7f, -0x1.1e9236p-8f, -0x1.cc00fap-10f,
         -0x1.6afc52p-11f, -0x1.16e9eep-12f, -0x1.ab9514p-14f, -0x1.4779f8p-15f,
         -0x1.ec28acp-17f, -0x1.7065cep-18f, -0x1.0f064cp-19f, -0x1.8fb202p-21f},
        {0x1.0896e2p-4f, 0x1.eede18p-4f, 0x1.87da28p-4f, 0x1.d5410ap-5f,
         0x1.e676b6p-6f, 0x1.d7a13ap-7f, 0x1.ae7f62p-8f, 0x1.7adb66p-9f,
         0x1.438f14p-10f, 0x1.0aabccp-11f, 0x1.b2cb72p-13f, 0x1.5fca5ap-14f,
         0x1.160316p-15f, 0x1.b3c5bcp-17f, 0x1.4e9b3ep-18f, 0x1.00a0c0p-19f},
        {0x1.c4e79ep-5f, 0x1.8eab10p-9f, -0x1.c0fcdcp-6f, -0x1.c580a6p-6f,
         -0x1.37db44p-6f, -0x1.6c7ac4p-7f, -0x1.7f5f0cp-8f, -0x1.79b364p-9f,
         -0x1.624dfcp-10f, -0x1.3cb756p-11f, -0x1.14f0bcp-12f, -0x1.dc98eep-14f,
         -0x1.8e491ap-15f, -0x1.484dbap-16f, -0x1.081e5ep-17f, -0x1.a6bf52p-19f},
        {-0x1.fbcea2p-7f, -0x1.566886p-6f, -0x1.6c3582p-8f, 0x1.072704p-8f,
         0x1.985fa0p-8f, 0x1.4d23d0p-8f, 0x1.b07b12p-9f, 0x1.efde9ap-10f,
         0x1.05dfdep-10f, 0x1.0253c6p-11f, 0x1.eaa3fcp-13f, 0x1.c5342cp-14f,
         0x1.937992p-15f, 0x1.5fdf34p-16f, 0x1.2a0bf0p-17f, 0x1.f3cf3ep-19f},
        {-0x1.ddf29cp-8f, 0x1.d98364p-9f, 0x1.7fa9a2p-8f, 0x1.5259b8p-9f,
         -0x1.57c03cp-14f, -0x1.19bdaap-10f, -0x1.234e78p-10f, -0x1.aa90b4p-11f,
         -0x1.0b1ae6p-11f, -0x1.2b442ep-12f, -0x1.3b2dd4p-13f, -0x1.3d29e6p-14f,
         -0x1.300598p-15f, -0x1.1ad18cp-16f, -0x1.fb30fap-18f, -0x1.c006ecp-19f},
        {0x1.f9a182p-10f, 0x1.62293ep-9f, -0x1.3fb2e0p-12f, -0x1.6a4674p-10f,
         -0x1.e90052p-11f, -0x1.38e9e0p-12f, 0x1.0dbc92p-14f, 0x1.94fc8ep-13f,
         0x1.730bf0p-13f, 0x1.0c2eb6p-13f, 0x1.49fe04p-14f, 0x1.76524ap-15f,
         0x1.8d7e52p-16f, 0x1.92a11ap-17f, 0x1.881e4ep-18f, 0x1.70c3aap-19f}}};

inline constexpr FunctionTable<4> kShortSigmoidTail = {
    0x1.47ae140000000p-8, 0x1.2666660000000p+0, 0x1.985e2e0000000p+3,
    {0x1.3973bap-2f, 0x1.0a97cap+0f, 0x1.e574cap+0f, 0x1.5fe3dep+1f,
     0x1.cbe5d0p+1f, 0x1.1bf0f2p+2f, 0x1.51a7d6p+2f, 0x1.86156ep+2f,
     0x1.ba8402p+2f, 0x1.ef437ep+2f, 0x1.118f2ap+3f, 0x1.2b575ep+3f,
     0x1.452e4ap+3f, 0x1.5e6986p+3f, 0x1.78117cp+3f, 0x1.90e696p+3f},
    {
        {0x1.b23e42p-2f, 0x1.0b2532p-2f, 0x1.0b5160p-3f, 0x1.eca090p-5f,
         0x1.b6c3e6p-6f, 0x1.7f50e6p-7f, 0x1.4d6a08p-8f, 0x1.26c4eap-9f,
         0x1.042c72p-10f, 0x1.c8b1aap-12f, 0x1.965508p-13f, 0x1.6b1f02p-14f,
         0x1.43e754p-15f, 0x1.267508p-16f, 0x1.0827c4p-17f, 0x1.e64c68p-19f},
        {-0x1.f43148p-3f, -0x1.8ae77ep-3f, -0x1.d0d880p-4f, -0x1.ceffc4p-5f,
         -0x1.ab03ccp-6f, -0x1.7ad5a2p-7f, -0x1.4bb916p-8f, -0x1.261b98p-9f,
         -0x1.03ea64p-10f, -0x1.c87fdcp-12f, -0x1.9641a2p-13f, -0x1.6b1784p-14f,
         -0x1.43e53ap-15f, -0x1.2673fap-16f, -0x1.08284ep-17f, -0x1.e64c60p-19f},
        {0x1.2fa4fcp-6f, 0x1.79ca14p-5f, 0x1.57e36ap-5f, 0x1.978124p-6f,
         0x1.940ec2p-7f, 0x1.71c01ep-8f, 0x1.4817f4p-9f, 0x1.248af6p-10f,
         0x1.032ec4p-11f, 0x1.c7b6d4p-13f, 0x1.95c25ep-14f, 0x1.6abb20p-15f,
         0x1.439b38p-16f, 0x1.2635fep-17f, 0x1.07f200p-18f, 0x1.e5ed1ep-20f},
        {0x1.371612p-6f, 0x1.4cfaaap-8f, -0x1.8cf176p-8f, -0x1.98b968p-8f,
         -0x1.e0889cp-9f, -0x1.d5cc76p-10f, -0x1.ac0e44p-11f, -0x1.82bec6p-12f,
         -0x1.589c82p-13f, -0x1.2f3d36p-14f, -0x1.0e5968p-15f, -0x1.e3a78ep-17f,
         -0x1.af0e74p-18f, -0x1.88882cp-19f, -0x1.5f730ap-20f, -0x1.442c72p-21f},
        {-0x1.1edd80p-9f, -0x1.532f52p-8f, -0x1.fd74ecp-10f, 0x1.05b66ap-11f,
         0x1.85e5f6p-11f, 0x1.dd1f08p-12f, 0x1.da6460p-13f, 0x1.b5128cp-14f,
         0x1.888e28p-15f, 0x1.5e7a7ep-16f, 0x1.3837dcp-17f, 0x1.16f2d8p-18f,
         0x1.f538a2p-20f, 0x1.c31374p-21f, 0x1.997ac4p-22f, 0x1.73dbb6p-23f}}};

inline constexpr FunctionTable<4> kShortGeluTanhTail = {
    0x1.d70a3e0000000p-2, 0x1.0ccccc0000000p+0, 0x1.31755c0000000p+2,
    {0x1.21d970p-2f, 0x1.a343aap-1f, 0x1.5157c8p+0f, 0x1.ba1a46p+0f,
     0x1.0b1f68p+1f, 0x1.33ecb2p+1f, 0x1.59b990p+1f, 0x1.7cec98p+1f,
     0x1.9d6e7ep+1f, 0x1.bc6222p+1f, 0x1.da20bap+1f, 0x1.f5ed3cp+1f,
     0x1.0872f0p+2f, 0x1.157620p+2f, 0x1.220740p+2f, 0x1.2de1e6p+2f},
    {
        {0x1.8de658p-2f, 0x1.a6fdb6p-3f, 0x1.80e718p-4f, 0x1.595428p-5f,
         0x1.2ce7d2p-6f, 0x1.030a7ep-7f, 0x1.ae20b6p-9f, 0x1.59bfc4p-10f,
         0x1.1152f4p-11f, 0x1.9fb192p-13f, 0x1.2e6aacp-14f, 0x1.b319eap-16f,
         0x1.2b28d2p-17f, 0x1.8c7450p-19f, 0x1.fb5616p-21f, 0x1.435d10p-22f},
        {-0x1.88672cp-2f, -0x1.23e19cp-2f, -0x1.570fd8p-3f, -0x1.7180d4p-4f,
         -0x1.755d96p-5f, -0x1.6c3c9cp-6f, -0x1.5268fep-7f, -0x1.2d686ap-8f,
         -0x1.058096p-9f, -0x1.b1e2c4p-11f, -0x1.56ade6p-12f, -0x1.09cda2p-13f,
         -0x1.88afa0p-15f, -0x1.167710p-16f, -0x1.7bfd10p-18f, -0x1.0101a2p-19f},
        {0x1.bdd68cp-5f, 0x1.de425ep-4f, 0x1.c1f1a2p-4f, 0x1.3ced10p-4f,
         0x1.84aec8p-5f, 0x1.b9e608p-6f, 0x1.d4b846p-7f, 0x1.d5b506p-8f,
         0x1.c4bea6p-9f, 0x1.9dfb32p-10f, 0x1.6613d8p-11f, 0x1.2db300p-12f,
         0x1.e1ef6ap-14f, 0x1.6fc814p-15f, 0x1.0cdf6ep-16f, 0x1.839730p-18f},
        {0x1.e39c82p-5f, 0x1.f630aep-7f, -0x1.5162e0p-6f, -0x1.dee074p-6f,
         -0x1.9955eap-6f, -0x1.216fa2p-6f, -0x1.6c8e02p-7f, -0x1.a622d2p-8f,
         -0x1.cd5fecp-9f, -0x1.d8880ep-10f, -0x1.c51c82p-11f, -0x1.a3bbf0p-12f,
         -0x1.6ddae8p-13f, -0x1.2eacd2p-14f, -0x1.dce9f8p-16f, -0x1.71cb1ap-17f},
        {-0x1.4a3edcp-7f, -0x1.73d5eep-6f, -0x1.bf8570p-7f, -0x1.a3ed32p-10f,
         0x1.26d992p-8f, 0x1.85442ep-8f, 0x1.535270p-8f, 0x1.ef3034p-9f,
         0x1.4226b8p-9f, 0x1.8053f0p-10f, 0x1.aa2b60p-11f, 0x1.b8dbb0p-12f,
         0x1.ad7b08p-13f, 0x1.8b4166p-14f, 0x1.58bbd4p-15f, 0x1.1c8534p-16f}}};

inline constexpr FunctionTable<4> kShortGeluErfTail = {
    0x1.ae147a0000000p-2, 0x1.99999a0000000p-1, 0x1.4c77ce0000000p+2,
    {0x1.5fc518p-2f, 0x1.ed00d8p-1f, 0x1.849dd0p+0f, 0x1.f5bac6p+0f,
     0x1.2caa5ap+1f, 0x1.5857d6p+1f, 0x1.809294p+1f, 0x1.a5ae4ep+1f,
     0x1.c86338p+1f, 0x1.e986aap+1f, 0x1.04516ap+2f, 0x1.1301c4p+2f,
     0x1.21383cp+2f, 0x1.2ed184p+2f, 0x1.3c0e82p+2f, 0x1.48bbd0p+2f},
    {
        {0x1.766048p-2f, 0x1.57a750p-3f, 0x1.083456p-4f, 0x1.99ade6p-6f,
         0x1.347410p-7f, 0x1.d403c2p-9f, 0x1.5cb49cp-10f, 0x1.02931cp-11f,
         0x1.7cc37ep-13f, 0x1.12e498p-14f, 0x1.8eae64p-16f, 0x1.227a7cp-17f,
         0x1.a0d9c6p-19f, 0x1.2b1230p-20f, 0x1.a6e76ep-22f, 0x1.2c9a0cp-23f},
        {-0x1.811ca4p-2f, -0x1.00f806p-2f, -0x1.02214cp-3f, -0x1.dedc02p-5f,
         -0x1.9e3248p-6f, -0x1.5ea172p-7f, -0x1.1e9256p-8f, -0x1.cc011ep-10f,
         -0x1.6afc3ap-11f, -0x1.16eab0p-12f, -0x1.ab9650p-14f, -0x1.4779bap-15f,
         -0x1.ec282ep-17f, -0x1.7064acp-18f, -0x1.0f060ap-19f, -0x1.8fb0ecp-21f},
        {0x1.083d8ap-4f, 0x1.ef1206p-4f, 0x1.881bf8p-4f, 0x1.d568a8p-5f,
         0x1.e67aa6p-6f, 0x1.d78834p-7f, 0x1.ae531cp-8f, 0x1.7aa528p-9f,
         0x1.4355f6p-10f, 0x1.0a74b2p-11f, 0x1.b266ccp-13f, 0x1.5f720ap-14f,
         0x1.15b816p-15f, 0x1.b349f0p-17f, 0x1.4e3644p-18f, 0x1.005050p-19f},
        {0x1.c587d6p-5f, 0x1.9f4f62p-9f, -0x1.c15878p-6f, -0x1.c58bd6p-6f,
         -0x1.37fbb6p-6f, -0x1.6c8d96p-7f, -0x1.7f5b00p-8f, -0x1.79b65cp-9f,
         -0x1.6268ccp-10f, -0x1.3c5d00p-11f, -0x1.149dd2p-12f, -0x1.dccf40p-14f,
         -0x1.8e7f26p-15f, -0x1.48bfbep-16f, -0x1.083daap-17f, -0x1.a73b4cp-19f},
        {-0x1.86bba0p-7f, -0x1.67b7e6p-6f, -0x1.0bc250p-7f, 0x1.80b454p-9f,
         0x1.930d42p-8f, 0x1.5f2780p-8f, 0x1.d6fadep-9f, 0x1.12e340p-9f,
         0x1.2594ecp-10f, 0x1.26f5f8p-11f, 0x1.1a36a8p-12f, 0x1.03b988p-13f,
         0x1.d0862cp-15f, 0x1.94d84ep-16f, 0x1.59efa6p-17f, 0x1.21d93cp-18f}}};

inline constexpr FunctionTable<3> kShortTanhQuotient = {
    -0x1.8f5c280000000p-4, 0x1.4ccccc0000000p+1, 0x1.1f87080000000p+3,
    {0x1.17a598p-3f, 0x1.e2545ep-2f, 0x1.c0023ap-1f, 0x1.4bec1ep+0f,
     0x1.bb2a9ep+0f, 0x1.169e52p+1f, 0x1.53555cp+1f, 0x1.92978cp+1f,
     0x1.d3cc92p+1f, 0x1.0d5426p+2f, 0x1.327b82p+2f, 0x1.5a5030p+2f,
     0x1.85a310p+2f, 0x1.b4e196p+2f, 0x1.eb9ca6p+2f, 0x1.1600d4p+3f},
    {
        {0x1.fcd76cp-1f, 0x1.dd37f6p-1f, 0x1.9be1e2p-1f, 0x1.53ef28p-1f,
         0x1.15c6ccp-1f, 0x1.ca7ca6p-2f, 0x1.7e6f22p-2f, 0x1.445d8ep-2f,
         0x1.17d05ap-2f, 0x1.e67254p-3f, 0x1.ab9b3ap-3f, 0x1.7a768cp-3f,
         0x1.506448p-3f, 0x1.2c044cp-3f, 0x1.0a9de0p-3f, 0x1.d779fcp-4f},
        {-0x1.6f1cc8p-4f, -0x1.0f3056p-2f, -0x1.5f4410p-2f, -0x1.400b94p-2f,
         -0x1.f679d0p-3f, -0x1.761710p-3f, -0x1.113f82p-3f, -0x1.92d580p-4f,
         -0x1.2f35c8p-4f, -0x1.cc95f0p-5f, -0x1.64a730p-5f, -0x1.179cbep-5f,
         -0x1.b9ee1ep-6f, -0x1.5f8decp-6f, -0x1.15a422p-6f, -0x1.b21a1cp-7f},
        {-0x1.4651aep-2f, -0x1.855386p-3f, -0x1.d794cap-7f, 0x1.1a5d48p-4f,
         0x1.3e6408p-4f, 0x1.f7949ep-5f, 0x1.600dc8p-5f, 0x1.da11d4p-6f,
         0x1.400faap-6f, 0x1.aef640p-7f, 0x1.280bd0p-7f, 0x1.9c7b38p-8f,
         0x1.222da2p-8f, 0x1.9c1582p-9f, 0x1.2132fcp-9f, 0x1.8fcbc0p-10f},
        {0x1.9f7e18p-5f, 0x1.357a22p-3f, 0x1.023724p-3f, 0x1.546d8ap-5f,
         -0x1.99ba70p-9f, -0x1.c2404cp-7f, -0x1.8ca198p-7f, -0x1.11dc62p-7f,
         -0x1.5d5510p-8f, -0x1.b094dep-9f, -0x1.0b806ep-9f, -0x1.4d08c8p-10f,
         -0x1.a1faa2p-11f, -0x1.07eda4p-11f, -0x1.4b45b8p-12f, -0x1.980cc6p-13f}}};

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_MATHEXPANSION_GATETABLES_H
