//===- GraphImporter.cpp - A program's ops, in order, as ops of a function -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "GraphImporter.h"
#include "fuse/Support/Plural.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::stablehlo;

/// Calls and regions within each other are not deeper.
static constexpr unsigned kMostDepth = 64;
/// Ops that calls make beyond those of the text: for each op of the text, and in any case.
static constexpr int64_t kMostCopies = 64, kMostCalledOps = 1 << 15;

GraphImporter::GraphImporter(ModuleOp source, const StableHloImportOptions &options, StableHloModel &model)
    : source(source), options(options), model(model), context(source.getContext()),
      builder(model.module->getLoc(), context), extents(context) {}

GraphImporter::~GraphImporter() { dropRegions(); }

void GraphImporter::dropRegions() {
  for (auto &region : regions)
    region->dropAllReferences();
  regions.clear();
}

AffineExpr GraphImporter::makeCounter() {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.getBody().front());
  auto cast = UnrealizedConversionCastOp::create(builder, builder.getIndexType(), ValueRange());
  counters.push_back(cast);
  return extents.shapes.getNumber(cast.getResult(0));
}

InFlightDiagnostic GraphImporter::emitError(const Twine &text) const {
  return mlir::emitError(model.module->getLoc()) << text;
}

//===- Places -------------------------------------------------------------------------------===//

StringRef mlir::fuse::stablehlo::findLocationName(Location loc) {
  StringRef found;
  loc->walk([&](Location part) {
    auto name = dyn_cast<NameLoc>(part);
    if (!name || name.getName().empty())
      return WalkResult::advance();
    found = name.getName().getValue();
    return WalkResult::interrupt();
  });
  return found;
}

std::string mlir::fuse::stablehlo::describePlace(Location loc) {
  auto place = loc->findInstanceOf<FileLineColLoc>();
  if (!place)
    return {};
  return place.getFilename().str() + ":" + std::to_string(place.getLine());
}

//===- The whole ----------------------------------------------------------------------------===//

FailureOr<func::FuncOp> GraphImporter::findEntry() {
  func::FuncOp entry;
  unsigned count = 0;
  for (auto each : source.getOps<func::FuncOp>())
    if (each.getSymName() == "main" || (each.isPublic() && (!entry || entry.getSymName() != "main"))) {
      entry = each;
      count += each.getSymName() != "main";
    }
  if (!entry)
    return emitError("expected a function @main, or one that is public"), failure();
  if (entry.getSymName() != "main" && count > 1)
    return emitError("expected a function @main, or one function that is public, found " + Twine(count)), failure();
  if (entry.isExternal() || !entry.getBody().hasOneBlock())
    return emitError("expected a function of one block as @" + entry.getSymName()), failure();
  return entry;
}

/// Ops that end blocks: they are read by whoever imports the block.
static bool isTerminator(StringRef op) {
  return op == "stablehlo.return" || op == "func.return" || op == "mhlo.return";
}

LogicalResult GraphImporter::checkOps(func::FuncOp entry) {
  struct Unsupported {
    std::string place;
    int64_t count = 0;
  };
  llvm::MapVector<StringRef, Unsupported> unsupported;
  SmallVector<func::FuncOp> rest = {entry};
  llvm::DenseSet<Operation *> seen = {entry};
  while (!rest.empty()) {
    func::FuncOp next = rest.pop_back_val();
    next.getBody().walk([&](Operation *op) {
      StringRef name = op->getName().getStringRef();
      if (isTerminator(name))
        return;
      if (auto call = dyn_cast<func::CallOp>(op)) {
        if (auto callee = findFunction(call.getCallee()); callee && seen.insert(callee).second)
          rest.push_back(callee);
        return;
      }
      if (OpTable::get().lookup(name))
        return;
      Unsupported &found = unsupported[name];
      if (found.count++ == 0)
        found.place = describePlace(op->getLoc());
    });
  }
  if (unsupported.empty())
    return success();
  std::string text = "ops that are not supported:";
  for (const auto &[op, found] : unsupported) {
    text += "\n  " + quote(op) + ", " + pluralize(found.count, "op");
    if (!found.place.empty())
      text += (found.count == 1 ? ": " : ", the first: ") + found.place;
  }
  return emitError(text);
}

