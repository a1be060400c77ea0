//===- LoadProgram.cpp - Programs and arrays from files --------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Driver/LoadProgram.h"

#include "fuse/Execution/Compile.h"
#include "fuse/IR/DimNames.h"
#include "fuse/Import/StableHlo.h"
#include "fuse/Import/Torch.h"
#include "fuse/InitAll/InitAll.h"
#include "fuse/Support/Npy.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace mlir::fuse;

llvm::Expected<InputFile> InputFile::openArchive(StringRef path) {
  auto archive = NpzArchive::open(path);
  if (!archive)
    return archive.takeError();
  InputFile file;
  file.path = path.str();
  file.names = archive->getNames().vec();
  file.archive = std::move(*archive);
  return file;
}

llvm::Expected<InputFile> InputFile::openArray(StringRef name, StringRef path) {
  auto array = readNpy(path);
  if (!array)
    return array.takeError();
  InputFile file;
  file.path = path.str();
  file.names.push_back(name.str());
  file.array = std::move(*array);
  return file;
}

InputFile InputFile::makeArray(NamedArray array) {
  InputFile file;
  file.names.push_back(std::move(array.name));
  file.array = std::move(array.array);
  return file;
}

llvm::Expected<HostArray> InputFile::read(StringRef name) const {
  if (archive)
    return archive->read(name);
  return array;
}

llvm::Expected<std::vector<InputFile>>
mlir::fuse::readInputFiles(const PlanningOptions &options) {
  std::vector<InputFile> files;
  auto add = [&](llvm::Expected<InputFile> file) -> llvm::Error {
    if (!file)
      return file.takeError();
    files.push_back(std::move(*file));
    return llvm::Error::success();
  };
  for (const std::string &path : options.inputArchives)
    if (llvm::Error error = add(InputFile::openArchive(path)))
      return std::move(error);
  for (const auto &[name, path] : options.inputFiles)
    if (llvm::Error error = add(InputFile::openArray(name, path)))
      return std::move(error);
  return files;
}

bool mlir::fuse::isModelPath(StringRef path) {
  return isOnnxPath(path) || isTorchPath(path) || isStableHloPath(path);
}

bool mlir::fuse::isProgramName(StringRef path) {
  return path == "-" || isModelPath(path) || path.ends_with(".mlir") || path.ends_with(".mlirbc");
}

std::string mlir::fuse::describeProgramNames() { return ".onnx, .pt2, .stablehlo, .mlir or .mlirbc"; }

llvm::Error mlir::fuse::checkModelOptions(StringRef path, bool hasDims, bool binds) {
  if (hasDims && !isModelPath(path))
    return llvm::createStringError("--dim needs a model (.onnx, .pt2 or .stablehlo), found '" + path + "'");
  if (binds && !isOnnxPath(path))
    return llvm::createStringError("--bind needs an ONNX model, found '" + path + "'");
  return llvm::Error::success();
}

llvm::Error mlir::fuse::checkProgram(StringRef path, const PlanningOptions &options) {
  if (path.empty())
    return llvm::createStringError("expected a program, found none");
  if (!isProgramName(path))
    return expected("a program that ends in " + describeProgramNames(), path);
  bool hasDims = !options.dims.empty() || !options.ranges.empty();
  if (llvm::Error error = checkModelOptions(path, hasDims, !options.boundFiles.empty()))
    return error;
  if (llvm::Error error = checkPrecision(options))
    return error;
  return checkChip(options);
}

HeldDiagnostics::HeldDiagnostics(MLIRContext &context) : context(context) {
  handler = context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    std::lock_guard<std::mutex> lock(mutex);
    held.push_back(std::move(diagnostic));
    return success();
  });
}

HeldDiagnostics::~HeldDiagnostics() {
  if (handler)
    context.getDiagEngine().eraseHandler(*handler);
}

void HeldDiagnostics::show() {
  if (handler)
    context.getDiagEngine().eraseHandler(*handler);
  handler.reset();
  for (Diagnostic &diagnostic : held)
    context.getDiagEngine().emit(std::move(diagnostic));
  held.clear();
}

/// Of dimensions that no option gives.
static std::vector<std::pair<std::string, int64_t>> findLikely(StringRef path,
                                                               const PlanningOptions &options) {
  auto model = describeOnnx(path);
  if (!model) {
    llvm::consumeError(model.takeError()); // the import has said so
    return {};
  }
  auto likely = getLikelyExtents(*model);
  llvm::erase_if(likely, [&](const auto &extent) {
    return llvm::any_of(options.dims, [&](const auto &dim) { return dim.first == extent.first; });
  });
  return likely;
}

