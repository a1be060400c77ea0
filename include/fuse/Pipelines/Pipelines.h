//===- Pipelines.h - Named pipelines that join the passes -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_PIPELINES_PIPELINES_H
#define FUSE_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::fuse {

/// Options of `fuse-pipeline`: from a tensor program to kernels.
struct FusePipelineOptions : PassPipelineOptions<FusePipelineOptions> {
  Option<std::string> strategy{*this, "strategy",
                               llvm::cl::desc("how merges are found: priority, chains or none"),
                               llvm::cl::init("priority")};
  Option<std::string> costModel{*this, "cost-model",
                                llvm::cl::desc("what may speak against a merge: io or roofline"),
                                llvm::cl::init("roofline")};
  Option<bool> fusion{*this, "fusion",
                      llvm::cl::desc("false makes every op a kernel of its own"),
                      llvm::cl::init(true)};
  Option<std::string> numerics{
      *this, "numerics",
      llvm::cl::desc("how far numbers may change: exact, reassociates, folds or "
                     "reduced-precision"),
      llvm::cl::init("exact")};
  Option<std::string> precision{
      *this, "precision",
      llvm::cl::desc("what products with weights are computed in: as-written, or with numerics=reduced-precision bf16 or "
                     "int8 (see fuse-shorten-products)"),
      llvm::cl::init("as-written")};
  Option<bool> prepare{
      *this, "prepare",
      llvm::cl::desc("what is folded of parameters becomes a function that runs once"),
      llvm::cl::init(false)};
  Option<bool> prepareMoves{
      *this, "prepare-moves",
      llvm::cl::desc("what moves elements of parameters, and no more, becomes such a function, too"),
      llvm::cl::init(false)};
  Option<bool> layouts{
      *this, "layouts",
      llvm::cl::desc("how values lie in a CPU's memory is chosen before kernels are planned (see fuse-layout)"),
      llvm::cl::init(false)};
  Option<bool> bf16Tiles{
      *this, "bf16-tiles",
      llvm::cl::desc("the CPU multiplies tiles of bf16, which numerics=folds allows (see fuse-widen-products)"),
      llvm::cl::init(false)};
  Option<std::string> specialize{
      *this, "specialize",
      llvm::cl::desc("sizes that functions get variants for, e.g. batch=8,seq=1;seq=128, or auto (see fuse-specialize)"),
      llvm::cl::init("")};
  ListOption<std::string> disable{*this, "disable",
                                  llvm::cl::desc("labels of patterns that are not to be formed")};
  Option<std::string> budget{
      *this, "budget",
      llvm::cl::desc("what every function may cost at most, e.g. launches=2,syncs=0"),
      llvm::cl::init("")};
};

/// Options of `fuse-to-llvm`: from kernels to code for the CPU.
struct FuseToLLVMOptions : PassPipelineOptions<FuseToLLVMOptions> {
  Option<int64_t> vectorBytes{*this, "vector-bytes",
                              llvm::cl::desc("bytes of a vector register"), llvm::cl::init(64)};
  Option<int64_t> registers{*this, "registers", llvm::cl::desc("how many of them there are"),
                            llvm::cl::init(32)};
  Option<bool> fma{*this, "fma",
                   llvm::cl::desc("vectors are multiplied and added in one instruction"),
                   llvm::cl::init(true)};
  Option<bool> hasScaling{*this, "has-scaling",
                          llvm::cl::desc("vectors are scaled by powers of two in one instruction"),
                          llvm::cl::init(false)};
  Option<int64_t> permutedLanes{
      *this, "permuted-lanes",
      llvm::cl::desc(
          "floats that one instruction permutes by a vector: 16, 8 or, one by one, 1; with "
          "0 there are no tables"),
      llvm::cl::init(0)};
  Option<bool> int8Dot{*this, "int8-dot", llvm::cl::desc("products of 8-bit integers use vpdpbusd"),
                       llvm::cl::init(false)};
  Option<bool> int16Dot{*this, "int16-dot", llvm::cl::desc("products of 8-bit integers use pmaddwd, if not vpdpbusd"),
                        llvm::cl::init(false)};
  Option<bool> int8Tiles{*this, "int8-tiles", llvm::cl::desc("products of 8-bit integers use AMX's tile registers"),
                         llvm::cl::init(false)};
  Option<bool> bf16Tiles{
      *this, "bf16-tiles",
      llvm::cl::desc("products of bf16 use AMX's tile registers, which changes how they are rounded"),
      llvm::cl::init(false)};
  Option<bool> bf16Dot{
      *this, "bf16-dot",
      llvm::cl::desc("products of bf16 use vdpbf16ps, which changes how they are rounded"),
      llvm::cl::init(false)};
  Option<bool> bf16Convert{*this, "bf16-convert",
                           llvm::cl::desc("an instruction rounds f32 to bf16, by which what is denormal becomes 0"),
                           llvm::cl::init(false)};
  Option<bool> scaledSums{*this, "scaled-sums",
                          llvm::cl::desc("sums are scaled instead of their terms: changes rounding"),
                          llvm::cl::init(false)};
  Option<bool> flushExp{*this, "flush-exp",
                        llvm::cl::desc("the exponential function is 0 in f32 where it would be denormal"),
                        llvm::cl::init(false)};
  Option<bool> roundOnce{*this, "round-once",
                         llvm::cl::desc("f16 and bf16 are rounded where they are stored, not between ops of one loop"),
                         llvm::cl::init(false)};
  Option<bool> stream{*this, "stream",
                      llvm::cl::desc("dims may be streamed, which reassociates sums"),
                      llvm::cl::init(false)};
  Option<std::string> schedules{*this, "schedules",
                                llvm::cl::desc("a file of fuse-tune with schedules of kernels"),
                                llvm::cl::init("")};
  Option<int64_t> threads{
      *this, "threads", llvm::cl::desc("how many a launch will have, for that file; 0: not known"),
      llvm::cl::init(0)};
};

