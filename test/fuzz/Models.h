//===- Models.h - Models to damage, and how to damage them --------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_FUZZ_MODELS_H
#define FUSE_TEST_FUZZ_MODELS_H

#ifndef ONNX_ML
#define ONNX_ML 1
#endif
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <onnx/onnx_pb.h>
#pragma GCC diagnostic pop

#include <random>
#include <string>
#include <utility>
#include <vector>

namespace fuse_test {

using Random = std::mt19937_64;

/// An encoded model that imports, and its name.
struct Seed {
  std::string name, bytes;
};

/// A convolutional network, a transformer's block with shape arithmetic, external data in
/// `weights.bin`, and functions with attributes. Models of one node each for most operators.
std::vector<Seed> makeSeeds();

/// What `weights.bin` holds beside them.
std::string makeExternalData();

/// Changes one thing of a model's message: counts, types, names, extents, attributes, operators.
void damage(onnx::ModelProto &model, Random &random);

/// Cuts, flips, repeats or removes bytes.
void damageBytes(std::string &bytes, Random &random);

} // namespace fuse_test

#endif // FUSE_TEST_FUZZ_MODELS_H