LogicalResult GraphImporter::run() {
  FailureOr<func::FuncOp> entry = findEntry();
  if (failed(entry) || failed(checkOps(*entry)))
    return failure();
  builder.setInsertionPointToEnd(model.module->getBody());
  function = func::FuncOp::create(builder, "main", builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  extents.setFunction(&function.getBody().front());
  SmallVector<ModelValue> arguments;
  if (failed(addInputs(*entry, arguments)))
    return failure();
  FailureOr<SmallVector<ModelValue>> results = importBlock(entry->getBody().front(), arguments, nullptr);
  if (failed(results) || failed(addOutputs(*entry, *results)))
    return failure();
  dropRegions();
  for (Operation *counter : counters) {
    if (!counter->use_empty())
      return emitError("a loop's counter is read outside of the loop");
    counter->erase();
  }
  return verify(*model.module);
}

//===- Blocks and ops -----------------------------------------------------------------------===//

bool GraphImporter::takeCall(func::FuncOp callee) {
  int64_t count = 0, all = 0;
  callee.getBody().walk([&](Operation *) { ++count; });
  source.walk([&](Operation *) { ++all; });
  calledOps += count;
  return calledOps <= std::max(kMostCalledOps, kMostCopies * all);
}

FailureOr<SmallVector<ModelValue>> GraphImporter::importBlock(Block &block, ArrayRef<ModelValue> arguments,
                                                              Scope *outer) {
  Location loc = builder.getLoc();
  if (depth >= kMostDepth)
    return mlir::emitError(loc) << "expected calls and regions at most " << kMostDepth << " deep", failure();
  if (block.getNumArguments() != arguments.size() || block.empty())
    return mlir::emitError(loc) << "expected a block of " << arguments.size() << " arguments, found "
                                << block.getNumArguments(),
           failure();
  Scope own;
  own.outer = outer;
  for (auto [argument, value] : llvm::zip(block.getArguments(), arguments))
    own.values[argument] = value;
  Scope *before = std::exchange(scope, &own);
  ++depth;
  bool isRight = true;
  for (Operation &op : block)
    if (!isTerminator(op.getName().getStringRef()) && failed(importOp(op))) {
      isRight = false;
      break;
    }
  SmallVector<ModelValue> results;
  Operation &last = block.back();
  if (isRight && !isTerminator(last.getName().getStringRef())) {
    mlir::emitError(loc) << "expected a block that ends in a return, found '" << last.getName().getStringRef() << "'";
    isRight = false;
  }
  for (Value value : last.getOperands()) {
    Scope *at = &own;
    while (isRight && at && !at->values.count(value))
      at = at->outer;
    if (isRight && !at) {
      mlir::emitError(loc) << "expected a result that is computed before";
      isRight = false;
    }
    if (isRight)
      results.push_back(at->values[value]);
  }
  --depth;
  scope = before;
  builder.setLoc(loc);
  if (!isRight)
    return failure();
  return results;
}

LogicalResult GraphImporter::checkResult(ModelValue &result, StringRef description) {
  if (!result.type || !result.tensor)
    return success();
  auto type = cast<RankedTensorType>(result.tensor.getType());
  bool differs = type.getElementType() != result.type.getElementType() || type.getRank() > result.type.getRank();
  for (int64_t i = 1; !differs && i <= type.getRank(); ++i) {
    int64_t own = type.getDimSize(type.getRank() - i), wanted = result.type.getDimSize(result.type.getRank() - i);
    differs = own != wanted && own != 1 && !ShapedType::isDynamic(own) && !ShapedType::isDynamic(wanted);
  }
  if (!differs)
    return success();
  return mlir::emitError(builder.getLoc())
         << description << ": expected a result " << result.type << ", as the program says, found " << type;
}

LogicalResult GraphImporter::importOp(Operation &op) {
  StringRef kind = op.getName().getStringRef();
  StringRef called = findLocationName(op.getLoc());
  std::string name = importer::takeName(called.empty() ? kind.rsplit('.').second : called, nodeNames);
  Location loc = NameLoc::get(StringAttr::get(context, name), model.module->getLoc());
  builder.setLoc(loc);
  std::string place = describePlace(op.getLoc());
  std::string description = "node " + quote(name) + " (" + kind.str() + (place.empty() ? "" : " at " + place) + ")";
  auto fail = [&](const Twine &text) { return mlir::emitError(loc) << description << ": " << text; };
  const OpImporter *importer = OpTable::get().lookup(kind);
  if (!importer)
    return fail("is not supported");
  for (Type type : op.getResultTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor && kind != "stablehlo.create_token" && kind != "stablehlo.after_all")
      return fail("results of type ") << type << " are not supported";
    std::optional<ElementType> element = tensor ? toElementType(tensor.getElementType()) : std::nullopt;
    if (tensor && !element)
      return fail("elements of type ") << tensor.getElementType() << " are not supported";
    if (!tensor)
      continue;
    if (std::optional<std::string> problem = findShapeProblem(*element, tensor.getShape()))
      return fail(*problem);
  }
  SmallVector<ModelValue> operands;
  for (Value operand : op.getOperands()) {
    Scope *at = scope;
    while (at && !at->values.count(operand))
      at = at->outer;
    if (!at)
      return fail("expected operands that are computed before");
    operands.push_back(at->values[operand]);
  }
  if (operands.size() < importer->operands)
    return fail("expected at least " + Twine(importer->operands) + " operands, found " + Twine(operands.size()));
  for (const ModelValue &operand : ArrayRef(operands).take_front(importer->operands))
    if (!operand.type)
      return fail("expected tensors as operands");
  Node n(*this, &op, description, std::move(operands), builder, extents, budget);
  LogicalResult result = success();
  if (bodyShape && !importer->isElementwise)
    return n.fail("is not supported in the body of a reduction");
  if (bodyShape || !foldNumbers(n))
    result = importer->import(n);
  builder.setLoc(loc);
  if (n.b.hasFailed())
    return n.fail(n.b.getError());
  if (failed(result) && !n.hasFailed())
    return n.fail("cannot be imported");
  if (n.hasFailed())
    return failure();
  bool isFolded = true;
  for (auto [value, made] : llvm::zip(op.getResults(), n.getResults())) {
    if (failed(checkResult(made, description)))
      return failure();
    isFolded &= !made.tensor;
    scope->values[value] = made;
  }
  model.nodes.push_back({std::move(name), kind.str(), isFolded});
  return success();
}
