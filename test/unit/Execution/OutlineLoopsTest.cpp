//===- OutlineLoopsTest.cpp - Large functions cut at their loops ----------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "MachineCode/OutlineLoops.h"
#include "gtest/gtest.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir::fuse;

namespace {

/// One loop over blocks, which has `loops` loops of about 2 * `length` instructions each, in a function that is to be inlined.
/// With `returns` the last of them computes what the function returns.
std::string makeFunction(unsigned loops, unsigned length, bool returns) {
  std::string text = "define internal i64 @kernel(ptr %data, i64 %n) alwaysinline {\nentry:\n  br label %outer\n"
                     "outer:\n  %block = phi i64 [0, %entry], [%next, %end]\n  br label %pre0\n";
  for (unsigned loop = 0; loop < loops; ++loop) {
    std::string l = std::to_string(loop);
    text += "pre" + l + ":\n  br label %loop" + l + "\nloop" + l + ":\n  %i" + l + " = phi i64 [0, %pre" + l + "], [%j" + l +
            ", %loop" + l + "]\n  %v" + l + "_0 = add i64 %i" + l + ", %block\n";
    for (unsigned step = 0; step < length; ++step) {
      std::string before = "%v" + l + "_" + std::to_string(step);
      text += "  %p" + l + "_" + std::to_string(step) + " = getelementptr i64, ptr %data, i64 " + before + "\n  %v" + l + "_" +
              std::to_string(step + 1) + " = load volatile i64, ptr %p" + l + "_" + std::to_string(step) + "\n";
    }
    std::string next = loop + 1 == loops ? "end" : "pre" + std::to_string(loop + 1);
    text += "  %j" + l + " = add i64 %i" + l + ", 1\n  %c" + l + " = icmp ult i64 %j" + l + ", %n\n  br i1 %c" + l +
            ", label %loop" + l + ", label %" + next + "\n";
  }
  std::string last = returns ? "%v" + std::to_string(loops - 1) + "_" + std::to_string(length) : "%block";
  return text + "end:\n  %next = add i64 %block, 1\n  %more = icmp ult i64 %next, %n\n"
                "  br i1 %more, label %outer, label %done\ndone:\n  ret i64 " +
         last + "\n}\n";
}

std::unique_ptr<llvm::TargetMachine> makeMachine() {
  llvm::InitializeNativeTarget();
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(triple, "generic", "", {}, std::nullopt));
}

/// The names of the functions that there are then.
std::vector<std::string> outline(const std::string &text) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, diagnostic, context);
  EXPECT_TRUE(module) << diagnostic.getMessage().str();
  if (!module)
    return {};
  std::unique_ptr<llvm::TargetMachine> machine = makeMachine();
  outlineLoops(*module, *machine);
  EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
  std::vector<std::string> names;
  for (const llvm::Function &function : *module) {
    names.push_back(function.getName().str());
    bool isLoop = function.getName() != "kernel";
    EXPECT_EQ(function.hasFnAttribute(llvm::Attribute::NoInline), isLoop) << names.back();
    EXPECT_EQ(function.hasFnAttribute(llvm::Attribute::AlwaysInline), !isLoop) << names.back();
  }
  return names;
}

TEST(OutlineLoops, largeFunctionIsCutAtItsLoops) {
  EXPECT_EQ(outline(makeFunction(4, 500, /*returns=*/false)),
            (std::vector<std::string>{"kernel", "kernel.loop0", "kernel.loop1", "kernel.loop2", "kernel.loop3"}));
}

TEST(OutlineLoops, smallFunctionStaysWhole) {
  EXPECT_EQ(outline(makeFunction(4, 100, /*returns=*/false)), (std::vector<std::string>{"kernel"}));
}

TEST(OutlineLoops, shortLoopsStay) {
  EXPECT_EQ(outline(makeFunction(64, 40, /*returns=*/false)), (std::vector<std::string>{"kernel"}));
}

TEST(OutlineLoops, loopStaysWhoseValuesAreUsedBehindIt) {
  EXPECT_EQ(outline(makeFunction(4, 500, /*returns=*/true)),
            (std::vector<std::string>{"kernel", "kernel.loop0", "kernel.loop1", "kernel.loop2"}));
}

} // namespace
