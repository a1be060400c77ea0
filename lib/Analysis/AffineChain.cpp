//===- AffineChain.cpp - Scale and shift of each channel, however it is written -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/AffineChain.h"
#include "Labels/LabelOps.h"

using namespace mlir;
using namespace mlir::fuse;

int64_t mlir::fuse::getChannelDim(Conv2dOp conv) {
  return conv.getLayout() == ConvLayout::NchwFchw ? 1 : 3;
}

bool AffineChain::isBatchNorm() const {
  bool scales = false, shifts = false;
  for (const AffineStep &step : steps) {
    switch (step.kind) {
    case AffineStep::Kind::BatchNorm:
      return true;
    case AffineStep::Kind::Cast:
      break;
    case AffineStep::Kind::Mul:
    case AffineStep::Kind::Div:
      scales |= step.isPerChannel;
      break;
    case AffineStep::Kind::Add:
    case AffineStep::Kind::Sub:
    case AffineStep::Kind::SubFrom:
      shifts = true;
      break;
    }
  }
  return scales && shifts;
}

static std::optional<AffineStep::Kind> getStepKind(BinaryKind kind, bool isLeft) {
  switch (kind) {
  case BinaryKind::Add:
    return AffineStep::Kind::Add;
  case BinaryKind::Mul:
    return AffineStep::Kind::Mul;
  case BinaryKind::Sub:
    return isLeft ? AffineStep::Kind::Sub : AffineStep::Kind::SubFrom;
  case BinaryKind::Div:
    if (isLeft)
      return AffineStep::Kind::Div;
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

static std::optional<AffineStep> matchStep(Operation *op, Value value, int64_t channel) {
  if (auto norm = dyn_cast<BatchNormOp>(op)) {
    if (norm.getInput() != value || norm.getFeatureDimension() != static_cast<uint64_t>(channel) ||
        llvm::is_contained(norm->getOperands().drop_front(), value))
      return std::nullopt;
    return AffineStep{AffineStep::Kind::BatchNorm, op, {}, true, channel};
  }
  auto isFloat = [](Value v) { return isa<FloatType>(getElementTypeOrSelf(v)); };
  if (auto cast = dyn_cast<CastOp>(op)) {
    if (!isFloat(cast.getOperand()) || !isFloat(cast.getResult()))
      return std::nullopt;
    return AffineStep{AffineStep::Kind::Cast, op, {}, false, channel};
  }
  auto binary = dyn_cast<BinaryOp>(op);
  if (!binary || !isFloat(binary.getResult()))
    return std::nullopt;
  bool isLeft = binary.getLhs() == value;
  Value other = isLeft ? binary.getRhs() : binary.getLhs();
  std::optional<AffineStep::Kind> kind = getStepKind(binary.getKind(), isLeft);
  if (!kind || other == value || getViewSource(other) == getViewSource(value) ||
      binary.getResult().getType() != value.getType())
    return std::nullopt;
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  llvm::SmallBitVector varying = getVaryingDims(other);
  for (unsigned dim : varying.set_bits())
    if (static_cast<int64_t>(dim + rank - varying.size()) != channel)
      return std::nullopt;
  return AffineStep{*kind, op, other, varying.any(), channel};
}

AffineChain mlir::fuse::followAffineChain(Value start, int64_t channel,
                                          llvm::function_ref<bool(Operation *)> isReader) {
  AffineChain chain{{}, start, channel};
  for (Value value = start;;) {
    Operation *reader = nullptr;
    for (Operation *user : value.getUsers()) {
      if (isReader && !isReader(user))
        continue;
      if (reader && reader != user)
        return chain;
      reader = user;
    }
    if (!reader)
      return chain;
    if (classifyNode(reader) == NodeKind::View) {
      std::optional<int64_t> dim = getViewResultDim(reader, channel);
      if (!dim)
        return chain;
      channel = *dim;
      value = reader->getResult(0);
      continue;
    }
    std::optional<AffineStep> step = matchStep(reader, value, channel);
    if (!step)
      return chain;
    chain.steps.push_back(*step);
    chain.channel = channel;
    chain.result = value = reader->getResult(0);
  }
}

//===- What computes scale and shift --------------------------------------------------------===//

static bool isNormArithmetic(Operation *op) {
  if (auto unary = dyn_cast<UnaryOp>(op))
    return llvm::is_contained({UnaryKind::Sqrt, UnaryKind::Rsqrt, UnaryKind::Reciprocal,
                               UnaryKind::Neg},
                              unary.getKind());
  if (auto binary = dyn_cast<BinaryOp>(op))
    return llvm::is_contained({BinaryKind::Add, BinaryKind::Sub, BinaryKind::Mul, BinaryKind::Div,
                               BinaryKind::Pow},
                              binary.getKind());
  return isa<CastOp>(op);
}

void mlir::fuse::collectSideOps(ArrayRef<AffineStep> steps,
                                llvm::function_ref<bool(Operation *)> isCandidate,
                                SmallVectorImpl<Operation *> &side) {
  llvm::SetVector<Operation *> found;
  llvm::DenseSet<Operation *> stepOps;
  SmallVector<Value> work;
  for (const AffineStep &step : steps) {
    stepOps.insert(step.op);
    if (step.other)
      work.push_back(step.other);
  }
  while (!work.empty()) {
    Operation *op = getViewSource(work.pop_back_val()).getDefiningOp();
    if (!op || stepOps.contains(op) || !isCandidate(op) || !isNormArithmetic(op) ||
        !found.insert(op))
      continue;
    llvm::append_range(work, op->getOperands());
  }
  // Whoever else reads one keeps it, and what it needs, outside.
  auto isReadElsewhere = [&](Operation *op) {
    SmallVector<Value> values{op->getResult(0)};
    while (!values.empty())
      for (Operation *user : values.pop_back_val().getUsers()) {
        if (classifyNode(user) == NodeKind::View)
          values.push_back(user->getResult(0));
        else if (!stepOps.contains(user) && !found.contains(user))
          return true;
      }
    return false;
  };
  while (found.remove_if(isReadElsewhere)) {
  }
  side.append(found.begin(), found.end());
}
