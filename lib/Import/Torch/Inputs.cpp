//===- Inputs.cpp - Inputs and outputs of an exported program -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Archive.h"
#include "GraphImporter.h"
#include "Symbols.h"
#include "fuse/IR/DimNames.h"
#include "fuse/IR/FuseAttributes.h"
#include "fuse/IR/ShapeConditions.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::torch;
namespace json = llvm::json;

/// Smaller weights of this many elements are constants, as far as the program does not write to them.
static constexpr int64_t kMostInline = 16;

//===- Inputs -------------------------------------------------------------------------------===//

FailureOr<SmallVector<GraphImporter::Input>> GraphImporter::readInputs() {
  const Object *module = program.getObject("graph_module"), *signature = module->getObject("signature");
  const Array *specs = signature ? signature->getArray("input_specs") : nullptr;
  if (!specs)
    return emitError("expected a 'signature' with 'input_specs'");
  SmallVector<Input> inputs;
  auto getTensorName = [](const Object &spec) {
    const Object *argument = spec.getObject("arg");
    return argument ? argument->getString("name").value_or("") : StringRef();
  };
  for (const json::Value &each : *specs) {
    const Object *holder = each.getAsObject();
    if (!holder || holder->size() != 1)
      return emitError("expected one kind for each of the 'input_specs'");
    StringRef kind = holder->begin()->first;
    const Object *spec = holder->begin()->second.getAsObject();
    if (!spec)
      return emitError("expected an object for each of the 'input_specs'");
    static constexpr std::pair<StringRef, StringRef> kWeights[] = {
        {"parameter", "parameter_name"}, {"buffer", "buffer_name"}, {"tensor_constant", "tensor_constant_name"}};
    const auto *weight = llvm::find_if(kWeights, [&](auto known) { return known.first == kind; });
    if (weight != std::end(kWeights)) {
      inputs.push_back({getTensorName(*spec), spec->getString(weight->second).value_or("").str(), /*isWeight=*/true});
    } else if (kind == "constant_input") {
      inputs.push_back({spec->getString("name").value_or(""), "", false, spec->get("value")});
    } else if (kind == "user_input") {
      const Object *argument = spec->getObject("arg");
      StringRef name;
      for (const auto &member : orEmpty(argument))
        if (const Object *named = member.second.getAsObject())
          name = named->getString("name").value_or(named->getString("as_name").value_or(""));
      if (!name.empty()) // None, and numbers that are part of the program
        inputs.push_back({name, name.str()});
    } else {
      return emitError("inputs of kind " + quote(kind) + " are not supported");
    }
  }
  return inputs;
}

std::optional<DimRange> GraphImporter::findRange(StringRef symbol, StringRef place) const {
  DimRange range;
  bool isKnown = false;
  const Object *constraints = program.getObject("range_constraints");
  if (const Object *own = constraints && !symbol.empty() ? constraints->getObject(symbol) : nullptr) {
    // Limits that no size has stand for none.
    constexpr int64_t kMost = int64_t(1) << 40;
    range.least = std::max<int64_t>(0, own->getInteger("min_val").value_or(0));
    if (std::optional<int64_t> most = own->getInteger("max_val"); most && *most <= kMost)
      range.most = *most;
    isKnown = range.least > 0 || range.most;
  }
  for (StringRef name : {symbol, place}) {
    auto it = name.empty() ? options.ranges.end() : options.ranges.find(name);
    if (it == options.ranges.end())
      continue;
    range.least = std::max(range.least, it->second.least);
    if (it->second.most)
      range.most = std::min(range.most.value_or(*it->second.most), *it->second.most);
    range.likely = it->second.likely;
    isKnown = true;
  }
  return isKnown ? std::optional(range) : std::nullopt;
}

static StringRef getSymbol(const json::Value &size) {
  const json::Object *holder = size.getAsObject(), *expression = holder ? holder->getObject("as_expr") : nullptr;
  std::optional<StringRef> text = expression ? expression->getString("expr_str") : std::nullopt;
  return text ? getSymbolName(*text) : StringRef();
}

