//===- Inputs.cpp - Inputs and outputs of a program of StableHLO -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../Common/MappedFile.h"
#include "GraphImporter.h"
#include "fuse/IR/DimNames.h"
#include "fuse/IR/FuseAttributes.h"
#include "fuse/IR/ShapeConditions.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::stablehlo;

/// Smaller parameters of this many elements are constants.
static constexpr int64_t kMostInline = 16;

//===- Inputs -------------------------------------------------------------------------------===//

std::optional<DimRange> GraphImporter::findRange(StringRef symbol, StringRef place) const {
  for (StringRef name : {place, symbol})
    if (auto it = options.ranges.find(name); !name.empty() && it != options.ranges.end())
      return it->second;
  return std::nullopt;
}

Value GraphImporter::addArgument(RankedTensorType type, StringRef name, bool isParameter) {
  SmallVector<NamedAttribute, 2> attributes{builder.getNamedAttr(attr::kName, builder.getStringAttr(name))};
  if (isParameter)
    attributes.push_back(builder.getNamedAttr(attr::kParam, builder.getUnitAttr()));
  argumentAttributes.push_back(builder.getDictionaryAttr(attributes));
  return function.getBody().front().addArgument(type, model.module->getLoc());
}

FailureOr<Value> GraphImporter::getWeight(StringRef name, RankedTensorType type, Location loc) {
  auto fail = [&](const Twine &text) { return mlir::emitError(loc) << "weight " << quote(name) << ": " << text; };
  if (Value known = weights.lookup(name)) {
    if (known.getType() == type)
      return known;
    return fail("expected ") << type << ", as the program says elsewhere, found " << known.getType(), failure();
  }
  llvm::Expected<HostArray> array = options.weights ? options.weights(name) : HostArray();
  if (!array)
    return fail(llvm::toString(array.takeError())), failure();
  if (!*array)
    return fail("expected an array, found none"), failure();
  if (array->getTensorType(context) != type)
    return fail("expected ") << type << ", as the program says, found " << array->describe(), failure();
  Value made;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.getBody().front());
  if (array->getNumElements() <= kMostInline) {
    made = arith::ConstantOp::create(builder, array->toAttribute(context));
  } else {
    std::string unique = importer::takeName(name, takenNames);
    model.parameters.push_back({unique, *array});
    made = addArgument(type, unique, /*isParameter=*/true);
    if (array->hasDenormals()) {
      NamedAttrList attributes(cast<DictionaryAttr>(argumentAttributes.back()));
      attributes.set(attr::kDenormals, builder.getUnitAttr());
      argumentAttributes.back() = attributes.getDictionary(context);
    }
  }
  weights[name] = made;
  return made;
}

FailureOr<RankedTensorType> GraphImporter::getInputType(func::FuncOp entry, unsigned i, StringRef name) {
  auto fail = [&](const Twine &text) { return emitError("input " + quote(name) + ": " + text); };
  auto type = dyn_cast<RankedTensorType>(entry.getArgument(i).getType());
  std::optional<ElementType> element = type ? toElementType(type.getElementType()) : std::nullopt;
  if (!element)
    return fail("arguments of type ") << entry.getArgument(i).getType() << " are not supported", failure();
  auto array = given.find(name);
  if (array != given.end() && array->second.getRank() != type.getRank())
    return fail("expected " + Twine(type.getRank()) + " dimensions, found the array " + array->second.describe()),
           failure();
  SmallVector<int64_t> shape(type.getShape());
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    if (!ShapedType::isDynamic(extent))
      continue;
    StringRef symbol = getDimName(entry, i, dim);
    std::string place = name.str() + ":" + std::to_string(dim);
    auto lookup = [&](StringRef each) -> std::optional<int64_t> {
      auto it = known.find(each);
      return it == known.end() ? std::nullopt : std::optional(it->second);
    };
    if (array != given.end())
      extent = array->second.getShape()[dim];
    else if (std::optional<int64_t> number = lookup(symbol))
      extent = *number;
    else if (std::optional<int64_t> number = computeDimExtent(symbol, context, lookup))
      extent = *number;
    if (auto it = options.dims.find(place); it != options.dims.end())
      extent = it->second;
    if (ShapedType::isDynamic(extent))
      continue;
    std::optional<DimRange> range = findRange(symbol, place);
    if (extent < 0)
      return fail("expected an extent of at least 0 at axis " + Twine(dim) + ", found " + Twine(extent)), failure();
    if (range && !range->contains(extent))
      return fail("expected an extent of " + describeRange(*range) + " at axis " + Twine(dim) + ", found " +
                  Twine(extent)),
             failure();
  }
  if (std::optional<std::string> problem = findShapeProblem(*element, shape))
    return fail(*problem), failure();
  return RankedTensorType::get(shape, type.getElementType());
}