/// What the importers of all formats take: extents, ranges and arrays of open dimensions and inputs.
static void fillImportOptions(ImportOptions &importOptions, const PlanningOptions &options, ArrayRef<InputFile> files) {
  for (const auto &[name, extent] : options.dims)
    importOptions.dims[name] = extent;
  for (const auto &[name, range] : options.ranges)
    importOptions.ranges[name] = range;
  for (const InputFile &file : files)
    for (const std::string &name : file.getNames())
      importOptions.deferred.push_back({name, [&file, name] { return file.read(name); }});
}

/// A program of PyTorch or of StableHLO: of a file, or of its bytes, whose weights are among `files`. `import` takes the
/// options.
template <typename Options, typename Import>
static FailureOr<LoadedProgram> loadExported(const PlanningOptions &options, ArrayRef<InputFile> files, Import import) {
  Options importOptions;
  fillImportOptions(importOptions, options, files);
  importOptions.weights = [&](StringRef name) -> llvm::Expected<HostArray> {
    for (const InputFile &file : files)
      if (llvm::is_contained(file.getNames(), name))
        return file.read(name);
    return HostArray();
  };
  auto model = import(importOptions);
  if (failed(model))
    return failure();
  LoadedProgram program;
  program.module = std::move(model->module);
  program.parameters = std::move(model->parameters);
  program.nodes = std::move(model->nodes);
  return program;
}

FailureOr<LoadedProgram> mlir::fuse::loadModel(StringRef path, const PlanningOptions &options,
                                               ArrayRef<InputFile> files, MLIRContext &context,
                                               LoadMode mode, std::optional<StringRef> bytes) {
  if (isTorchPath(path))
    return loadExported<TorchImportOptions>(options, files, [&](const TorchImportOptions &given) {
      return bytes ? importTorchJson(*bytes, path, &context, given) : importTorch(path, &context, given);
    });
  if (isStableHloPath(path))
    return loadExported<StableHloImportOptions>(options, files, [&](const StableHloImportOptions &given) {
      return bytes ? importStableHlo(*bytes, path, &context, given) : importStableHloFile(path, &context, given);
    });
  OnnxImportOptions importOptions;
  importOptions.bytes = bytes;
  importOptions.bindsSpecialized = mode == LoadMode::FixesInputs;
  fillImportOptions(importOptions, options, files);
  for (const auto &[name, file] : options.boundFiles) {
    auto array = readNpy(file);
    if (!array) {
      emitError(NameLoc::get(StringAttr::get(&context, path)))
          << "--bind " << name << ": " << llvm::toString(array.takeError());
      return failure();
    }
    importOptions.bound.push_back({name, std::move(*array)});
  }
  LoadedProgram program;
  auto assume = [&] {
    program.assumed = findLikely(path, options);
    for (const auto &[name, extent] : program.assumed)
      importOptions.dims[name] = extent;
    return !program.assumed.empty();
  };
  if (mode == LoadMode::LikelyExtents)
    assume();
  FailureOr<OnnxModel> model = failure();
  if (mode != LoadMode::AssumesExtents) {
    model = importOnnx(path, &context, importOptions);
  } else {
    // What is missing without assumptions is what somebody can do something about.
    HeldDiagnostics held(context);
    model = importOnnx(path, &context, importOptions);
    if (failed(model) && assume()) {
      HeldDiagnostics other(context);
      model = importOnnx(path, &context, importOptions);
    }
    if (failed(model) || program.assumed.empty())
      held.show();
  }
  if (failed(model))
    return failure();
  program.module = std::move(model->module);
  program.parameters = std::move(model->parameters);
  program.nodes = std::move(model->nodes);
  program.fixedInputs = std::move(model->fixedInputs);
  return program;
}

std::string mlir::fuse::describeAssumed(ArrayRef<std::pair<std::string, int64_t>> assumed) {
  std::string values, options;
  for (const auto &[name, extent] : assumed) {
    values += (values.empty() ? "" : ", ") + name + " = " + std::to_string(extent);
    options += " " + getDimOption(name);
  }
  return values + "; other extents:" + options;
}

DialectRegistry mlir::fuse::makeProgramRegistry() {
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllFuseDialects(registry);
  return registry;
}

FailureOr<LoadedProgram>
mlir::fuse::parseProgram(const std::shared_ptr<llvm::SourceMgr> &sources, MLIRContext &context) {
  LoadedProgram program;
  program.module = parseSourceFile<ModuleOp>(sources, &context);
  if (!program.module || failed(convertProgram(*program.module)))
    return failure();
  return program;
}

FailureOr<LoadedProgram>
mlir::fuse::loadProgram(StringRef path, const PlanningOptions &options, ArrayRef<InputFile> files,
                        MLIRContext &context, const std::shared_ptr<llvm::SourceMgr> &sources,
                        LoadMode mode) {
  return isModelPath(path) ? loadModel(path, options, files, context, mode)
                          : parseProgram(sources, context);
}
