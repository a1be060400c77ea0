//===- Specialize.cpp - Copies of a function for some sizes -------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Codegen/Program/Passes.h"
#include "fuse/CostModel/CallTime.h"
#include "fuse/IR/DimNames.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/RefineShapes.h"
#include "fuse/IR/ShapeConditions.h"
#include "fuse/IR/StatedExtents.h"
#include "fuse/IR/Variants.h"
#include "fuse/Pipelines/Passes.h"
#include "fuse/Pipelines/Pipelines.h"
#include "fuse/Support/Numerics.h"
#include "fuse/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSESPECIALIZE
#include "fuse/Pipelines/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// How an argument's dimension is called: its name, and ARGUMENT:AXIS.
SmallVector<std::string, 2> getDimCalls(func::FuncOp function, unsigned argument, int64_t dim) {
  SmallVector<std::string, 2> names;
  if (StringRef name = getDimName(function, argument, dim); !name.empty())
    names.push_back(name.str());
  names.push_back(getDimPlace(function, argument, dim));
  return names;
}

/// The size of a dimension whose name is an expression, `4*h`, where a variant has one size of each of its names.
std::optional<int64_t> computeSize(StringRef name, ArrayRef<VariantSize> sizes, MLIRContext *context) {
  return computeDimExtent(name, context, [&](StringRef part) -> std::optional<int64_t> {
    const auto *it = llvm::find_if(sizes, [&](const VariantSize &size) { return size.name == part; });
    return it == sizes.end() || it->least != it->most ? std::nullopt : std::optional(it->least);
  });
}

struct Specialize : fuse::impl::FuseSpecializeBase<Specialize> {
  using FuseSpecializeBase::FuseSpecializeBase;

  /// Those of what runs on the copy, too.
  void getDependentDialects(DialectRegistry &registry) const override {
    FuseSpecializeBase::getDependentDialects(registry);
    OpPassManager passes(ModuleOp::getOperationName());
    buildFusePipeline(passes, FusePipelineOptions());
    passes.getDependentDialects(registry);
  }

  void runOnOperation() override {
    if (sizes.empty())
      return;
    std::optional<SmallVector<VariantSizes>> given;
    if (!isAutomatic() && !(given = parseVariants(sizes))) {
      getOperation().emitError() << "expected variants as NAME=N,NAME=N;…, N at least 0, or auto, found '" << sizes << "'";
      return signalPassFailure();
    }
    SmallVector<func::FuncOp> functions = getWanted(getOperation());
    if (given)
      for (func::FuncOp function : functions)
        if (failed(checkNames(function, *given)))
          return signalPassFailure();
    if (failed(findEqualDims()))
      return signalPassFailure();
    llvm::StringMap<SmallVector<VariantSizes>> chosen;
    if (isAutomatic() && failed(chooseByPrice(chosen)))
      return signalPassFailure();
    SymbolTable symbols(getOperation());
    for (func::FuncOp function : functions)
      if (failed(addVariants(function, given ? *given : chosen[function.getName()], symbols)))
        return signalPassFailure();
  }

private:
  /// Whether variants are chosen by price.
  bool isAutomatic() const { return sizes == kAutomaticVariants; }

  /// The functions that may get variants.
  static SmallVector<func::FuncOp> getWanted(ModuleOp module) {
    SmallVector<func::FuncOp> functions;
    for (auto function : module.getOps<func::FuncOp>())
      if (function.isPublic() && !function.isExternal() && !function->hasAttr(attr::kVariants) && !isVariant(function))
        functions.push_back(function);
    return functions;
  }

