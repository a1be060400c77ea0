//===- ReductionCases.cpp - Every reduction on every type and shape class ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Case.h"

#include "fuse/Support/KindTypes.h"
#include "fuse/Support/ScalarFunctions.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::differential;

namespace {
/// One way to reduce.
struct Form {
  const char *shapeClass, *variant;
  Shape shape;
  SmallVector<int64_t, 4> dimensions;
  bool keepDims = false;
  int64_t terms; // how many elements make one of the result
};
} // namespace

static std::vector<Form> getForms() {
  return {
      {"rank0", "", {}, {}, false, 1},
      {"zero", "", {3, 0}, {1}, false, 0},
      {"zero", "outer", {0, 3}, {1}, true, 3},
      {"zero", "all", {4, 0}, {0, 1}, false, 0},
      {"1", "", {1}, {0}, false, 1},
      {"7", "", {7}, {0}, false, 7},
      {"7", "none", {3, 7}, {}, false, 1},
      {"17", "", {17, 5}, {0}, false, 17},
      {"17", "rows", {5, 17}, {1}, true, 17},
      {"1000", "", {3, 1000}, {1}, false, 1000},
      {"1000", "columns", {1000, 3}, {0}, true, 1000},
      {"1000", "all", {10, 100}, {0, 1}, false, 1000},
      {"1000", "middle", {3, 100, 70}, {1}, false, 100},
      {"1000", "outer", {5, 3, 200}, {0, 2}, false, 1000},
      {"broadcast", "", {5, 7}, {1}, false, 7},
      {"8d", "", {2, 1, 3, 1, 2, 2, 1, 5}, {1, 3, 4, 7}, false, 10},
      {"8d", "keep", {2, 1, 3, 1, 2, 2, 1, 5}, {0, 2, 6}, true, 6},
      {"dynamic", "", {-1, -2}, {1}, false, 1000},
      {"dynamic", "columns", {-1, -2}, {0}, true, 64},
  };
}

static Case makeCase(StringRef family, StringRef kind, ElementType type, const Form &form,
                     ValueRole role) {
  Case c;
  c.family = family;
  c.kind = kind;
  c.type = getElementTypeName(type);
  c.shape = form.shapeClass;
  c.variant = form.variant;
  if (c.shape == "dynamic")
    c.extents = {{5, 23}, {1, 1}, {0, 4}, {3, 64}, {1, 1000}, {17, 2}, {64, 33}};
  return c;
}

static std::string addOperand(Case &c, ElementType type, const Form &form, ValueRole role) {
  if (c.shape != "broadcast")
    return c.argument(type, form.shape, role);
  std::string column = c.argument(type, {form.shape[0]}, role);
  return c.op("fuse.broadcast " + column + " dimensions = [1] : " +
              tensorType({form.shape[0]}, type) + " -> " + tensorType(form.shape, type));
}

static Shape getReduced(const Form &form, ArrayRef<int64_t> dimensions) {
  Shape shape;
  for (auto [dim, extent] : llvm::enumerate(form.shape)) {
    if (!llvm::is_contained(dimensions, static_cast<int64_t>(dim)))
      shape.push_back(extent);
    else if (form.keepDims)
      shape.push_back(1);
  }
  return shape;
}

/// Σ: (n − 1)·ε·Σ|xᵢ|, Π: (n − 1)·ε·|Π|, each with the rounding to the type.
static Bound getBound(ReduceKind kind, ElementType type, int64_t terms) {
  Bound bound;
  if (!isFloatElement(type) || kind == ReduceKind::Max || kind == ReduceKind::Min)
    return bound;
  bound.magnitude = kind == ReduceKind::Prod ? Bound::OfResult : Bound::OfTerms;
  bound.factor = static_cast<double>(std::max<int64_t>(terms - 1, 0));
  bound.epsilonType = getAccumulatorType(type);
  bound.ulps = 1;
  return bound;
}

static void addReduce(std::vector<Case> &cases, ReduceKind kind, ElementType type,
                      const Form &form) {
  bool isProduct = kind == ReduceKind::Prod;
  bool isSum = kind == ReduceKind::Sum || kind == ReduceKind::Mean;
  ValueRole role{isProduct ? ValueRole::NearOne : isSum ? ValueRole::OneLarge : ValueRole::Any};
  Case c = makeCase("reduce", stringifyReduceKind(kind), type, form, role);
  // Whether a product leaves the range in between depends on the order, as does a sum of several
  // of the largest numbers.
  if (isFloatElement(type) && (isProduct || isSum))
    c.skippedSets = 1u << static_cast<unsigned>(ValueSet::Pairs);
  if (isFloatElement(type) && isProduct)
    c.skippedSets |= 1u << static_cast<unsigned>(ValueSet::Denormal) |
                     1u << static_cast<unsigned>(ValueSet::Extreme);
  std::string operand = addOperand(c, type, form, role);
  std::string from = tensorType(form.shape, type);
  std::string to = tensorType(getReduced(form, form.dimensions), type);
  c.result(c.op("fuse.reduce " + stringifyReduceKind(kind) + " " + operand + " dimensions = " +
                printList(form.dimensions) + (form.keepDims ? " keep_dims" : "") + " : " + from +
                " -> " + to),
           to);
  c.bound = getBound(kind, type, form.terms);
  cases.push_back(std::move(c));
}

static void addArgReduce(std::vector<Case> &cases, ArgReduceKind kind, ElementType type,
                         const Form &form) {
  if (form.dimensions.empty())
    return;
  int64_t dimension = form.dimensions.back();
  if (form.shape[dimension] == 0)
    return;
  Case c = makeCase("argreduce", stringifyArgReduceKind(kind), type, form, {});
  // No index to return: 0 is not among the dynamic extents of the reduced dimension.
  if (c.shape == "dynamic")
    c.extents = {{5, 23}, {1, 1}, {1, 1000}, {17, 2}, {64, 33}};
  std::string operand = addOperand(c, type, form, {});
  std::string to = tensorType(getReduced(form, dimension), ElementType::I64);
  c.result(c.op("fuse." + stringifyArgReduceKind(kind) + " " + operand + " dimension = " +
                llvm::Twine(dimension) + (form.keepDims ? " keep_dims" : "") + " : " +
                tensorType(form.shape, type) + " -> " + to),
           to);
  cases.push_back(std::move(c));
}

void differential::addReductionCases(std::vector<Case> &cases) {
  std::vector<Form> forms = getForms();
  for (uint32_t i = 0; i <= getMaxEnumValForReduceKind(); ++i)
    for (ElementType type : getElementTypes())
      for (const Form &form : forms)
        if (isLegal(static_cast<ReduceKind>(i), type))
          addReduce(cases, static_cast<ReduceKind>(i), type, form);
  for (uint32_t i = 0; i <= getMaxEnumValForArgReduceKind(); ++i)
    for (ElementType type : getElementTypes())
      for (const Form &form : forms)
        if (isLegal(static_cast<ArgReduceKind>(i), type))
          addArgReduce(cases, static_cast<ArgReduceKind>(i), type, form);
}
