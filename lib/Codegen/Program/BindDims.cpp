//===- BindDims.cpp - Which dynamic dimensions must be equal ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Codegen/Program/Passes.h"
#include "fuse/IR/DimNames.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/IR/ShapeConditions.h"
#include "fuse/IR/Shapes.h"
#include "fuse/IR/StatedExtents.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEBINDDIMS
#include "fuse/Codegen/Program/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// An argument's dimension times `times`, divided by `over`; of argument -1 the constant `dim`.
struct ScaledDim {
  int64_t argument, dim, times, over;
};

/// Factors of two sides without what they have in common; none if a product overflows.
using Factors = std::optional<std::pair<int64_t, int64_t>>;

/// a·b on the left, c·d on the right; all above 0.
Factors multiplySides(int64_t a, int64_t b, int64_t c, int64_t d) {
  auto divide = [](int64_t &left, int64_t &right) {
    int64_t common = std::gcd(left, right);
    left /= common;
    right /= common;
  };
  divide(a, c), divide(a, d), divide(b, c), divide(b, d);
  int64_t left, right;
  if (llvm::MulOverflow(a, b, left) || llvm::MulOverflow(c, d, right))
    return std::nullopt;
  return std::pair(left, right);
}

/// A group's one dynamic dimension and the product of the others.
struct DynamicDim {
  int64_t dim, count;
};

/// None if the group has none or several, or the product overflows, which `overflows` says.
std::optional<DynamicDim> findDynamic(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims,
                                      bool &overflows) {
  DynamicDim found = {-1, 1};
  bool isTooLarge = false;
  for (int64_t dim : dims) {
    if (!ShapedType::isDynamic(shape[dim]))
      isTooLarge |= llvm::MulOverflow(found.count, shape[dim], found.count) != 0;
    else if (found.dim >= 0)
      return std::nullopt;
    else
      found.dim = dim;
  }
  if (found.dim < 0)
    return std::nullopt;
  overflows |= isTooLarge;
  return isTooLarge ? std::nullopt : std::optional(found);
}

/// Appends argument, dimension and factor of either side where they must be equal; first an
/// argument's. Fails if a factor overflows.
LogicalResult appendCheck(SmallVectorImpl<int64_t> &checks, ScaledDim left, ScaledDim right) {
  if (left.argument < 0)
    std::swap(left, right);
  if (left.argument < 0)
    return success();
  Factors factors = multiplySides(left.times, right.over, right.times, left.over);
  int64_t extent;
  if (!factors ||
      (right.argument < 0 && llvm::MulOverflow(right.dim, factors->second, extent) != 0))
    return failure();
  if (left.argument != right.argument || left.dim != right.dim || factors->first != factors->second)
    checks.append(
        {left.argument, left.dim, factors->first, right.argument, right.dim, factors->second});
  return success();
}

/// What ops expect of extents that are computed of those of arguments.
class Expectations {
public:
  Expectations(func::FuncOp function, SymbolicShapes &shapes)
      : function(function), shapes(shapes), conditions(function, shapes) {
    function.walk([&](cf::AssertOp assertion) {
      Operation *op = assertion->getNextNode();
      while (op && (isa<cf::AssertOp>(op) || llvm::any_of(op->getResultTypes(), [](Type type) { return type.isIntOrIndex(); })))
        op = op->getNextNode();
      if (op && assertion.getMsg().starts_with(getPrefix(op)))
        asserted.insert(op);
    });
  }

  void expectEqual(Operation *op, AffineExpr one, AffineExpr other) {
    if (simplifyExtent(one - other) != getAffineConstantExpr(0, op->getContext()))
      add(op, one, other, /*isLeast=*/false, "extents {} and {} differ");
  }
  void expectLeast(Operation *op, AffineExpr extent, AffineExpr least, StringRef text) {
    std::optional<int64_t> difference = getLeast(simplifyExtent(extent - least));
    if (!difference || *difference < 0)
      add(op, extent, least, /*isLeast=*/true, text);
  }

