//===- WindowCases.cpp - Convolutions and pools ------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Case.h"

#include "fuse/Support/ScalarFunctions.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::differential;

namespace {
/// A window op; extents and positions as batch, channels, height, width.
struct Window {
  Shape input;
  int64_t features, groups = 1;
  Shape kernel = {3, 3}, strides = {1, 1}, dilations = {1, 1}, padding = {0, 0, 0, 0};
  bool isChannelsLast = false, hasBias = false;
};
} // namespace

static Shape order(const Window &window, Shape shape) {
  return window.isChannelsLast ? Shape{shape[0], shape[2], shape[3], shape[1]} : shape;
}

static Shape getResultShape(const Window &window) {
  Shape shape = {window.input[0], window.features, 0, 0};
  for (int axis : {0, 1}) {
    int64_t size = window.input[2 + axis];
    int64_t room = size + window.padding[axis] + window.padding[axis + 2] -
                   window.dilations[axis] * (window.kernel[axis] - 1) - 1;
    shape[2 + axis] = room / window.strides[axis] + 1;
  }
  return shape;
}

static std::string printLayout(const Window &window) {
  return window.isChannelsLast ? " layout = nhwc_hwcf" : " layout = nchw_fchw";
}

static Case makeCase(StringRef family, StringRef kind, ElementType type, StringRef shapeClass) {
  Case c;
  c.family = family;
  c.kind = kind;
  c.type = getElementTypeName(type);
  c.shape = shapeClass;
  if (shapeClass == "dynamic") {
    c.extents = {{3}, {1}, {0}};
    c.mayRefuse = true;
  }
  return c;
}

static void setSumBound(Case &c, ElementType type, int64_t terms) {
  if (!isFloatElement(type))
    return;
  auto factor = static_cast<double>(terms + 8);
  c.bound = {Bound::OfTerms, 1, factor, factor, getAccumulatorType(type)};
  c.skippedSets = 1u << static_cast<unsigned>(ValueSet::Extreme) |
                  1u << static_cast<unsigned>(ValueSet::Pairs);
}

static void addConvolution(std::vector<Case> &cases, StringRef kind, StringRef shapeClass,
                           ElementType type, const Window &window) {
  Case c = makeCase("conv2d", kind, type, shapeClass);
  Shape input = order(window, window.input), to = order(window, getResultShape(window));
  int64_t channels = window.input[1] / window.groups;
  Shape filter = {window.features, channels, window.kernel[0], window.kernel[1]};
  if (window.isChannelsLast)
    filter = {window.kernel[0], window.kernel[1], channels, window.features};
  ValueRole role{ValueRole::Unit};
  std::string operands = c.argument(type, input, role);
  operands += ", " + c.argument(type, filter, role);
  std::string types = tensorType(input, type) + ", " + tensorType(filter, type);
  if (window.hasBias) {
    operands += ", " + c.argument(type, {window.features}, role);
    types += ", " + tensorType({window.features}, type);
  }
  std::string result = tensorType(to, type);
  c.result(c.op("fuse.conv2d " + operands + " strides = " + printList(window.strides) +
                " dilations = " + printList(window.dilations) + " padding = " +
                printList(window.padding) + " groups = " + std::to_string(window.groups) +
                printLayout(window) + " : (" + types + ") -> " + result),
           result);
  setSumBound(c, type, channels * window.kernel[0] * window.kernel[1] + 1);
  // The bias is added to the rounded sum in a short type, or before it.
  if (window.hasBias && isFloatElement(type))
    c.bound.ulps = 2;
  cases.push_back(std::move(c));
}

static void addPool(std::vector<Case> &cases, StringRef kind, StringRef shapeClass,
                    ElementType type, const Window &window, bool isMax, bool countsPads) {
  Case c = makeCase("pool", kind, type, shapeClass);
  Shape input = order(window, window.input), to = order(window, getResultShape(window));
  std::string from = tensorType(input, type), result = tensorType(to, type);
  std::string x = c.argument(type, input, {isMax ? ValueRole::Any : ValueRole::Unit});
  c.result(c.op((isMax ? "fuse.max_pool2d " : "fuse.avg_pool2d ") + x + " kernel = " +
                printList(window.kernel) + " strides = " + printList(window.strides) +
                " dilations = " + printList(window.dilations) + " padding = " +
                printList(window.padding) + printLayout(window) +
                (countsPads ? " count_include_pad" : "") + " : " + from + " -> " + result),
           result);
  if (!isMax)
    setSumBound(c, type, window.kernel[0] * window.kernel[1]);
  cases.push_back(std::move(c));
}

/// A window for each shape class, `channels` of input and result; strides and the like are set by
/// the caller.
static std::vector<std::pair<const char *, Window>> getWindows(int64_t channels,
                                                               int64_t features) {
  Window one{{1, channels, 1, 1}, features};
  one.kernel = {1, 1};
  Window seven{{2, channels, 7, 7}, features};
  Window seventeen{{1, channels, 17, 19}, features};
  seventeen.padding = {1, 2, 0, 1};
  Window wide{{1, channels, 3, 1000}, features};
  wide.padding = {1, 1, 1, 1};
  Window none{{0, channels, 7, 7}, features};
  Window dynamic{{-1, channels, 7, 7}, features};
  return {{"zero", none},      {"1", one},     {"7", seven},
          {"17", seventeen}, {"1000", wide}, {"dynamic", dynamic}};
}

static bool isWanted(ElementType type, StringRef shapeClass) {
  return type == ElementType::F32 || shapeClass == "7" ||
         (shapeClass == "17" && (type == ElementType::F16 || type == ElementType::I8));
}

void differential::addWindowCases(std::vector<Case> &cases) {
  for (ElementType type : getElementTypes()) {
    if (type == ElementType::I1)
      continue;
    auto addConvolutions = [&](StringRef kind, int64_t channels, int64_t features, auto change) {
      for (auto [shapeClass, window] : getWindows(channels, features)) {
        change(window);
        if (isWanted(type, shapeClass))
          addConvolution(cases, kind, shapeClass, type, window);
      }
    };
    addConvolutions("nchw", 3, 5, [](Window &) {});
    addConvolutions("nhwc", 3, 17, [](Window &window) { window.isChannelsLast = true; });
    addConvolutions("grouped", 6, 4, [](Window &window) { window.groups = 2; });
    addConvolutions("depthwise", 4, 8, [](Window &window) {
      window.groups = 4;
      window.isChannelsLast = true;
    });
    addConvolutions("strided", 3, 5, [](Window &window) {
      window.strides = {2, 3};
      window.padding = {1, 0, 2, 1};
    });
    addConvolutions("dilated", 3, 5, [](Window &window) {
      window.dilations = {2, 3};
      window.padding = {3, 3, 2, 3};
    });
    addConvolutions("bias", 3, 5, [](Window &window) { window.hasBias = true; });

    auto addPools = [&](StringRef kind, bool isMax, bool isLast, bool countsPads) {
      for (auto [shapeClass, window] : getWindows(3, 3)) {
        window.isChannelsLast = isLast;
        window.strides = {2, 1};
        if (window.kernel[0] > 1)
          window.padding = {1, 1, 0, 1};
        if (isWanted(type, shapeClass))
          addPool(cases, kind, shapeClass, type, window, isMax, countsPads);
      }
    };
    addPools("max_nchw", true, false, false);
    addPools("max_nhwc", true, true, false);
    if (isFloatElement(type)) {
      addPools("avg_nchw", false, false, false);
      addPools("avg_nhwc", false, true, false);
      addPools("avg_include_pad", false, false, true);
    }
  }
}