/// The extent that the program was exported with.
static std::optional<int64_t> getHint(const json::Value &size) {
  const json::Object *holder = size.getAsObject(), *expression = holder ? holder->getObject("as_expr") : nullptr;
  const json::Object *hint = expression ? expression->getObject("hint") : nullptr;
  std::optional<int64_t> number = hint ? hint->getInteger("as_int") : std::nullopt;
  return number && *number >= 0 && *number <= kMostBytes ? number : std::nullopt;
}

FailureOr<RankedTensorType> GraphImporter::getInputType(const Input &input, const Object &meta) {
  auto fail = [&](const Twine &text) { return emitError("input " + quote(input.name) + ": " + text); };
  std::optional<int64_t> dtype = meta.getInteger("dtype");
  std::optional<ElementType> element = dtype ? getElement(*dtype) : std::nullopt;
  if (!element)
    return fail("elements of type " + getScalarTypeName(dtype.value_or(0)) + " are not supported");
  const Array *sizes = meta.getArray("sizes");
  if (!sizes)
    return fail("expected 'sizes'");
  constexpr int64_t kStrided = 7;
  if (meta.getInteger("layout").value_or(kStrided) != kStrided)
    return fail("tensors that are not dense are not supported");
  auto array = given.find(input.name);
  if (array != given.end() && array->second.getRank() != static_cast<int64_t>(sizes->size()))
    return fail("expected " + Twine(sizes->size()) + " dimensions, found the array " + array->second.describe());
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(*sizes)) {
    const Object *holder = size.getAsObject();
    if (std::optional<int64_t> number = holder ? holder->getInteger("as_int") : std::nullopt) {
      if (*number < 0)
        return fail("expected extents of at least 0, found " + Twine(*number));
      shape.push_back(*number);
      continue;
    }
    StringRef symbol = getSymbol(size);
    std::string place = input.name.str() + ":" + std::to_string(dim);
    int64_t extent = ShapedType::kDynamic;
    if (array != given.end())
      extent = array->second.getShape()[dim];
    if (auto it = known.find(symbol); !symbol.empty() && it != known.end())
      extent = it->second;
    if (auto it = options.dims.find(place); it != options.dims.end())
      extent = it->second;
    std::optional<DimRange> range = findRange(symbol, place);
    if (!ShapedType::isDynamic(extent) && extent < 0)
      return fail("expected an extent of at least 0 at axis " + Twine(dim) + ", found " + Twine(extent));
    if (range && !ShapedType::isDynamic(extent) && !range->contains(extent))
      return fail("expected an extent of " + describeRange(*range) + " at axis " + Twine(dim) + ", found " +
                  Twine(extent));
    shape.push_back(extent);
  }
  if (std::optional<std::string> problem = findShapeProblem(*element, shape))
    return fail(*problem);
  return RankedTensorType::get(shape, toMLIRType(*element, context));
}

