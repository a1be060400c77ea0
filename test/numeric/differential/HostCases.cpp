//===- HostCases.cpp - Ops that run on the host ------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Case.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::differential;

static Case makeCase(StringRef kind, ElementType type, StringRef shapeClass) {
  Case c;
  c.family = "host";
  c.kind = kind;
  c.type = getElementTypeName(type);
  c.shape = shapeClass;
  if (shapeClass == "dynamic")
    c.extents = {{5}, {1}, {0}, {64}};
  return c;
}

static void finish(std::vector<Case> &cases, Case c, const std::string &text, StringRef result) {
  c.result(c.op(text), result);
  cases.push_back(std::move(c));
}

/// Both sides compute in double and round once; logarithms and sums differ by little.
static Bound getHostBound(ElementType type) { return {Bound::OfArray, 1, 0, 16, ElementType::F64}; }

static void addSpectra(std::vector<Case> &cases, ElementType type, StringRef shapeClass) {
  bool isDynamic = shapeClass == "dynamic";
  int64_t frames = shapeClass == "17" ? 17 : 7, columns = shapeClass == "17" ? 17 : 8, mels = 4;
  Shape spectrum = {isDynamic ? -1 : frames, 2 * columns}, filters = {mels, columns / 2 + 1},
        logs = {spectrum[0], mels};
  std::string spectrumType = tensorType(spectrum, type), filterType = tensorType(filters, type),
              logType = tensorType(logs, type);
  // What lies between the loudest and the floor, and how infinities rank, is not ordinary.
  constexpr unsigned special = ~(1u << static_cast<unsigned>(ValueSet::Ordinary) |
                                 1u << static_cast<unsigned>(ValueSet::NegZero));
  for (bool isBackward : {false, true}) {
    Case c = makeCase(isBackward ? "log_mel_backward" : "log_mel", type, shapeClass);
    c.skippedSets = special;
    c.bound = getHostBound(type);
    std::string s = c.argument(type, spectrum, {ValueRole::Unit});
    std::string operands = s + ", " + c.argument(type, filters, {ValueRole::Positive});
    std::string types = spectrumType + ", " + filterType;
    if (isBackward) {
      operands += ", " + c.argument(type, logs, {ValueRole::Unit});
      types += ", " + logType;
    }
    std::string result = isBackward ? spectrumType : logType;
    finish(cases, std::move(c),
           "fuse.log_mel" + std::string(isBackward ? "_backward " : " ") + operands + " : (" +
               types + ") -> " + result,
           result);
  }
  Case c = makeCase("welch_peaks", type, shapeClass);
  c.skippedSets = special;
  c.bound = getHostBound(type);
  int64_t segments = isDynamic ? 1 : frames, k = 3;
  std::string s = c.argument(type, spectrum, {ValueRole::Unit});
  std::string result = tensorType({isDynamic ? -1 : 1, 2 * k}, type);
  finish(cases, std::move(c),
         "fuse.welch_peaks " + s + " k = " + std::to_string(k) + " n_segments = " +
             std::to_string(segments) + " : " + spectrumType + " -> " + result,
         result);
}

void differential::addHostCases(std::vector<Case> &cases) {
  for (ElementType type : getElementTypes()) {
    if (isFloatElement(type))
      for (StringRef shapeClass : {"7", "17", "dynamic"})
        addSpectra(cases, type, shapeClass);
    for (StringRef shapeClass : {"zero", "1", "7", "17", "1000"}) {
      Case c = makeCase("host_call", type, shapeClass);
      int64_t extent = 0;
      shapeClass.getAsInteger(10, extent);
      std::string tensor = tensorType({extent}, type);
      std::string x = c.argument(type, {extent});
      finish(cases, std::move(c),
             "fuse.host_call @reverse(" + x + ") pure : (" + tensor + ") -> " + tensor, tensor);
    }
  }
}