/// Dialects of devices, which gpu.module ends up in.
enum class DeviceDialect { NVVM, ROCDL };

/// Options of `fuse-to-gpu`: from kernels to code for a GPU.
struct FuseToGPUOptions : PassPipelineOptions<FuseToGPUOptions> {
  Option<bool> tf32{*this, "tf32",
                    llvm::cl::desc("products of f32 may round their operands to TF32"),
                    llvm::cl::init(false)};
  Option<unsigned> sharedBytes{*this, "shared-bytes",
                               llvm::cl::desc("shared memory of a block, in bytes"),
                               llvm::cl::init(48 * 1024)};
  Option<DeviceDialect> device{
      *this, "device", llvm::cl::desc("what device code becomes"),
      llvm::cl::init(DeviceDialect::NVVM),
      llvm::cl::values(clEnumValN(DeviceDialect::NVVM, "nvvm", "for NVIDIA's GPUs"),
                       clEnumValN(DeviceDialect::ROCDL, "rocdl", "for AMD's"))};
  Option<std::string> chip{*this, "chip",
                           llvm::cl::desc("the AMD chip; nothing depends on NVIDIA's"),
                           llvm::cl::init("gfx942")};
  Option<bool> stream{*this, "stream",
                      llvm::cl::desc("dims may be streamed, which reassociates sums"),
                      llvm::cl::init(false)};
  Option<int64_t> asyncStages{
      *this, "async-stages",
      llvm::cl::desc("how many parts of a product's operands are in shared memory at once, at most, copied there "
                     "asynchronously (sm_80 and later); 1: none is copied so"),
      llvm::cl::init(4)};
  Option<bool> warpgroups{*this, "warpgroups",
                          llvm::cl::desc("products of f16 and bf16 are those of warpgroups (wgmma, of sm_90a alone) where "
                                         "operands can be copied asynchronously"),
                          llvm::cl::init(false)};
  Option<std::string> schedules{*this, "schedules",
                                llvm::cl::desc("a file of fuse-tune with schedules of kernels"),
                                llvm::cl::init("")};
  Option<std::string> measuredOn{*this, "measured-on",
                                 llvm::cl::desc("the device that such a file must be of"),
                                 llvm::cl::init("gpu")};
};

/// Options of `fuse-layout`: how values lie in a CPU's memory.
struct FuseLayoutOptions : PassPipelineOptions<FuseLayoutOptions> {
  Option<std::string> numerics{
      *this, "numerics",
      llvm::cl::desc("how far numbers may change; from folds on, denormal weights become 0"),
      llvm::cl::init("exact")};
  Option<bool> prepareMoves{
      *this, "prepare-moves",
      llvm::cl::desc("of what is computed of parameters, only what moves elements runs once"),
      llvm::cl::init(true)};
};

void buildFusePipeline(OpPassManager &pm, const FusePipelineOptions &options);

/// The part of it behind the wanted functions: composites become primitives, and these kernels.
void buildFusePlanningPipeline(OpPassManager &pm, const FusePipelineOptions &options);
/// A part of the one above: on primitives, before kernels are planned.
void buildFuseLayoutPipeline(OpPassManager &pm, const FuseLayoutOptions &options);
void buildFuseToLLVMPipeline(OpPassManager &pm, const FuseToLLVMOptions &options);
/// The parts of `fuse-to-llvm`, for who runs them apart: what makes a module of each kernel, with the
/// schedule that a file has for it; what lowers one of these modules (the members pipeline is its first
/// part: the schedule, then members on tensors); and what lowers the program around them. The last needs
/// of the kernels' modules that they are there, not what is in them.
void buildOutlinePipeline(OpPassManager &pm, const FuseToLLVMOptions &options);
void buildKernelMembersPipeline(OpPassManager &kernel, bool stream, bool gpu);
void buildKernelToLLVMPipeline(OpPassManager &kernel, const FuseToLLVMOptions &options);
void buildProgramToLLVMPipeline(OpPassManager &pm, const FuseToLLVMOptions &options);
void buildFuseToGPUPipeline(OpPassManager &pm, const FuseToGPUOptions &options);

/// Registers `fuse-pipeline`, `fuse-layout`, `fuse-to-llvm` and `fuse-to-gpu`.
void registerFusePipelines();

} // namespace mlir::fuse

#endif // FUSE_PIPELINES_PIPELINES_H
