//===- InitAll.cpp - What the project adds to a tool ------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/InitAll/InitAll.h"

#include "fuse/Codegen/Abi/Passes.h"
#include "fuse/Codegen/Cpu/Passes.h"
#include "fuse/Codegen/Gpu/Passes.h"
#include "fuse/Codegen/Kernel/Passes.h"
#include "fuse/Codegen/Passes.h"
#include "fuse/Codegen/Program/Passes.h"
#include "fuse/Conversion/Passes.h"
#include "fuse/Distribute/Passes.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/Pipelines/Passes.h"
#include "fuse/Pipelines/Pipelines.h"
#include "fuse/Report/Passes.h"
#include "fuse/Schedule/Passes.h"
#include "fuse/Transforms/Passes.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/IR/DialectRegistry.h"

using namespace mlir;

void fuse::registerAllFuseDialects(DialectRegistry &registry) {
  registry.insert<fuse::FuseDialect, shard::ShardDialect>();
  registerBufferizationModels(registry);
}

// Sorted by layer, from the dialect up.
void fuse::registerAllFusePasses() {
  registerFuseDistributePasses();
  registerFuseTransformsPasses();
  registerFuseReportPasses();
  registerFuseConversionPasses();
  registerFuseSchedulePasses();
  registerFuseCodegenPasses();
  registerFuseKernelPasses();
  registerFuseAbiPasses();
  registerFuseCpuPasses();
  registerFuseGpuPasses();
  registerFuseProgramPasses();
  registerFusePipelinesPasses();
  registerFusePipelines();
}
