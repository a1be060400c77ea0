//===- ContractionCases.cpp - Matrix products --------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Case.h"

#include "fuse/Support/KindTypes.h"
#include "fuse/Support/ScalarFunctions.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::differential;

namespace {
/// Extents of a product: leading dimensions of both sides, then M, N and K.
struct Product {
  const char *shapeClass, *variant;
  Shape leftBatch, rightBatch;
  int64_t m, n, k;
};
} // namespace

static const std::vector<Product> plainProducts = {
    {"zero", "k", {}, {}, 3, 5, 0},      {"zero", "m", {}, {}, 0, 5, 7},
    {"zero", "n", {}, {}, 3, 0, 7},      {"1", "", {}, {}, 1, 1, 1},
    {"7", "", {}, {}, 7, 7, 7},          {"7", "vector", {}, {}, 1, 7, 7},
    {"7", "groups", {}, {}, 21, 37, 23}, {"17", "", {}, {}, 17, 17, 17},
    {"17", "wide", {}, {}, 3, 65, 17},   {"1000", "k", {}, {}, 3, 5, 1000},
    {"1000", "n", {}, {}, 2, 1000, 9},   {"1000", "m", {}, {}, 1000, 3, 4},
    {"dynamic", "m", {}, {}, -1, 17, 9}, {"dynamic", "all", {}, {}, -1, -2, -3},
};

static const std::vector<Product> batchedProducts = {
    {"zero", "", {0}, {0}, 3, 5, 7},
    {"1", "", {1}, {1}, 1, 1, 1},
    {"7", "", {7}, {7}, 3, 5, 4},
    {"17", "", {2}, {2}, 17, 17, 17},
    {"1000", "", {2}, {2}, 2, 3, 1000},
    {"broadcast", "right", {5}, {}, 4, 6, 7},
    {"broadcast", "both", {5, 1}, {1, 3}, 4, 6, 7},
    {"8d", "", {2, 1, 3, 1, 2, 1}, {2, 1, 3, 1, 2, 1}, 3, 5, 7},
    {"dynamic", "", {-1}, {-1}, 3, 5, 7},
};

static void addProduct(std::vector<Case> &cases, StringRef kind, bool transposeLeft,
                       bool transposeRight, ElementType type, ElementType resultType,
                       const Product &product) {
  Case c;
  c.family = "matmul";
  c.kind = kind;
  c.type = getElementTypeName(type);
  c.shape = product.shapeClass;
  c.variant = product.variant;
  if (type != resultType)
    c.variant += "widened";
  if (c.shape == "dynamic") {
    c.extents = {{5, 23, 11}, {1, 1, 1}, {0, 4, 3}, {33, 17, 64}, {3, 7, 0}};
    c.mayRefuse = true;
  }
  Shape left = product.leftBatch, right = product.rightBatch, to;
  bool isLeftLonger = left.size() >= right.size();
  to = isLeftLonger ? left : right;
  for (size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    int64_t other = (isLeftLonger ? right : left)[std::min(left.size(), right.size()) - 1 - i];
    int64_t &slot = to[to.size() - 1 - i];
    slot = slot == 1 ? other : slot;
  }
  auto append = [](Shape &shape, int64_t rows, int64_t columns, bool swapped) {
    shape.push_back(swapped ? columns : rows);
    shape.push_back(swapped ? rows : columns);
  };
  append(left, product.m, product.k, transposeLeft);
  append(right, product.k, product.n, transposeRight);
  append(to, product.m, product.n, false);
  ValueRole role{ValueRole::Unit};
  std::string l = c.argument(type, left, role), r = c.argument(type, right, role);
  std::string result = tensorType(to, resultType);
  c.result(c.op("fuse.matmul " + l + ", " + r + (transposeLeft ? " transpose_lhs" : "") +
                (transposeRight ? " transpose_rhs" : "") + " : (" + tensorType(left, type) + ", " +
                tensorType(right, type) + ") -> " + result),
           result);
  if (isFloatElement(type)) {
    // Each product and each sum may lose half a denormal.
    auto terms = static_cast<double>(std::abs(product.k) + 64);
    c.bound = {Bound::OfTerms, 1, terms, terms, getAccumulatorType(type)};
    // Overflow within a sum depends on the order.
    c.skippedSets = 1u << static_cast<unsigned>(ValueSet::Extreme) |
                    1u << static_cast<unsigned>(ValueSet::Pairs);
  }
  cases.push_back(std::move(c));
}

void differential::addContractionCases(std::vector<Case> &cases) {
  for (ElementType type : getElementTypes()) {
    if (type == ElementType::I1)
      continue;
    auto add = [&](StringRef kind, bool left, bool right, const std::vector<Product> &products) {
      for (const Product &product : products) {
        bool isTypical = type == ElementType::F32 || type == ElementType::I8 ||
                         type == ElementType::F16;
        if (!isTypical && StringRef(product.shapeClass) != "7")
          continue;
        addProduct(cases, kind, left, right, type, type, product);
        if (getAccumulatorType(type) != type && StringRef(product.shapeClass) == "17")
          addProduct(cases, kind, left, right, type, getAccumulatorType(type), product);
      }
    };
    add("plain", false, false, plainProducts);
    add("transpose_lhs", true, false, plainProducts);
    add("transpose_rhs", false, true, plainProducts);
    add("transpose_both", true, true, plainProducts);
    add("batched", false, false, batchedProducts);
  }
}