  /// Adds variants of a function, and to `added` the sizes of each by its name. Where they are chosen by price, those that
  /// the function cannot have are left out.
  LogicalResult addVariants(func::FuncOp function, ArrayRef<VariantSizes> variants, SymbolTable &symbols,
                            llvm::StringMap<VariantSizes> *added = nullptr) {
    SmallVector<Attribute> names;
    func::FuncOp behind = function;
    for (const VariantSizes &variant : variants) {
      FailureOr<func::FuncOp> made = specialize(function, variant, symbols, behind);
      if (failed(made) && !isAutomatic())
        return failure();
      if (failed(made))
        continue;
      if (isAutomatic())
        planForSeveral(*made);
      if (added)
        (*added)[made->getName()] = variant;
      names.push_back(FlatSymbolRefAttr::get(made->getNameAttr()));
    }
    if (!names.empty())
      function->setAttr(attr::kVariants, ArrayAttr::get(&getContext(), names));
    return success();
  }

  //===- By price ---------------------------------------------------------------------------===//

  /// Finds the variants of each function that gain by price, the largest gain first.
  LogicalResult chooseByPrice(llvm::StringMap<SmallVector<VariantSizes>> &chosen) {
    std::unique_ptr<FusePipelineOptions> options =
        FusePipelineOptions::createFromString(StringRef(planning).trim("{}"));
    if (!options)
      return getOperation().emitError() << "expected options of fuse-pipeline, found '" << planning << "'";
    PassManager passes(&getContext(), ModuleOp::getOperationName());
    buildFusePlanningPipeline(passes, *options);
    // What a size makes of the program is tried on a copy. One that cannot have it has no variant, and nobody asked for one.
    ScopedDiagnosticHandler silence(&getContext(), [](Diagnostic &) { return success(); });
    OwningOpRef<ModuleOp> copy = getOperation().clone();
    SymbolTable symbols(*copy);
    llvm::StringMap<VariantSizes> sizesOf; // by the variant's name
    for (func::FuncOp function : getWanted(*copy))
      if (failed(addVariants(function, getCandidates(function), symbols, &sizesOf)))
        return failure();
    if (sizesOf.empty() || failed(passes.run(*copy)))
      return success();
    for (auto function : copy->getOps<func::FuncOp>()) {
      FailureOr<SmallVector<func::FuncOp>> variants = getVariants(function);
      if (failed(variants))
        continue;
      // That of all ones comes first; of the others, that which gains most.
      SmallVector<std::pair<double, VariantSizes>> gains;
      for (func::FuncOp variant : *variants)
        if (auto sizes = sizesOf.find(variant.getName()); sizes != sizesOf.end())
          if (std::optional<double> gain = getGain(function, variant, getNumerics(options->numerics)))
            gains.push_back({*gain, sizes->second});
      llvm::stable_sort(gains, [](const auto &a, const auto &b) {
        return std::pair(a.second.size(), a.first) > std::pair(b.second.size(), b.first);
      });
      for (auto &[gain, sizes] : gains)
        chosen[function.getName()].push_back(std::move(sizes));
    }
    return success();
  }

  /// One for calls in which each size is 1, and for each size one for calls in which it is. No call has a size of 1 where the
  /// function's conditions say otherwise, and what they say as an expression of other sizes is none of its own.
  SmallVector<VariantSizes> getCandidates(func::FuncOp function) {
    llvm::EquivalenceClasses<ArgumentDim> equal = equalDims.lookup(function.getName());
    ArrayAttr said = conditions.lookup(function.getName());
    llvm::SmallSet<ArgumentDim, 4> seen;
    auto isUnknown = [](int64_t, int64_t) { return std::optional<int64_t>(); };
    forEachComputedDim(said, isUnknown, [&](int64_t argument, int64_t dim, std::optional<int64_t>) {
      seen.insert(equal.getOrInsertLeaderValue({argument, dim}));
    });
    VariantSizes ones;
    forEachOpenDim(function, [&](unsigned argument, int64_t dim) {
      ArgumentDim leader = equal.getOrInsertLeaderValue({argument, dim});
      auto find = [&](int64_t otherArgument, int64_t otherDim) {
        bool isSame = equal.getOrInsertLeaderValue({otherArgument, otherDim}) == leader;
        return isSame ? std::optional<int64_t>(1) : std::nullopt;
      };
      if (!function.getArgAttr(argument, attr::kParam) && seen.insert(leader).second &&
          readExtent(function, argument, attr::kDimBounds, dim).value_or(1) >= 1 && mayHold(said, find))
        ones.push_back({getDimCalls(function, argument, dim).front(), 1, 1, 1});
    });
    SmallVector<VariantSizes> candidates;
    constexpr size_t kMost = 4; // each is planned
    if (ones.size() > 1)
      candidates.push_back(ones);
    for (const VariantSize &size : ArrayRef(ones).take_front(kMost))
      candidates.push_back({size});
    return candidates;
  }

