//===- ScheduleFile.cpp - Measured schedules in a file -------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Schedule/ScheduleFile.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/Support/JsonFile.h"
#include "fuse/Support/Plural.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace mlir::fuse;
namespace json = llvm::json;

/// Of the format. Another one is not read: what it means is not known here.
static constexpr int64_t kVersion = 1;
/// Bytes of a hash in the file.
static constexpr size_t kHashBytes = 16;

static std::string computeHash(ArrayRef<StringRef> parts) {
  llvm::BLAKE3 hasher;
  for (StringRef part : parts) {
    hasher.update(part);
    hasher.update(StringRef("\0", 1));
  }
  return llvm::toHex(hasher.final<kHashBytes>(), /*LowerCase=*/true);
}

std::string TunedMachine::describe() const {
  if (!device.empty())
    return device;
  std::string text = cpu.empty() ? "any CPU" : cpu;
  if (!features.empty())
    text += " (" + features + ")";
  if (threads > 0)
    text += ", " + pluralize(threads, "thread");
  return text;
}

bool TunedMachine::fits(const TunedMachine &other) const {
  auto agree = [](const auto &a, const auto &b, const auto &any) {
    return a == any || b == any || a == b;
  };
  // What leaves all open fits a device as well.
  auto namesCpu = [](const TunedMachine &machine) {
    return !machine.cpu.empty() || !machine.features.empty() || machine.threads > 0;
  };
  if ((!device.empty() && namesCpu(other)) || (!other.device.empty() && namesCpu(*this)) ||
      !agree(device, other.device, std::string()))
    return false;
  return agree(cpu, other.cpu, std::string()) && agree(features, other.features, std::string()) &&
         agree(threads, other.threads, int64_t(0));
}

TunedMachine mlir::fuse::getHostMachine(int64_t threads) {
  std::vector<std::string> names;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    if (feature.second)
      names.push_back(feature.first().str());
  llvm::sort(names);
  std::string features = llvm::join(names, ",");
  return {llvm::sys::getHostCPUName().str(), computeHash(StringRef(features)), threads};
}

TunedMachine mlir::fuse::getDeviceMachine(StringRef device) {
  TunedMachine machine;
  machine.device = device.str();
  return machine;
}

const TunedKernel *ScheduleFile::find(StringRef key) const {
  auto place = llvm::lower_bound(
      kernels, key, [](const TunedKernel &kernel, StringRef key) { return kernel.key < key; });
  return place != kernels.end() && place->key == key ? &*place : nullptr;
}

void ScheduleFile::add(TunedKernel kernel) {
  auto place = llvm::lower_bound(
      kernels, kernel.key, [](const TunedKernel &other, StringRef key) { return other.key < key; });
  if (place != kernels.end() && place->key == kernel.key)
    *place = std::move(kernel);
  else
    kernels.insert(place, std::move(kernel));
}

void ScheduleFile::remove(StringRef key) {
  llvm::erase_if(kernels, [&](const TunedKernel &kernel) { return kernel.key == key; });
}

std::string ScheduleFile::toJson() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  json::OStream out(os, /*IndentSize=*/2);
  out.object([&] {
    out.attribute("version", kVersion);
    if (!machine.cpu.empty())
      out.attribute("cpu", machine.cpu);
    if (!machine.features.empty())
      out.attribute("features", machine.features);
    if (machine.threads > 0)
      out.attribute("threads", machine.threads);
    if (!machine.device.empty())
      out.attribute("device", machine.device);
    out.attributeArray("kernels", [&] {
      for (const TunedKernel &kernel : kernels)
        out.object([&] {
          std::string schedule;
          llvm::raw_string_ostream(schedule) << kernel.schedule;
          out.attribute("key", kernel.key);
          if (!kernel.name.empty())
            out.attribute("name", kernel.name);
          out.attribute("schedule", schedule);
          out.attribute("before_ns", kernel.beforeNs);
          out.attribute("after_ns", kernel.afterNs);
          out.attribute("rounds", kernel.rounds);
        });
    });
  });
  os << "\n";
  return text;
}

std::string mlir::fuse::getKernelKey(func::FuncOp kernel, bool stream) {
  OwningOpRef<func::FuncOp> copy = kernel.clone();
  copy->setName("kernel");
  (*copy)->removeAttr(attr::kSchedule);
  std::string text;
  llvm::raw_string_ostream os(text);
  copy->print(os, OpPrintingFlags().useLocalScope());
  return computeHash({text, stream ? "streams" : "whole rows"});
}

namespace {

class Reader {
public:
  Reader(MLIRContext *context, StringRef path, StringRef text)
      : context(context), path(path), text(text) {}

