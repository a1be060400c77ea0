//===- Inputs.cpp - A graph's inputs, and what is bound to them -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Dimensions.h"
#include "GraphImporter.h"
#include "fuse/IR/DimNames.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

static const HostArray *findArray(ArrayRef<NamedArray> arrays, StringRef name) {
  const NamedArray *it =
      llvm::find_if(arrays, [&](const NamedArray &array) { return array.name == name; });
  return it == arrays.end() ? nullptr : &it->array;
}

const HostArray *GraphImporter::findGiven(StringRef name) const {
  const HostArray *bound = findArray(options.bound, name);
  return bound ? bound : findArray(options.values, name);
}

LogicalResult GraphImporter::checkNames() const {
  if (options.bound.empty() && options.dims.empty() && options.ranges.empty())
    return success();
  const GraphProto &graph = file.getModel().graph();
  auto list = [](const auto &all) {
    std::string text;
    for (const auto &each : all)
      text += (text.empty() ? "" : ", ") + quote(each);
    return text.empty() ? std::string("none") : text;
  };
  // Those with a default are asked for by nobody; files of early versions list all weights.
  llvm::StringSet<> weights, all, known;
  for (const TensorProto &tensor : graph.initializer())
    weights.insert(tensor.name());
  std::vector<std::string> inputs, symbols;
  auto addSymbol = [&](StringRef name) {
    if (known.insert(name).second)
      symbols.push_back(name.str());
  };
  llvm::StringSet<> places;
  for (const ValueInfoProto &info : graph.input()) {
    all.insert(info.name());
    if (!weights.contains(info.name()))
      inputs.push_back(info.name());
    for (auto [i, dim] : llvm::enumerate(info.type().tensor_type().shape().dim())) {
      std::string place = getPlace(info, static_cast<int>(i));
      if (getExtent(dim))
        continue;
      places.insert(place);
      places.insert(dim.dim_param());
      addSymbol(getSymbol(dim).empty() ? StringRef(place) : getSymbol(dim));
      if (std::optional<DimExpression> expression = parseDimExpression(getSymbol(dim), context))
        for (const std::string &name : expression->names) {
          places.insert(name);
          addSymbol(name);
        }
    }
  }
  for (const NamedArray &bound : options.bound)
    if (!all.contains(bound.name))
      return emitError("expected to bind one of the inputs " + list(inputs) + ", found '" +
                       bound.name + "'");
  SmallVector<StringRef> given;
  llvm::append_range(given, options.dims.keys());
  llvm::append_range(given, options.ranges.keys());
  for (StringRef name : given)
    if (name.empty() || !places.contains(name))
      return emitError("expected an extent for one of the open dimensions " + list(symbols) +
                       ", found '" + name + "'");
  for (const auto &dim : options.dims)
    if (dim.second < 0)
      return emitError("expected an extent of at least 0 for the open dimension '" +
                       dim.getKey() + "', found " + Twine(dim.second));
  return success();
}

std::optional<int64_t> GraphImporter::findExtent(const ValueInfoProto &info, int i) const {
  auto find = [](const llvm::StringMap<int64_t> &extents, StringRef name) {
    auto it = extents.find(name);
    return it == extents.end() ? std::nullopt : std::optional(it->second);
  };
  if (std::optional<int64_t> extent = find(options.dims, getPlace(info, i)))
    return extent;
  const auto &dim = info.type().tensor_type().shape().dim(i);
  // An extent for a name that tells nothing apart is one for all that are called so.
  StringRef symbol = getSymbol(dim);
  if (std::optional<int64_t> extent = find(symbol.empty() ? options.dims : dims, dim.dim_param()))
    return extent;
  // Of `4*h` where `h` is known.
  return computeDimExtent(symbol, context, [&](StringRef name) { return find(dims, name); });
}

std::optional<DimRange> GraphImporter::findRange(const ValueInfoProto &info, int i) const {
  for (const std::string &name : {getPlace(info, i), info.type().tensor_type().shape().dim(i).dim_param()})
    if (auto it = options.ranges.find(name); it != options.ranges.end())
      return it->second;
  return std::nullopt;
}

