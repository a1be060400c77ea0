//===- TargetFile.cpp - Devices described in files -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Target/TargetFile.h"
#include "fuse/IR/TargetFigures.h"
#include "fuse/Support/JsonFile.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;
namespace json = llvm::json;

static constexpr int64_t kVersion = 1;

const TargetFile::Figure *TargetFile::find(StringRef key) const {
  for (const Figure &figure : figures)
    if (figure.key == key)
      return &figure;
  return nullptr;
}

TargetAttr TargetFile::makeTarget(MLIRContext *context) const {
  Builder builder(context);
  SmallVector<NamedAttribute> values;
  for (const Figure &figure : figures)
    values.push_back(builder.getNamedAttr(figure.key, builder.getF64FloatAttr(figure.value)));
  return TargetAttr::get(context, name, kind, builder.getDictionaryAttr(values));
}

/// As short as it can be and still mean the same number.
static std::string formatNumber(double value) {
  std::string text;
  for (const char *format : {"%.6g", "%.15g", "%.17g"}) {
    text.clear();
    llvm::raw_string_ostream(text) << llvm::format(format, value);
    double read;
    if (!StringRef(text).getAsDouble(read) && read == value)
      break;
  }
  return text;
}

std::string TargetFile::toJson() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  json::OStream out(os, /*IndentSize=*/2);
  out.object([&] {
    out.attribute("version", kVersion);
    out.attribute("name", name);
    out.attribute("kind", stringifyTargetKind(kind));
    if (!cpu.empty())
      out.attribute("cpu", cpu);
    out.attributeObject("figures", [&] {
      for (const Figure &figure : figures) {
        out.attributeBegin(figure.key);
        out.rawValue(formatNumber(figure.value));
        out.attributeEnd();
      }
    });
    out.attributeObject("sources", [&] {
      for (const Figure &figure : figures)
        if (!figure.source.empty())
          out.attribute(figure.key, figure.source);
    });
  });
  os << "\n";
  return text;
}

namespace {

/// What a value may be.
struct Range {
  double least;
  bool isOpen;  ///< the least itself is not allowed
  bool isWhole; ///< nothing between two integers is
  StringLiteral text;
};

/// Bandwidths and rates divide, and a device has at least one of what it counts.
Range getRange(StringRef key) {
  if (key.ends_with("_bw") || key.ends_with("_per_ns"))
    return {0, true, false, "a number above 0"};
  if (isCountFigure(key) || key == "vector_bytes")
    return {1, false, true, "a whole number of at least 1"};
  if (isWholeFigure(key))
    return {0, false, true, "a whole number of at least 0"};
  return {0, false, false, "a number of at least 0"};
}

ArrayRef<StringRef> getNeeded(TargetKind kind) {
  static const StringRef figures[] = {"memory_bw", "dispatch_ns", "flops_per_ns"};
  return ArrayRef(figures).drop_back(kind == TargetKind::Gpu);
}

std::string toText(const json::Value &value) { return llvm::formatv("{0}", value).str(); }

class Reader {
public:
  Reader(StringRef path, StringRef text) : path(path), text(text) {}

  llvm::Expected<TargetFile> read() {
    auto parsed = json::parse(text);
    if (!parsed)
      return fail("expected JSON, found: " + llvm::toString(parsed.takeError()));
    const json::Object *object = parsed->getAsObject();
    if (!object)
      return fail("expected an object, found " + toText(*parsed));
    // The version comes first: what another one holds is not known here.
    const json::Value *version = object->get("version");
    if (!version || version->getAsInteger() != kVersion)
      return fail("'version': expected " + std::to_string(kVersion) + ", found " +
                  describe(version));
    for (const auto &[key, value] : *object)
      if (!llvm::is_contained({"version", "name", "kind", "cpu", "figures", "sources"},
                              StringRef(key)))
        return fail("expected version, name, kind, cpu, figures and sources, found '" +
                    StringRef(key).str() + "'");
    if (llvm::Error error = readHead(*object))
      return error;
    const json::Value *figures = object->get("figures");
    if (!figures || !figures->getAsObject())
      return fail("'figures': expected an object, found " + describe(figures));
    if (llvm::Error error = readFigures(*figures->getAsObject()))
      return error;
    if (const json::Value *sources = object->get("sources"))
      if (llvm::Error error = readSources(*sources))
        return error;
    for (StringRef key : getNeeded(file.kind))
      if (!file.find(key))
        return fail("'figures': expected '" + key.str() + "', which a target of kind " +
                    stringifyTargetKind(file.kind).str() + " needs, found none");
    return std::move(file);
  }

private:
  llvm::Error fail(const Twine &why) const {
    return llvm::createStringError("'" + path + "': " + why);
  }
  static std::string describe(const json::Value *value) { return value ? toText(*value) : "none"; }

