//===- OracleValuesTest.cpp - The scalar functions against independent values ---------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// values.txt comes from test/numeric/oracle/make_values.py. A result in f32 must be within
// 0.5000001 ULP of the mathematical value (that is, correctly rounded but at a near tie), in f64
// within 1 ULP; integers, masks and specials must be equal.
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Support/KindTypes.h"
#include "fuse/Support/ScalarFunctions.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

using namespace mlir;
using namespace mlir::fuse;

static long double parseNumber(llvm::StringRef text) {
  return std::strtold(text.str().c_str(), nullptr);
}

static std::optional<ElementType> parseType(llvm::StringRef name) {
  for (ElementType type : getElementTypes())
    if (getElementTypeName(type) == name)
      return type;
  return std::nullopt;
}

static Scalar parseScalar(ElementType type, llvm::StringRef text) {
  if (isFloatElement(type))
    return Scalar::fromFloat(type, static_cast<double>(parseNumber(text)));
  int64_t value = 0;
  if (text.getAsInteger(10, value)) {
    uint64_t bits = 0;
    EXPECT_FALSE(text.getAsInteger(10, bits)) << text.str();
    value = static_cast<int64_t>(bits);
  }
  return Scalar::fromInt(type, value);
}

/// Distance in units of the last place of `type` at `expected`; 0 for equal specials.
static double ulpError(Scalar got, long double expected) {
  double value = got.getFloat();
  bool single = got.getType() == ElementType::F32;
  // What the mathematical value rounds to decides overflow and the sign of zero.
  double rounded = single ? static_cast<float>(expected) : static_cast<double>(expected);
  if (std::isnan(rounded) || std::isinf(rounded))
    return got.isIdentical(Scalar::fromFloat(got.getType(), rounded)) ? 0.0 : INFINITY;
  if (std::signbit(value) != std::signbit(expected))
    return INFINITY;
  int least = single ? -149 : -1074, digits = single ? 23 : 52;
  int exponent = expected == 0 ? least : std::max(std::ilogb(expected) - digits, least);
  return static_cast<double>(std::fabs(std::ldexp(value - expected, -exponent)));
}

static Scalar evaluate(llvm::StringRef group, llvm::StringRef name, ElementType type,
                       llvm::ArrayRef<Scalar> x) {
  if (group == "unary") {
    llvm::StringRef base = name.starts_with("gelu_") ? "gelu" : name;
    std::optional<UnaryKind> kind = symbolizeUnaryKind(base);
    EXPECT_TRUE(kind && isLegal(*kind, type)) << name.str();
    UnaryParams params = getDefaultParams(*kind);
    if (name == "gelu_tanh")
      params.form = GeluForm::Tanh;
    return evaluateUnary(*kind, x[0], params);
  }
  if (group == "binary") {
    std::optional<BinaryKind> kind = symbolizeBinaryKind(name);
    EXPECT_TRUE(kind && isLegal(*kind, type)) << name.str();
    return evaluateBinary(*kind, x[0], x[1]);
  }
  if (group == "compare")
    return evaluateCompare(*symbolizeComparePredicate(name), x[0], x[1]);
  std::optional<ReduceKind> kind = symbolizeReduceKind(name);
  EXPECT_TRUE(kind && isLegal(*kind, type)) << name.str();
  ScalarReducer reducer(*kind, type);
  for (Scalar value : x)
    reducer.add(value);
  return reducer.getResult();
}

TEST(OracleValues, EveryKindIsWithinItsBound) {
  auto file = llvm::MemoryBuffer::getFile(FUSE_ORACLE_VALUES);
  ASSERT_TRUE(file) << FUSE_ORACLE_VALUES;
  std::map<std::string, int> counts;
  std::map<std::string, double> worst;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::SplitString((*file)->getBuffer(), lines, "\n");
  for (llvm::StringRef line : lines) {
    if (line.starts_with("#"))
      continue;
    llvm::SmallVector<llvm::StringRef> words;
    llvm::SplitString(line, words, " ");
    ASSERT_GE(words.size(), 4u) << line.str();
    std::optional<ElementType> type = parseType(words[2]);
    ASSERT_TRUE(type) << line.str();
    llvm::ArrayRef<llvm::StringRef> operands = llvm::ArrayRef(words).drop_front(3).drop_back();
    llvm::SmallVector<Scalar> x;
    for (llvm::StringRef word : operands)
      if (word != "=")
        x.push_back(parseScalar(*type, word));
    Scalar got = evaluate(words[0], words[1], *type, x);
    std::string key = (words[0] + " " + words[1]).str();
    ++counts[key];
    if (!got.isFloat()) {
      Scalar want = parseScalar(got.getType(), words.back());
      EXPECT_TRUE(got.isIdentical(want)) << line.str() << "\n  got " << got.getInt();
      continue;
    }
    double error = ulpError(got, parseNumber(words.back()));
    EXPECT_LE(error, *type == ElementType::F32 ? 0.5000001 : 1.0)
        << line.str() << "\n  got " << llvm::utohexstr(llvm::bit_cast<uint64_t>(got.getFloat()))
        << " = " << got.getFloat();
    double &record = worst[key + " " + words[2].str()];
    record = std::max(record, error);
  }
  // Every kind has its 20 values; a mask has but two.
  for (uint32_t i = 0; i <= getMaxEnumValForUnaryKind(); ++i) {
    std::string name = stringifyUnaryKind(static_cast<UnaryKind>(i)).str();
    if (name == "gelu") {
      EXPECT_GE(counts["unary gelu_none"], 20);
      EXPECT_GE(counts["unary gelu_tanh"], 20);
      continue;
    }
    EXPECT_GE(counts["unary " + name], name == "logical_not" ? 2 : 20) << name;
  }
  for (uint32_t i = 0; i <= getMaxEnumValForBinaryKind(); ++i) {
    std::string name = stringifyBinaryKind(static_cast<BinaryKind>(i)).str();
    EXPECT_GE(counts["binary " + name], 20) << name;
  }
  for (auto &[key, error] : worst)
    RecordProperty(key, std::to_string(error));
}