void GraphImporter::addRanges(const ValueInfoProto &info, RankedTensorType type, Value argument) {
  OnnxDescription::Tensor described = describeTensor(info, /*isInput=*/true);
  SmallVector<int64_t> bounds(type.getRank(), -1), hints(type.getRank(), -1);
  for (auto [i, dim] : llvm::enumerate(described.dims)) {
    if (!type.isDynamicDim(i))
      continue;
    DimRange range = findRange(info, static_cast<int>(i)).value_or(DimRange());
    bounds[i] = range.most.value_or(-1);
    std::optional<int64_t> likely = range.likely ? range.likely : getLikelyExtent(described, i);
    if (likely) // unless what is said of the range makes that impossible
      hints[i] = range.likely ? *likely : std::max(range.least, std::min(*likely, range.most.value_or(*likely)));
    if (range.least > 0)
      extents.assumptions.push_back({extents.shapes.getExtent(argument, i), getAffineConstantExpr(range.least, context),
                                     /*isLeast=*/true,
                                     "dimension " + std::to_string(i) + " of input " + quote(info.name()) +
                                         " is {}, expected at least {}"});
  }
  Attribute &attribute = argumentAttributes[cast<BlockArgument>(argument).getArgNumber()];
  NamedAttrList attributes(cast<DictionaryAttr>(attribute));
  for (auto [name, list] : {std::pair(attr::kDimBounds, bounds), std::pair(attr::kDimHints, hints)})
    if (llvm::any_of(list, [](int64_t extent) { return extent >= 0; }))
      attributes.set(name, builder.getDenseI64ArrayAttr(list));
  attribute = attributes.getDictionary(context);
}

/// Of arrays that are given, also for inputs that are not.
void GraphImporter::findExtents() {
  for (const ValueInfoProto &info : file.getModel().graph().input()) {
    const HostArray *given = findGiven(info.name());
    const auto &shape = info.type().tensor_type().shape();
    if (!given || given->getRank() != shape.dim_size())
      continue;
    for (auto [i, dim] : llvm::enumerate(shape.dim()))
      if (!getExtent(dim) && !getSymbol(dim).empty())
        dims.try_emplace(getSymbol(dim), given->getShape()[i]);
  }
}

FailureOr<RankedTensorType> GraphImporter::getInputType(const ValueInfoProto &info) {
  auto fail = [&](const Twine &text) {
    return emitError("input " + quote(info.name()) + ": " + text);
  };
  if (!info.type().has_tensor_type())
    return fail("expected a tensor, found another type");
  const auto &tensor = info.type().tensor_type();
  std::optional<ElementType> element = getStoredElement(tensor.elem_type());
  if (!element)
    return fail("elements of type " + getDataTypeName(tensor.elem_type()) + " are not supported");
  const HostArray *given = findGiven(info.name());
  SmallVector<int64_t> shape;
  if (!tensor.has_shape()) {
    if (!given)
      return fail("expected a shape, found none: give an array for it");
    shape.assign(given->getShape().begin(), given->getShape().end());
  } else if (given && given->getRank() != tensor.shape().dim_size()) {
    return fail("expected " + Twine(tensor.shape().dim_size()) + " dimensions, found the array " +
                given->describe());
  } else {
    for (auto [i, dim] : llvm::enumerate(tensor.shape().dim())) {
      if (std::optional<int64_t> extent = getExtent(dim)) {
        if (*extent < 0)
          return fail("expected extents of at least 0, found " + Twine(*extent));
        shape.push_back(*extent);
        continue;
      }
      int place = static_cast<int>(i);
      int64_t fallback = given ? given->getShape()[i] : ShapedType::kDynamic;
      shape.push_back(findExtent(info, place).value_or(fallback));
      auto ofName = dims.find(getSymbol(dim));
      if (!getSymbol(dim).empty() && ofName != dims.end() && ofName->second != shape.back())
        return fail("expected an extent of " + Twine(ofName->second) + " at axis " + Twine(i) + ", as of all that is called " +
                    quote(getSymbol(dim)) + ", found " + Twine(shape.back()));
      std::optional<DimRange> range = findRange(info, place);
      if (range && !ShapedType::isDynamic(shape.back()) && !range->contains(shape.back()))
        return fail("expected an extent of " + describeRange(*range) + " at axis " + Twine(i) + ", found " +
                    Twine(shape.back()));
    }
  }
  if (std::optional<std::string> problem = findShapeProblem(*element, shape))
    return fail(*problem);
  return RankedTensorType::get(shape, toMLIRType(*element, context));
}