  /// What a size is planned for that a variant leaves open. (A variant for calls in which it is 1, too, stands before it.)
  static constexpr int64_t kSeveral = 8;

  static void planForSeveral(func::FuncOp variant) {
    forEachOpenDim(variant, [&](unsigned argument, int64_t dim) {
      int64_t size = std::min(kSeveral, readExtent(variant, argument, attr::kDimBounds, dim).value_or(kSeveral));
      if (getPlannedExtent(variant, argument, dim).value_or(0) < size && !variant.getArgAttr(argument, attr::kParam))
        writeExtent(variant, argument, attr::kDimHints, dim, size);
    });
  }

  /// What a call of a variant's sizes gains by it, in ns, where the others are what it is planned for; none if that is too
  /// little for code of its own.
  static std::optional<double> getGain(func::FuncOp function, func::FuncOp variant, Numerics numerics) {
    constexpr double kLeastPart = 0.05, kLeastNs = 10'000; // prices are known no better
    FailureOr<SmallVector<VariantDim>> dims = getVariantDims(variant);
    if (failed(dims))
      return std::nullopt;
    SmallVector<ArgumentSize> sizes = getLikelySizes(variant, *dims);
    forEachOpenDim(variant, [&](unsigned argument, int64_t dim) {
      if (std::optional<int64_t> planned = getPlannedExtent(variant, argument, dim);
          planned && !variant.getArgAttr(argument, attr::kParam))
        sizes.push_back({argument, dim, *planned});
    });
    double open = estimateCall(function, numerics, {}, sizes).ns;
    double gain = open - estimateCall(variant, numerics).ns;
    return gain >= std::max(kLeastNs, kLeastPart * open) ? std::optional(gain) : std::nullopt;
  }

  //===- Sizes ------------------------------------------------------------------------------===//

  /// Which dimensions of arguments the ops of each function make equal, those that composites stand for among them.
  LogicalResult findEqualDims() {
    OwningOpRef<ModuleOp> copy = getOperation().clone();
    PassManager passes(&getContext());
    passes.addPass(createFuseDecompose());
    passes.addPass(createFuseBindDims());
    if (failed(passes.run(*copy)))
      return failure();
    for (auto function : copy->getOps<func::FuncOp>()) {
      equalDims[function.getName()] = getEqualDims(function);
      conditions[function.getName()] = function->getAttrOfType<ArrayAttr>(kShapeConditions);
    }
    return success();
  }

  /// Each name is that of an open dimension, and no size is above its bound.
  LogicalResult checkNames(func::FuncOp function, ArrayRef<VariantSizes> variants) {
    SmallVector<std::string> known;
    llvm::StringMap<int64_t> bounds;
    llvm::StringSet<> parts; // of names that are expressions
    forEachOpenDim(function, [&](unsigned argument, int64_t dim) {
      int64_t bound = readExtent(function, argument, attr::kDimBounds, dim).value_or(-1);
      auto calls = getDimCalls(function, argument, dim);
      if (!llvm::is_contained(known, calls.front()))
        known.push_back(calls.front());
      for (const std::string &call : calls) {
        int64_t &least = bounds.try_emplace(call, -1).first->second;
        least = bound < 0 ? least : least < 0 ? bound : std::min(least, bound);
      }
      if (auto expression = parseDimExpression(getDimName(function, argument, dim), &getContext()))
        for (const std::string &part : expression->names)
          parts.insert(part);
    });
    for (const VariantSizes &variant : variants)
      for (const auto &[name, least, most, likely] : variant) {
        auto found = bounds.find(name);
        if (found == bounds.end() && parts.contains(name)) {
          if (least == most)
            continue;
          return function.emitError() << "expected one size of '" << name
                                      << "', of which a dimension is computed, found " << least << ".." << most;
        }
        if (found == bounds.end())
          return function.emitError() << "expected a variant's size of one of the open dimensions "
                                      << (known.empty() ? "(none)" : llvm::join(known, ", ")) << ", found '" << name << "'";
        if (found->second >= 0 && least > found->second)
          return function.emitError() << "a variant has " << name << "=" << least << ", above its bound of "
                                      << found->second;
      }
    return success();
  }

