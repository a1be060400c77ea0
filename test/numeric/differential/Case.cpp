//===- Case.cpp - One function of the differential test ----------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Case.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::differential;

static std::string describeShape(ArrayRef<int64_t> shape, ElementType type) {
  std::string text;
  for (int64_t extent : shape)
    text += (extent < 0 ? "?" : std::to_string(extent)) + "x";
  return text + getElementTypeName(type).str();
}

std::string differential::tensorType(ArrayRef<int64_t> shape, ElementType type) {
  return "tensor<" + describeShape(shape, type) + ">";
}

std::string differential::printList(ArrayRef<int64_t> values) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "[";
  llvm::interleaveComma(values, os);
  os << "]";
  return text;
}

std::string Case::getId() const {
  std::string id = family + "/" + kind + "/" + type + "/" + shape;
  return variant.empty() ? id : id + "/" + variant;
}

std::string Case::argument(ElementType elementType, Shape extents, ValueRole role) {
  arguments.push_back({elementType, std::move(extents), role});
  return "%a" + std::to_string(arguments.size() - 1);
}

std::string Case::parameter(ElementType elementType, Shape extents, ValueRole role) {
  std::string name = argument(elementType, std::move(extents), role);
  arguments.back().isParam = true;
  return name;
}

std::string Case::op(const llvm::Twine &text) {
  std::string name = "%v" + std::to_string(numOps++);
  body += "  " + name + " = " + text.str() + "\n";
  return name;
}

void Case::result(StringRef value, const llvm::Twine &resultType) {
  resultValues.push_back(value.str());
  resultTypes.push_back(resultType.str());
}

std::string Case::print(StringRef name) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "func.func @" << name << "(";
  size_t next = 0;
  llvm::interleaveComma(arguments, os, [&](const Argument &argument) {
    os << "%a" << next++ << ": " << (argument.isMemref ? "memref<" : "tensor<")
       << describeShape(argument.shape, argument.type) << ">"
       << (argument.isParam ? " {fuse.param}" : "");
  });
  os << ") -> (" << llvm::join(resultTypes, ", ") << ") {\n" << body << "  return ";
  os << llvm::join(resultValues, ", ") << (resultTypes.empty() ? "" : " : ")
     << llvm::join(resultTypes, ", ") << "\n}\n";
  return text;
}