  /// What ops say of their own sizes.
  void addOwn(Operation *op) {
    MLIRContext *context = op->getContext();
    AffineExpr zero = getAffineConstantExpr(0, context);
    auto getAll = [&](Value value) {
      SmallVector<AffineExpr> extents;
      for (int64_t dim = 0, end = cast<ShapedType>(value.getType()).getRank(); dim < end; ++dim)
        extents.push_back(shapes.getExtent(value, dim));
      return extents;
    };
    if (isa<BroadcastOp, IotaOp, ReshapeOp, ResizeNearestOp>(op))
      for (AffineExpr extent : getAll(op->getResult(0)))
        expectLeast(op, extent, zero, "a size of {}, expected at least {}");
    if (auto reshape = dyn_cast<ReshapeOp>(op); reshape && !reshape.getSizes().empty()) {
      AffineExpr from = getAffineConstantExpr(1, context), to = from;
      for (AffineExpr extent : getAll(reshape.getOperand()))
        from = from * extent;
      for (AffineExpr extent : getAll(reshape.getResult()))
        to = to * extent;
      if (simplifyExtent(from) != simplifyExtent(to))
        add(op, from, to, /*isLeast=*/false, "{} elements are given, {} expected");
    }
    if (auto slice = dyn_cast<SliceOp>(op)) {
      SmallVector<AffineExpr> from = getAll(slice.getOperand()), to = getAll(slice.getResult());
      unsigned nextOffset = 0;
      for (auto [dim, offset] : llvm::enumerate(slice.getOffsets())) {
        bool isValue = ShapedType::isDynamic(offset);
        AffineExpr begin = isValue ? shapes.getNumber(slice.getDynamicOffsets()[nextOffset++])
                                   : getAffineConstantExpr(offset, context);
        if (slice.isWhole(dim))
          continue;
        expectLeast(op, begin, zero, "an offset of {}, expected at least {}");
        expectLeast(op, to[dim], zero, "a size of {}, expected at least {}");
        int64_t stride = slice.getStrides()[dim];
        expectLeast(op, from[dim], begin + (to[dim] - 1) * stride + 1, "an extent of {}, expected at least {}");
      }
    }
    if (auto pad = dyn_cast<PadOp>(op))
      for (auto [dim, extent] : llvm::enumerate(getAll(pad.getOperand()))) {
        int64_t low = pad.getLow()[dim], high = pad.getHigh()[dim];
        int64_t cut = std::max({-low, -high, -(low + high)});
        expectLeast(op, extent, getAffineConstantExpr(cut, context), "an extent of {}, expected at least {}");
      }
    auto addArg = [&](auto arg) {
      expectLeast(op, shapes.getExtent(arg.getOperand(), arg.getDimension()), getAffineConstantExpr(1, context),
                  "an extent of {}, expected at least {}");
    };
    auto addIndexed = [&](auto indexed) {
      AffineExpr count = getAffineConstantExpr(1, context);
      for (AffineExpr extent : getAll(indexed.getIndices()))
        count = count * extent;
      // In an empty dimension there is nothing to index: as many pairs of an index and an element as indices.
      AffineExpr extent = shapes.getExtent(indexed.getOperand(), indexed.getDimension());
      expectLeast(op, extent * count, count, "{} elements for indices to choose from, expected at least {}");
    };
    llvm::TypeSwitch<Operation *>(op).Case<ArgmaxOp, ArgminOp>(addArg).Case<GatherOp, ScatterOp>(addIndexed);
    auto addWindow = [&](auto window) {
      for (int axis : {0, 1}) {
        int64_t dim = (window.getLayout() == ConvLayout::NchwFchw ? 2 : 1) + axis;
        expectLeast(op, shapes.getExtent(window.getResult(), dim), getAffineConstantExpr(1, context),
                    "{} windows along an extent, expected at least {}");
      }
    };
    llvm::TypeSwitch<Operation *>(op).Case<Conv2dOp, MaxPool2dOp, AvgPool2dOp>(addWindow);
  }

  /// What the names of arguments' dimensions say where they are expressions: `4*h`, `past + seq`.
  void addNamed() {
    for (auto [value, dim] : shapes.getComputedDims()) {
      auto argument = cast<BlockArgument>(value);
      std::string text = getArgumentName(function, argument.getArgNumber()) + ": " +
                         describeDim(function, argument.getArgNumber(), dim) + " is {}, expected ";
      AffineExpr given = shapes.getGiven(argument, dim), said = shapes.getExtent(argument, dim);
      if (!holdsAlways(argument, dim, given, said))
        (void)conditions.add(given, said, /*isLeast=*/false, text + "{}");
      // What a name stands for is no less than 0: of `past + 1`, `past`.
      said.walk([&](AffineExpr part) {
        auto symbol = dyn_cast<AffineSymbolExpr>(part);
        if (symbol && shapes.getSource(symbol).plus > 0)
          (void)conditions.add(given, getAffineConstantExpr(shapes.getSource(symbol).plus, function.getContext()),
                               /*isLeast=*/true, text + "at least {}");
      });
    }
  }

