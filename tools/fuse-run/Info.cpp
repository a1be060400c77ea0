//===- Info.cpp - What a program takes and gives ----------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Info.h"

#include "fuse/IR/SymbolicShapes.h"
#include "fuse/Execution/LoadedBundle.h"
#include "fuse/IR/DimNames.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/Support/Plural.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
using Dim = OnnxDescription::Dim;
using Tensor = OnnxDescription::Tensor;

/// Collects the parts of a description in the words of the program, and prints them.
class Info {
public:
  explicit Info(llvm::raw_ostream &os) : os(os) {}

  std::vector<Tensor> inputs, outputs;
  std::vector<std::pair<std::string, int64_t>> operators;
  int64_t parameters = 0, parameterBytes = 0;
  bool takesDims = false; ///< whether --dim gives extents

  void addSignature(const Signature &signature);
  /// Takes over what is known of extents after importing, and where open ones come from.
  void addExtents(const EntryFunction &entry);
  void addOperators(func::FuncOp function);
  /// Takes over how outputs change with an input's dimension: `before` where it is `extent`,
  /// `after` where it is `other`.
  void addChange(StringRef name, ArrayRef<ValueInfo> before, int64_t extent,
                 ArrayRef<ValueInfo> after, int64_t other);
  /// What follows of all changes; where they are complete, the other extents are as in `results`.
  void finishChanges(ArrayRef<ValueInfo> results, bool isComplete);

  void printTensors() const;
  void printOpenDims() const;
  void printOperators() const;
  void printParameters() const;

private:
  static std::string getPlace(const Tensor &tensor, size_t dim) {
    return tensor.name + ":" + std::to_string(dim);
  }
  void print(StringRef title, ArrayRef<Tensor> tensors) const;

  struct Change {
    std::string name;
    bool isSame; ///< the output's extent is the input's
  };

  llvm::raw_ostream &os;
  llvm::StringMap<std::vector<Change>> changes; ///< by the output's place
  /// For outputs' dimensions that are no input's: the open dimensions that they are computed from.
  std::vector<std::pair<std::string, std::vector<std::string>>> computed;
};
} // namespace

//===- Signatures ---------------------------------------------------------------------------===//

static Tensor describe(const ValueInfo &info, bool isInput) {
  Tensor tensor;
  tensor.name = info.name;
  tensor.type = getElementTypeName(info.type).str();
  tensor.hasShape = true;
  for (auto [i, extent] : llvm::enumerate(info.shape)) {
    Dim &dim = tensor.dims.emplace_back();
    if (!ShapedType::isDynamic(extent))
      dim.extent = extent;
    else if (StringRef name = info.getDimName(i); !name.empty())
      dim.name = name.str();
    else if (isInput)
      dim.name = info.name + ":" + std::to_string(i);
  }
  return tensor;
}

void Info::addSignature(const Signature &signature) {
  for (const ValueInfo &info : signature.inputs) {
    if (!info.isParam) {
      inputs.push_back(describe(info, /*isInput=*/true));
    } else {
      ++parameters;
      parameterBytes += HostArray::computeByteSize(info.type, info.shape).value_or(0);
    }
    if (info.isMemref)
      outputs.push_back(describe(info, /*isInput=*/true));
  }
  for (const ValueInfo &info : signature.results)
    outputs.push_back(describe(info, /*isInput=*/false));
}

/// The arguments that a value is computed from.
static SmallVector<unsigned> findArguments(Value value) {
  llvm::DenseSet<Value> seen;
  SmallVector<Value> rest{value};
  SmallVector<unsigned> arguments;
  while (!rest.empty()) {
    Value next = rest.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (isa<func::FuncOp>(argument.getOwner()->getParentOp()))
        arguments.push_back(argument.getArgNumber());
      continue;
    }
    next.getDefiningOp()->walk([&](Operation *op) { llvm::append_range(rest, op->getOperands()); });
  }
  llvm::sort(arguments);
  return arguments;
}

