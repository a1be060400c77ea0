//===- Signature.cpp - What a program takes and gives ----------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/Signature.h"

#include "fuse/IR/CollectiveShapes.h"
#include "fuse/IR/DimNames.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/FuseInterfaces.h"
#include "fuse/IR/Variants.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "fuse/IR/Preparation.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::fuse;

std::string ValueInfo::describe() const {
  std::string text;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (!ShapedType::isDynamic(size))
      text += std::to_string(size);
    else if (StringRef name = getDimName(dim); !name.empty())
      text += ("<" + name + ">").str();
    else
      text += "?";
    text += "x";
  }
  return text + getElementTypeName(type).str();
}

StringRef ValueInfo::getDimName(size_t dim) const {
  return dim < dimNames.size() ? StringRef(dimNames[dim]) : StringRef();
}

ValueInfo ValueInfo::getFull() const {
  ValueInfo full = *this;
  full.shape = sharding.getFullShape(shape);
  for (auto [dim, bound] : llvm::enumerate(full.bounds))
    if (bound >= 0)
      bound *= sharding.getParts(dim);
  full.sharding = {};
  return full;
}

Signature Signature::getFull() const {
  Signature full = *this;
  full.grid.clear();
  for (std::vector<ValueInfo> *infos : {&full.inputs, &full.results})
    for (ValueInfo &info : *infos)
      info = info.getFull();
  return full;
}

llvm::Error ValueInfo::check(const HostArray &array) const {
  bool fits = array && array.getElementType() == type &&
              array.getRank() == static_cast<int64_t>(shape.size());
  for (size_t i = 0; fits && i < shape.size(); ++i)
    fits = ShapedType::isDynamic(shape[i]) || shape[i] == array.getShape()[i];
  if (fits)
    return llvm::Error::success();
  return llvm::createStringError("expected %s, found %s", describe().c_str(),
                                 array ? array.describe().c_str() : "nothing");
}

/// Fills in all but the name.
static LogicalResult describeValue(func::FuncOp func, const Twine &what, Type type,
                                   ValueInfo &info) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!isa<RankedTensorType, MemRefType>(type))
    return func.emitError() << what << " has type " << type
                            << "; only ranked tensors, and memrefs as arguments, can be bound";
  std::optional<ElementType> element = toElementType(shaped.getElementType());
  if (!element)
    return func.emitError() << what << " has the element type " << shaped.getElementType()
                            << ", which no array can hold";
  if (auto memref = dyn_cast<MemRefType>(type)) {
    if (!memref.getLayout().isIdentity())
      return func.emitError() << what << " has type " << type
                              << "; only row-major memrefs can be bound";
    if (memref.getMemorySpace())
      return func.emitError() << what << " has type " << type
                              << "; only memrefs of the default memory space can be bound";
    info.isMemref = true;
  }
  info.type = *element;
  info.shape.assign(shaped.getShape().begin(), shaped.getShape().end());
  return success();
}

static std::string getNameOr(DictionaryAttr attrs, const Twine &standard) {
  if (attrs)
    if (auto name = attrs.getAs<StringAttr>(attr::kName))
      return name.str();
  return standard.str();
}

/// Arguments of which elements are extracted, or of which is computed what they are extracted from.
static llvm::SmallDenseSet<Value> findExtracted(func::FuncOp func) {
  llvm::SmallDenseSet<Value> seen;
  SmallVector<Value> work;
  func.walk([&](tensor::ExtractOp op) { work.push_back(op.getTensor()); });
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (Operation *op = value.getDefiningOp())
      llvm::append_range(work, op->getOperands());
  }
  return seen;
}