void GraphImporter::addRanges(func::FuncOp entry, unsigned i, Value argument) {
  auto type = cast<RankedTensorType>(argument.getType());
  StringRef name = inputNames[i];
  SmallVector<int64_t> bounds(type.getRank(), -1), hints(type.getRank(), -1);
  SmallVector<StringRef> names(type.getRank());
  bool isNamed = false;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim))
      continue;
    StringRef symbol = getDimName(entry, i, dim);
    names[dim] = symbol;
    isNamed |= !symbol.empty();
    std::optional<DimRange> range = findRange(symbol, name.str() + ":" + std::to_string(dim));
    if (!range)
      continue;
    bounds[dim] = range->most.value_or(-1);
    if (range->likely)
      hints[dim] = *range->likely;
    if (range->least > 0)
      extents.assumptions.push_back(
          {extents.shapes.getExtent(argument, dim), getAffineConstantExpr(range->least, context), /*isLeast=*/true,
           "dimension " + std::to_string(dim) + " of input " + quote(name) + " is {}, expected at least {}"});
  }
  NamedAttrList attributes(cast<DictionaryAttr>(argumentAttributes.back()));
  if (isNamed)
    attributes.set(attr::kDimNames, builder.getStrArrayAttr(names));
  for (auto [key, list] : {std::pair(attr::kDimBounds, bounds), std::pair(attr::kDimHints, hints)})
    if (llvm::any_of(list, [](int64_t extent) { return extent >= 0; }))
      attributes.set(key, builder.getDenseI64ArrayAttr(list));
  argumentAttributes.back() = attributes.getDictionary(context);
}

LogicalResult GraphImporter::addInputs(func::FuncOp entry, SmallVectorImpl<ModelValue> &arguments) {
  unsigned count = entry.getNumArguments();
  for (unsigned i = 0; i < count; ++i) {
    StringRef called = findLocationName(entry.getArgument(i).getLoc());
    if (auto name = entry.getArgAttrOfType<StringAttr>(i, attr::kName))
      called = name;
    inputNames.push_back(importer::takeName(called.empty() ? "arg" + std::to_string(i) : called.str(), takenNames));
  }
  llvm::StringSet<> places;
  auto isParameter = [&](unsigned i) { return entry.getArgAttr(i, attr::kParam) != nullptr; };
  for (unsigned i = 0; i < count; ++i) {
    if (isParameter(i))
      continue;
    for (const StableHloImportOptions::Deferred &each : options.deferred) {
      if (each.name != inputNames[i])
        continue;
      auto array = each.read();
      if (!array)
        return emitError(llvm::toString(array.takeError()));
      given[inputNames[i]] = *array;
    }
    auto type = dyn_cast<RankedTensorType>(entry.getArgument(i).getType());
    for (int64_t dim = 0; type && dim < type.getRank(); ++dim) {
      if (!type.isDynamicDim(dim))
        continue;
      StringRef symbol = getDimName(entry, i, dim);
      places.insert(inputNames[i] + ":" + std::to_string(dim));
      if (symbol.empty())
        continue;
      // Of "2*s", `s` is a name as well.
      places.insert(symbol);
      if (std::optional<DimExpression> said = parseDimExpression(symbol, context))
        for (const std::string &each : said->names)
          places.insert(each);
      auto array = given.find(inputNames[i]);
      if (array != given.end() && dim < array->second.getRank())
        known.try_emplace(symbol, array->second.getShape()[dim]);
    }
  }
  for (const auto &each : options.dims)
    known[each.first()] = each.second;
  SmallVector<StringRef> named;
  llvm::append_range(named, options.dims.keys());
  llvm::append_range(named, options.ranges.keys());
  for (StringRef name : named)
    if (!places.contains(name))
      return emitError("expected an extent for one of the open dimensions of the inputs, found " + quote(name));
  arguments.resize(count);
  SmallVector<OpenDim> open;
  for (unsigned i = 0; i < count; ++i) {
    if (isParameter(i))
      continue;
    FailureOr<RankedTensorType> type = getInputType(entry, i, inputNames[i]);
    if (failed(type))
      return failure();
    Value argument = addArgument(*type, inputNames[i], /*isParameter=*/false);
    arguments[i].type = cast<RankedTensorType>(entry.getArgument(i).getType());
    arguments[i].tensor = argument;
    for (int64_t dim = 0; dim < type->getRank(); ++dim)
      if (StringRef symbol = getDimName(entry, i, dim); type->isDynamicDim(dim) && !symbol.empty())
        open.push_back({argument, static_cast<unsigned>(dim), symbol});
    addRanges(entry, i, argument);
  }
  extents.shapes.addOpenDims(open);
  for (unsigned i = 0; i < count; ++i) {
    if (!isParameter(i))
      continue;
    auto type = dyn_cast<RankedTensorType>(entry.getArgument(i).getType());
    if (!type || !toElementType(type.getElementType()) || !type.hasStaticShape())
      return emitError("weight " + quote(inputNames[i]) + ": parameters of type ")
             << entry.getArgument(i).getType() << " are not supported";
    FailureOr<Value> weight = getWeight(inputNames[i], type, model.module->getLoc());
    if (failed(weight))
      return failure();
    arguments[i].type = type;
    arguments[i].tensor = *weight;
  }
  // What a name says as an expression of others must be so.
  for (auto [argument, dim] : extents.shapes.getComputedDims()) {
    AffineExpr said = extents.shapes.getExtent(argument, dim), own = extents.shapes.getGiven(argument, dim);
    if (said != own)
      extents.assume(builder, builder.getLoc(), own, said, /*isLeast=*/false,
                     "dimension " + std::to_string(dim) + " of an input");
  }
  return success();
}