void Info::addExtents(const EntryFunction &entry) {
  func::FuncOp function = entry.function;
  const Signature &signature = entry.signature;
  auto find = [](std::vector<Tensor> &tensors, StringRef name) {
    auto it = llvm::find_if(tensors, [&](const Tensor &each) { return each.name == name; });
    return it == tensors.end() ? nullptr : &*it;
  };
  // The names of the arguments' open dimensions.
  std::vector<std::vector<std::string>> names(signature.inputs.size());
  for (auto [i, info] : llvm::enumerate(signature.inputs)) {
    Tensor *input = find(inputs, info.name);
    if (!input)
      continue;
    if (!input->hasShape)
      *input = describe(info, /*isInput=*/true);
    for (auto [dim, extent] : llvm::zip(input->dims, info.shape)) {
      names[i].push_back(dim.name);
      if (!ShapedType::isDynamic(extent))
        dim.extent = extent;
    }
  }
  if (function.isExternal() || !function.getBody().hasOneBlock())
    return;
  SymbolicShapes shapes(function.getContext());
  ValueRange returned = function.getBody().front().getTerminator()->getOperands();
  for (auto [info, value] : llvm::zip_equal(signature.results, returned)) {
    Tensor *output = find(outputs, info.name);
    if (!output)
      continue;
    if (!output->hasShape || output->dims.size() != info.shape.size())
      *output = describe(info, /*isInput=*/false);
    for (auto [i, extent] : llvm::enumerate(info.shape)) {
      Dim &dim = output->dims[i];
      dim.extent = ShapedType::isDynamic(extent) ? std::nullopt : std::optional(extent);
      if (dim.extent)
        continue;
      std::optional<ExtentSymbol> source = shapes.getSingle(shapes.getExtent(value, i));
      if (auto argument = source ? dyn_cast<BlockArgument>(source->value) : BlockArgument()) {
        ArrayRef<std::string> own = names[argument.getArgNumber()];
        if (source->dim < static_cast<int64_t>(own.size())) {
          dim.name = own[source->dim];
          continue;
        }
      }
      dim.name.clear();
      std::vector<std::string> parts;
      for (unsigned argument : findArguments(value))
        for (auto [k, name] : llvm::enumerate(names[argument]))
          if (ShapedType::isDynamic(signature.inputs[argument].shape[k]) &&
              !llvm::is_contained(parts, name))
            parts.push_back(name);
      computed.push_back({getPlace(*output, i), std::move(parts)});
    }
  }
}

void Info::addChange(StringRef name, ArrayRef<ValueInfo> before, int64_t extent,
                     ArrayRef<ValueInfo> after, int64_t other) {
  for (auto [output, old, changed] : llvm::zip(outputs, before, after)) {
    if (old.shape.size() != changed.shape.size())
      continue;
    for (auto [i, was, is] : llvm::enumerate(old.shape, changed.shape))
      if (was != is)
        changes[getPlace(output, i)].push_back({name.str(), was == extent && is == other});
  }
}

void Info::finishChanges(ArrayRef<ValueInfo> results, bool isComplete) {
  for (auto [output, info] : llvm::zip(outputs, results)) {
    if (output.dims.size() != info.shape.size())
      output = describe(info, /*isInput=*/false);
    for (auto [i, dim] : llvm::enumerate(output.dims)) {
      const std::vector<Change> &found = changes[getPlace(output, i)];
      if (found.empty() && !isComplete)
        continue;
      dim = Dim();
      if (found.empty() && !ShapedType::isDynamic(info.shape[i]))
        dim.extent = info.shape[i];
      else if (found.size() == 1 && found.front().isSame)
        dim.name = found.front().name;
      if (found.empty() || !dim.name.empty())
        continue;
      std::vector<std::string> parts;
      for (const Change &change : found)
        parts.push_back(change.name);
      computed.push_back({getPlace(output, i), std::move(parts)});
    }
  }
}