  llvm::Expected<ScheduleFile> read() {
    auto parsed = json::parse(text);
    if (!parsed)
      return fail("expected JSON, found: " + llvm::toString(parsed.takeError()));
    const json::Object *object = parsed->getAsObject();
    if (!object)
      return fail("expected an object, found " + describe(&*parsed));
    // The version comes first: what another one holds is not known here.
    const json::Value *version = object->get("version");
    if (!version || version->getAsInteger() != kVersion)
      return fail("'version': expected " + std::to_string(kVersion) + ", found " +
                  describe(version));
    warnOfOthers(*object, "", {"version", "cpu", "features", "threads", "device", "kernels"});
    for (auto [name, place] :
         {std::pair(StringRef("cpu"), &file.machine.cpu), {"features", &file.machine.features}, {"device", &file.machine.device}})
      if (object->get(name))
        if (llvm::Error error = readString(*object, "", name, *place))
          return error;
    if (object->get("threads"))
      if (llvm::Error error = readNumber(*object, "", "threads", 1, file.machine.threads))
        return error;
    const json::Value *kernels = object->get("kernels");
    if (!kernels || !kernels->getAsArray())
      return fail("'kernels': expected an array, found " + describe(kernels));
    for (auto [i, value] : llvm::enumerate(*kernels->getAsArray()))
      if (llvm::Error error = readKernel("kernels[" + std::to_string(i) + "]", value))
        return error;
    return std::move(file);
  }

private:
  llvm::Error fail(const Twine &why) const {
    return llvm::createStringError("'" + path + "': " + why);
  }

  static std::string describe(const json::Value *value) {
    return value ? llvm::formatv("{0}", *value).str() : "none";
  }

  void warnOfOthers(const json::Object &object, StringRef place, ArrayRef<StringRef> known) const {
    SmallVector<StringRef> others;
    for (const auto &[key, value] : object)
      if (!llvm::is_contained(known, StringRef(key)))
        others.push_back(key);
    llvm::sort(others);
    for (StringRef key : others)
      emitWarning(FileLineColLoc::get(context, path, 1, 1))
          << (place.empty() ? "" : place.str() + ": ") << "expected " << llvm::join(known, ", ")
          << ", found '" << key << "', which is not used";
  }

  llvm::Error readString(const json::Object &object, const Twine &place, StringRef name,
                         std::string &result) const {
    auto string = object.getString(name);
    if (!string || string->empty())
      return fail(place + "'" + name + "': expected a string that is not empty, found " +
                  describe(object.get(name)));
    result = string->str();
    return llvm::Error::success();
  }

  llvm::Error readNumber(const json::Object &object, const Twine &place, StringRef name,
                         int64_t least, int64_t &result) const {
    auto number = object.getInteger(name);
    if (!number || *number < least)
      return fail(place + "'" + name + "': expected a whole number of at least " + Twine(least) +
                  ", found " + describe(object.get(name)));
    result = *number;
    return llvm::Error::success();
  }

  llvm::Error readKernel(const std::string &where, const json::Value &value) {
    const json::Object *object = value.getAsObject();
    if (!object)
      return fail(where + ": expected an object, found " + describe(&value));
    std::string place = where + ": ";
    warnOfOthers(*object, where, {"key", "name", "schedule", "before_ns", "after_ns", "rounds"});
    TunedKernel kernel;
    std::string schedule;
    for (auto [name, to] : {std::pair(StringRef("key"), &kernel.key), {"schedule", &schedule}})
      if (llvm::Error error = readString(*object, place, name, *to))
        return error;
    if (kernel.key.size() != 2 * kHashBytes || !llvm::all_of(kernel.key, llvm::isHexDigit))
      return fail(place + "'key': expected " + Twine(2 * kHashBytes) +
                  " hexadecimal digits, found \"" + kernel.key + "\"");
    if (object->get("name"))
      if (llvm::Error error = readString(*object, place, "name", kernel.name))
        return error;
    for (auto [name, to] : {std::pair(StringRef("before_ns"), &kernel.beforeNs),
                            {"after_ns", &kernel.afterNs},
                            {"rounds", &kernel.rounds}})
      if (object->get(name))
        if (llvm::Error error = readNumber(*object, place, name, 0, *to))
          return error;
    std::string reason;
    kernel.schedule = parseSchedule(schedule, reason);
    if (!kernel.schedule)
      return fail(place + "'schedule': expected #fuse.schedule<…>, found \"" + schedule + "\"" +
                  (reason.empty() ? "" : ": " + reason));
    if (file.find(kernel.key))
      return fail(place + "'key': expected each once, found \"" + kernel.key + "\" again");
    file.add(std::move(kernel));
    return llvm::Error::success();
  }

  /// Null if it is none; `reason` is what the parser says.
  ScheduleAttr parseSchedule(StringRef schedule, std::string &reason) const {
    context->getOrLoadDialect<FuseDialect>();
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
      if (reason.empty())
        reason = diagnostic.str();
      return success();
    });
    return dyn_cast_or_null<ScheduleAttr>(parseAttribute(schedule, context));
  }

  MLIRContext *context;
  StringRef path, text;
  ScheduleFile file;
};

} // namespace

llvm::Expected<ScheduleFile> mlir::fuse::parseScheduleFile(MLIRContext *context, StringRef path,
                                                           StringRef text) {
  if (isTooDeep(text))
    return llvm::createStringError(
        "'" + path + "': expected an array of kernels, found more than 64 brackets open at once");
  return Reader(context, path, text).read();
}

llvm::Expected<ScheduleFile> mlir::fuse::readScheduleFile(MLIRContext *context, StringRef path) {
  auto text = readRegularFile(path);
  if (!text)
    return text.takeError();
  return parseScheduleFile(context, path, (*text)->getBuffer());
}

bool mlir::fuse::isScheduleFileName(StringRef name) { return name.ends_with(".json"); }
