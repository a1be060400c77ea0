//===- OutlineLoops.cpp - Large functions cut at their loops --------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "OutlineLoops.h"
#include "LlvmCode.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Utils/CodeExtractor.h"

using namespace llvm;

/// Instructions of a function from which on it is cut.
static constexpr unsigned kLargeFunction = 3000;
/// Of a loop: what is less is not worth a call, what is more is cut at the loops within it.
static constexpr unsigned kLeastLoop = 150, kMostLoop = 3000;
/// Arguments of a call; 6 are passed in registers.
static constexpr unsigned kMostArguments = 32;

static unsigned countInstructions(const Loop &loop) {
  unsigned count = 0;
  for (const BasicBlock *block : loop.blocks())
    count += block->size();
  return count;
}

/// The blocks of each loop to take, its header first.
static void collectLoops(ArrayRef<Loop *> loops, std::vector<std::vector<BasicBlock *>> &taken) {
  for (Loop *loop : loops) {
    unsigned count = countInstructions(*loop);
    if (count < kLeastLoop)
      continue;
    if (count > kMostLoop && !loop->isInnermost())
      collectLoops(loop->getSubLoops(), taken);
    else
      taken.push_back(loop->getBlocks());
  }
}

static void outlineLoops(Function &function) {
  std::vector<std::vector<BasicBlock *>> taken;
  {
    DominatorTree dominators(function);
    LoopInfo loops(dominators);
    collectLoops(loops.getTopLevelLoops(), taken);
  }
  for (auto [number, blocks] : llvm::enumerate(taken)) {
    CodeExtractor extractor(blocks, /*DT=*/nullptr, /*AggregateArgs=*/false, /*BFI=*/nullptr, /*BPI=*/nullptr,
                            /*AC=*/nullptr, /*AllowVarArgs=*/false, /*AllowAlloca=*/false,
                            /*AllocationBlock=*/nullptr, "loop" + std::to_string(number));
    if (!extractor.isEligible())
      continue;
    SetVector<Value *> inputs, outputs;
    extractor.findInputsOutputs(inputs, outputs, /*Allocas=*/{});
    if (!outputs.empty() || inputs.size() > kMostArguments)
      continue;
    Function *loop = extractor.extractCodeRegion(CodeExtractorAnalysisCache(function));
    if (!loop)
      continue;
    loop->setLinkage(GlobalValue::InternalLinkage);
    loop->removeFnAttr(Attribute::AlwaysInline); // of the function that it was taken from
    loop->addFnAttr(Attribute::NoInline);
  }
}

void mlir::fuse::outlineLoops(Module &module, TargetMachine &machine) {
  std::vector<Function *> large;
  for (Function &function : module)
    if (!function.isDeclaration() && function.getInstructionCount() > kLargeFunction)
      large.push_back(&function);
  if (large.empty())
    return;
  // Arguments are numbers and pointers afterwards, not whole descriptors of buffers.
  simplifyModule(module, machine);
  for (Function *function : large)
    ::outlineLoops(*function);
}