  void setAttribute() { conditions.setAttribute(); }

private:
  /// Of `past + 1`, which alone says what `past` is.
  bool holdsAlways(BlockArgument argument, int64_t dim, AffineExpr given, AffineExpr said) const {
    DenseMap<AffineExpr, AffineExpr> replaced;
    said.walk([&](AffineExpr part) {
      auto symbol = dyn_cast<AffineSymbolExpr>(part);
      if (!symbol)
        return;
      ExtentSymbol source = shapes.getSource(symbol);
      if (source.value == argument && source.dim == dim)
        replaced[part] = source.getOf(given);
    });
    return simplifyExtent(said.replace(replaced)) == given;
  }

  void add(Operation *op, AffineExpr one, AffineExpr other, bool isLeast, StringRef text) {
    std::string name = getPrefix(op);
    if (op->getParentOp() == function && succeeded(conditions.add(one, other, isLeast, name + text)))
      return;
    // In a branch, where it may not matter, or of what the program computes. An earlier run has seen it.
    auto isThere = [&](Value value) { return value.getDefiningOp() != op; };
    if (asserted.contains(op) || !shapes.isOf(one, isThere) || !shapes.isOf(other, isThere))
      return;
    OpBuilder builder(op);
    assertShape(builder, op->getLoc(), shapes, one, other, isLeast, name + (isLeast ? "a size is too small" : "sizes differ"));
  }

  /// What messages about an op begin with.
  static std::string getPrefix(Operation *op) { return (op->getName().stripDialect() + ": ").str(); }

  func::FuncOp function;
  llvm::DenseSet<Operation *> asserted; ///< ops of branches in front of which an earlier run put conditions

  SymbolicShapes &shapes;
  ShapeConditions conditions;
};