  /// Adds a variant of `function` behind `behind`, which is that variant then. Nothing is added on a failure.
  FailureOr<func::FuncOp> specialize(func::FuncOp function, const VariantSizes &sizes, SymbolTable &symbols,
                                     func::FuncOp &behind) {
    FailureOr<SmallVector<Chosen>> chosen = choose(function, sizes);
    if (failed(chosen))
      return failure();
    std::string name = (function.getName() + "_" + formatVariants(sizes)).str();
    for (char &c : name)
      c = llvm::isAlnum(c) ? c : '_';
    auto make = [&]() -> FailureOr<func::FuncOp> {
      func::FuncOp variant = function.clone();
      variant.setName(name);
      symbols.insert(variant, std::next(Block::iterator(behind)));
      if (succeeded(fix(variant, *chosen)))
        return variant;
      symbols.erase(variant);
      return failure();
    };
    // Parameters keep their types, and what is computed of one may not fit beside a size that is a number: of a
    // recurrence whose state has 1 element and whose inputs come of a parameter, a step gives a state of ? elements.
    // Such a size stays open then, and is a bound.
    if (llvm::any_of(*chosen, [](const Chosen &dim) { return dim.isOfParam; })) {
      ScopedDiagnosticHandler silence(&getContext(), [](Diagnostic &) { return success(); });
      if (FailureOr<func::FuncOp> variant = make(); succeeded(variant))
        return behind = *variant;
      llvm::for_each(*chosen, [](Chosen &dim) { dim.isOpen |= dim.isOfParam; });
    }
    ScopedDiagnosticHandler handler(&getContext(), [&](Diagnostic &diagnostic) {
      diagnostic.attachNote(function.getLoc()) << "in the variant for " << formatVariants(sizes);
      return failure(); // on to the handler outside
    });
    FailureOr<func::FuncOp> variant = make();
    if (failed(variant))
      return failure();
    return behind = *variant;
  }

  /// A dimension of an argument, and what it is in the variant.
  struct Chosen {
    int64_t argument, dim;
    VariantSize size;
    bool isOfParam; ///< whether it is that of a parameter, or equal to one
    bool isOpen;    ///< whether it stays so in types
  };

  /// Makes the chosen dimensions of a copy of a function what they are in the variant.
  LogicalResult fix(func::FuncOp variant, ArrayRef<Chosen> chosen) {
    SmallVector<Type> types(variant.getArgumentTypes());
    SmallVector<int64_t> dims;
    bool isFixed = false;
    for (auto [argument, dim, size, isOfParam, isOpen] : chosen) {
      dims.append({argument, dim, size.least, size.most});
      isFixed |= !isOpen;
      // A bound that is lower already stays.
      int64_t most = std::min(size.most, readExtent(variant, argument, attr::kDimBounds, dim).value_or(size.most));
      writeExtent(variant, argument, attr::kDimBounds, dim, isOpen ? most : -1);
      writeExtent(variant, argument, attr::kDimHints, dim, isOpen ? size.likely : -1);
      if (isOpen || variant.getArgAttr(argument, attr::kParam))
        continue;
      SmallVector<int64_t> shape(cast<ShapedType>(types[argument]).getShape());
      shape[dim] = size.most;
      types[argument] = cast<ShapedType>(types[argument]).clone(shape);
    }
    variant->setAttr(attr::kVariantSizes, DenseI64ArrayAttr::get(&getContext(), dims));
    return success(!isFixed || succeeded(refine(variant, types)));
  }

