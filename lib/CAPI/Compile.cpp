//===- Compile.cpp - Compiling programs from C -------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Compilation.h"

#include "fuse/Driver/ApplyPrecision.h"
#include "fuse/Driver/LoadProgram.h"
#include "fuse/Driver/Progress.h"
#include "fuse/Driver/UserCache.h"
#include "fuse/Driver/Weights.h"
#include "fuse/Execution/FatalErrors.h"
#include "fuse/Execution/MemoryBundle.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Remarks.h"
#include "fuse/Import/StableHlo.h"
#include "fuse/Import/Torch.h"
#include "llvm/Support/Path.h"

#include <cstring>
#include <new>

using namespace mlir;
using namespace mlir::fuse;

//===- Sources --------------------------------------------------------------------------------===//

namespace {
enum class Format { Mlir, Onnx, Torch, StableHlo };

/// A source whose format is known.
struct Source {
  Format format = Format::Mlir;
  std::string name; ///< for messages
  std::optional<StringRef> bytes;
};
} // namespace

/// What bytes without a name look like: text of MLIR has no zeros, bytecode has a mark at its begin, and anything else
/// can only be a model.
static Format guessFormat(StringRef bytes) {
  bool isText = !bytes.take_front(4096).contains('\0');
  return isText || bytes.starts_with("ML\xefR") ? Format::Mlir : Format::Onnx;
}

static llvm::Expected<Source> readSource(const fuse_source &given) {
  Source source;
  StringRef path = given.path ? given.path : "", format = given.format ? given.format : "auto";
  if (given.data)
    source.bytes = StringRef(static_cast<const char *>(given.data), static_cast<size_t>(given.bytes));
  if (!source.bytes && path.empty())
    return llvm::createStringError("expected a path or bytes, found neither");
  if (format == "onnx")
    source.format = Format::Onnx;
  else if (format == "mlir")
    source.format = Format::Mlir;
  else if (format == "torch")
    source.format = Format::Torch;
  else if (format == "stablehlo")
    source.format = Format::StableHlo;
  else if (format != "auto")
    return llvm::createStringError("format: expected auto, mlir, onnx, torch or stablehlo, found '" + format + "'");
  else if (isModelPath(path))
    source.format = isOnnxPath(path) ? Format::Onnx : isTorchPath(path) ? Format::Torch : Format::StableHlo;
  else if (source.bytes && !isProgramName(path))
    source.format = guessFormat(*source.bytes);
  else if (!isProgramName(path) || path == "-")
    return llvm::createStringError("expected a program that ends in " + describeProgramNames() +
                                   ", found '" + path + "'");
  source.name = path.str();
  if (source.format == Format::Onnx && !isOnnxPath(path))
    source.name += path.empty() ? "model.onnx" : ".onnx"; // as messages about models are known by
  else if (source.format == Format::Torch && !isTorchPath(path))
    source.name += path.empty() ? "program.pt2" : ".pt2";
  else if (source.format == Format::StableHlo && !isStableHloPath(path))
    source.name += path.empty() ? "program.stablehlo" : ".stablehlo";
  else if (path.empty())
    source.name = "program.mlir";
  // A file that is not called like a model is read here.
  return source;
}

/// The caller's memory as an array, copied where it is in another than row-major order.
static llvm::Expected<HostArray> toArray(const fuse_buffer &buffer) {
  if (buffer.dtype < 0 || buffer.dtype >= FUSE_NUM_DTYPES || buffer.rank < 0)
    return llvm::createStringError("expected a dtype and a rank, found " +
                                   std::to_string(buffer.dtype) + " and " +
                                   std::to_string(buffer.rank));
  auto type = static_cast<ElementType>(buffer.dtype);
  ArrayRef<int64_t> shape(buffer.sizes, static_cast<size_t>(buffer.rank));
  std::optional<int64_t> bytes = HostArray::computeByteSize(type, shape);
  if (!bytes)
    return llvm::createStringError("expected sizes that memory can hold");
  if (!buffer.data && *bytes > 0)
    return llvm::createStringError("expected data, found null");
  bool isRowMajor = true;
  int64_t stride = 1;
  for (size_t d = shape.size(); buffer.strides && d-- > 0; stride *= shape[d])
    isRowMajor &= shape[d] == 1 || buffer.strides[d] == stride;
  if (*bytes == 0)
    return HostArray::create(type, shape);
  if (isRowMajor)
    return HostArray::adopt(type, shape,
                            std::shared_ptr<char>(static_cast<char *>(buffer.data), [](char *) {}));
  auto array = HostArray::createUninitialized(type, shape);
  if (!array)
    return array.takeError();
  SmallVector<int64_t> strides = array->getStrides();
  fuse_buffer copy = {array->getBytes(), shape.data(), strides.data(), buffer.rank, buffer.dtype};
  fuse_context *context = fuse_context_create(1);
  if (!context)
    return llvm::createStringError("out of memory: a context");
  int32_t status = fuse_copy(context, &buffer, &copy);
  std::string reason = fuse_context_error(context);
  fuse_context_destroy(context);
  if (status)
    return llvm::createStringError(reason);
  return array;
}