void GraphImporter::addRanges(const Input &input, const Object &meta, RankedTensorType type, Value argument) {
  SmallVector<int64_t> bounds(type.getRank(), -1), hints(type.getRank(), -1);
  SmallVector<StringRef> names(type.getRank());
  for (auto [dim, size] : llvm::enumerate(*meta.getArray("sizes"))) {
    StringRef symbol = getSymbol(size);
    auto axis = static_cast<int64_t>(dim);
    if (!type.isDynamicDim(axis)) {
      if (!symbol.empty())
        symbols.try_emplace(symbol, getAffineConstantExpr(type.getDimSize(axis), context));
      else if (const Object *holder = size.getAsObject(); holder && !holder->getInteger("as_int"))
        computedInputs.push_back({argument, axis, &size, ""});
      continue;
    }
    names[dim] = symbol;
    extents.shapes.addOpenDims(OpenDim{argument, static_cast<unsigned>(dim), symbol});
    AffineExpr extent = extents.shapes.getExtent(argument, dim);
    if (symbol.empty())
      computedInputs.push_back({argument, axis, &size, ""});
    else
      symbols.try_emplace(symbol, extent);
    DimRange range = findRange(symbol, input.name.str() + ":" + std::to_string(dim)).value_or(DimRange());
    bounds[dim] = range.most.value_or(-1);
    // Where nobody says what is likely, what the program was exported with is.
    std::optional<int64_t> likely = range.likely ? range.likely : getHint(size);
    if (likely)
      hints[dim] = std::max(range.least, std::min(*likely, range.most.value_or(*likely)));
    if (isa<AffineSymbolExpr>(extent))
      extents.leasts[extent] = std::max(extents.leasts.lookup(extent), range.least);
    if (range.least > 0)
      extents.assumptions.push_back(
          {extent, getAffineConstantExpr(range.least, context), /*isLeast=*/true,
           "dimension " + std::to_string(dim) + " of input " + quote(input.name) + " is {}, expected at least {}"});
  }
  NamedAttrList attributes(cast<DictionaryAttr>(argumentAttributes.back()));
  if (llvm::any_of(names, [](StringRef name) { return !name.empty(); }))
    attributes.set(attr::kDimNames, builder.getStrArrayAttr(names));
  for (auto [name, list] : {std::pair(attr::kDimBounds, bounds), std::pair(attr::kDimHints, hints)})
    if (llvm::any_of(list, [](int64_t extent) { return extent >= 0; }))
      attributes.set(name, builder.getDenseI64ArrayAttr(list));
  argumentAttributes.back() = attributes.getDictionary(context);
}

void GraphImporter::assumeInputs() {
  for (const OpenInput &input : computedInputs) {
    AffineExpr wanted = readExtent(*input.size), extent = extents.shapes.getExtent(input.argument, input.dim);
    if (wanted && wanted != extent)
      extents.assume(builder, builder.getLoc(), extent, wanted, /*isLeast=*/false,
                     "dimension " + std::to_string(input.dim) + " of input " + quote(argumentNames[input.argument]));
  }
}

Value GraphImporter::addArgument(RankedTensorType type, StringRef name, bool isParameter) {
  SmallVector<NamedAttribute, 2> attributes{builder.getNamedAttr(attr::kName, builder.getStringAttr(name))};
  if (isParameter)
    attributes.push_back(builder.getNamedAttr(attr::kParam, builder.getUnitAttr()));
  argumentAttributes.push_back(builder.getDictionaryAttr(attributes));
  Value argument = function.getBody().front().addArgument(type, model.module->getLoc());
  argumentNames[argument] = name.str();
  return argument;
}

static ModelValue makeTensor(StringRef name, Value tensor, size_t lastUse) {
  ModelValue value;
  value.name = name.str();
  value.tensor = tensor;
  value.lastUse = lastUse;
  value.isArgument = true;
  value.storage = std::make_shared<Storage>();
  return value;
}

LogicalResult GraphImporter::addUserInput(Graph &graph, const Input &input) {
  const Object *all = graph.graph->getObject("tensor_values");
  const Object *meta = all ? all->getObject(input.name) : nullptr;
  std::string name = importer::takeName(input.argument, takenNames);
  if (meta) {
    FailureOr<RankedTensorType> type = getInputType(input, *meta);
    if (failed(type))
      return failure();
    Value argument = addArgument(*type, name, /*isParameter=*/false);
    addRanges(input, *meta, *type, argument);
    ModelValue *value = add(makeTensor(input.name, argument, lastUses.lookup(input.name)));
    value->storage->values.push_back(value);
    writable.push_back({name, value});
    graph.scope[input.name] = value;
    return success();
  }
  const Object *numbers = graph.graph->getObject("sym_int_values");
  const json::Value *number = numbers ? numbers->get(input.name) : nullptr;
  if (!number)
    return emitError("input " + quote(input.name) + ": expected a tensor or an integer");
  Value argument = addArgument(RankedTensorType::get({}, builder.getI64Type()), name, /*isParameter=*/false);
  integers.push_back({input.name, argument, getSymbol(*number)});
  return success();
}

