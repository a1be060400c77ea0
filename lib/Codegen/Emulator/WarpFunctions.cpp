//===- WarpFunctions.cpp - Shuffles, votes and reductions ---------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Intrinsics.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir::fuse;

// The kinds' numbers are those of fuse/Runtime/EmulatedCalls.h.

static llvm::Value *emulateShuffle(IntrinsicCall &call, llvm::StringRef name) {
  llvm::IRBuilder<> &builder = call.builder;
  auto [mode, type] = name.split('.');
  int kind = llvm::StringSwitch<int>(mode)
                 .Case("idx", 0)
                 .Case("up", 1)
                 .Case("down", 2)
                 .Case("bfly", 3)
                 .Default(-1);
  bool hasPredicate = type.consume_back("p");
  if (kind < 0 || (type != "i32" && type != "f32"))
    return nullptr;
  llvm::Type *word = builder.getInt32Ty();
  llvm::Type *valueType = call.operand(1)->getType();
  llvm::Value *pair = call.function.call(builder, "fuse_emulated_shuffle", builder.getInt64Ty(),
                                         {call.number(kind), call.operand(0),
                                          builder.CreateBitCast(call.operand(1), word),
                                          call.operand(2), call.operand(3), call.site("shuffle")});
  llvm::Value *value = builder.CreateBitCast(builder.CreateTrunc(pair, word), valueType);
  if (!hasPredicate)
    return value;
  llvm::Value *predicate = builder.CreateTrunc(builder.CreateLShr(pair, 32), builder.getInt1Ty());
  llvm::Value *result = llvm::PoisonValue::get(call.type());
  return builder.CreateInsertValue(builder.CreateInsertValue(result, value, 0), predicate, 1);
}

static llvm::Value *emulateVote(IntrinsicCall &call, llvm::StringRef mode) {
  llvm::IRBuilder<> &builder = call.builder;
  int kind = llvm::StringSwitch<int>(mode)
                 .Case("vote.ballot.sync", 0)
                 .Case("vote.any.sync", 1)
                 .Case("vote.all.sync", 2)
                 .Case("vote.uni.sync", 3)
                 .Case("match.any.sync.i32", 4)
                 .Default(-1);
  if (kind < 0)
    return nullptr;
  llvm::Value *vote = call.function.call(builder, "fuse_emulated_vote", builder.getInt32Ty(),
                                         {call.number(kind), call.operand(0),
                                          builder.CreateZExt(call.operand(1), builder.getInt32Ty()),
                                          call.site("vote")});
  return builder.CreateZExtOrTrunc(vote, call.type());
}

static llvm::Value *emulateReduction(IntrinsicCall &call, llvm::StringRef name) {
  llvm::IRBuilder<> &builder = call.builder;
  int kind = llvm::StringSwitch<int>(name)
                 .Case("add", 0)
                 .Case("and", 1)
                 .Case("or", 2)
                 .Case("xor", 3)
                 .Case("min", 4)
                 .Case("max", 5)
                 .Case("umin", 6)
                 .Case("umax", 7)
                 .Cases({"fmin", "fmin.abs"}, 8)
                 .Cases({"fmax", "fmax.abs"}, 9)
                 .Cases({"fmin.NaN", "fmin.abs.NaN"}, 10)
                 .Cases({"fmax.NaN", "fmax.abs.NaN"}, 11)
                 .Default(-1);
  if (kind < 0)
    return nullptr;
  llvm::Value *value = call.operand(0);
  if (name.contains(".abs"))
    value = builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
  llvm::Value *result = call.function.call(builder, "fuse_emulated_reduce", builder.getInt32Ty(),
                                           {call.number(kind), call.operand(1),
                                            builder.CreateBitCast(value, builder.getInt32Ty()),
                                            call.site("warp reduction")});
  return builder.CreateBitCast(result, call.type());
}

llvm::Value *mlir::fuse::emulateWarpFunction(IntrinsicCall &call) {
  llvm::StringRef name = call.name;
  if (name.consume_front("shfl.sync."))
    return emulateShuffle(call, name);
  if (name.consume_front("redux.sync."))
    return emulateReduction(call, name);
  return emulateVote(call, name);
}
