//===- WarpgroupFunctions.cpp - Products of warpgroups ------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// LLVM has intrinsics for the fences and waits of wgmma, but none for the product, which NVVM makes inline assembly of. It
// gives its results at once, as far as LLVM knows, while the hardware computes them until the thread has waited. So the
// emulator gives words that stand for them, and whatever does more with them than to hand them on, to the next product or
// around a loop, asks for what they stand for first.
//
//===----------------------------------------------------------------------------------------===//

#include "Intrinsics.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace mlir::fuse;

namespace {

/// What the assembly of a product says.
struct Product {
  int64_t columns = 0;
  int element = -1; // fuse_emulated_element
};

llvm::StringRef getAssembly(const llvm::CallInst &call) {
  return llvm::cast<llvm::InlineAsm>(call.getCalledOperand())->getAsmString();
}

/// "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {$0, …": products of f16 and bf16, added up as f32.
std::optional<Product> parseProduct(const llvm::CallInst &call) {
  llvm::StringRef text = getAssembly(call);
  size_t at = text.find("wgmma.mma_async.sync.aligned.m64n");
  if (at == llvm::StringRef::npos)
    return std::nullopt;
  text = text.substr(at + llvm::StringRef("wgmma.mma_async.sync.aligned.m64n").size());
  Product product;
  constexpr int kF16 = 0, kBF16 = 1;
  if (text.consumeInteger(10, product.columns) || !text.consume_front("k16.f32."))
    return std::nullopt;
  if (text.starts_with("f16.f16 "))
    product.element = kF16;
  else if (text.starts_with("bf16.bf16 "))
    product.element = kBF16;
  constexpr int64_t kMostColumns = 256;
  bool isKnown = product.element >= 0 && product.columns > 0 && product.columns <= kMostColumns && product.columns % 8 == 0;
  return isKnown ? std::optional(product) : std::nullopt;
}

/// Assembly of no instructions whose results are its operands.
bool keepsValues(const llvm::CallInst &call) { return call.isInlineAsm() && getAssembly(call).empty(); }

bool isProduct(const llvm::Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  return call && call->isInlineAsm() && parseProduct(*call);
}

bool handsOn(const llvm::User *user) {
  return llvm::isa<llvm::ExtractValueInst, llvm::InsertValueInst, llvm::PHINode, llvm::SelectInst, llvm::FreezeInst>(user);
}

/// The words of a struct of f32, or of one, one behind the other.
llvm::Value *getWord(llvm::IRBuilder<> &builder, llvm::Value *words, unsigned i) {
  return builder.CreateConstInBoundsGEP1_32(builder.getInt32Ty(), words, i);
}

llvm::Value *takeSum(EmulatedFunction &function, llvm::IRBuilder<> &builder, llvm::Value *value, llvm::Value *site) {
  llvm::Value *word = builder.CreateBitCast(value, builder.getInt32Ty());
  return builder.CreateBitCast(
      function.call(builder, "fuse_emulated_take_sum", builder.getInt32Ty(), {word, site}), value->getType());
}

llvm::Value *emulateWarpgroupProduct(IntrinsicCall &call, const Product &product) {
  // Sums, descriptors of both matrices, then whether there are sums, signs of the matrices, and whether these are turned.
  auto count = static_cast<unsigned>(product.columns / 2);
  auto *type = llvm::dyn_cast<llvm::StructType>(call.type());
  constexpr unsigned kOthers = 7;
  if (!type || type->getNumElements() != count || call.call.arg_size() != count + kOthers)
    return nullptr;
  llvm::SmallVector<int64_t> numbers;
  for (unsigned i = count + 2; i < count + kOthers; ++i) {
    auto *number = llvm::dyn_cast<llvm::ConstantInt>(call.operand(i));
    if (!number)
      return nullptr;
    numbers.push_back(number->getSExtValue());
  }
  if (numbers[0] != 1 || numbers[1] != 1 || numbers[2] != 1)
    return nullptr;
  constexpr int kPieceBytes = 16;
  call.function.getSites().noteAccess(kPieceBytes, llvm::Align(kPieceBytes));
  llvm::IRBuilder<> &builder = call.builder;
  llvm::Value *words = call.function.allocate(llvm::ArrayType::get(builder.getInt32Ty(), 2 * count));
  for (unsigned i = 0; i < count; ++i)
    builder.CreateStore(call.operand(i), getWord(builder, words, i));
  call.function.call(builder, "fuse_emulated_warpgroup_multiply", builder.getVoidTy(),
                     {call.number(product.columns), call.number(product.element), call.number(product.element),
                      call.number(numbers[3] + 2 * numbers[4]), call.operand(count), call.operand(count + 1), words,
                      call.site("matrix product")});
  llvm::Value *result = llvm::PoisonValue::get(type);
  for (unsigned i = 0; i < count; ++i)
    result = builder.CreateInsertValue(
        result, builder.CreateLoad(type->getElementType(i), getWord(builder, words, count + i)), i);
  return result;
}

/// The operands themselves, or what they stand for.
llvm::Value *emulateKeeping(IntrinsicCall &call) {
  auto *type = llvm::dyn_cast<llvm::StructType>(call.type());
  if (call.call.arg_empty() || (type ? type->getNumElements() : 1) != call.call.arg_size())
    return nullptr;
  llvm::Value *site = call.site("sums"), *result = llvm::PoisonValue::get(call.type());
  for (unsigned i = 0; i < call.call.arg_size(); ++i) {
    llvm::Value *value = call.operand(i);
    if (value->getType() != (type ? type->getElementType(i) : call.type()))
      return nullptr;
    if (value->getType()->isFloatTy())
      value = takeSum(call.function, call.builder, value, site);
    result = type ? call.builder.CreateInsertValue(result, value, i) : value;
  }
  return result;
}

} // namespace

