//===- Registers.cpp - Special registers and synchronization ------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Intrinsics.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir::fuse;

/// Offsets in fuse_emulated_thread.
namespace {
enum Field : int { kTid = 0, kNtid = 12, kCtaid = 24, kNctaid = 36, kLane = 48, kWarp = 52 };
} // namespace

static llvm::Value *done(IntrinsicCall &call) {
  return llvm::PoisonValue::get(call.builder.getInt32Ty());
}

llvm::Value *mlir::fuse::emulateRegister(IntrinsicCall &call) {
  llvm::StringRef name = call.name;
  if (!name.consume_front("read.ptx.sreg."))
    return nullptr;
  llvm::IRBuilder<> &builder = call.builder;
  int field = llvm::StringSwitch<int>(name)
                  .StartsWith("tid.", kTid)
                  .StartsWith("ntid.", kNtid)
                  .StartsWith("ctaid.", kCtaid)
                  .StartsWith("nctaid.", kNctaid)
                  .Case("laneid", kLane)
                  .Case("warpid", kWarp)
                  .Default(-1);
  if (field >= 0) {
    int axis = field >= kLane ? 0 : name.back() - 'x';
    // No fourth one is read.
    if (axis < 0 || axis > 2)
      return nullptr;
    return call.function.loadField(builder, call.type(), field + 4 * axis);
  }
  int64_t constant = llvm::StringSwitch<int64_t>(name)
                         .Case("warpsize", 32)
                         .Case("nsmid", 1)
                         .Cases({"smid", "gridid", "clock", "clock64", "globaltimer"}, 0)
                         .Default(-1);
  if (constant >= 0)
    return llvm::ConstantInt::get(call.type(), constant);
  if (!name.consume_front("lanemask."))
    return nullptr;
  llvm::Value *lane = call.function.loadField(builder, builder.getInt32Ty(), kLane);
  llvm::Value *self = builder.CreateShl(call.number(1), lane);
  llvm::Value *below = builder.CreateSub(self, call.number(1));
  if (name == "eq")
    return self;
  if (name == "lt")
    return below;
  if (name == "le")
    return builder.CreateOr(below, self);
  if (name == "ge")
    return builder.CreateNot(below);
  return name == "gt" ? builder.CreateNot(builder.CreateOr(below, self)) : nullptr;
}

llvm::Value *mlir::fuse::emulateSynchronization(IntrinsicCall &call) {
  llvm::StringRef name = call.name;
  llvm::IRBuilder<> &builder = call.builder;
  llvm::Type *nothing = builder.getVoidTy();
  auto barrier = [&](llvm::Value *id, llvm::Value *count) {
    call.function.call(builder, "fuse_emulated_barrier", nothing,
                       {id, count, call.site("barrier")});
    return done(call);
  };
  if (name == "barrier0")
    return barrier(call.number(0), call.number(-1));
  if (name == "barrier.n" || name == "barrier.sync" || name == "barrier.cta.sync.aligned.all" ||
      name == "barrier.cta.sync.all")
    return barrier(call.operand(0), call.number(-1));
  if (name == "barrier" || name == "barrier.sync.cnt" || name == "barrier.cta.sync.aligned.count" ||
      name == "barrier.cta.sync.count")
    return barrier(call.operand(0), call.operand(1));
  if (name == "bar.warp.sync") {
    call.function.call(builder, "fuse_emulated_warp_barrier", nothing,
                       {call.operand(0), call.site("warp barrier")});
    return done(call);
  }
  if (name == "fence.proxy.async" || name == "fence.proxy.async.shared_cta") {
    call.function.call(builder, "fuse_emulated_proxy_fence", nothing, {});
    return done(call);
  }
  // Every access is seen by all at once.
  if (name.starts_with("membar.") || name.starts_with("fence.") || name.starts_with("prefetch") ||
      name.starts_with("griddepcontrol."))
    return done(call);

  if (!name.consume_front("cp.async."))
    return nullptr;
  if (name == "commit.group") {
    call.function.call(builder, "fuse_emulated_commit_copies", nothing, {});
    return done(call);
  }
  if (name == "wait.group" || name == "wait.all") {
    llvm::Value *left = name == "wait.all" ? call.number(-1) : call.operand(0);
    call.function.call(builder, "fuse_emulated_wait_copies", nothing,
                       {left, call.site("wait for copies")});
    return done(call);
  }
  if (!name.consume_front("ca.shared.global.") && !name.consume_front("cg.shared.global."))
    return nullptr;
  bool hasSize = name.consume_back(".s");
  int64_t bytes = 0;
  if (name.getAsInteger(10, bytes))
    return nullptr;
  call.function.getSites().noteAccess(bytes, llvm::Align(16));
  call.function.call(builder, "fuse_emulated_copy_async", nothing,
                     {call.operand(0), call.operand(1), call.number(bytes),
                      hasSize ? call.operand(2) : call.number(bytes), call.site("copy")});
  return done(call);
}