/// The one grid that all shardings and collectives of a function name; none of one rank.
static LogicalResult findGrid(func::FuncOp func, SmallVectorImpl<int64_t> &grid) {
  auto take = [&](ArrayRef<int64_t> found) -> LogicalResult {
    if (found.empty() || found == ArrayRef<int64_t>(grid))
      return success();
    if (!grid.empty())
      return func.emitError() << "expected one grid of processes, found " << formatGrid(grid)
                              << " and " << formatGrid(found);
    grid.assign(found.begin(), found.end());
    return success();
  };
  for (unsigned i = 0, e = func.getNumArguments(); i != e; ++i)
    if (auto sharding = func.getArgAttrOfType<ShardingAttr>(i, attr::kSharding))
      if (failed(take(sharding.getGrid())))
        return failure();
  for (unsigned i = 0, e = func.getNumResults(); i != e; ++i)
    if (auto sharding = func.getResultAttrOfType<ShardingAttr>(i, attr::kSharding))
      if (failed(take(sharding.getGrid())))
        return failure();
  WalkResult walked = func.walk([&](HostOpInterface op) {
    ProcessGroupAttr group = getProcessGroup(op);
    return WalkResult(group ? take(group.getGrid()) : success());
  });
  return failure(walked.wasInterrupted());
}

FailureOr<Signature> Signature::get(func::FuncOp func) {
  Signature signature;
  if (failed(findGrid(func, signature.grid)))
    return failure();
  llvm::SmallDenseSet<Value> extracted = findExtracted(func);
  signature.function = func.getSymName().str();
  llvm::StringSet<> inputNames, outputNames;
  for (unsigned i = 0, e = func.getNumArguments(); i != e; ++i) {
    ValueInfo info;
    if (failed(describeValue(func, "argument " + Twine(i), func.getArgumentTypes()[i], info)))
      return failure();
    info.name = getNameOr(func.getArgAttrDict(i), "arg" + Twine(i));
    if (auto bounds = func.getArgAttrOfType<DenseI64ArrayAttr>(i, attr::kDimBounds))
      info.bounds.assign(bounds.asArrayRef().begin(), bounds.asArrayRef().end());
    for (size_t dim = 0; dim < info.shape.size(); ++dim)
      info.dimNames.push_back(fuse::getDimName(func, i, dim).str());
    info.isParam = static_cast<bool>(func.getArgAttr(i, attr::kParam));
    if (auto sharding = func.getArgAttrOfType<ShardingAttr>(i, attr::kSharding))
      info.sharding = Sharding::get(sharding);
    info.saysSizes = !func.isExternal() && extracted.contains(func.getArgument(i));
    if (func.getArgAttr(i, attr::kPrepared)) {
      if (info.isMemref || ShapedType::isDynamicShape(info.shape))
        return func.emitError() << "argument " << i << " is marked '" << attr::kPrepared
                                << "': expected a tensor of static shape";
      signature.prepared.push_back(std::move(info));
      continue;
    }
    if (!signature.prepared.empty())
      return func.emitError() << "argument " << i << " stands behind one that is marked '"
                              << attr::kPrepared << "'; expected it before";
    if (!inputNames.insert(info.name).second)
      return func.emitError() << "two arguments are named '" << info.name << "'";
    if (info.isMemref)
      outputNames.insert(info.name);
    signature.inputs.push_back(std::move(info));
  }
  for (unsigned i = 0, e = func.getNumResults(); i != e; ++i) {
    ValueInfo info;
    if (failed(describeValue(func, "result " + Twine(i), func.getResultTypes()[i], info)))
      return failure();
    if (info.isMemref)
      return func.emitError() << "result " << i << " is a memref; return a tensor instead";
    info.name = getNameOr(func.getResultAttrDict(i), "result" + Twine(i));
    if (auto sharding = func.getResultAttrOfType<ShardingAttr>(i, attr::kSharding))
      info.sharding = Sharding::get(sharding);
    if (!outputNames.insert(info.name).second)
      return func.emitError() << "two outputs are named '" << info.name << "'";
    signature.results.push_back(std::move(info));
  }
  if (failed(getPreparation(func)))
    return failure();
  return signature;
}

