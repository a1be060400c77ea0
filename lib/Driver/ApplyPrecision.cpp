//===- ApplyPrecision.cpp - Programs whose products are computed in shorter types --------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Driver/ApplyPrecision.h"

#include "fuse/Driver/LoadProgram.h"
#include "fuse/Driver/PlanFunction.h"
#include "fuse/Driver/UserCache.h"
#include "fuse/Execution/Compile.h"
#include "fuse/Execution/Session.h"
#include "fuse/IR/FuseBuilder.h"
#include "fuse/Transforms/Transforms.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// A function, compiled and ready to run in this process.
class Runner {
public:
  Runner(func::FuncOp function, const PlanningOptions &options) : function(function), options(options) {}

  LogicalResult compile() {
    auto module = function->getParentOfType<ModuleOp>();
    FailureOr<PlannedProgram> planned = planFunction(module, function.getName(), options, options.getCompileOptions());
    if (failed(planned))
      return failure();
    ModuleOp kernels = *planned->module;
    planned->restoreTarget(kernels);
    FailureOr<Signature> signature = Signature::get(kernels.lookupSymbol<func::FuncOp>(function.getName()));
    if (failed(signature))
      return failure();
    auto cache = openCache(options);
    if (!cache)
      return fail(cache.takeError());
    ObjectCompilerOptions compiler;
    compiler.backend = options.backend;
    compiler.chip = options.getChip();
    compiler.cache = cache->get();
    FailureOr<CompiledObjects> objects = compileProgram(kernels, options.getLoweringOptions(), compiler);
    if (failed(objects))
      return failure();
    auto program = Program::load(std::move(*objects), *signature);
    if (!program)
      return fail(program.takeError());
    auto started = Session::create(*program, function.getName(), options.threads);
    if (!started)
      return fail(started.takeError());
    session = std::move(*started);
    return success();
  }

  /// The results, which the next run overwrites.
  FailureOr<ArrayRef<NamedArray>> run(ArrayRef<NamedArray> inputs) {
    if (llvm::Error error = session->bind(inputs))
      return fail(std::move(error));
    if (llvm::Error error = session->run())
      return fail(std::move(error));
    return session->getOutputs();
  }

private:
  LogicalResult fail(llvm::Error error) { return function.emitError(llvm::toString(std::move(error))); }

  func::FuncOp function;
  const PlanningOptions &options;
  std::unique_ptr<Session> session;
};

class Application {
public:
  Application(func::FuncOp function, ArrayRef<NamedArray> fixed, const PlanningOptions &options)
      : function(function), fixed(fixed), options(options) {}

  FailureOr<std::vector<PrecisionError>> run();

private:
  LogicalResult fail(const Twine &text) { return function.emitError(text); }
  LogicalResult readSamples(const Signature &signature);
  LogicalResult runAsWritten(const Signature &signature);
  LogicalResult addErrors(ArrayRef<NamedArray> got, ArrayRef<HostArray> want, std::vector<PrecisionError> &errors);

  func::FuncOp function;
  ArrayRef<NamedArray> fixed;
  const PlanningOptions &options;
  std::vector<std::vector<NamedArray>> samples; ///< inputs, in the order of arguments
  std::vector<std::vector<HostArray>> wanted;   ///< of each sample: the results as written
  SmallVector<ActivationRange> ranges;          ///< over all samples
};

} // namespace

LogicalResult Application::readSamples(const Signature &signature) {
  for (const std::string &path : options.calibrationArchives) {
    auto file = InputFile::openArchive(path);
    if (!file)
      return fail(llvm::toString(file.takeError()));
    std::vector<NamedArray> &inputs = samples.emplace_back();
    for (const ValueInfo &info : signature.inputs) {
      const NamedArray *known = llvm::find_if(fixed, [&](const NamedArray &each) { return each.name == info.name; });
      if (known != fixed.end()) {
        inputs.push_back(*known);
        continue;
      }
      if (!llvm::is_contained(file->getNames(), info.name))
        return fail("--calibrate: expected an array for the input '" + info.name + "' in " + path + ", found " +
                    (file->getNames().empty() ? std::string("none") : llvm::join(file->getNames(), ", ")));
      auto array = file->read(info.name);
      if (!array)
        return fail(llvm::toString(array.takeError()));
      inputs.push_back({info.name, std::move(*array)});
    }
  }
  return success();
}

/// Gives `observed` the least and the largest element of each of `values` as further results.
static void addRanges(func::FuncOp observed, ArrayRef<Value> values) {
  Operation *ret = observed.front().getTerminator();
  OpBuilder builder(ret);
  SmallVector<Value> results(ret->getOperands());
  SmallVector<Type> types(observed.getResultTypes());
  SmallVector<DictionaryAttr> attributes;
  observed.getAllResultAttrs(attributes);
  for (Value value : values)
    for (ReduceKind kind : {ReduceKind::Min, ReduceKind::Max}) {
      FuseBuilder b(builder, value.getLoc());
      results.push_back(b.reduce(kind, value, llvm::to_vector(llvm::seq<int64_t>(0, b.rankOf(value))), /*keepDims=*/false));
      types.push_back(results.back().getType());
    }
  ret->setOperands(results);
  observed.setFunctionType(builder.getFunctionType(observed.getArgumentTypes(), types));
  attributes.resize(types.size(), builder.getDictionaryAttr({}));
  observed.setAllResultAttrs(attributes);
}