struct BindDims : fuse::impl::FuseBindDimsBase<BindDims> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<affine::AffineDialect, arith::ArithDialect, cf::ControlFlowDialect, memref::MemRefDialect,
                    tensor::TensorDialect>();
  }

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration() && function.isPublic() && failed(bind(function)))
        return signalPassFailure();
  }

  using Dim = std::pair<void *, int64_t>;

  /// What must hold of computed extents: `find` gives the class of those that are one extent. Those that `scaled` lists
  /// for one class are compared already.
  static void addConditions(func::FuncOp function, SymbolicShapes &shapes,
                            llvm::function_ref<Dim(Value, int64_t)> find,
                            const llvm::DenseMap<Dim, int64_t> &constants,
                            const llvm::DenseMap<Dim, SmallVector<AffineExpr>> &scaled) {
    Expectations conditions(function, shapes);
    conditions.addNamed();
    llvm::DenseMap<Dim, AffineExpr> extents;
    for (auto [root, extent] : constants)
      extents[root] = getAffineConstantExpr(extent, function.getContext());
    for (BlockArgument argument : function.getArguments())
      if (auto type = dyn_cast<ShapedType>(argument.getType()))
        for (int64_t dim = 0; dim < type.getRank(); ++dim)
          if (type.isDynamicDim(dim))
            extents.try_emplace(find(argument, dim), shapes.getExtent(argument, dim));
    SmallVector<Operation *> ops; // asserting adds others
    function.walk([&](Operation *op) {
      if (!isa_and_nonnull<ScanOp>(op->getParentOp()))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      for (Value result : op->getResults()) {
        auto type = dyn_cast<RankedTensorType>(result.getType());
        if (!type || type.hasStaticShape())
          continue;
        for (Value value : llvm::concat<Value>(SmallVector<Value>(op->getOperands()), SmallVector<Value>{result})) {
          auto shaped = dyn_cast<RankedTensorType>(value.getType());
          for (int64_t dim = 0; shaped && dim < shaped.getRank(); ++dim) {
            AffineExpr extent = shapes.getExtent(value, dim);
            Dim root = find(value, dim);
            auto [it, isNew] = extents.try_emplace(root, extent);
            ArrayRef<AffineExpr> known = scaled.contains(root) ? scaled.at(root) : ArrayRef<AffineExpr>();
            if (!isNew && !(llvm::is_contained(known, extent) && llvm::is_contained(known, it->second)))
              conditions.expectEqual(op, extent, it->second);
          }
        }
      }
      conditions.addOwn(op);
    }
    conditions.setAttribute();
  }

  LogicalResult bind(func::FuncOp function) {
    // Classes of what is equal: dimensions of values and, per op, its loops.
    llvm::EquivalenceClasses<Dim> classes;
    auto loopOf = [](Operation *op, int64_t loop) { return Dim(op, loop); };
    auto dimOf = [](Value value, int64_t dim) { return Dim(value.getAsOpaquePointer(), dim); };
    auto find = [&](Value value, int64_t dim) {
      return classes.getOrInsertLeaderValue(dimOf(value, dim));
    };
    function.walk([&](FusableOpInterface op) {
      SmallVector<AffineMap> maps = op.getIndexingMapsArray();
      SmallVector<Value> values(op->getOperands());
      llvm::append_range(values, op->getResults());
      for (auto [value, map] : llvm::zip(values, maps)) {
        if (!map || !isa<ShapedType>(value.getType()))
          continue;
        auto slice = dyn_cast<SliceOp>(op.getOperation());
        for (auto [position, expr] : llvm::enumerate(map.getResults()))
          if (auto dim = dyn_cast<AffineDimExpr>(expr);
              dim && (!slice || value == slice.getResult() || slice.isWhole(position)))
            classes.unionSets(loopOf(op, dim.getPosition()), dimOf(value, position));
      }
    });

    // The steps of a scan, and what its body makes of a step: of a sequence an element.
    function.walk([&](ScanOp scan) {
      unsigned numStates = scan.getNumStates();
      auto unite = [&](Value inner, Value outer, bool isElement) {
        for (int64_t dim = 0, rank = cast<ShapedType>(inner.getType()).getRank(); dim < rank; ++dim)
          classes.unionSets(dimOf(inner, dim), dimOf(outer, dim + isElement));
      };
      unsigned numSequences = scan.getSequences().size();
      for (auto [number, values] :
           llvm::enumerate(llvm::zip_equal(scan.getBody().getArguments(), scan->getOperands())))
        unite(std::get<0>(values), std::get<1>(values), number >= numStates && number < numStates + numSequences);
      for (auto [number, values] :
           llvm::enumerate(llvm::zip_equal(scan.getYield().getOperands(), scan->getResults()))) {
        unite(std::get<0>(values), std::get<1>(values), number >= numStates);
        if (number < numStates)
          unite(std::get<0>(values), scan.getStates()[number], false);
      }
      for (Value sequence : scan.getSequences())
        classes.unionSets(loopOf(scan, 0), dimOf(sequence, 0));
      for (Value output : scan.getResults().drop_front(numStates))
        classes.unionSets(loopOf(scan, 0), dimOf(output, 0));
    });

    // What an earlier run found, while composites were whole.
    if (auto pairs = function->getAttrOfType<DenseI64ArrayAttr>(attr::kEqualDims))
      for (ArrayRef<int64_t> list = pairs.asArrayRef(); list.size() >= 4; list = list.drop_front(4))
        if (list[2] >= 0)
          classes.unionSets(dimOf(function.getArgument(list[0]), list[1]),
                            dimOf(function.getArgument(list[2]), list[3]));

    // What is called alike is equal. A name that is an expression says more: see addNamed.
    llvm::StringMap<Dim> named;
    forEachOpenDim(function, [&](unsigned argument, int64_t dim) {
      if (StringRef name = getDimName(function, argument, dim); !name.empty()) {
        Dim own = dimOf(function.getArgument(argument), dim);
        classes.unionSets(named.try_emplace(name, own).first->second, own);
      }
    });

    // The first dimension of each class is what the others equal; a static extent wins.
    llvm::DenseMap<Dim, int64_t> constants;
    auto noteConstant = [&](Value value) {
      if (auto type = dyn_cast<ShapedType>(value.getType()))
        for (int64_t dim = 0; dim < type.getRank(); ++dim)
          if (classes.contains(dimOf(value, dim)) && !type.isDynamicDim(dim))
            constants.try_emplace(find(value, dim), type.getDimSize(dim));
    };
    for (Value argument : function.getArguments())
      noteConstant(argument);
    function.walk([&](Operation *op) {
      for (Value result : op->getResults())
        noteConstant(result);
    });
    llvm::DenseMap<Dim, std::pair<int64_t, int64_t>> firsts;
    SmallVector<int64_t> equal;
    for (BlockArgument argument : function.getArguments()) {
      auto type = dyn_cast<ShapedType>(argument.getType());
      if (!type)
        continue;
      for (int64_t dim = 0; dim < type.getRank(); ++dim) {
        if (!type.isDynamicDim(dim))
          continue;
        Dim root = find(argument, dim);
        if (auto it = constants.find(root); it != constants.end()) {
          equal.append({argument.getArgNumber(), dim, -1, it->second});
          continue;
        }
        auto [it, isNew] = firsts.try_emplace(root, argument.getArgNumber(), dim);
        if (!isNew)
          equal.append({argument.getArgNumber(), dim, it->second.first, it->second.second});
      }
    }
    if (!equal.empty())
      function->setAttr(attr::kEqualDims, DenseI64ArrayAttr::get(&getContext(), equal));

    // A reshape makes an extent that is a multiple or a part of another one; where its result must
    // have a certain extent too, so must these.
    llvm::DenseMap<Dim, ScaledDim> sources;
    // Of arguments, equal extents are one symbol.
    SymbolicShapes shapes(&getContext());
    llvm::DenseMap<Dim, SmallVector<AffineExpr>> scaledExtents;
    SmallVector<OpenDim> openDims;
    forEachOpenDim(function, [&](unsigned argument, int64_t dim) {
      Dim root = find(function.getArgument(argument), dim);
      OpenDim &open = openDims.emplace_back(
          OpenDim{function.getArgument(argument), static_cast<unsigned>(dim), getDimName(function, argument, dim)});
      llvm::raw_string_ostream(open.key) << root.first << " " << root.second;
    });
    shapes.addOpenDims(openDims);
    auto addSource = [&](Dim root, const ScaledDim &source) {
      AffineExpr extent = source.argument < 0 ? getAffineConstantExpr(source.dim, &getContext())
                                              : shapes.getExtent(function.getArgument(source.argument), source.dim);
      bool isWhole = source.times % source.over == 0;
      scaledExtents[root].push_back(isWhole ? extent * (source.times / source.over)
                                            : (extent * source.times).floorDiv(source.over));
      return sources.try_emplace(root, source);
    };
    for (auto [root, extent] : constants)
      addSource(root, {-1, extent, 1, 1});
    for (auto [root, first] : firsts)
      addSource(root, {first.first, first.second, 1, 1});
    SmallVector<int64_t> scaled;
    WalkResult walked = function.walk([&](ReshapeOp op) {
      ArrayRef<int64_t> from = cast<ShapedType>(op.getOperand().getType()).getShape();
      ArrayRef<int64_t> to = op.getType().getShape();
      bool overflows = false;
      for (const ReshapeGroup &group : op.getGroups()) {
        auto fromDim = findDynamic(from, group.from, overflows);
        auto toDim = findDynamic(to, group.to, overflows);
        if (!fromDim || !toDim)
          continue;
        auto source = sources.find(find(op.getOperand(), fromDim->dim));
        if (source == sources.end())
          continue;
        ScaledDim result = source->second;
        Factors factors = multiplySides(result.times, fromDim->count, result.over, toDim->count);
        overflows |= !factors;
        if (!factors)
          continue;
        std::tie(result.times, result.over) = *factors;
        auto [it, isNew] = addSource(find(op.getResult(), toDim->dim), result);
        if (!isNew)
          overflows |= failed(appendCheck(scaled, result, it->second));
      }
      if (!overflows)
        return WalkResult::advance();
      op.emitOpError() << "extents multiply to 2^63 or more: " << formatShape(from) << " to "
                       << formatShape(to);
      return WalkResult::interrupt();
    });
    if (walked.wasInterrupted())
      return failure();
    if (!scaled.empty())
      function->setAttr(attr::kScaledDims, DenseI64ArrayAttr::get(&getContext(), scaled));
    addConditions(function, shapes, [&](Value value, int64_t dim) { return find(value, dim); }, constants,
                  scaledExtents);
    return success();
  }
};

} // namespace
