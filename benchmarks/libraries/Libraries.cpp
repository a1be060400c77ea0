//===- Libraries.cpp - Products and convolutions of OpenBLAS and oneDNN ----------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Libraries.h"

#include <cblas.h>
#include <dnnl.hpp>
#include <omp.h>

#include <cstring>
#include <memory>
#include <unordered_map>
#include <vector>

using namespace mlir::fuse::bench;

std::string ProductShape::describe() const {
  return std::to_string(rows) + "x" + std::to_string(columns) + "x" + std::to_string(inner);
}

std::string ConvolutionShape::describe() const {
  std::string text = std::to_string(inputs) + "-" + std::to_string(outputs) + " " +
                     std::to_string(height) + "x" + std::to_string(width) + " " +
                     std::to_string(window) + "x" + std::to_string(window);
  if (stride > 1)
    text += " /" + std::to_string(stride);
  return groups > 1 ? text + " depthwise" : text;
}

void mlir::fuse::bench::setLibraryThreads(int threads) {
  openblas_set_num_threads(threads);
  omp_set_num_threads(threads);
}

/// Small numbers of both signs.
static std::vector<float> makeNumbers(int64_t count) {
  std::vector<float> numbers(static_cast<size_t>(count));
  uint32_t state = 1;
  for (float &number : numbers) {
    state = state * 1664525u + 1013904223u;
    number = static_cast<float>(state >> 8) / 16777216.0f - 0.5f;
  }
  return numbers;
}

std::function<void()> mlir::fuse::bench::makeBlasProduct(const ProductShape &shape) {
  struct Operands {
    std::vector<float> left, right, result;
  };
  auto operands = std::make_shared<Operands>();
  operands->left = makeNumbers(shape.rows * shape.inner);
  operands->right = makeNumbers(shape.inner * shape.columns);
  operands->result.resize(static_cast<size_t>(shape.rows * shape.columns));
  auto rows = static_cast<int>(shape.rows), columns = static_cast<int>(shape.columns),
       inner = static_cast<int>(shape.inner);
  return [=] {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, columns, inner, 1.0f,
                operands->left.data(), inner, operands->right.data(), columns, 0.0f,
                operands->result.data(), columns);
  };
}

namespace {

using Tag = dnnl::memory::format_tag;

dnnl::engine &getEngine() {
  static dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

dnnl::memory::desc describe(const dnnl::memory::dims &sizes, Tag tag) {
  return dnnl::memory::desc(sizes, dnnl::memory::data_type::f32, tag);
}

dnnl::primitive_attr makeRelu() {
  dnnl::post_ops after;
  after.append_eltwise(1.0f, dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(after);
  return attributes;
}

/// Memory with numbers in it.
dnnl::memory fill(const dnnl::memory::desc &layout) {
  dnnl::memory memory(layout, getEngine());
  auto *numbers = static_cast<float *>(memory.get_data_handle());
  std::vector<float> values = makeNumbers(static_cast<int64_t>(layout.get_size() / sizeof(float)));
  std::copy(values.begin(), values.end(), numbers);
  return memory;
}

/// Runs a primitive on memory of the layouts that it wants.
template <typename Primitive>
std::function<void()> makeRun(const typename Primitive::primitive_desc &description) {
  auto primitive = std::make_shared<Primitive>(description);
  auto stream = std::make_shared<dnnl::stream>(getEngine());
  std::unordered_map<int, dnnl::memory> arguments = {
      {DNNL_ARG_SRC, fill(description.src_desc())},
      {DNNL_ARG_WEIGHTS, fill(description.weights_desc())},
      {DNNL_ARG_BIAS, fill(description.bias_desc())},
      {DNNL_ARG_DST, fill(description.dst_desc())}};
  return [=] {
    primitive->execute(*stream, arguments);
    stream->wait();
  };
}

} // namespace

std::function<void()> mlir::fuse::bench::makeDnnlProduct(const ProductShape &shape) {
  dnnl::inner_product_forward::desc wanted(
      dnnl::prop_kind::forward_inference, describe({shape.rows, shape.inner}, Tag::ab),
      describe({shape.columns, shape.inner}, Tag::any), describe({shape.columns}, Tag::a),
      describe({shape.rows, shape.columns}, Tag::ab));
  return makeRun<dnnl::inner_product_forward>(
      dnnl::inner_product_forward::primitive_desc(wanted, makeRelu(), getEngine()));
}

std::function<void()> mlir::fuse::bench::makeDnnlShortProduct(const ProductShape &shape,
                                                              ShortType type) {
  using Type = dnnl::memory::data_type;
  Type element = type == ShortType::BF16 ? Type::bf16 : Type::s8;
  dnnl::matmul::desc wanted(
      {{shape.rows, shape.inner}, element, Tag::ab},
      {{shape.inner, shape.columns}, element, Tag::any},
      {{shape.rows, shape.columns}, type == ShortType::BF16 ? Type::f32 : Type::s32, Tag::ab});
  dnnl::matmul::primitive_desc description(wanted, getEngine());
  auto primitive = std::make_shared<dnnl::matmul>(description);
  auto stream = std::make_shared<dnnl::stream>(getEngine());
  auto clear = [](const dnnl::memory::desc &layout) {
    dnnl::memory memory(layout, getEngine());
    std::memset(memory.get_data_handle(), 0, layout.get_size());
    return memory;
  };
  std::unordered_map<int, dnnl::memory> arguments = {
      {DNNL_ARG_SRC, clear(description.src_desc())},
      {DNNL_ARG_WEIGHTS, clear(description.weights_desc())},
      {DNNL_ARG_DST, clear(description.dst_desc())}};
  return [=] {
    primitive->execute(*stream, arguments);
    stream->wait();
  };
}

std::function<void()> mlir::fuse::bench::makeDnnlConvolution(const ConvolutionShape &shape) {
  dnnl::memory::dims weights = {shape.outputs, shape.inputs, shape.window, shape.window};
  if (shape.groups > 1)
    weights = {shape.groups, shape.outputs / shape.groups, shape.inputs / shape.groups,
               shape.window, shape.window};
  dnnl::memory::dims padding = {shape.padding, shape.padding};
  dnnl::convolution_forward::desc wanted(
      dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_auto,
      describe({1, shape.inputs, shape.height, shape.width}, Tag::any), describe(weights, Tag::any),
      describe({shape.outputs}, Tag::a),
      describe({1, shape.outputs, shape.getOutHeight(), shape.getOutWidth()}, Tag::any),
      {shape.stride, shape.stride}, padding, padding);
  return makeRun<dnnl::convolution_forward>(
      dnnl::convolution_forward::primitive_desc(wanted, makeRelu(), getEngine()));
}
