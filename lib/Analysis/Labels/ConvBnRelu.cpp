//===- ConvBnRelu.cpp - The pattern conv-bn-relu -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/ConvBnRelu.h"
#include "LabelOps.h"
#include "fuse/Analysis/AffineChain.h"
#include "fuse/IR/OpText.h"

using namespace mlir;
using namespace mlir::fuse;

/// conv2d, whatever scales and shifts each channel, relu.
bool mlir::fuse::isConvBnRelu(LabelOps ops) {
  auto conv = ops.getOnly<Conv2dOp>();
  if (!conv)
    return false;
  ops.claim(conv);
  AffineChain chain =
      followAffineChain(conv.getResult(), getChannelDim(conv), [&](Operation *user) {
        return ops.contains(user) || classifyNode(user) == NodeKind::View;
      });
  if (!chain.isBatchNorm())
    return false;
  SmallVector<Operation *> side;
  collectSideOps(chain.steps, [&](Operation *op) { return ops.contains(op); }, side);
  for (const AffineStep &step : chain.steps)
    ops.claim(step.op);
  for (Operation *op : side)
    ops.claim(op);
  Value result = ops.claimRelu(chain.result);
  return result && ops.getReaders(result).empty() && ops.areAllClaimed();
}

/// The ops that read `value` through views.
static llvm::SetVector<Operation *> getUsersBehindViews(Value value) {
  llvm::SetVector<Operation *> users;
  SmallVector<Value> work{value};
  while (!work.empty())
    for (Operation *user : work.pop_back_val().getUsers()) {
      if (classifyNode(user) == NodeKind::View)
        work.push_back(user->getResult(0));
      else
        users.insert(user);
    }
  return users;
}

static std::string quote(Operation *op) { return "'" + describeOp(op) + "'"; }

/// Why the pattern ends after `last`.
static ConvBnRelu refuse(Operation *last, StringRef wanted) {
  ConvBnRelu match;
  match.before = last;
  llvm::SetVector<Operation *> users = getUsersBehindViews(last->getResult(0));
  // In order of the block, whatever the order of the uses is.
  SmallVector<Operation *> readers = users.takeVector();
  llvm::erase_if(readers, [&](Operation *op) { return op->getBlock() != last->getBlock(); });
  llvm::sort(readers, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  if (readers.empty())
    return match;
  match.blocker = readers.front();
  if (readers.back()->hasTrait<OpTrait::IsTerminator>())
    match.legality = {Barrier::Escapes, "the result of " + quote(last) + " leaves the block",
                      "a value that only the pattern reads"};
  else if (readers.size() > 1)
    match.legality = {Barrier::SeveralConsumers,
                      "the result of " + quote(last) + " is also read by " + quote(readers.back()),
                      "a value that only the pattern reads"};
  else
    match.legality = {Barrier::PatternEnds, quote(match.blocker) + " is not " + wanted.str(),
                      wanted.str() + " of the value"};
  return match;
}

ConvBnRelu mlir::fuse::matchConvBnRelu(Conv2dOp conv) {
  AffineChain chain = followAffineChain(conv.getResult(), getChannelDim(conv));
  Operation *last = chain.steps.empty() ? conv.getOperation() : chain.steps.back().op;
  if (!chain.isBatchNorm())
    return refuse(last, "the batch norm");
  ConvBnRelu match;
  match.members.push_back(conv);
  for (const AffineStep &step : chain.steps)
    match.members.push_back(step.op);
  collectSideOps(chain.steps,
                 [&](Operation *op) {
                   return op->getBlock() == conv->getBlock() &&
                          classifyNode(op) == NodeKind::Device;
                 },
                 match.members);
  llvm::SetVector<Operation *> readers = getUsersBehindViews(chain.result);
  SmallVector<Operation *> candidates;
  for (Operation *reader : readers)
    if (reader->getBlock() == conv->getBlock() && classifyNode(reader) == NodeKind::Device)
      candidates.push_back(reader);
  LabelOps ops(candidates);
  Value result = ops.claimRelu(chain.result);
  if (!result || candidates.size() != readers.size() || !ops.areAllClaimed())
    return refuse(last, "the relu");
  // The comparison of a relu by select comes before the select.
  llvm::sort(candidates, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  llvm::append_range(match.members, candidates);
  return match;
}
