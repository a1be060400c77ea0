//===- Pipelines.cpp - Named pipelines that join the passes ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Pipelines/Pipelines.h"
#include "fuse/Codegen/Abi/Passes.h"
#include "fuse/Codegen/Cpu/Passes.h"
#include "fuse/Codegen/Gpu/Passes.h"
#include "fuse/Codegen/Kernel/Passes.h"
#include "fuse/Codegen/Passes.h"
#include "fuse/Codegen/Program/Passes.h"
#include "fuse/Conversion/Passes.h"
#include "fuse/Distribute/Passes.h"
#include "fuse/IR/Variants.h"
#include "fuse/Pipelines/Passes.h"
#include "fuse/Schedule/Passes.h"
#include "fuse/Support/Numerics.h"
#include "fuse/Support/Precision.h"
#include "fuse/Transforms/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::fuse;

void mlir::fuse::buildFusePipeline(OpPassManager &pm, const FusePipelineOptions &options) {
  // 1. What must hold of the arguments, while shapes are as written; sizes are computed from theirs.
  pm.addPass(createFuseTraceSizes());
  pm.addPass(createFuseBindDims());
  pm.addPass(createFuseBindIndices());
  //    Copies for the sizes that code is wanted for are planned as what they are.
  if (!options.specialize.empty()) {
    FuseSpecializeOptions specialize;
    specialize.sizes = options.specialize;
    if (options.specialize == kAutomaticVariants) {
      FusePipelineOptions planning;
      planning.copyOptionValuesFrom(options);
      planning.specialize = planning.budget = "";
      llvm::raw_string_ostream text(specialize.planning);
      planning.print(text);
    }
    pm.addPass(createFuseSpecialize(specialize));
  }
  buildFusePlanningPipeline(pm, options);
  // 7. What functions may cost at most holds for the kernels that run.
  FuseCheckBudgetOptions budget;
  budget.budget = options.budget;
  budget.numerics = options.numerics;
  pm.addPass(createFuseCheckBudget(budget));
}

void mlir::fuse::buildFusePlanningPipeline(OpPassManager &pm, const FusePipelineOptions &options) {
  pm.addNestedPass<func::FuncOp>(createFuseRefineShapes());
  pm.addPass(createFuseUnrollScans());
  // 2. The profile as written is recorded, then composites become primitives.
  pm.addPass(createFuseDecompose());
  pm.addNestedPass<func::FuncOp>(createFuseSinkCollapses());
  //    Reductions to few elements are cut in two for many processors, so that both launches are
  //    planned.
  if (options.fusion && getNumerics(options.numerics) != Numerics::Exact)
    pm.addPass(createFuseSplitReductions());
  //    Extrema of all elements are taken in two stages, so that kernels take the first beside what they compute.
  if (options.fusion)
    pm.addPass(createFuseSplitExtrema());
  //    And what must hold of the arguments of composites.
  pm.addPass(createFuseBindDims());
  // 3. Quantized tensors stay bytes, and their products are those of bytes; batch norms into weights, where rounding may
  //    change; what is only parameters is made once.
  FuseIntegerProductsOptions products;
  products.numerics = options.numerics;
  if (options.fusion) {
    pm.addPass(createFuseKeepBytes());
    pm.addPass(createFuseIntegerProducts(products));
    FuseFoldWeightsOptions folding;
    folding.numerics = options.numerics;
    pm.addPass(createFuseFoldWeights(folding));
  }
  //    The type that products with weights are computed in, once those are what they will be.
  if (options.precision != getPrecisionName(Precision::AsWritten)) {
    FuseShortenProductsOptions shortening;
    shortening.precision = options.precision;
    shortening.numerics = options.numerics;
    pm.addPass(createFuseShortenProducts(shortening));
    if (options.fusion)
      pm.addPass(createFuseIntegerProducts(products));
  }
  if (options.layouts) {
    FuseWidenProductsOptions widening;
    widening.numerics = options.numerics;
    widening.bf16Tiles = options.bf16Tiles;
    pm.addPass(createFuseWidenProducts(widening));
  }
  if (options.fusion) {
    FuseFoldScalesOptions scales;
    scales.numerics = options.numerics;
    pm.addPass(createFuseFoldScales(scales));
    //    What products widen as they read it is no work for preparation.
    if (options.layouts && (options.prepare || options.prepareMoves)) {
      FuseKeepShortWeightsOptions keeping;
      keeping.numerics = options.numerics;
      pm.addNestedPass<func::FuncOp>(createFuseKeepShortWeights(keeping));
    }
    if (options.prepare || options.prepareMoves) {
      FusePrepareParametersOptions prepare;
      prepare.moves = !options.prepare;
      pm.addPass(createFusePrepareParameters(prepare));
    }
  }
  // 4. How values lie in memory, so that the plan prices the loops that run.
  if (options.layouts) {
    FuseLayoutOptions layouts;
    layouts.numerics = options.numerics;
    layouts.prepareMoves = !options.prepare;
    buildFuseLayoutPipeline(pm, layouts);
  }
  pm.addNestedPass<func::FuncOp>(createFuseLayOutReshapes());
  pm.addPass(createFuseSharePreparation());
  // 5. The plan, as attributes, and at once the kernels: nothing may run between the two.
  if (options.fusion) {
    FusePlanOptions plan;
    plan.strategy = options.strategy;
    plan.costModel = options.costModel;
    plan.numerics = options.numerics;
    plan.disable = SmallVector<std::string>(options.disable.begin(), options.disable.end());
    pm.addPass(createFusePlan(plan));
  }
  pm.addPass(createFuseFormKernels());
  // 6. What collectives take while kernels run that need nothing of them.
  FuseOverlapCollectivesOptions overlap;
  overlap.numerics = options.numerics;
  pm.addNestedPass<func::FuncOp>(createFuseOverlapCollectives(overlap));
}

