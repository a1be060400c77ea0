//===- WeightCases.cpp - Products and convolutions of weights ----------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What a program multiplies by parameters is laid out anew on the CPU: in blocks of columns, padded
// where no block divides them; images between convolutions with their channels last.
//
//===----------------------------------------------------------------------------------------===//

#include "Case.h"

#include "fuse/Support/KindTypes.h"
#include "fuse/Support/ScalarFunctions.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::differential;

static constexpr ElementType kTypes[] = {ElementType::F32, ElementType::F16, ElementType::BF16,
                                         ElementType::I8};

/// Who else reads the weights of a product.
enum class Readers { None, Product, Elementwise, Result };
static constexpr const char *kReaders[] = {"", "twice", "elementwise", "returned"};

static Case makeCase(StringRef kind, ElementType type, StringRef shape, std::string variant) {
  Case c;
  c.family = "weights";
  c.kind = kind;
  c.type = getElementTypeName(type);
  c.shape = shape;
  c.variant = std::move(variant);
  // What was fused is compared with the interpreter; without fusion more images pass between
  // kernels.
  c.bothModes = type == ElementType::F32 && kind.ends_with("_nchw");
  return c;
}

static void setSumBound(Case &c, ElementType type, int64_t terms) {
  c.skippedSets = ~(1u << static_cast<unsigned>(ValueSet::Ordinary));
  if (!isFloatElement(type))
    return;
  auto factor = static_cast<double>(terms + 8);
  c.bound = {Bound::OfTerms, 2, factor, factor, getAccumulatorType(type)};
}

static void addProduct(std::vector<Case> &cases, ElementType type, int64_t m, int64_t n, int64_t k,
                       bool isTransposed, Readers readers) {
  std::string variant = std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
  if (readers != Readers::None)
    variant += std::string("_") + kReaders[static_cast<int>(readers)];
  Case c = makeCase(isTransposed ? "transpose_rhs" : "plain", type, m < 0 ? "dynamic" : "static",
                    variant);
  if (m < 0)
    c.extents = {{5}, {1}, {0}, {33}, {4}};
  ValueRole role{ValueRole::Unit};
  Shape weights = isTransposed ? Shape{n, k} : Shape{k, n};
  std::string x = c.argument(type, {m, k}, role), w = c.parameter(type, weights, role);
  std::string left = tensorType({m, k}, type), right = tensorType(weights, type),
              result = tensorType({m, n}, type);
  auto multiply = [&](const std::string &lhs) {
    return c.op("fuse.matmul " + lhs + ", " + w + (isTransposed ? " transpose_rhs" : "") + " : (" +
                left + ", " + right + ") -> " + result);
  };
  c.result(multiply(x), result);
  if (readers == Readers::Product)
    c.result(multiply(c.argument(type, {m, k}, role)), result);
  if (readers == Readers::Elementwise)
    c.result(c.op("fuse.unary abs " + w + " : " + right), right);
  if (readers == Readers::Result)
    c.result(w, right);
  setSumBound(c, type, k);
  cases.push_back(std::move(c));
}

namespace {
/// A chain of convolutions; in the second the strides, dilations and padding.
struct Chain {
  const char *kind, *variant;
  int64_t batch, channels, middle, features, groups;
  Shape kernel = {3, 3}, strides = {1, 1}, dilations = {1, 1}, padding = {0, 0, 0, 0};
};
} // namespace

static const std::vector<Chain> chains = {
    {"point", "", 1, 16, 32, 64, 1, {1, 1}},
    {"point", "odd", 2, 5, 40, 37, 1, {1, 1}},
    {"point", "strided", 1, 16, 32, 96, 1, {1, 1}, {2, 2}},
    {"dense", "", 1, 3, 32, 64, 1},
    {"dense", "padded", 2, 3, 48, 96, 1, {3, 3}, {1, 1}, {1, 1}, {1, 2, 0, 1}},
    {"dense", "strided", 1, 4, 64, 32, 1, {3, 2}, {2, 3}, {1, 1}, {1, 1, 1, 1}},
    {"dense", "dilated", 1, 4, 16, 48, 1, {3, 3}, {1, 1}, {2, 3}, {2, 3, 2, 3}},
    {"dense", "few", 1, 4, 16, 17, 1, {2, 2}, {1, 1}, {1, 1}, {1, 0, 0, 1}},
    {"grouped", "", 1, 8, 32, 64, 2, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}},
    {"grouped", "strided", 2, 8, 24, 48, 3, {3, 3}, {2, 1}, {1, 1}, {1, 1, 1, 1}},
    {"depthwise", "", 1, 4, 32, 32, 32, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}},
    {"depthwise", "strided", 1, 4, 40, 40, 40, {3, 3}, {2, 2}, {1, 1}, {1, 1, 1, 1}},
    {"depthwise", "dilated", 1, 4, 48, 96, 48, {3, 3}, {1, 1}, {2, 2}, {2, 2, 2, 2}},
    {"dynamic", "", -1, 4, 32, 64, 1, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}},
    {"dynamic", "depthwise", -1, 4, 32, 32, 32, {3, 3}, {2, 2}, {1, 1}, {1, 1, 1, 1}},
};