LogicalResult Application::runAsWritten(const Signature &signature) {
  auto module = function->getParentOfType<ModuleOp>();
  OwningOpRef<ModuleOp> copy = module.clone();
  auto observed = copy->lookupSymbol<func::FuncOp>(function.getName());
  llvm::SetVector<Value> values, originals;
  if (options.precision == Precision::Int8) {
    for (const WeightedProduct &product : findWeightedProducts(observed))
      values.insert(product.activations->get());
    for (const WeightedProduct &product : findWeightedProducts(function))
      originals.insert(product.activations->get());
    addRanges(observed, values.getArrayRef());
    constexpr float infinity = std::numeric_limits<float>::infinity();
    for (Value value : originals)
      ranges.push_back({value, infinity, -infinity});
  }
  PlanningOptions asWritten = options;
  asWritten.precision = Precision::AsWritten;
  asWritten.numerics = Numerics::Folds;
  asWritten.budget = Budget();
  Runner runner(observed, asWritten);
  if (failed(runner.compile()))
    return failure();
  for (auto [inputs, path] : llvm::zip_equal(samples, options.calibrationArchives)) {
    FailureOr<ArrayRef<NamedArray>> outputs = runner.run(inputs);
    if (failed(outputs))
      return failure();
    size_t count = signature.results.size();
    std::vector<HostArray> &results = wanted.emplace_back();
    for (const NamedArray &output : outputs->take_front(count))
      results.push_back(output.array.clone());
    ArrayRef<NamedArray> seen = outputs->drop_front(count).take_front(2 * ranges.size());
    for (auto [i, range] : llvm::enumerate(ranges)) {
      float low = seen[2 * i].array.data<float>()[0], high = seen[2 * i + 1].array.data<float>()[0];
      // Of a tensor without elements there is no range.
      if (low > high)
        continue;
      if (!std::isfinite(low) || !std::isfinite(high))
        return emitError(range.value.getLoc())
               << "--precision int8: expected activations of a product that are finite, found "
               << (std::isnan(low) ? "NaN" : "infinity") << " with the inputs of " << path;
      range.low = std::min(range.low, low);
      range.high = std::max(range.high, high);
    }
  }
  llvm::erase_if(ranges, [](const ActivationRange &range) { return range.low > range.high; });
  return success();
}

LogicalResult Application::addErrors(ArrayRef<NamedArray> got, ArrayRef<HostArray> want,
                                     std::vector<PrecisionError> &errors) {
  errors.resize(want.size());
  for (auto [output, expected, error] : llvm::zip(got, want, errors)) {
    error.output = output.name;
    if (output.array.getShape() != expected.getShape())
      return fail("the result '" + output.name + "' has other extents in " + getPrecisionName(options.precision));
    for (int64_t i = 0, e = expected.getNumElements(); i < e; ++i) {
      double found = output.array.getFloat(i), wanted = expected.getFloat(i);
      bool isFinite = std::isfinite(found) && std::isfinite(wanted);
      double difference = isFinite ? std::abs(found - wanted) : 0;
      if (!isFinite && !(std::isnan(found) && std::isnan(wanted)) && found != wanted)
        difference = std::numeric_limits<double>::infinity();
      error.largest = std::max(error.largest, difference);
      if (!isFinite)
        continue;
      ++error.elements;
      error.error += difference * difference; // sums, up to the end
      error.rms += wanted * wanted;
    }
  }
  return success();
}

FailureOr<std::vector<PrecisionError>> Application::run() {
  FailureOr<Signature> signature = Signature::get(function);
  if (failed(signature) || failed(readSamples(*signature)) || failed(runAsWritten(*signature)))
    return failure();
  if (options.precision == Precision::Int8)
    quantizeActivations(function, ranges);
  PlanningOptions changed = options;
  changed.budget = Budget();
  Runner runner(function, changed);
  if (failed(runner.compile()))
    return failure();
  std::vector<PrecisionError> errors;
  for (auto [inputs, want] : llvm::zip_equal(samples, wanted)) {
    FailureOr<ArrayRef<NamedArray>> outputs = runner.run(inputs);
    if (failed(outputs) || failed(addErrors(*outputs, want, errors)))
      return failure();
  }
  for (PrecisionError &error : errors) {
    auto count = static_cast<double>(std::max<int64_t>(error.elements, 1));
    error.error = std::sqrt(error.error / count);
    error.rms = std::sqrt(error.rms / count);
  }
  return errors;
}

FailureOr<std::vector<PrecisionError>> mlir::fuse::applyPrecision(func::FuncOp function, ArrayRef<NamedArray> fixed,
                                                                  const PlanningOptions &options) {
  if (options.precision == Precision::AsWritten || options.calibrationArchives.empty())
    return std::vector<PrecisionError>();
  isolateFunction(function->getParentOfType<ModuleOp>(), function.getName());
  return Application(function, fixed, options).run();
}

std::string mlir::fuse::describeError(const PrecisionError &error, Precision precision) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "output '" << error.output << "' in " << getPrecisionName(precision) << ": off by "
     << llvm::format("%.3g at most and by %.3g in the root mean square, of %.3g", error.largest, error.error, error.rms);
  return text;
}