void Info::addOperators(func::FuncOp function) {
  llvm::StringMap<int64_t> counts;
  function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!op->hasTrait<OpTrait::ConstantLike>() && !op->hasTrait<OpTrait::IsTerminator>())
      ++counts[op->getName().getStringRef()];
    // What bodies compute for an element is part of the op.
    return isa<FusableOpInterface>(op) ? WalkResult::skip() : WalkResult::advance();
  });
  for (const auto &entry : counts)
    operators.push_back({entry.getKey().str(), entry.second});
  llvm::sort(operators, [](const auto &a, const auto &b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
}

//===- Text ---------------------------------------------------------------------------------===//

void Info::print(StringRef title, ArrayRef<Tensor> tensors) const {
  os << title << ":" << (tensors.empty() ? " none" : "") << "\n";
  for (const Tensor &tensor : tensors) {
    os << "  " << tensor.name << ": " << tensor.type;
    if (!tensor.hasShape) {
      os << (tensor.type.empty() ? "" : ", of a shape that the file does not say") << "\n";
      continue;
    }
    std::vector<std::string> dims;
    for (const Dim &dim : tensor.dims) {
      if (dim.extent && dim.hasSymbol)
        dims.push_back(dim.name + " = " + std::to_string(*dim.extent));
      else if (dim.extent)
        dims.push_back(std::to_string(*dim.extent));
      else
        dims.push_back(dim.name.empty() ? "?" : dim.name);
    }
    os << " [" << llvm::join(dims, ", ") << "]\n";
  }
}

void Info::printTensors() const {
  print("inputs", inputs);
  print("outputs", outputs);
}

void Info::printOpenDims() const {
  std::vector<std::string> names;
  llvm::StringMap<std::vector<std::string>> readers, followers;
  for (const Tensor &input : inputs)
    for (auto [i, dim] : llvm::enumerate(input.dims)) {
      if (dim.extent)
        continue;
      if (!llvm::is_contained(names, dim.name))
        names.push_back(dim.name);
      readers[dim.name].push_back(getPlace(input, i));
    }
  for (const Tensor &output : outputs)
    for (auto [i, dim] : llvm::enumerate(output.dims))
      if (!dim.extent && !dim.name.empty())
        followers[dim.name].push_back(getPlace(output, i));
  if (names.empty() && computed.empty())
    return;
  os << "open dimensions:\n";
  for (const std::string &name : names) {
    SmallVector<std::string> parts;
    if (readers[name] != std::vector<std::string>{name})
      parts.push_back("inputs " + llvm::join(readers[name], ", "));
    if (!followers[name].empty())
      parts.push_back("outputs " + llvm::join(followers[name], ", "));
    if (takesDims)
      parts.push_back(getDimOption(name));
    os << "  " << name << (parts.empty() ? "" : ": ") << llvm::join(parts, "; ") << "\n";
  }
  for (const auto &[place, parts] : computed)
    os << "  " << place
       << (parts.empty() ? " depends on elements" : " depends on " + llvm::join(parts, ", "))
       << "\n";
}

void Info::printOperators() const {
  constexpr size_t kColumns = 100;
  int64_t total = 0;
  for (const auto &[name, count] : operators)
    total += count;
  os << "operators: " << total << "\n";
  std::string line = " ";
  for (auto [i, entry] : llvm::enumerate(operators)) {
    std::string text = " " + entry.first + " " + std::to_string(entry.second) +
                       (i + 1 < operators.size() ? "," : "");
    if (line.size() + text.size() > kColumns) {
      os << line << "\n";
      line = " ";
    }
    line += text;
  }
  if (!operators.empty())
    os << line << "\n";
}

void Info::printParameters() const {
  os << "parameters: " << pluralize(parameters, "array") << ", ";
  constexpr double kKilo = 1e3, kMega = 1e6;
  auto bytes = static_cast<double>(parameterBytes);
  if (bytes < kKilo)
    os << parameterBytes << " bytes\n";
  else if (bytes < kMega)
    os << llvm::formatv("{0:F1} KB\n", bytes / kKilo);
  else
    os << llvm::formatv("{0:F1} MB\n", bytes / kMega);
}

//===- Programs -----------------------------------------------------------------------------===//

/// What a model gives for some extents; nothing where it cannot be imported for them.
static std::optional<std::vector<ValueInfo>>
findResults(const RunOptions &options, ArrayRef<InputFile> files, ToolContext &tool) {
  ScopedDiagnosticHandler quiet(&tool.getContext(), [](Diagnostic &) { return success(); });
  FailureOr<LoadedProgram> program = loadProgram(options.program, options, files, tool);
  if (failed(program))
    return std::nullopt;
  FailureOr<EntryFunction> entry = findEntryFunction(*program->module, options.function);
  if (failed(entry))
    return std::nullopt;
  return std::move(entry->signature.results);
}

/// Of a model that cannot be imported with open extents: it is for likely ones, and how its outputs
/// change where one of these does says what they depend on.
static void probe(Info &info, const OnnxDescription &model, const RunOptions &options,
                  ArrayRef<InputFile> files, ToolContext &tool) {
  constexpr size_t kMostProbes = 8;
  auto likely = getLikelyExtents(model);
  llvm::erase_if(likely, [&](const auto &extent) {
    return llvm::any_of(options.dims, [&](const auto &dim) { return dim.first == extent.first; });
  });
  if (likely.empty() || likely.size() > kMostProbes)
    return;
  RunOptions assumed = options;
  llvm::append_range(assumed.dims, likely);
  auto before = findResults(assumed, files, tool);
  if (!before)
    return;
  bool isComplete = true;
  for (size_t i = 0; i < likely.size(); ++i) {
    auto [name, extent] = likely[i];
    std::optional<std::vector<ValueInfo>> after;
    // Some models take only multiples of a power of two.
    int64_t other = extent == 1 ? 2 : extent + 32;
    assumed.dims[options.dims.size() + i].second = other;
    after = findResults(assumed, files, tool);
    assumed.dims[options.dims.size() + i].second = extent;
    isComplete &= after.has_value();
    if (after)
      info.addChange(name, *before, extent, *after, other);
  }
  info.finishChanges(*before, isComplete);
}

static LogicalResult printModelInfo(const RunOptions &options, ArrayRef<InputFile> files,
                                    ToolContext &tool, llvm::raw_ostream &os) {
  auto model = describeOnnx(options.program);
  if (!model)
    return emitError(NameLoc::get(StringAttr::get(&tool.getContext(), options.program)))
           << llvm::toString(model.takeError());
  std::vector<std::string> problems;
  FailureOr<LoadedProgram> program;
  {
    ScopedDiagnosticHandler handler(&tool.getContext(), [&](Diagnostic &diagnostic) {
      problems.push_back(diagnostic.str());
      return success();
    });
    program = loadProgram(options.program, options, files, tool);
  }
  Info info(os);
  info.inputs = model->inputs;
  info.outputs = model->outputs;
  info.operators = std::move(model->operators);
  info.parameters = model->parameters;
  info.parameterBytes = model->parameterBytes;
  info.takesDims = true;
  if (succeeded(program)) {
    FailureOr<EntryFunction> entry = findEntryFunction(*program->module, options.function);
    if (failed(entry))
      return failure();
    info.addExtents(*entry);
  } else {
    probe(info, *model, options, files, tool);
  }
  os << "model: ONNX, operator set " << model->opset;
  if (!model->producer.empty())
    os << ", made by " << model->producer;
  os << "\n";
  info.printTensors();
  info.printOpenDims();
  info.printOperators();
  info.printParameters();
  if (failed(program)) {
    os << "cannot be compiled yet:\n";
    for (const std::string &problem : problems)
      os << "  " << problem << "\n";
  }
  return success();
}

LogicalResult mlir::fuse::printInfo(const RunOptions &options, ArrayRef<InputFile> files,
                                    ToolContext &tool, llvm::raw_ostream &os) {
  if (isOnnxPath(options.program))
    return printModelInfo(options, files, tool, os);
  FailureOr<LoadedProgram> program = loadProgram(options.program, options, files, tool);
  if (failed(program))
    return failure();
  FailureOr<EntryFunction> entry = findEntryFunction(*program->module, options.function);
  if (failed(entry))
    return failure();
  Info info(os);
  info.addSignature(entry->signature);
  info.addExtents(*entry);
  info.addOperators(entry->function);
  os << "program: @" << entry->signature.function << "\n";
  info.printTensors();
  info.printOpenDims();
  info.printOperators();
  info.printParameters();
  return success();
}

llvm::Error mlir::fuse::printBundleInfo(const RunOptions &options, llvm::raw_ostream &os) {
  auto bundle = LoadedBundle::open(options.program, options.threads);
  if (!bundle)
    return bundle.takeError();
  Info info(os);
  info.addSignature((*bundle)->getSignature());
  os << "bundle: made by fuse " << (*bundle)->getVersion() << ", code for " << (*bundle)->getCpus()
     << "\n";
  info.printTensors();
  info.printOpenDims();
  return llvm::Error::success();
}
