//===- MatrixFunctions.cpp - Products of matrices and their operands ----------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Intrinsics.h"

using namespace mlir::fuse;

// Element types' numbers are those of fuse/Runtime/EmulatedCalls.h.
namespace {
enum Element : int { kF16 = 0, kBF16 = 1, kTF32 = 2, kF32 = 3, kS8 = 4, kU8 = 5, kS32 = 6 };
} // namespace

/// All of a fragment is one array of words on the stack: what a lane gives, then what it gets.
static llvm::Value *placeOfWord(IntrinsicCall &call, llvm::Value *words, unsigned i) {
  return call.builder.CreateConstInBoundsGEP1_32(call.builder.getInt32Ty(), words, i);
}

static llvm::Value *takeResult(IntrinsicCall &call, llvm::Value *words, unsigned first) {
  auto *type = llvm::dyn_cast<llvm::StructType>(call.type());
  if (!type)
    return call.builder.CreateLoad(call.type(), placeOfWord(call, words, first));
  llvm::Value *result = llvm::PoisonValue::get(type);
  for (unsigned i = 0; i < type->getNumElements(); ++i)
    result = call.builder.CreateInsertValue(
        result,
        call.builder.CreateLoad(type->getElementType(i), placeOfWord(call, words, first + i)), i);
  return result;
}

static llvm::AllocaInst *makeWords(IntrinsicCall &call, unsigned count) {
  return call.function.allocate(llvm::ArrayType::get(call.builder.getInt32Ty(), count));
}

static llvm::Value *emulateProduct(IntrinsicCall &call, llvm::StringRef name) {
  // "m16n8k16.row.col.f32.f32": depth, then the types.
  auto [shape, types] = name.split(".row.col.");
  int64_t depth = 0;
  if (!shape.consume_front("m16n8k") || shape.getAsInteger(10, depth))
    return nullptr;
  int multiplied = -1, other = -1, accumulated = kF32;
  // "s8", or "s8.u8" where the two are not of one type. Sums wrap around; those that stay at the ends of their range
  // (.satfinite) are not known.
  auto [left, right] = types.split('.');
  auto getByte = [](llvm::StringRef type) { return type == "s8" ? kS8 : type == "u8" ? kU8 : -1; };
  if (getByte(left) >= 0) {
    multiplied = getByte(left);
    other = right.empty() ? multiplied : getByte(right);
    accumulated = kS32;
    if (other < 0)
      return nullptr;
  } else if (types == "bf16")
    multiplied = kBF16;
  else if (types == "tf32")
    multiplied = kTF32;
  else if (types == "f32.f32" || types == "f16.f16") {
    multiplied = kF16;
    accumulated = types == "f32.f32" ? kF32 : kF16;
  }
  if (other < 0)
    other = multiplied;
  bool isKnown = multiplied == kTF32   ? depth == 4 || depth == 8
                 : accumulated == kS32 ? depth == 16 || depth == 32
                                       : depth == 8 || depth == 16;
  if (multiplied < 0 || !isKnown)
    return nullptr;
  unsigned count = call.call.arg_size(), results = accumulated == kF16 ? 2 : 4;
  llvm::AllocaInst *words = makeWords(call, count + results);
  for (unsigned i = 0; i < count; ++i)
    call.builder.CreateStore(call.operand(i), placeOfWord(call, words, i));
  call.function.call(call.builder, "fuse_emulated_matrix_multiply", call.builder.getVoidTy(),
                     {call.number(depth), call.number(multiplied), call.number(other),
                      call.number(accumulated), words,
                      call.site("matrix product")});
  return takeResult(call, words, count);
}

static llvm::Value *emulateMove(IntrinsicCall &call, llvm::StringRef name, bool loads) {
  // "x4.trans.b16.p3"
  int64_t count = 0;
  if (!name.consume_front("x") || name.consumeInteger(10, count) ||
      (count != 1 && count != 2 && count != 4))
    return nullptr;
  bool isTransposed = name.consume_front(".trans");
  if (!name.consume_front(".b16"))
    return nullptr;
  llvm::AllocaInst *words = makeWords(call, count);
  for (unsigned i = 1; !loads && i < call.call.arg_size(); ++i)
    call.builder.CreateStore(call.operand(i), placeOfWord(call, words, i - 1));
  call.function.call(call.builder,
                     loads ? "fuse_emulated_load_matrix" : "fuse_emulated_store_matrix",
                     call.builder.getVoidTy(),
                     {call.operand(0), call.number(count), call.number(isTransposed), words,
                      call.site(loads ? "load of matrices" : "store of matrices")});
  return loads ? takeResult(call, words, 0) : llvm::PoisonValue::get(call.builder.getInt32Ty());
}

llvm::Value *mlir::fuse::emulateMatrix(IntrinsicCall &call) {
  llvm::StringRef name = call.name;
  if (name.consume_front("mma."))
    return emulateProduct(call, name);
  if (name.consume_front("ldmatrix.sync.aligned.m8n8."))
    return emulateMove(call, name, /*loads=*/true);
  if (name.consume_front("stmatrix.sync.aligned.m8n8."))
    return emulateMove(call, name, /*loads=*/false);
  return nullptr;
}