llvm::Value *mlir::fuse::emulateAssembly(IntrinsicCall &call) {
  if (std::optional<Product> product = parseProduct(call.call))
    return emulateWarpgroupProduct(call, *product);
  return keepsValues(call.call) ? emulateKeeping(call) : nullptr;
}

void mlir::fuse::checkSums(EmulatedFunction &function) {
  llvm::SmallVector<llvm::Value *> handed;
  for (llvm::Instruction &instruction : llvm::instructions(function.get()))
    if (isProduct(instruction))
      handed.push_back(&instruction);
  llvm::DenseSet<llvm::Value *> known(handed.begin(), handed.end());
  llvm::SmallVector<llvm::Use *> taken;
  while (!handed.empty()) {
    llvm::Value *value = handed.pop_back_val();
    for (llvm::Use &use : value->uses()) {
      llvm::User *user = use.getUser();
      if (handsOn(user)) {
        if (known.insert(user).second)
          handed.push_back(user);
        continue;
      }
      auto *call = llvm::dyn_cast<llvm::CallInst>(user);
      bool isAssembly = call && call->isInlineAsm() && (parseProduct(*call) || keepsValues(*call));
      if (!isAssembly && value->getType()->isFloatTy())
        taken.push_back(&use);
    }
  }
  for (llvm::Use *use : taken) {
    auto *user = llvm::cast<llvm::Instruction>(use->getUser());
    llvm::IRBuilder<> builder(user);
    llvm::Value *site = function.site(*user, "sum");
    use->set(takeSum(function, builder, use->get(), site));
  }
}

llvm::Value *mlir::fuse::emulateWarpgroup(IntrinsicCall &call) {
  llvm::StringRef name = call.name;
  if (!name.consume_front("wgmma."))
    return nullptr;
  llvm::IRBuilder<> &builder = call.builder;
  auto ask = [&](llvm::StringRef function, llvm::ArrayRef<llvm::Value *> operands) {
    call.function.call(builder, function, builder.getVoidTy(), operands);
    return llvm::PoisonValue::get(builder.getInt32Ty());
  };
  if (name == "fence.sync.aligned")
    return ask("fuse_emulated_warpgroup_fence", {call.site("fence of products")});
  if (name == "commit_group.sync.aligned")
    return ask("fuse_emulated_warpgroup_commit", {call.site("end of a group of products")});
  if (name == "wait_group.sync.aligned")
    return ask("fuse_emulated_warpgroup_wait", {call.operand(0), call.site("wait for products")});
  return nullptr;
}
