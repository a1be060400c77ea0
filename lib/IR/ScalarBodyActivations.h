//===- ScalarBodyActivations.h - Smooth activations without cancellation --------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Private to the scalar bodies. All take f32 or f64, scalars or vectors.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_IR_SCALARBODYACTIVATIONS_H
#define FUSE_LIB_IR_SCALARBODYACTIVATIONS_H

#include "fuse/IR/ElementBuilder.h"

namespace mlir::fuse {

Value buildSigmoid(ElementBuilder &e, Value x);
Value buildSilu(ElementBuilder &e, Value x);
Value buildSoftplus(ElementBuilder &e, Value x);
Value buildGeluTanh(ElementBuilder &e, Value x);
Value buildGeluErf(ElementBuilder &e, Value x);

/// An unevaluated sum, the second part of the order of the first one's last place.
struct ValuePair {
  Value high, low;
};

// The same in f32 (ScalarBodyGates.cpp).
Value buildSiluF32(ElementBuilder &e, Value x);
Value buildGeluTanhF32(ElementBuilder &e, Value x);
Value buildGeluErfF32(ElementBuilder &e, Value x);

} // namespace mlir::fuse

#endif // FUSE_LIB_IR_SCALARBODYACTIVATIONS_H
