//===- BundleHeader.cpp - The C header of a bundle -------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "BundleParts.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::fuse;

/// An upper-case C identifier: what is no letter or digit becomes '_'.
static std::string toMacro(StringRef name) {
  std::string text;
  for (char c : name)
    text += llvm::isAlnum(c) ? llvm::toUpper(c) : '_';
  return text;
}

/// Safe within a comment.
static std::string toComment(StringRef text) {
  std::string safe;
  for (char c : text) {
    if (c == '/' && !safe.empty() && safe.back() == '*')
      safe += ' ';
    safe += llvm::isPrint(c) || static_cast<unsigned char>(c) >= 0x80 ? c : '?';
  }
  return safe;
}

static void describe(StringRef title, ArrayRef<const ValueInfo *> values, llvm::raw_ostream &os) {
  os << " *\n * " << title << (values.empty() ? ": none\n" : ":\n");
  for (auto [i, info] : llvm::enumerate(values)) {
    os << " *   " << i << "  " << toComment(info->name) << ": " << getElementTypeName(info->type)
       << " [";
    llvm::interleaveComma(llvm::enumerate(info->shape), os, [&](auto each) {
      StringRef name = info->getDimName(each.index());
      if (!ShapedType::isDynamic(each.value()))
        os << each.value();
      else
        os << (name.empty() ? "?" : toComment(name));
    });
    os << "]" << (info->isMemref ? ", also written" : "") << "\n";
  }
}

namespace {

/// The identifiers of a header: those of the interface, and those given out.
class Identifiers {
public:
  Identifiers() {
    for (StringRef header : getBundleHeaders())
      while (!header.empty()) {
        header = header.drop_until([](char c) { return llvm::isAlpha(c) || c == '_'; });
        StringRef word = header.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
        taken.insert(word);
        header = header.drop_front(word.size());
      }
  }

  /// `name`, or what it becomes until nothing else has it.
  std::string take(std::string name) {
    while (!taken.insert(name).second)
      name += "_";
    return name;
  }

  /// Lists PREFIX_X = 0, … with the number in the place of a name that is taken.
  void listIndices(const std::string &prefix, ArrayRef<const ValueInfo *> values,
                   llvm::raw_ostream &os) {
    for (auto [i, info] : llvm::enumerate(values)) {
      std::string name = prefix + "_" + toMacro(info->name);
      if (taken.contains(name))
        name = prefix + "_" + std::to_string(i);
      os << "  " << take(name) << " = " << i << ",\n";
    }
  }

private:
  llvm::StringSet<> taken;
};

} // namespace

std::string mlir::fuse::writeHeader(StringRef name, const BundleContents &contents) {
  std::string text, macro = "FUSE_" + toMacro(name);
  llvm::raw_string_ostream os(text);
  SmallVector<const ValueInfo *> inputs, weights, outputs;
  for (const ValueInfo &info : contents.signature.inputs)
    (info.isParam ? weights : inputs).push_back(&info);
  for (const ValueInfo &info : contents.signature.results)
    outputs.push_back(&info);

  os << "/* " << toComment(name) << ".h: the bundle " << toComment(name)
     << ".so, made by fuse-compile " << getBundleVersion() << " from @"
     << toComment(contents.signature.function)
     << ".\n * Arrays are row-major without gaps; ? stands for a size that may differ from call to "
        "call,\n * a name for one that is the same wherever it stands.\n";
  describe("Inputs, in order", inputs, os);
  describe("Outputs, in order", outputs, os);
  describe("Weights, in " + toComment(name) + ".weights", weights, os);
  Identifiers identifiers;
  std::string guard = identifiers.take(macro + "_H");
  std::string numInputs = identifiers.take(macro + "_NUM_INPUTS");
  std::string numOutputs = identifiers.take(macro + "_NUM_OUTPUTS");
  os << " */\n\n#ifndef " << guard << "\n#define " << guard << "\n\nenum {\n";
  identifiers.listIndices(macro + "_IN", inputs, os);
  os << "  " << numInputs << " = " << inputs.size() << ",\n";
  identifiers.listIndices(macro + "_OUT", outputs, os);
  os << "  " << numOutputs << " = " << outputs.size() << "\n};\n\n#endif\n\n";

  // The interface itself, so that nothing but this file is needed.
  for (StringRef header : getBundleHeaders())
    for (StringRef rest = header; !rest.empty();) {
      auto [line, next] = rest.split('\n');
      if (!line.starts_with("#include \"fuse/"))
        os << line << "\n";
      rest = next;
    }
  return text;
}