//===- Outputs ------------------------------------------------------------------------------===//

LogicalResult GraphImporter::addOutputs(func::FuncOp entry, MutableArrayRef<ModelValue> results) {
  builder.setLoc(model.module->getLoc());
  SmallVector<Value> values;
  SmallVector<Attribute> attributes;
  llvm::StringMap<unsigned> taken;
  Operation *end = entry.getBody().front().getTerminator();
  for (auto [i, result] : llvm::enumerate(results)) {
    if (!result.type)
      return emitError("result " + Twine(i) + ": expected a tensor");
    std::string name = results.size() == 1 ? "result" : "result" + std::to_string(i);
    if (i < entry.getNumResults())
      if (auto info = entry.getResultAttrOfType<StringAttr>(i, "jax.result_info"); info && !info.empty())
        name = info.str();
    Node n(*this, end, "result " + quote(name), {result}, builder, extents, budget);
    values.push_back(n.tensor(0));
    if (n.b.hasFailed())
      return n.fail(n.b.getError());
    if (n.hasFailed())
      return failure();
    name = importer::takeName(name, taken);
    attributes.push_back(builder.getDictionaryAttr(builder.getNamedAttr(attr::kName, builder.getStringAttr(name))));
  }
  func::ReturnOp::create(builder, values);
  Block &body = function.getBody().front();
  function.setType(builder.getFunctionType(body.getArgumentTypes(), ValueRange(values).getTypes()));
  function.setArgAttrsAttr(builder.getArrayAttr(argumentAttributes));
  function.setResAttrsAttr(builder.getArrayAttr(attributes));
  ShapeConditions conditions(function, extents.shapes);
  for (const ExtentValues::Assumption &assumption : extents.assumptions)
    (void)conditions.add(assumption.extent, assumption.number, assumption.isLeast, assumption.text);
  conditions.setAttribute();
  return success();
}

//===- The entry ----------------------------------------------------------------------------===//

bool mlir::fuse::isStableHloPath(StringRef path) {
  return path.ends_with_insensitive(".stablehlo") || path.ends_with_insensitive(".stablehlo.mlir");
}

FailureOr<StableHloModel> mlir::fuse::importStableHlo(StringRef text, StringRef name, MLIRContext *context,
                                                      const StableHloImportOptions &options) {
  context->loadDialect<FuseDialect, func::FuncDialect, affine::AffineDialect, arith::ArithDialect,
                       cf::ControlFlowDialect, scf::SCFDialect, tensor::TensorDialect>();
  Location loc = NameLoc::get(StringAttr::get(context, name));
  // Ops of dialects that nobody registers are read in the generic form alone. Functions, calls and uses of values are
  // verified here; what the other ops mean is checked while they are imported.
  bool allowed = context->allowsUnregisteredDialects();
  context->allowUnregisteredDialects(true);
  OwningOpRef<ModuleOp> source = parseSourceString<ModuleOp>(text, ParserConfig(context), name);
  context->allowUnregisteredDialects(allowed);
  if (!source)
    return emitError(loc) << "expected StableHLO in MLIR's generic form, in which ops are in quotes";
  StableHloModel model;
  model.module = ModuleOp::create(loc);
  if (failed(GraphImporter(*source, options, model).run()))
    return failure();
  return model;
}

FailureOr<StableHloModel> mlir::fuse::importStableHloFile(StringRef path, MLIRContext *context,
                                                          const StableHloImportOptions &options) {
  auto file = MappedFile::open(path);
  if (!file)
    return emitError(NameLoc::get(StringAttr::get(context, path))) << llvm::toString(file.takeError());
  return importStableHlo((*file)->getBytes(), path, context, options);
}
