//===- EmulatedFunction.h - What rewrites of one function share --------------- -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_EMULATOR_EMULATEDFUNCTION_H
#define FUSE_LIB_CODEGEN_EMULATOR_EMULATEDFUNCTION_H

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <numeric>
#include <string>
#include <vector>

namespace mlir::fuse {

/// The address space of shared memory.
inline constexpr unsigned kSharedSpace = 3;

/// Where in the source the calls of the emulator are: a table of texts, by number.
class EmulatedSites {
public:
  /// The number of this instruction's place.
  int32_t add(const llvm::Instruction &instruction, llvm::StringRef what);
  llvm::ArrayRef<std::string> getTexts() const { return texts; }

  /// Takes note of an access to memory that other threads see. `bytes` 0: unknown.
  void noteAccess(uint64_t bytes, llvm::Align alignment) {
    uint64_t granuleOfThis = bytes == 0 ? 1 : std::gcd(bytes, alignment.value());
    granule = std::min(granule, granuleOfThis);
  }
  /// What the sizes and alignments of all accesses have in common.
  uint64_t getGranule() const { return granule; }

private:
  uint64_t granule = 16;
  std::vector<std::string> texts;
  llvm::DenseMap<const llvm::Function *, int32_t> numbers; // of places without a known source
};

/// A function of the device on its way to the CPU.
class EmulatedFunction {
public:
  EmulatedFunction(llvm::Function &function, EmulatedSites &sites)
      : function(function), sites(sites) {}

  llvm::Function &get() const { return function; }
  EmulatedSites &getSites() const { return sites; }
  llvm::Module &getModule() const { return *function.getParent(); }

  /// The thread that runs it: a fuse_emulated_thread, known from the entry on.
  llvm::Value *getThread();
  /// A field of the thread, `offset` bytes from its beginning.
  llvm::Value *loadField(llvm::IRBuilder<> &builder, llvm::Type *type, unsigned offset);
  /// The block's shared memory.
  llvm::Value *getShared();
  /// Room on the stack, in the entry block.
  llvm::AllocaInst *allocate(llvm::Type *type);

  /// Calls a function of the emulator. `arguments` follow the thread.
  llvm::CallInst *call(llvm::IRBuilder<> &builder, llvm::StringRef name, llvm::Type *result,
                       llvm::ArrayRef<llvm::Value *> arguments);
  /// The site of an instruction as an argument.
  llvm::Value *site(const llvm::Instruction &instruction, llvm::StringRef what);

private:
  llvm::Function &function;
  EmulatedSites &sites;
  llvm::CallInst *thread = nullptr;
  llvm::Value *shared = nullptr;
};

/// Tells the emulator of each access to memory that may be another thread's.
void checkAccesses(EmulatedFunction &function);

/// Replaces the intrinsics of NVIDIA's form.
llvm::Error replaceIntrinsics(EmulatedFunction &function);

/// Calls of libdevice's functions become those of libm. Fails on functions that have none.
llvm::Error replaceLibdevice(llvm::Module &module);

/// Puts variables of shared memory into the block's; gives the bytes of static ones.
int64_t placeSharedMemory(llvm::Module &module, llvm::MutableArrayRef<EmulatedFunction> functions);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_EMULATOR_EMULATEDFUNCTION_H