  /// What is said of an open dimension is said of all that must be equal to it (`fuse.equal_dims`): of two operands of an
  /// addition, of which one is known to be 1, the other would have any extent.
  FailureOr<SmallVector<Chosen>> choose(func::FuncOp function, const VariantSizes &sizes) {
    llvm::EquivalenceClasses<ArgumentDim> equal = equalDims.lookup(function.getName());
    auto getClass = [&](ArgumentDim dim) { return equal.getOrInsertLeaderValue(dim); };
    llvm::MapVector<ArgumentDim, VariantSize> known;
    LogicalResult isValid = success();
    forEachOpenDim(function, [&](unsigned argument, int64_t dim) {
      auto calls = getDimCalls(function, argument, dim);
      for (const VariantSize &size : sizes) {
        if (!llvm::is_contained(calls, size.name))
          continue;
        VariantSize &other = known.try_emplace(getClass({argument, dim}), size).first->second;
        if (other.least != size.least || other.most != size.most)
          isValid = function.emitError() << "a variant has " << formatVariants({{other, size}}) << ", which must be equal";
      }
    });
    if (failed(isValid))
      return failure();
    forEachOpenDim(function, [&](unsigned argument, int64_t dim) {
      StringRef name = getDimName(function, argument, dim);
      if (std::optional<int64_t> size = computeSize(name, sizes, &getContext()))
        known.try_emplace(getClass({argument, dim}), VariantSize{name.str(), *size, *size, *size});
    });
    SmallVector<Chosen> chosen;
    llvm::SmallSet<ArgumentDim, 4> ofParams;
    forEachOpenDim(function, [&](unsigned argument, int64_t dim) {
      if (function.getArgAttr(argument, attr::kParam))
        ofParams.insert(getClass({argument, dim}));
    });
    forEachOpenDim(function, [&](unsigned argument, int64_t dim) {
      auto found = known.find(getClass({argument, dim}));
      if (found == known.end())
        return;
      // (Of no elements a type need not say so: what has none beside what has any number is for no kernel to compute.)
      const VariantSize &size = found->second;
      bool isOpen = size.least != size.most || size.most == 0;
      chosen.push_back({argument, dim, size, ofParams.contains(found->first), isOpen});
    });
    return chosen;
  }

  /// What follows from the arguments' extents becomes part of types, what is computed of extents numbers, and a branch on
  /// such numbers one of its sides, whose extents are known then, too.
  LogicalResult refine(func::FuncOp variant, ArrayRef<Type> types) {
    RewritePatternSet patterns(&getContext());
    for (Dialect *dialect : getContext().getLoadedDialects())
      dialect->getCanonicalizationPatterns(patterns);
    // Upstream's patterns of loops give what a loop carries the type that it begins with, whatever its passes yield.
    for (RegisteredOperationName op : getContext().getRegisteredOperations())
      if (!op.hasInterface<LoopLikeOpInterface>())
        op.getCanonicalizationPatterns(patterns, &getContext());
    FrozenRewritePatternSet frozen(std::move(patterns));
    constexpr unsigned kMostRounds = 4; // of branches in branches
    bool changed = true;
    for (unsigned round = 0; changed && round < kMostRounds; ++round) {
      if (failed(refineShapes(variant, types)))
        return failure();
      (void)applyPatternsGreedily(variant, frozen, GreedyRewriteConfig(), &changed);
    }
    if (failed(refineShapes(variant, types)) || failed(mlir::verify(variant)))
      return failure();
    return success();
  }

  llvm::StringMap<llvm::EquivalenceClasses<ArgumentDim>> equalDims; ///< by function
  llvm::StringMap<ArrayAttr> conditions; ///< what must hold of extents (see kShapeConditions), by function
};

} // namespace