/// Files that the options name, and the caller's arrays.
static llvm::Expected<std::vector<InputFile>> readArrays(const fuse_source &source,
                                                         const PlanningOptions &options) {
  auto files = readInputFiles(options);
  if (!files)
    return files.takeError();
  auto add = [&](const char *what, const fuse_named_buffer *buffers, int64_t count) -> llvm::Error {
    for (const fuse_named_buffer &each : ArrayRef(buffers, static_cast<size_t>(count))) {
      auto array = toArray(each.buffer);
      if (!array)
        return llvm::createStringError(Twine(what) + " '" + each.name +
                                       "': " + llvm::toString(array.takeError()));
      files->push_back(InputFile::makeArray({each.name, std::move(*array)}));
    }
    return llvm::Error::success();
  };
  if (llvm::Error error = add("weight", source.weights, source.num_weights))
    return std::move(error);
  if (llvm::Error error = add("input", source.inputs, source.num_inputs))
    return std::move(error);
  return files;
}

//===- Compiling -------------------------------------------------------------------------------===//

static LogicalResult enableRemarks(MLIRContext &context) {
  remark::RemarkCategories categories;
  // `all` alone enables no kind of remark.
  categories.passed = categories.missed = categories.analysis = categories.failed = "fuse-.*";
  return remark::enableOptimizationRemarks(
      context, nullptr, std::make_unique<remark::RemarkEmittingPolicyAll>(), categories,
      /*printAsEmitRemarks=*/true);
}

namespace {
/// One call of fuse_compile.
class Compiler {
public:
  Compiler(const fuse_source &given, const fuse_options &options, fuse_compilation &result)
      : given(given), options(options), result(result), context(makeProgramRegistry()),
        messages(context) {
    context.printOpOnDiagnostic(false);
  }
  /// Whatever happened, what was said of it is kept.
  ~Compiler() { result.messages = messages.take(); }

  LogicalResult run();
  void addError(StringRef text) { messages.addError(text); }

private:
  LogicalResult fail(llvm::Error error) {
    messages.addError(llvm::toString(std::move(error)));
    return failure();
  }
  void report(const Progress &progress) {
    if (options.progress)
      options.progress(progress.part, progress.text.c_str(), options.progressData);
  }
  FailureOr<LoadedProgram> load(const Source &source, ArrayRef<InputFile> files);
  FailureOr<WeightedProgram> loadWeighted();
  FailureOr<CompiledProgram> compile(const WeightedProgram &program);

  const fuse_source &given;
  const fuse_options &options;
  fuse_compilation &result;
  MLIRContext context;
  CollectedMessages messages;
};
} // namespace

FailureOr<LoadedProgram> Compiler::load(const Source &source, ArrayRef<InputFile> files) {
  if (source.format != Format::Mlir)
    return loadModel(given.path && !source.bytes ? StringRef(given.path) : StringRef(source.name),
                     options.planning, files, context, LoadMode::FixesInputs, source.bytes);
  const PlanningOptions &planning = options.planning;
  bool hasDims = !planning.dims.empty() || !planning.ranges.empty();
  if (hasDims || !planning.boundFiles.empty() || given.num_inputs > 0)
    return fail(llvm::createStringError(
        Twine(hasDims ? "dim" : given.num_inputs > 0 ? "inputs" : "bind") +
        " needs a model, found '" + source.name + "'"));
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  if (source.bytes) {
    buffer = llvm::MemoryBuffer::getMemBufferCopy(*source.bytes, source.name);
  } else {
    auto read = llvm::MemoryBuffer::getFile(source.name);
    if (!read)
      return fail(llvm::createStringError("cannot read '" + source.name +
                                          "': " + read.getError().message()));
    buffer = std::move(*read);
  }
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(buffer), SMLoc());
  return parseProgram(sources, context);
}