/// A point convolution, a bias and relu, the convolution, and a third of it and a residual.
static void addChain(std::vector<Case> &cases, ElementType type, const Chain &chain, bool isLast) {
  Case c = makeCase(std::string(chain.kind) + (isLast ? "_nhwc" : "_nchw"), type,
                    chain.batch < 0 ? "dynamic" : "static", chain.variant);
  if (chain.batch < 0) {
    c.extents = {{3}, {1}, {0}};
    c.mayRefuse = true;
  }
  constexpr int64_t h = 9, w = 10;
  ValueRole role{ValueRole::Unit};
  auto image = [&](int64_t channels, int64_t high, int64_t wide) {
    return isLast ? Shape{chain.batch, high, wide, channels}
                  : Shape{chain.batch, channels, high, wide};
  };
  auto convolve = [&](const std::string &x, Shape from, Shape to, int64_t groups, Shape kernel,
                      Shape strides, Shape dilations, Shape padding) {
    int64_t at = isLast ? 3 : 1, features = to[at], depth = from[at] / groups;
    Shape filter = isLast ? Shape{kernel[0], kernel[1], depth, features}
                          : Shape{features, depth, kernel[0], kernel[1]};
    std::string f = c.parameter(type, filter, role);
    return c.op("fuse.conv2d " + x + ", " + f + " strides = " + printList(strides) +
                " dilations = " + printList(dilations) + " padding = " + printList(padding) +
                " groups = " + std::to_string(groups) + " layout = " +
                (isLast ? "nhwc_hwcf" : "nchw_fchw") + " : (" + tensorType(from, type) + ", " +
                tensorType(filter, type) + ") -> " + tensorType(to, type));
  };
  auto reach = [&](int axis, int64_t size) {
    int64_t room = size + chain.padding[axis] + chain.padding[axis + 2] -
                   chain.dilations[axis] * (chain.kernel[axis] - 1) - 1;
    return room / chain.strides[axis] + 1;
  };
  Shape first = image(chain.channels, h, w), second = image(chain.middle, h, w),
        third = image(chain.features, reach(0, h), reach(1, w));
  Shape one = {1, 1}, none = {0, 0, 0, 0};
  std::string x = convolve(c.argument(type, first, role), first, second, 1, one, one, one, none);
  Shape bias = isLast ? Shape{chain.middle} : Shape{chain.middle, 1, 1};
  std::string b = c.parameter(type, bias, role);
  x = c.op("fuse.binary add " + x + ", " + b + " : (" + tensorType(second, type) + ", " +
           tensorType(bias, type) + ") -> " + tensorType(second, type));
  // Integers wrap alike; floats stay where the bound of their terms holds.
  x = c.op("fuse.binary max " + x + ", " + x + " : " + tensorType(second, type));
  std::string y = convolve(x, second, third, chain.groups, chain.kernel, chain.strides,
                           chain.dilations, chain.padding);
  c.result(y, tensorType(third, type));
  std::string z = convolve(y, third, third, 1, one, one, one, none);
  z = c.op("fuse.binary add " + z + ", " + y + " : " + tensorType(third, type));
  c.result(z, tensorType(third, type));
  setSumBound(
      c, type,
      4 * (chain.channels + chain.middle * chain.kernel[0] * chain.kernel[1] + chain.features));
  cases.push_back(std::move(c));
}

void differential::addWeightCases(std::vector<Case> &cases) {
  for (ElementType type : kTypes) {
    bool isTypical = type == ElementType::F32;
    for (bool isTransposed : {false, true}) {
      auto add = [&](int64_t m, int64_t n, int64_t k, Readers readers = Readers::None) {
        addProduct(cases, type, m, n, k, isTransposed, readers);
      };
      // Dynamic rows are also few rows and none.
      for (int64_t n : {64, 144, 257})
        add(-1, n, 40);
      add(7, 333, 19, Readers::Product);
      add(9, 96, 24, Readers::Elementwise);
      add(5, 257, 24, Readers::Result);
      if (!isTypical)
        continue;
      for (int64_t n : {1, 31, 32, 48, 80, 1000})
        add(7, n, 19);
      for (int64_t m = 1; m <= 13; ++m)
        add(m, m % 2 ? 64 : 257, 33);
      add(5, 300, 0);
      add(0, 64, 8);
      add(70, 300, 129);
    }
    for (const Chain &chain : chains)
      for (bool isLast : {false, true})
        if (isTypical || isLast == (StringRef(chain.variant).size() % 2 == 0))
          addChain(cases, type, chain, isLast);
  }
}