/// Of inputs that somebody gives: parameters come from elsewhere, mostly.
static std::string listNames(ArrayRef<ValueInfo> infos) {
  std::string text;
  for (const ValueInfo &info : infos)
    if (!info.isParam)
      text += (text.empty() ? "'" : ", '") + info.name + "' (" + info.describe() + ")";
  return text.empty() ? "none" : text;
}

llvm::Expected<std::vector<HostArray>>
Signature::matchInputs(ArrayRef<NamedArray> given) const {
  llvm::StringMap<size_t> positions;
  for (auto [i, info] : llvm::enumerate(inputs))
    positions[info.name] = i;
  std::vector<HostArray> arrays(inputs.size());
  for (const NamedArray &entry : given) {
    auto position = positions.find(entry.name);
    if (position == positions.end())
      return llvm::createStringError("no input of @" + function + " is named '" + entry.name +
                                     "': expected " + listNames(inputs));
    if (arrays[position->second])
      return llvm::createStringError("input '" + entry.name + "' is given twice");
    if (llvm::Error error = inputs[position->second].check(entry.array))
      return llvm::createStringError("input '" + entry.name +
                                     "': " + llvm::toString(std::move(error)));
    arrays[position->second] = entry.array;
  }
  size_t found = 0, wanted = 0;
  for (auto [info, array] : llvm::zip_equal(inputs, arrays)) {
    wanted += !info.isParam;
    found += !info.isParam && array;
  }
  for (auto [info, array] : llvm::zip_equal(inputs, arrays)) {
    if (array)
      continue;
    if (info.isParam)
      return llvm::createStringError("parameter '" + info.name + "' is missing: expected " +
                                     info.describe());
    return llvm::createStringError("input '" + info.name + "' is missing: expected " +
                                   info.describe() + ", found " + std::to_string(found) + " of " +
                                   std::to_string(wanted) + " inputs");
  }
  return arrays;
}

/// The functions of a planned program that no caller names: those that prepare parameters of others, and variants of others.
static llvm::DenseSet<StringAttr> findPartsOfOthers(ModuleOp module) {
  llvm::DenseSet<StringAttr> parts;
  for (auto func : module.getOps<func::FuncOp>()) {
    if (auto prepare = func->getAttrOfType<FlatSymbolRefAttr>(attr::kPrepare))
      parts.insert(prepare.getAttr());
    if (auto variants = func->getAttrOfType<ArrayAttr>(attr::kVariants))
      for (auto variant : variants.getAsRange<FlatSymbolRefAttr>())
        if (variant.getAttr() != func.getSymNameAttr())
          parts.insert(variant.getAttr());
  }
  return parts;
}

FailureOr<func::FuncOp> mlir::fuse::findFunction(ModuleOp module, StringRef name) {
  func::FuncOp found;
  SmallVector<StringRef> names;
  llvm::DenseSet<StringAttr> parts = findPartsOfOthers(module);
  for (auto func : module.getOps<func::FuncOp>()) {
    if (!func.isPublic() || func.isExternal() || (name.empty() && parts.contains(func.getSymNameAttr())))
      continue;
    names.push_back(func.getSymName());
    if (func.getSymName() == (name.empty() ? "main" : name))
      found = func;
    else if (name.empty() && !found)
      found = func;
  }
  bool isMain = found && found.getSymName() == "main";
  if (found && (!name.empty() || isMain || names.size() == 1))
    return found;
  InFlightDiagnostic error = module.emitError();
  if (names.empty())
    return error << "expected a public function with a body, found none";
  if (name.empty())
    error << "expected one public function or @main";
  else
    error << "expected a public function @" << name;
  error << ", found ";
  llvm::interleaveComma(names, error, [&](StringRef each) { error << "@" << each; });
  return error;
}

FailureOr<EntryFunction> mlir::fuse::findEntryFunction(ModuleOp module, StringRef name) {
  FailureOr<func::FuncOp> function = findFunction(module, name);
  if (failed(function))
    return failure();
  FailureOr<Signature> signature = Signature::get(*function);
  if (failed(signature))
    return failure();
  return EntryFunction{*function, std::move(*signature)};
}
