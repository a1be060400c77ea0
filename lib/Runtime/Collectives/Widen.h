//===- Widen.h - Arrays of short floats as f32 --------------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_COLLECTIVES_WIDEN_H
#define FUSE_LIB_RUNTIME_COLLECTIVES_WIDEN_H

#include <cstdint>

namespace mlir::fuse::runtime {

/// f16 or bf16 to f32, exactly.
void widen(int32_t dtype, const void *from, int64_t count, float *to);

/// The other way, rounded to nearest even.
void narrow(int32_t dtype, const float *from, int64_t count, void *to);

} // namespace mlir::fuse::runtime

#endif // FUSE_LIB_RUNTIME_COLLECTIVES_WIDEN_H
