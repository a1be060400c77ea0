//===- ShortFloats.cpp - Conversions that generated code may call --------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Part of bundles only. On CPUs without instructions for them, LLVM converts short floats through
// functions of compiler-rt, which a bundle must not need. A short float travels in the low 16 bits
// of a float register, as a float with those bits does.
//
//===----------------------------------------------------------------------------------------===//

#include "Floats.h"

using namespace mlir::fuse::runtime;

static float pack(uint16_t bits) { return __builtin_bit_cast(float, uint32_t(bits)); }

static uint16_t unpack(float value) { return uint16_t(__builtin_bit_cast(uint32_t, value)); }

extern "C" {

float __truncsfhf2(float value) { return pack(roundToF16(value)); }
float __truncdfhf2(double value) { return pack(roundToF16(value)); }
float __truncsfbf2(float value) { return pack(roundToBF16(value)); }
float __truncdfbf2(double value) { return pack(roundToBF16(value)); }
float __extendhfsf2(float value) { return static_cast<float>(widenF16(unpack(value))); }
double __extendhfdf2(float value) { return widenF16(unpack(value)); }

} // extern "C"