/// An integer that is an extent of an input, too, is that.
void GraphImporter::bindIntegers(Graph &graph) {
  for (const IntegerInput &input : integers) {
    ModelValue value;
    value.name = input.name.str();
    value.extent = input.symbol.empty() ? AffineExpr() : symbols.lookup(input.symbol);
    if (!value.extent) {
      Value element = tensor::ExtractOp::create(builder, input.argument, ValueRange());
      value.extent = extents.shapes.getNumber(arith::IndexCastOp::create(builder, builder.getIndexType(), element));
      if (!input.symbol.empty())
        symbols[input.symbol] = value.extent;
      // Unlike extents, integers may be negative.
      const Object *constraints = program.getObject("range_constraints"),
                   *own = constraints && !input.symbol.empty() ? constraints->getObject(input.symbol) : nullptr;
      constexpr int64_t kLeast = -(int64_t(1) << 40);
      if (auto least = own ? own->getInteger("min_val") : std::nullopt; least && *least > kLeast) {
        extents.assume(builder, builder.getLoc(), value.extent, getAffineConstantExpr(*least, context), /*isLeast=*/true,
                       "input " + quote(input.name));
        extents.leasts[value.extent] = *least;
      }
    }
    graph.scope[input.name] = add(value);
  }
}

LogicalResult GraphImporter::addWeight(Graph &graph, const Input &input) {
  // Nobody reads it: not even its array must be there.
  size_t lastUse = lastUses.lookup(input.name);
  if (lastUse == 0)
    return success();
  auto array = readWeight(input.argument);
  if (!array)
    return emitError("weight " + llvm::toString(array.takeError()));
  RankedTensorType type = array->getTensorType(context);
  Expected expected = readExpected(input.name, *graph.graph);
  ModelValue *value = add(makeTensor(input.name, Value(), lastUse));
  int64_t elements = array->getNumElements();
  if (elements <= kMostInline) {
    value->tensor = arith::ConstantOp::create(builder, array->toAttribute(context));
  } else {
    std::string name = importer::takeName(input.argument, takenNames);
    model.parameters.push_back({name, *array});
    value->tensor = addArgument(type, name, /*isParameter=*/true);
    if (array->hasDenormals()) {
      NamedAttrList attributes(cast<DictionaryAttr>(argumentAttributes.back()));
      attributes.set(attr::kDenormals, builder.getUnitAttr());
      argumentAttributes.back() = attributes.getDictionary(context);
    }
  }
  value->storage->values.push_back(value);
  writable.push_back({input.argument, value});
  graph.scope[input.name] = value;
  return checkResult(expected, *value, builder.getLoc(), "weight " + quote(input.argument));
}

