//===- RuntimeSymbols.cpp - What generated code may call -------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "RuntimeSymbols.h"

#include "fuse/Runtime/EmulatedCalls.h"
#include "fuse/Runtime/Runtime.h"
#include "fuse/Support/ElementType.h"
#include "llvm/ADT/bit.h"

using namespace mlir::fuse;

// On CPUs without instructions for them, LLVM converts short floats through functions of
// compiler-rt, which live in static archives only. A short float travels in the low 16 bits of a
// float register, as a float with those bits does; so no compiler support for the types is needed.
static float pack(uint16_t bits) { return llvm::bit_cast<float>(uint32_t(bits)); }
static uint16_t unpack(float value) { return uint16_t(llvm::bit_cast<uint32_t>(value)); }

static float truncF32ToF16(float value) { return pack(encodeF16(value)); }
static float truncF64ToF16(double value) { return pack(encodeF16(value)); }
static float truncF32ToBF16(float value) { return pack(encodeBF16(value)); }
static float truncF64ToBF16(double value) { return pack(encodeBF16(value)); }
static float extendF16ToF32(float value) { return static_cast<float>(decodeF16(unpack(value))); }
static double extendF16ToF64(float value) { return decodeF16(unpack(value)); }

llvm::ArrayRef<RuntimeSymbol> mlir::fuse::getRuntimeSymbols() {
  static const RuntimeSymbol symbols[] = {
      {"fuse_launch", reinterpret_cast<void *>(&fuse_launch)},
      {"fuse_host_call", reinterpret_cast<void *>(&fuse_host_call)},
      {"fuse_abandon_collectives", reinterpret_cast<void *>(&fuse_abandon_collectives)},
      {"fuse_prepare", reinterpret_cast<void *>(&fuse_prepare)},
      {"fuse_copy", reinterpret_cast<void *>(&fuse_copy)},
      {"fuse_constant", reinterpret_cast<void *>(&fuse_constant)},
      {"fuse_fill", reinterpret_cast<void *>(&fuse_fill)},
      {"fuse_read_element", reinterpret_cast<void *>(&fuse_read_element)},
      {"fuse_fail", reinterpret_cast<void *>(&fuse_fail)},
      {"fuse_expect_equal", reinterpret_cast<void *>(&fuse_expect_equal)},
      {"fuse_expect_at_most", reinterpret_cast<void *>(&fuse_expect_at_most)},
      {"fuse_fetch", reinterpret_cast<void *>(&fuse_fetch)},
      {"fuse_wait", reinterpret_cast<void *>(&fuse_wait)},
      {"fuse_read_back", reinterpret_cast<void *>(&fuse_read_back)},
      {"fuse_expect_row_major", reinterpret_cast<void *>(&fuse_expect_row_major)},
      {"fuse_expect_indices", reinterpret_cast<void *>(&fuse_expect_indices)},
      {"fuse_emulated_thread_now", reinterpret_cast<void *>(&fuse_emulated_thread_now)},
      {"fuse_emulated_describe", reinterpret_cast<void *>(&fuse_emulated_describe)},
      {"fuse_emulated_barrier", reinterpret_cast<void *>(&fuse_emulated_barrier)},
      {"fuse_emulated_warp_barrier", reinterpret_cast<void *>(&fuse_emulated_warp_barrier)},
      {"fuse_emulated_shuffle", reinterpret_cast<void *>(&fuse_emulated_shuffle)},
      {"fuse_emulated_vote", reinterpret_cast<void *>(&fuse_emulated_vote)},
      {"fuse_emulated_reduce", reinterpret_cast<void *>(&fuse_emulated_reduce)},
      {"fuse_emulated_matrix_multiply", reinterpret_cast<void *>(&fuse_emulated_matrix_multiply)},
      {"fuse_emulated_load_matrix", reinterpret_cast<void *>(&fuse_emulated_load_matrix)},
      {"fuse_emulated_store_matrix", reinterpret_cast<void *>(&fuse_emulated_store_matrix)},
      {"fuse_emulated_copy_async", reinterpret_cast<void *>(&fuse_emulated_copy_async)},
      {"fuse_emulated_commit_copies", reinterpret_cast<void *>(&fuse_emulated_commit_copies)},
      {"fuse_emulated_wait_copies", reinterpret_cast<void *>(&fuse_emulated_wait_copies)},
      {"fuse_emulated_warpgroup_multiply", reinterpret_cast<void *>(&fuse_emulated_warpgroup_multiply)},
      {"fuse_emulated_warpgroup_fence", reinterpret_cast<void *>(&fuse_emulated_warpgroup_fence)},
      {"fuse_emulated_warpgroup_commit", reinterpret_cast<void *>(&fuse_emulated_warpgroup_commit)},
      {"fuse_emulated_warpgroup_wait", reinterpret_cast<void *>(&fuse_emulated_warpgroup_wait)},
      {"fuse_emulated_take_sum", reinterpret_cast<void *>(&fuse_emulated_take_sum)},
      {"fuse_emulated_proxy_fence", reinterpret_cast<void *>(&fuse_emulated_proxy_fence)},
      {"fuse_emulated_read", reinterpret_cast<void *>(&fuse_emulated_read)},
      {"fuse_emulated_write", reinterpret_cast<void *>(&fuse_emulated_write)},
      {"fuse_emulated_atomic", reinterpret_cast<void *>(&fuse_emulated_atomic)},
      {"fuse_emulated_read_masked", reinterpret_cast<void *>(&fuse_emulated_read_masked)},
      {"fuse_emulated_write_masked", reinterpret_cast<void *>(&fuse_emulated_write_masked)},
      {"fuse_emulated_fail", reinterpret_cast<void *>(&fuse_emulated_fail)},
      {"__truncsfhf2", reinterpret_cast<void *>(&truncF32ToF16)},
      {"__truncdfhf2", reinterpret_cast<void *>(&truncF64ToF16)},
      {"__truncsfbf2", reinterpret_cast<void *>(&truncF32ToBF16)},
      {"__truncdfbf2", reinterpret_cast<void *>(&truncF64ToBF16)},
      {"__extendhfsf2", reinterpret_cast<void *>(&extendF16ToF32)},
      {"__extendhfdf2", reinterpret_cast<void *>(&extendF16ToF64)},
  };
  return symbols;
}