void mlir::fuse::buildFuseLayoutPipeline(OpPassManager &pm, const FuseLayoutOptions &options) {
  // 1. Images as convolutions read them, then weights.
  pm.addNestedPass<func::FuncOp>(createFuseAssignLayouts());
  pm.addNestedPass<func::FuncOp>(createFusePackParameters());
  FuseFlushWeightsOptions flush;
  flush.numerics = options.numerics;
  pm.addPass(createFuseFlushWeights(flush));
  // 2. What that takes of parameters runs once.
  FusePrepareParametersOptions prepare;
  prepare.moves = options.prepareMoves;
  pm.addPass(createFusePrepareParameters(prepare));
}

/// Tensors to buffers, without a copy where the result's place is given.
static void addBufferization(OpPassManager &pm) {
  pm.addPass(bufferization::createEmptyTensorToAllocTensorPass());
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.functionBoundaryTypeConversion = bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(options));
  pm.addPass(createCanonicalizerPass());
}

/// What remains of upstream's dialects, to LLVM. Branches come before the program's own lowering.
static void addConversionsToLLVM(OpPassManager &pm) {
  pm.addPass(createFuseLowerExpandShapes());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

/// How kernels are to be tiled, and their members on tensors, merged where one reads the other's element.
void mlir::fuse::buildKernelMembersPipeline(OpPassManager &kernel, bool stream, bool gpu) {
  // No CSE up to bufferization: two temporaries that become one cost a copy.
  if (!gpu)
    kernel.addPass(createFuseStepScans());
  FuseAssignSchedulesOptions schedules;
  schedules.stream = stream;
  schedules.gpu = gpu;
  kernel.addPass(createFuseAssignSchedules(schedules));
  OpPassManager &function = kernel.nest<func::FuncOp>();
  function.addPass(createFuseMembersToLinalg());
  MergeMembersOptions merging;
  merging.perElement = gpu;
  function.addPass(createMergeMembers(merging));
}

/// Kernels, one module each, to block functions on buffers: the same for all machines.
static void addKernelFunctions(OpPassManager &kernel, bool stream, bool gpu) {
  buildKernelMembersPipeline(kernel, stream, gpu);
  kernel.addPass(createFuseTileKernels());
  if (!gpu)
    kernel.addPass(createFuseLowerPads());
  kernel.addPass(createCanonicalizerPass());
  if (!gpu) {
    kernel.addNestedPass<func::FuncOp>(createFuseSliceGathers());
    kernel.addNestedPass<func::FuncOp>(createRepeatCheap());
    kernel.addNestedPass<func::FuncOp>(createFuseSinkContractions());
  }
  kernel.addPass(createFuseKeepDestinations());
  // Buffers: results in place.
  kernel.addPass(createFuseHideSelects());
  kernel.addPass(bufferization::createEmptyTensorEliminationPass());
  addBufferization(kernel);
  FuseHideSelectsOptions restore;
  restore.restore = true;
  kernel.addPass(createFuseHideSelects(restore));
  kernel.addPass(createFuseReturnDestinations());
  kernel.addPass(bufferization::createDropEquivalentBufferResultsPass());
  // Equal views become one, so that a copy onto itself is seen to be none.
  kernel.addPass(createCSEPass());
  kernel.addPass(createCanonicalizerPass());
}

/// The program around kernels: results in the caller's memory, the rest in one arena; then ops that
/// nobody planned as loops, launches as calls, functions as entry points.
static void addProgram(OpPassManager &pm, const FuseExpandMathOptions &functions, bool onDevice) {
  pm.addPass(createConvertElementwiseToLinalgPass());
  pm.addPass(createFuseLowerProgram());
  addBufferization(pm);
  pm.addNestedPass<func::FuncOp>(createFuseWaitForCollectives());
  pm.addPass(createFusePlanArena());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(onDevice ? createFuseLowerUnplanned() : createConvertLinalgToLoopsPass());
  // Their functions, too, are ours: upstream's log1p and expm1 lose all digits near 0.
  pm.addPass(createFuseExpandMath(functions));
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  FuseProgramToLLVMOptions program;
  program.onDevice = onDevice;
  pm.addPass(createFuseProgramToLLVM(program));
  addConversionsToLLVM(pm);
}

static FuseExpandMathOptions getFunctions(const FuseToLLVMOptions &options) {
  FuseExpandMathOptions functions;
  functions.hasScaling = options.hasScaling;
  functions.permutedLanes = options.permutedLanes;
  functions.flushesExp = options.flushExp;
  functions.convertsBf16 = options.bf16Convert;
  return functions;
}

static void addOutlining(OpPassManager &pm) {
  pm.addPass(createFuseCheckProgram());
  pm.addNestedPass<func::FuncOp>(createFuseCollapseDims());
  pm.addPass(createFuseOutlineKernels());
}

static void addSchedules(OpPassManager &pm, StringRef file, int64_t threads, StringRef device, bool stream) {
  if (file.empty())
    return;
  FuseApplySchedulesOptions schedules;
  schedules.file = file.str();
  schedules.threads = threads;
  schedules.device = device.str();
  schedules.stream = stream;
  pm.addPass(createFuseApplySchedules(schedules));
}

void mlir::fuse::buildOutlinePipeline(OpPassManager &pm, const FuseToLLVMOptions &options) {
  addOutlining(pm);
  addSchedules(pm, options.schedules, options.threads, /*device=*/"", options.stream);
}


void mlir::fuse::buildKernelToLLVMPipeline(OpPassManager &kernel,
                                           const FuseToLLVMOptions &options) {
  // 2. Each of them a function over blocks, on buffers.
  addKernelFunctions(kernel, options.stream, /*gpu=*/false);
  // 3. What neighbouring blocks share once, choices by position, loops over vectors, then temporaries to
  //    their places, and functions of our own.
  if (options.roundOnce)
    kernel.addPass(createFuseRoundOnce());
  kernel.addPass(createFuseKeepTiles());
  kernel.addPass(createFuseSplitChoices());
  FuseVectorizeKernelsOptions vectors;
  vectors.vectorBytes = options.vectorBytes;
  vectors.registers = options.registers;
  vectors.hasFma = options.fma;
  vectors.scalesSums = options.scaledSums;
  vectors.hasInt8Dot = options.int8Dot;
  vectors.hasInt16Dot = options.int16Dot;
  vectors.hasBf16Dot = options.bf16Dot;
  vectors.hasInt8Tiles = options.int8Tiles;
  vectors.hasBf16Tiles = options.bf16Tiles;
  kernel.addPass(createFuseVectorizeKernels(vectors));
  kernel.addPass(createFuseGuardReads());
  kernel.addPass(createCanonicalizerPass()); // sizes of buffers are known by their allocations
  kernel.addPass(createFusePlaceScratch());
  kernel.addPass(createCanonicalizerPass());
  kernel.addPass(createCSEPass());
  kernel.addPass(createFuseExpandMath(getFunctions(options)));
  kernel.addPass(createCanonicalizerPass());
  kernel.addPass(createCSEPass());
  // 4. The runtime's ABI, and LLVM.
  kernel.addPass(createFuseKernelABI());
  kernel.addPass(createConvertVectorToSCFPass(VectorTransferToSCFOptions().enableFullUnroll()));
  kernel.addPass(createLowerAffinePass());
  kernel.addPass(createSCFToControlFlowPass());
  addConversionsToLLVM(kernel);
}

void mlir::fuse::buildProgramToLLVMPipeline(OpPassManager &pm, const FuseToLLVMOptions &options) {
  // 5. The program around them.
  addProgram(pm, getFunctions(options), /*onDevice=*/false);
}

void mlir::fuse::buildFuseToLLVMPipeline(OpPassManager &pm, const FuseToLLVMOptions &options) {
  // 1. Each kernel a module of its own; equal ones once.
  buildOutlinePipeline(pm, options);
  buildKernelToLLVMPipeline(pm.nest<ModuleOp>(), options);
  buildProgramToLLVMPipeline(pm, options);
}

void mlir::fuse::buildFuseToGPUPipeline(OpPassManager &pm, const FuseToGPUOptions &options) {
  // 1. Each kernel a module of its own; equal ones once.
  addOutlining(pm);
  addSchedules(pm, options.schedules, /*threads=*/0, options.measuredOn, options.stream);
  OpPassManager &kernel = pm.nest<ModuleOp>();
  // 2. Each of them a function over blocks, on buffers.
  addKernelFunctions(kernel, options.stream, /*gpu=*/true);
  // 3. Members over threads, then temporaries to their places, guarded reads, and functions of our own.
  FuseDistributeMembersOptions threads;
  threads.reassociates = options.stream;
  threads.tensorCores = options.device == DeviceDialect::NVVM && options.stream;
  threads.tf32 = options.device == DeviceDialect::NVVM && options.tf32;
  threads.warpgroups = options.device == DeviceDialect::NVVM && options.warpgroups;
  threads.byteCores = options.device == DeviceDialect::NVVM;
  threads.asyncStages = options.device == DeviceDialect::NVVM ? std::max<int64_t>(1, options.asyncStages) : 1;
  threads.sharedBytes = options.sharedBytes;
  kernel.addPass(createFuseDistributeMembers(threads));
  kernel.addPass(createCanonicalizerPass());
  FusePlaceScratchOptions places;
  places.sharedBytes = options.sharedBytes;
  kernel.addPass(createFusePlaceScratch(places));
  kernel.addPass(createCanonicalizerPass());
  kernel.addPass(createCSEPass());
  kernel.addPass(createFuseGuardReads());
  FuseExpandMathOptions functions;
  functions.library = false; // the device has its own
  kernel.addPass(createFuseExpandMath(functions));
  // 4. The device's function apart from what the host runs.
  kernel.addPass(createFuseOutlineDevice());
  kernel.addPass(createCanonicalizerPass());
  kernel.addPass(createCSEPass());
  kernel.addPass(createFuseKernelABI());
  kernel.addPass(createFuseLowerExpandShapes());
  kernel.addPass(memref::createExpandStridedMetadataPass());
  kernel.addPass(createLowerAffinePass());
  // Positions within a tile, and of tiles where there are as many as is known, have 32 bits: divisions of 64 are loops of
  // instructions on a GPU.
  arith::ArithIntRangeNarrowingOptions narrow;
  narrow.bitwidthsSupported = {32};
  kernel.nest<gpu::GPUModuleOp>().addPass(arith::createIntRangeOptimizationsPass());
  kernel.nest<gpu::GPUModuleOp>().addPass(arith::createArithIntRangeNarrowing(narrow));
  kernel.addPass(createCanonicalizerPass());
  kernel.addPass(createSCFToControlFlowPass());
  // 5. The device's dialect.
  kernel.nest<gpu::GPUModuleOp>().addPass(createFuseDeviceMath());
  if (options.device == DeviceDialect::NVVM) {
    kernel.nest<gpu::GPUModuleOp>().addPass(createConvertGpuOpsToNVVMOps());
  } else {
    ConvertGpuOpsToROCDLOpsOptions rocdl;
    rocdl.chipset = options.chip;
    kernel.nest<gpu::GPUModuleOp>().addPass(createConvertGpuOpsToROCDLOps(rocdl));
  }
  kernel.addPass(createCanonicalizerPass());
  kernel.addPass(createCSEPass());
  addConversionsToLLVM(kernel);
  // Instructions that LLVM has no intrinsic for.
  if (options.warpgroups)
    kernel.nest<gpu::GPUModuleOp>().addPass(createConvertNVVMToLLVMPass());

  // 6. The program around them.
  functions.library = true;
  addProgram(pm, functions, /*onDevice=*/true);
}

void mlir::fuse::registerFusePipelines() {
  PassPipelineRegistration<FusePipelineOptions>(
      "fuse-pipeline", "From a tensor program to kernels", buildFusePipeline);
  PassPipelineRegistration<FuseLayoutOptions>(
      "fuse-layout", "How values lie in a CPU's memory",
      buildFuseLayoutPipeline);
  PassPipelineRegistration<FuseToLLVMOptions>(
      "fuse-to-llvm", "From kernels to code for the CPU", buildFuseToLLVMPipeline);
  PassPipelineRegistration<FuseToGPUOptions>(
      "fuse-to-gpu", "From kernels to code for a GPU", buildFuseToGPUPipeline);
}