LogicalResult GraphImporter::addInputs(Graph &graph) {
  FailureOr<SmallVector<Input>> inputs = readInputs();
  if (failed(inputs))
    return failure();
  llvm::StringSet<> places;
  for (const Input &input : *inputs) {
    if (input.isWeight || input.constant)
      continue;
    for (const TorchImportOptions::Deferred &each : options.deferred) {
      if (each.name != input.name)
        continue;
      auto array = each.read();
      if (!array)
        return emitError(llvm::toString(array.takeError()));
      given[input.name] = *array;
    }
    const Object *all = graph.graph->getObject("tensor_values"), *meta = all ? all->getObject(input.name) : nullptr;
    const Array *sizes = meta ? meta->getArray("sizes") : nullptr;
    auto array = given.find(input.name);
    for (auto [dim, size] : llvm::enumerate(orEmpty(sizes))) {
      StringRef symbol = getSymbol(size);
      places.insert(input.name.str() + ":" + std::to_string(dim));
      if (symbol.empty())
        continue;
      places.insert(symbol);
      if (auto it = options.dims.find(symbol); it != options.dims.end())
        known[symbol] = it->second;
      else if (array != given.end() && static_cast<int64_t>(dim) < array->second.getRank())
        known.try_emplace(symbol, array->second.getShape()[dim]);
    }
  }
  SmallVector<StringRef> named;
  llvm::append_range(named, options.dims.keys());
  llvm::append_range(named, options.ranges.keys());
  for (StringRef name : named)
    if (!places.contains(name))
      return emitError("expected an extent for one of the open dimensions of the inputs, found " + quote(name));
  for (const Input &input : *inputs) {
    if (input.constant) {
      ModelValue value;
      value.name = input.name.str();
      const Object *holder = input.constant->getAsObject();
      if (auto number = holder ? holder->getInteger("as_int") : std::nullopt)
        value.extent = getAffineConstantExpr(*number, context);
      else if (auto flag = holder ? holder->getBoolean("as_bool") : std::nullopt)
        value.extent = getAffineConstantExpr(*flag, context);
      else if (const json::Value *real = holder ? holder->get("as_float") : nullptr)
        value.constant = readFloat(*real);
      graph.scope[input.name] = add(value);
    } else if (!input.isWeight && failed(addUserInput(graph, input))) {
      return failure();
    }
  }
  bindIntegers(graph);
  for (const Input &input : *inputs)
    if (input.isWeight && failed(addWeight(graph, input)))
      return failure();
  assumeInputs();
  return success();
}

//===- Outputs ------------------------------------------------------------------------------===//

Value GraphImporter::makeValue(ModelValue &value) {
  if (value.tensor)
    return value.tensor;
  if (value.number)
    return value.number.tensor;
  FuseBuilder b(builder);
  return b.fromIndex(extents.get(builder, builder.getLoc(), value.extent), builder.getI64Type());
}

LogicalResult GraphImporter::addOutputs(Graph &graph) {
  builder.setLoc(model.module->getLoc());
  const Object *module = program.getObject("graph_module"), *signature = module->getObject("signature");
  const Array *specs = signature ? signature->getArray("output_specs") : nullptr;
  if (!specs)
    return emitError("expected a 'signature' with 'output_specs'");
  SmallVector<Value> results;
  SmallVector<std::string> names;
  SmallVector<std::pair<std::string, StringRef>> mutated; // what is written to, and the value
  for (const json::Value &each : *specs) {
    const Object *holder = each.getAsObject();
    if (!holder || holder->size() != 1 || !holder->begin()->second.getAsObject())
      return emitError("expected one kind for each of the 'output_specs'");
    StringRef kind = holder->begin()->first;
    const Object &spec = *holder->begin()->second.getAsObject();
    const Object *argument = spec.getObject("arg");
    if (!argument)
      return emitError("expected an 'arg' for each of the 'output_specs'");
    StringRef name = argument->getString("name").value_or("");
    for (StringRef written : {"buffer_name", "parameter_name", "user_input_name"})
      if (auto target = spec.getString(written); target && kind.ends_with("mutation"))
        mutated.push_back({target->str(), name});
    if (kind.ends_with("mutation"))
      continue;
    if (kind == "token")
      return emitError("outputs of kind 'token' are not supported");
    for (const auto &member : *argument)
      if (const Object *named = member.second.getAsObject())
        name = named->getString("name").value_or(named->getString("as_name").value_or(name));
    if (name.empty())
      continue; // None, or a number that is part of the program
    ModelValue *value = graph.scope.lookup(name);
    if (!value)
      return emitError("output " + quote(name) + " is computed by no node");
    if (!value->tensor && !value->extent && !value->number)
      continue; // a number that is part of the program
    results.push_back(makeValue(*value));
    names.push_back(name.str());
  }
  for (auto [target, name] : mutated) {
    ModelValue *value = graph.scope.lookup(name);
    if (!value || !value->tensor)
      return emitError("the new value " + quote(name) + " of " + quote(target) + " is computed by no node");
    results.push_back(value->tensor);
    names.push_back(target + ".new");
    model.mutations.push_back(target);
  }
  // Writes in place that the signature does not list.
  for (auto &[target, value] : writable) {
    if (!value->storage->isWritten || llvm::is_contained(model.mutations, target))
      continue;
    results.push_back(value->tensor);
    names.push_back(target + ".new");
    model.mutations.push_back(target);
  }

  func::ReturnOp::create(builder, results);
  Block &entry = function.getBody().front();
  function.setType(builder.getFunctionType(entry.getArgumentTypes(), ValueRange(results).getTypes()));
  function.setArgAttrsAttr(builder.getArrayAttr(argumentAttributes));
  llvm::StringMap<unsigned> taken;
  SmallVector<Attribute> attributes;
  for (const std::string &name : names)
    attributes.push_back(
        builder.getDictionaryAttr(builder.getNamedAttr(attr::kName, builder.getStringAttr(importer::takeName(name, taken)))));
  function.setResAttrsAttr(builder.getArrayAttr(attributes));
  ShapeConditions conditions(function, extents.shapes);
  for (const ExtentValues::Assumption &assumption : extents.assumptions)
    (void)conditions.add(assumption.extent, assumption.number, assumption.isLeast, assumption.text);
  conditions.setAttribute();
  return success();
}