  llvm::Error readHead(const json::Object &object) {
    auto name = object.getString("name");
    if (!name || name->empty())
      return fail("'name': expected a string, found " + describe(object.get("name")));
    file.name = name->str();
    auto kindText = object.getString("kind");
    auto kind = kindText ? symbolizeTargetKind(*kindText) : std::nullopt;
    if (!kind)
      return fail("'kind': expected \"cpu\" or \"gpu\", found " + describe(object.get("kind")));
    file.kind = *kind;
    if (const json::Value *cpu = object.get("cpu")) {
      if (!cpu->getAsString())
        return fail("'cpu': expected a string, found " + toText(*cpu));
      file.cpu = cpu->getAsString()->str();
    }
    return llvm::Error::success();
  }

  llvm::Error readFigures(const json::Object &figures) {
    for (const auto &given : figures) {
      StringRef key = given.first;
      if (llvm::none_of(TargetAttr::getDefaultFigures(),
                        [&](const auto &known) { return known.first == key; }))
        return fail("expected figures of #fuse.target, found '" + key + "'");
    }
    // In the order of their documentation: an object's own order is lost.
    for (const auto &[key, unused] : TargetAttr::getDefaultFigures()) {
      const json::Value *value = figures.get(key);
      if (!value)
        continue;
      Range range = getRange(key);
      std::optional<double> number = value->getAsNumber();
      bool isGood = number && (range.isOpen ? *number > range.least : *number >= range.least) &&
                    *number <= kMostOfAFigure &&
                    (!range.isWhole || *number == std::floor(*number)) &&
                    (key != "unified" || *number == 0 || *number == 1);
      if (!isGood)
        return fail("figure '" + key + "': expected " +
                    (key == "unified"                     ? StringRef("0 or 1")
                     : number && *number > kMostOfAFigure ? StringRef("a number up to 1e18")
                                                          : StringRef(range.text)) +
                    ", found " + toText(*value));
      file.figures.push_back({key.str(), *number, ""});
    }
    return llvm::Error::success();
  }

  llvm::Error readSources(const json::Value &value) {
    const json::Object *sources = value.getAsObject();
    if (!sources)
      return fail("'sources': expected an object, found " + toText(value));
    for (const auto &[key, text] : *sources) {
      auto *figure = const_cast<TargetFile::Figure *>(file.find(StringRef(key)));
      if (!figure)
        return fail("'sources': expected keys of figures that are given, found '" +
                    StringRef(key).str() + "'");
      if (!text.getAsString())
        return fail("source of '" + StringRef(key).str() + "': expected a string, found " +
                    toText(text));
      figure->source = text.getAsString()->str();
    }
    return llvm::Error::success();
  }

  StringRef path, text;
  TargetFile file;
};

} // namespace

llvm::Expected<TargetFile> mlir::fuse::parseTargetFile(StringRef path, StringRef text) {
  if (isTooDeep(text))
    return llvm::createStringError(
        "'" + path +
        "': expected an object of numbers and strings, found more than 64 brackets open at once");
  return Reader(path, text).read();
}

llvm::Expected<TargetFile> mlir::fuse::readTargetFile(StringRef path) {
  auto text = readRegularFile(path);
  if (!text)
    return text.takeError();
  return parseTargetFile(path, (*text)->getBuffer());
}

Location mlir::fuse::getTargetFileLoc(MLIRContext *context, StringRef path) {
  if (!llvm::sys::fs::is_regular_file(path))
    return UnknownLoc::get(context);
  return FileLineColLoc::get(context, path, 1, 1);
}

bool mlir::fuse::isTargetFileName(StringRef name) { return name.ends_with(".json"); }

std::string mlir::fuse::describeTargets() {
  return describeTargetNames() + ", or a file's name that ends in .json, or cluster:nodes=N";
}

FailureOr<TargetAttr> mlir::fuse::resolveTarget(MLIRContext *context, StringRef name,
                                                function_ref<InFlightDiagnostic()> emitError) {
  if (isClusterName(name))
    return makeClusterTarget(context, name, emitError);
  if (isTargetFileName(name)) {
    auto file = readTargetFile(name);
    if (!file)
      return mlir::emitError(getTargetFileLoc(context, name))
             << "target file " << llvm::toString(file.takeError());
    return file->makeTarget(context);
  }
  if (!llvm::is_contained(getTargetNames(), resolveTargetName(name)))
    return emitError() << "unknown target: expected " << describeTargets() << ", found '" << name
                       << "'";
  return lookupTarget(context, name, emitError);
}
