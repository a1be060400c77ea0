//===- CompiledSource.h - Programs for tests of the C interface ------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_UNIT_CAPI_COMPILEDSOURCE_H
#define FUSE_TEST_UNIT_CAPI_COMPILEDSOURCE_H

#include "fuse/CAPI/Compile.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

/// y = relu(x · w + b), for any number of rows.
inline const char *const kLayer = R"(
func.func @layer(%x: tensor<?x3xf32> {fuse.name = "x", fuse.dim_names = ["rows", ""]},
                 %w: tensor<3x2xf32> {fuse.param, fuse.name = "w"},
                 %b: tensor<2xf32> {fuse.param, fuse.name = "b"})
    -> (tensor<?x2xf32> {fuse.name = "y"}) {
  %0 = fuse.matmul %x, %w : (tensor<?x3xf32>, tensor<3x2xf32>) -> tensor<?x2xf32>
  %1 = fuse.binary add %0, %b : (tensor<?x2xf32>, tensor<2xf32>) -> tensor<?x2xf32>
  %2 = fuse.unary relu %1 : tensor<?x2xf32>
  return %2 : tensor<?x2xf32>
}
)";

/// A compilation with what it was given.
class CompiledSource {
public:
  using Options = std::vector<std::pair<const char *, const char *>>;

  explicit CompiledSource(const std::string &text, std::vector<fuse_named_buffer> weights = {},
                          const Options &options = {}, const char *format = nullptr)
      : text(text), weights(std::move(weights)) {
    fuse_options *set = fuse_options_create();
    char error[1024];
    for (auto [name, value] : options)
      if (fuse_options_set(set, name, value, error, sizeof error))
        optionError = error;
    fuse_options_set(set, "no-cache", nullptr, error, sizeof error);
    fuse_source source = {};
    source.struct_bytes = sizeof source;
    source.data = this->text.data();
    source.bytes = static_cast<int64_t>(this->text.size());
    source.format = format;
    source.weights = this->weights.data();
    source.num_weights = static_cast<int64_t>(this->weights.size());
    status = fuse_compile(&source, set, &compilation);
    fuse_options_destroy(set);
  }
  ~CompiledSource() { fuse_compilation_destroy(compilation); }
  CompiledSource(const CompiledSource &) = delete;
  CompiledSource &operator=(const CompiledSource &) = delete;

  fuse_program *getProgram() const { return fuse_compilation_program(compilation); }
  std::string getText(int32_t what) const { return fuse_compilation_text(compilation, what); }

  std::string text, optionError;
  std::vector<fuse_named_buffer> weights;
  int32_t status = 0;
  fuse_compilation *compilation = nullptr;
};

/// Weights of kLayer: one column of ones, one of twos, bias -1 and 1.
struct LayerWeights {
  float w[3][2] = {{1, 2}, {1, 2}, {1, 2}}, b[2] = {-1, 1};
  int64_t wSizes[2] = {3, 2}, bSizes[1] = {2};

  std::vector<fuse_named_buffer> get() {
    return {{"w", {w, wSizes, nullptr, 2, FUSE_F32}}, {"b", {b, bSizes, nullptr, 1, FUSE_F32}}};
  }
};

/// The outputs of one row of kLayer, or the error.
inline std::string runLayer(fuse_program *program, std::vector<float> row) {
  char error[1024] = "";
  fuse_program_context *context;
  if (fuse_program_context_create(program, 1, &context, error, sizeof error))
    return error;
  float y[2] = {};
  int64_t sizes[2] = {1, static_cast<int64_t>(row.size())};
  fuse_buffer in = {row.data(), sizes, nullptr, 2, FUSE_F32},
              out = {y, nullptr, nullptr, 2, FUSE_F32};
  std::string text = fuse_program_run(context, &in, &out)
                         ? fuse_program_error(context)
                         : std::to_string(y[0]) + " " + std::to_string(y[1]);
  fuse_program_context_destroy(context);
  return text;
}

#endif // FUSE_TEST_UNIT_CAPI_COMPILEDSOURCE_H