//===- The entry ----------------------------------------------------------------------------===//

bool mlir::fuse::isTorchPath(StringRef path) { return path.ends_with_insensitive(".pt2"); }

static FailureOr<TorchModel> import(StringRef text, Location loc, MLIRContext *context,
                                    const TorchImportOptions &options,
                                    std::function<llvm::Expected<HostArray>(StringRef)> readWeight) {
  context->loadDialect<FuseDialect, func::FuncDialect, affine::AffineDialect, arith::ArithDialect,
                       cf::ControlFlowDialect, math::MathDialect, scf::SCFDialect, tensor::TensorDialect>();
  auto parsed = json::parse(text);
  if (!parsed)
    return emitError(loc) << "expected the JSON of an exported program: " << llvm::toString(parsed.takeError());
  const json::Object *program = parsed->getAsObject();
  if (!program)
    return emitError(loc) << "expected the JSON of an exported program, found no object";
  TorchModel model;
  model.module = ModuleOp::create(loc);
  if (failed(GraphImporter(*program, options, std::move(readWeight), model).run()))
    return failure();
  return model;
}

FailureOr<TorchModel> mlir::fuse::importTorch(StringRef path, MLIRContext *context, const TorchImportOptions &options) {
  Location loc = NameLoc::get(StringAttr::get(context, path));
  auto archive = Archive::open(path);
  if (!archive)
    return emitError(loc) << llvm::toString(archive.takeError());
  auto readWeight = [&](StringRef name) -> llvm::Expected<HostArray> {
    if (options.weights) {
      auto array = options.weights(name);
      if (!array || *array)
        return array;
    }
    return (*archive)->readTensor(name);
  };
  return import((*archive)->getProgram(), loc, context, options, readWeight);
}

FailureOr<TorchModel> mlir::fuse::importTorchJson(StringRef text, StringRef name, MLIRContext *context,
                                                  const TorchImportOptions &options) {
  auto readWeight = [&](StringRef weight) -> llvm::Expected<HostArray> {
    auto array = options.weights ? options.weights(weight) : llvm::Expected<HostArray>(HostArray());
    if (!array || *array)
      return array;
    return llvm::createStringError(quote(weight) + ": expected an array, found none");
  };
  return import(text, NameLoc::get(StringAttr::get(context, name)), context, options, readWeight);
}