bool GraphImporter::isSpecialized(StringRef name, const HostArray &given) const {
  // Larger inputs are data, even if a condition asks for one of their elements.
  return knownNames.contains(name) || (decidingNames.contains(name) && given.getNumElements() == 1);
}

LogicalResult GraphImporter::addInputs(Body &body) {
  const GraphProto &graph = file.getModel().graph();
  llvm::StringSet<> initialized;
  for (const TensorProto &tensor : graph.initializer())
    initialized.insert(tensor.name());
  findExtents();
  SmallVector<ModelValue *> overridden;
  SmallVector<OpenDim> openDims;
  SmallVector<std::pair<const ValueInfoProto *, Value>> arguments;
  for (const ValueInfoProto &info : graph.input()) {
    const HostArray *given = findGiven(info.name());
    bool hasDefault = initialized.contains(info.name());
    if (hasDefault && !given)
      continue; // its default is its value here
    FailureOr<RankedTensorType> type = getInputType(info);
    if (failed(type))
      return failure();
    ModelValue value{info.name(), *type, {}, {}};
    value.format = getFormat(info.type().tensor_type().elem_type());
    SmallVector<StringRef> dimNames(type->getRank());
    for (auto [i, extent] : llvm::enumerate(type->getShape())) {
      if (!ShapedType::isDynamic(extent))
        continue;
      int dim = static_cast<int>(i);
      StringRef symbol = getSymbol(info.type().tensor_type().shape().dim(dim));
      value.openDims.push_back(symbol.empty() ? getPlace(info, dim) : symbol.str());
      dimNames[dim] = symbol;
    }
    bool isBound = findArray(options.bound, info.name());
    if (options.bindsSpecialized && given && !isBound && !hasDefault &&
        isSpecialized(info.name(), *given)) {
      isBound = true;
      model.fixedInputs.push_back(info.name());
    }
    if (given && (isBound || hasDefault || isSpecialized(info.name(), *given))) {
      if (given->getTensorType(context) != *type)
        return emitError("input " + quote(info.name()) + ": expected ")
               << *type << ", found " << given->describe();
      value.known = *given;
    }
    Value argument;
    if (!isBound && !hasDefault)
      argument = addArgument(*type, info.name(), /*isParameter=*/false, dimNames);
    if (!value.known)
      value.value = argument;
    for (auto [dim, symbol] : llvm::enumerate(dimNames))
      if (argument && type->isDynamicDim(dim))
        openDims.push_back({argument, static_cast<unsigned>(dim), symbol});
    if (argument)
      arguments.emplace_back(&info, argument);
    auto [it, isNew] = body.scope.try_emplace(info.name(), add(std::move(value)));
    if (!isNew)
      return emitError("two inputs have the name " + quote(info.name()));
    if (hasDefault && !isBound)
      overridden.push_back(it->second);
  }
  extents.shapes.addOpenDims(openDims);
  for (auto [info, argument] : arguments)
    addRanges(*info, cast<RankedTensorType>(argument.getType()), argument);
  // Like large initializers these are parameters, whatever their size: who gives an array for a
  // name finds it among the program's arguments.
  for (ModelValue *value : overridden) {
    Value argument = addArgument(value->type, value->name, /*isParameter=*/true);
    model.parameters.push_back({value->name, value->known});
    if (isSpecialized(value->name, value->known))
      continue;
    value->value = argument;
    value->known = {};
  }
  return success();
}