FailureOr<WeightedProgram> Compiler::loadWeighted() {
  auto source = readSource(given);
  if (!source)
    return fail(source.takeError());
  result.name = llvm::sys::path::filename(source->name).str();
  if (llvm::Error error = checkPrecision(options.planning))
    return fail(std::move(error));
  if (llvm::Error error = checkChip(options.planning))
    return fail(std::move(error));
  if (llvm::Error error = checkBundle(options.planning))
    return fail(std::move(error));
  auto files = readArrays(given, options.planning);
  if (!files)
    return fail(files.takeError());
  report(getProgress(CompileStage::Import));
  FailureOr<LoadedProgram> loaded = load(*source, *files);
  if (failed(loaded))
    return failure();
  if (options.explains && failed(enableRemarks(context)))
    return fail(llvm::createStringError("remarks cannot be enabled"));
  WeightedProgram program;
  program.module = std::move(loaded->module);
  FailureOr<EntryFunction> found = findRankFunction(*program.module, options.planning);
  if (failed(found))
    return failure();
  program.function = found->function;
  program.nodes = std::move(loaded->nodes);
  std::optional<ArrayRef<std::string>> fixedInputs;
  if (source->format == Format::Onnx)
    fixedInputs = loaded->fixedInputs;
  // The importers of exported programs have taken the arrays that it knows weights by.
  ArrayRef<InputFile> others = *files;
  if (source->format == Format::Torch || source->format == Format::StableHlo)
    others = {};
  auto weights =
      takeWeights(program.function, found->signature, others, loaded->parameters, fixedInputs);
  if (!weights)
    return fail(weights.takeError());
  program.weights = std::move(*weights);
  if (failed(fixWeightShapes(program)))
    return failure();
  FailureOr<std::vector<PrecisionError>> errors = applyPrecision(program.function, program.weights, options.planning);
  if (failed(errors))
    return failure();
  for (const PrecisionError &error : *errors)
    emitRemark(program.function.getLoc()) << describeError(error, options.planning.precision);
  return program;
}

FailureOr<CompiledProgram> Compiler::compile(const WeightedProgram &program) {
  auto cache = openCache(options.planning);
  if (!cache)
    return fail(cache.takeError());
  report(getProgress(CompileStage::Plan));
  CompileSteps steps;
  steps.compiler.cache = cache->get();
  steps.compiler.progress = [this](size_t done, size_t total) { report(getProgress(done, total)); };
  steps.planned = [this] {
    report(getProgress(CompileStage::Lower));
    return success();
  };
  steps.texts = &result.texts;
  FailureOr<CompiledProgram> compiled = compileWeighted(program, options.planning, steps);
  if (*cache)
    if (std::string text = (*cache)->takeWarning(); !text.empty())
      emitWarning(UnknownLoc::get(&context)) << text;
  return compiled;
}

LogicalResult Compiler::run() {
  FailureOr<WeightedProgram> program = loadWeighted();
  if (failed(program))
    return failure();
  FailureOr<CompiledProgram> compiled = compile(*program);
  if (failed(compiled))
    return failure();
  auto kept = std::make_shared<CompiledProgram>(std::move(*compiled));
  kept->contents.report = formatReport(kept->report);
  auto opened = openInMemory(kept->variants, kept->contents, kept);
  if (!opened)
    return fail(opened.takeError());
  result.compiled = std::move(kept);
  result.program = *opened;
  return success();
}

/// Whether a program was made; what LLVM gives up on and what is thrown become messages.
static bool compileSafely(const fuse_source &source, const fuse_options &options,
                          fuse_compilation &result) {
  CaughtFatalErrors caught;
  auto addError = [&](const Twine &text) {
    result.messages.push_back(Message());
    result.messages.back().text = text.str();
    return false;
  };
  try {
    Compiler compiler(source, options, result);
    return succeeded(compiler.run());
  } catch (const FatalError &error) {
    return addError("the compiler gave up: " + error.text);
  } catch (const std::bad_alloc &) {
    return addError("out of memory");
  } catch (const std::exception &error) {
    return addError(Twine("the compiler failed: ") + error.what());
  }
}

//===- The interface ---------------------------------------------------------------------------===//

fuse_compilation::~fuse_compilation() { fuse_program_release(program); }

extern "C" {

int32_t fuse_compile(const fuse_source *source, const fuse_options *options,
                     fuse_compilation **result) {
  *result = new (std::nothrow) fuse_compilation();
  if (!*result)
    return 1;
  static const fuse_options defaults;
  // Fields that a later version adds are zero for callers of this one.
  fuse_source given = {};
  std::memcpy(&given, source,
              std::min(static_cast<size_t>(source->struct_bytes), sizeof(fuse_source)));
  return compileSafely(given, options ? *options : defaults, **result) ? 0 : 1;
}

void fuse_compilation_destroy(fuse_compilation *compilation) { delete compilation; }

fuse_program *fuse_compilation_program(fuse_compilation *compilation) {
  return compilation->program;
}

} // extern "C"
