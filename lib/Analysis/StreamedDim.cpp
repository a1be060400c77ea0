//===- StreamedDim.cpp - A loop that several members run in step ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/StreamedDim.h"
#include "fuse/Analysis/MemberReads.h"
#include "fuse/Support/Saturating.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fuse;

bool StreamedDim::isRunningMaximum(unsigned member) const {
  return llvm::any_of(corrections, [&](const StreamCorrection &correction) {
    return correction.maximum == member;
  });
}

static AffineMap mapByClass(const KernelMembers &kernel, ArrayRef<int> wanted, OpResult to) {
  auto member = cast<linalg::LinalgOp>(to.getOwner());
  ArrayRef<unsigned> classes = kernel.domain().classes[kernel.number(member)];
  AffineMap written = member.getIndexingMapMatchingResult(to);
  MLIRContext *context = to.getContext();
  SmallVector<AffineExpr> exprs;
  for (int id : wanted) {
    AffineExpr found = id < 0 ? getAffineConstantExpr(0, context) : AffineExpr();
    for (auto [position, expr] : llvm::enumerate(written.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop || static_cast<int>(classes[loop.getPosition()]) != id)
        continue;
      if (found)
        return {};
      found = getAffineDimExpr(position, context);
    }
    if (!found)
      return {};
    exprs.push_back(found);
  }
  return AffineMap::get(written.getNumResults(), 0, exprs, context);
}

AffineMap fuse::mapByClass(const KernelMembers &kernel, unsigned member, AffineMap map,
                           OpResult to) {
  SmallVector<int> wanted;
  for (AffineExpr expr : map.getResults()) {
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      wanted.push_back(kernel.domain().classes[member][loop.getPosition()]);
    else if (isa<AffineConstantExpr>(expr) && cast<AffineConstantExpr>(expr).getValue() == 0)
      wanted.push_back(-1);
    else
      return {};
  }
  return ::mapByClass(kernel, wanted, to);
}

AffineMap fuse::mapByClass(const KernelMembers &kernel, OpResult from, OpResult to) {
  auto member = cast<linalg::LinalgOp>(from.getOwner());
  return mapByClass(kernel, kernel.number(member), member.getIndexingMapMatchingResult(from), to);
}

namespace {

/// What a value in the loop is, seen as a function of values that the loop has not finished.
struct Form {
  enum Kind {
    Plain,   ///< needs none of them
    Maximum, ///< is a running maximum
    Shifted, ///< T(x - m)
    Scaled,  ///< linear in exp(T(x - m)), in a deferred factor, or both
    Late,    ///< needs their final values, and does not change along the dim
  };
  Kind kind = Plain;
  bool varies = false;         ///< changes along the dim
  StreamCorrection shift = {}; ///< of Maximum and Shifted, so far
  int correction = StreamedDim::kNone;
  SmallVector<unsigned, 1> deferrals = {};
};

class Analyzer {
public:
  Analyzer(const KernelMembers &kernel, unsigned dimClass) : kernel(kernel) {
    dim.dimClass = dimClass;
  }

  /// Fails with `reason`.
  LogicalResult run() {
    for (unsigned m = 0; m < kernel.ops().size(); ++m)
      if (failed(visit(m)))
        return failure();
    for (auto [m, deferred] : llvm::enumerate(dim.deferredOf))
      for (unsigned number : deferred)
        if (failed(checkDeferral(dim.deferrals[number], m)))
          return failure();
    return success();
  }

  StreamedDim dim;
  std::string reason;

private:
  LogicalResult refuse(const Twine &why) {
    reason = why.str();
    return failure();
  }

  std::optional<unsigned> getLoop(unsigned member) const {
    for (auto [loop, id] : llvm::enumerate(kernel.domain().classes[member]))
      if (id == dim.dimClass)
        return loop;
    return std::nullopt;
  }

  //===- Members --------------------------------------------------------------------------===//

  LogicalResult visit(unsigned m) {
    linalg::LinalgOp member = kernel.ops()[m];
    member_ = member;
    number_ = m;
    std::optional<unsigned> loop = getLoop(m);
    loop_ = loop;
    dim.correctionOf.push_back(StreamedDim::kNone);
    dim.deferredOf.emplace_back();
    dim.folds.push_back(loop &&
                        member.getIteratorTypesArray()[*loop] == utils::IteratorType::reduction);
    SmallVector<Form> operands;
    bool isPlain = true;
    for (OpOperand &operand : member->getOpOperands()) {
      FailureOr<Form> form = getOperandForm(operand.get(), member.getMatchingIndexingMap(&operand));
      if (failed(form))
        return failure();
      form->varies = loop && member.getMatchingIndexingMap(&operand).isFunctionOfDim(*loop);
      isPlain &= form->kind == Form::Plain;
      operands.push_back(*form);
    }
    for (BodyRead &read : getBodyReads(member)) {
      FailureOr<Form> form = getOperandForm(read.op.getTensor(), read.map);
      if (failed(form))
        return failure();
      if (form->kind != Form::Plain && loop)
        return refuse("an element is read at a position that is known at run time only");
      isPlain &= form->kind == Form::Plain;
    }
    if (!loop)
      return visitOutside(isPlain, operands);

    dim.source = {m, *loop};
    dim.extent = member.getStaticLoopRanges()[*loop];
    dim.phases.push_back(StreamPhase::In);
    for (OpResult result : member->getResults())
      if (!dim.folds[m] && kernel.resultNumber(result))
        return refuse("a result of the kernel runs along the dim");
    if (isPlain) {
      for (OpResult result : member->getResults())
        forms[result] = dim.folds[m] ? getFolded(member) : Form{};
      return success();
    }
    auto generic = dyn_cast<linalg::GenericOp>(member.getOperation());
    if (!generic || generic->getNumResults() != 1)
      return refuse("a member with several results needs the final value of what is reduced");
    scalars.clear();
    for (auto [argument, form] : llvm::zip_equal(generic.getBody()->getArguments(), operands))
      scalars[argument] = form;
    Value yielded = generic.getBody()->getTerminator()->getOperand(0);
    OpResult result = generic->getResult(0);
    if (!dim.folds[m]) {
      FailureOr<Form> form = getScalarForm(yielded);
      if (failed(form))
        return failure();
      if (form->kind == Form::Late || form->kind == Form::Maximum)
        return refuse("the final value of what is reduced is spread along the dim");
      forms[result] = *form;
      return success();
    }
    auto sum = yielded.getDefiningOp<arith::AddFOp>();
    Value accumulator = generic.getRegionOutputArgs().front();
    if (!sum || !accumulator.hasOneUse() ||
        (sum.getLhs() != accumulator && sum.getRhs() != accumulator) ||
        operands.back().kind != Form::Plain)
      return refuse("what is reduced is no sum");
    FailureOr<Form> term = getScalarForm(sum.getLhs() == accumulator ? sum.getRhs() : sum.getLhs());
    if (failed(term))
      return failure();
    if (term->kind == Form::Scaled) {
      dim.correctionOf[m] = term->correction;
      dim.deferredOf[m] = term->deferrals;
      if (term->correction != StreamedDim::kNone) {
        linalg::LinalgOp maximum = kernel.ops()[dim.corrections[term->correction].maximum];
        if (!mapByClass(kernel, maximum->getResult(0), result))
          return refuse("a maximum and a sum do not run along the same dims");
      }
    } else if (term->kind != Form::Plain) {
      return refuse("a sum needs the final value of what is reduced");
    }
    forms[result] = Form{Form::Late};
    return success();
  }

  /// A member without the dim: before the loop, after it, or a cast of a running maximum.
  LogicalResult visitOutside(bool isPlain, ArrayRef<Form> operands) {
    auto generic = dyn_cast<linalg::GenericOp>(member_.getOperation());
    dim.phases.push_back(isPlain ? StreamPhase::Before : StreamPhase::After);
    for (OpResult result : member_->getResults())
      forms[result] = Form{isPlain ? Form::Plain : Form::Late};
    if (isPlain || !generic || generic->getNumResults() != 1 || generic.getNumReductionLoops() > 0)
      return success();
    scalars.clear();
    for (auto [argument, form] : llvm::zip_equal(generic.getBody()->getArguments(), operands))
      scalars[argument] = form;
    FailureOr<Form> form = getScalarForm(generic.getBody()->getTerminator()->getOperand(0));
    reason.clear();
    if (succeeded(form) && form->kind == Form::Maximum) {
      forms[generic->getResult(0)] = *form;
      dim.phases.back() = StreamPhase::Running;
    }
    return success();
  }

  /// The form of what a member folds of plain values.
  Form getFolded(linalg::LinalgOp member) const {
    Form form{Form::Late};
    auto generic = dyn_cast<linalg::GenericOp>(member.getOperation());
    if (!generic || generic->getNumResults() != 1)
      return form;
    Operation *combiner = generic.getBody()->getTerminator()->getOperand(0).getDefiningOp();
    if (!isa_and_nonnull<arith::MaximumFOp, arith::MaxNumFOp>(combiner) ||
        !generic.getRegionOutputArgs().front().hasOneUse() ||
        !llvm::is_contained(combiner->getOperands(), generic.getRegionOutputArgs().front()))
      return form;
    form.kind = Form::Maximum;
    form.shift.maximum = kernel.number(member);
    return form;
  }

  /// Of a value that a member reads along `map`.
  FailureOr<Form> getOperandForm(Value value, AffineMap map) {
    while (isTensorView(value.getDefiningOp())) {
      map = mapThroughView(value.getDefiningOp(), map);
      value = value.getDefiningOp()->getOperand(0);
    }
    auto it = forms.find(value);
    if (it != forms.end()) {
      // Running values are known at the position that the tile stands at, and nowhere else.
      if (it->second.kind == Form::Maximum &&
          !llvm::all_of(map.getResults(), llvm::IsaPred<AffineDimExpr>))
        return Form{Form::Late};
      return it->second;
    }
    Operation *def = value.getDefiningOp();
    if (!isa_and_nonnull<linalg::LinalgOp, tensor::PadOp>(def))
      return Form{};
    // Generated where it is read.
    SmallVector<Value> reads(def->getOperands());
    if (auto generated = dyn_cast<linalg::LinalgOp>(def))
      for (BodyRead &read : getBodyReads(generated))
        reads.push_back(read.op.getTensor());
    for (Value read : reads) {
      if (!isa<RankedTensorType>(read.getType()))
        continue;
      auto rank = cast<RankedTensorType>(read.getType()).getRank();
      auto whole = AffineMap::getMultiDimIdentityMap(rank, value.getContext());
      FailureOr<Form> form = getOperandForm(read, whole);
      if (succeeded(form) && form->kind != Form::Plain && !loop_)
        return Form{Form::Late}; // its reader stands behind the loop, where the value is final
      if (failed(form) || form->kind != Form::Plain) {
        (void)refuse("what is generated where it is read needs the final value of what is reduced");
        return failure();
      }
    }
    return Form{};
  }

  //===- Bodies ---------------------------------------------------------------------------===//

  static bool isConstant(Value value) { return matchPattern(value, m_Constant()); }

  static bool isMinusInfinity(Value value) {
    FloatAttr constant;
    return matchPattern(value, m_Constant(&constant)) && constant.getValue().isInfinity() &&
           constant.getValue().isNegative();
  }

  FailureOr<Form> getScalarForm(Value value) {
    if (auto it = scalars.find(value); it != scalars.end())
      return it->second;
    Operation *op = value.getDefiningOp();
    if (!op || op->getParentOp() != member_.getOperation())
      return Form{};
    SmallVector<Form> operands;
    for (Value operand : op->getOperands()) {
      FailureOr<Form> form = getScalarForm(operand);
      if (failed(form))
        return failure();
      operands.push_back(*form);
    }
    FailureOr<Form> form = apply(op, operands);
    if (succeeded(form))
      scalars[value] = *form;
    return form;
  }

  FailureOr<Form> apply(Operation *op, ArrayRef<Form> operands) {
    bool varies = llvm::any_of(operands, [](const Form &form) { return form.varies; });
    if (auto index = dyn_cast<linalg::IndexOp>(op))
      varies = loop_ && index.getDim() == *loop_;
    auto isKind = [&](Form::Kind kind) {
      return [kind](const Form &form) { return form.kind == kind; };
    };
    if (llvm::all_of(operands, isKind(Form::Plain)))
      return Form{Form::Plain, varies};
    if (isa<arith::ExtFOp, arith::TruncFOp>(op)) {
      Form form = operands[0];
      if (form.kind == Form::Maximum)
        form.shift.before.push_back({op, 0});
      if (form.kind == Form::Shifted)
        form.shift.after.push_back({op, 0});
      return form;
    }
    bool isKnown = llvm::all_of(operands, [](const Form &form) {
      return form.kind == Form::Plain || form.kind == Form::Maximum || form.kind == Form::Late;
    });
    if (isa<arith::SubFOp>(op) && operands[0].kind == Form::Plain &&
        operands[1].kind == Form::Maximum) {
      Form form = operands[1];
      form.kind = Form::Shifted;
      form.shift.difference = op;
      form.varies = varies;
      return form;
    }
    if (isKnown && !varies)
      return Form{Form::Late};
    if (llvm::any_of(operands, isKind(Form::Shifted)))
      return applyToShifted(op, operands);
    if (isa<arith::MulFOp, arith::DivFOp>(op))
      return applyFactor(op, operands);
    if (isa<arith::NegFOp>(op) && operands[0].kind == Form::Scaled)
      return operands[0];
    return refuseOp(op);
  }

  FailureOr<Form> refuseOp(Operation *op) {
    (void)refuse("'" + op->getName().getStringRef() +
                 "' needs the final value of what is reduced along the dim");
    return failure();
  }

  FailureOr<Form> applyToShifted(Operation *op, ArrayRef<Form> operands) {
    unsigned at = operands[0].kind == Form::Shifted ? 0 : 1;
    if (isa<arith::SelectOp>(op) && operands[0].kind == Form::Plain) {
      at = operands[1].kind == Form::Shifted ? 1 : 2;
      if (operands[at].kind != Form::Shifted || !isMinusInfinity(op->getOperand(3 - at)))
        return refuseOp(op);
      Form form = operands[at];
      form.shift.after.push_back({op, at, /*isIdentity=*/true});
      return form;
    }
    Form form = operands[at];
    if (isa<math::ExpOp, math::Exp2Op>(op)) {
      form.shift.after.push_back({op, 0});
      form.kind = Form::Scaled;
      form.correction = dim.corrections.size();
      dim.corrections.push_back(form.shift);
      form.shift = {};
      return form;
    }
    if (op->getNumOperands() != 2 || operands[1 - at].kind != Form::Plain)
      return refuseOp(op);
    bool isFactor = isa<arith::MulFOp>(op) || (isa<arith::DivFOp>(op) && at == 0);
    bool isTerm = isa<arith::AddFOp>(op) || (isa<arith::SubFOp>(op) && at == 0);
    if (!isTerm && !(isFactor && isConstant(op->getOperand(1 - at))))
      return refuseOp(op);
    form.shift.after.push_back({op, at, /*isIdentity=*/isTerm});
    form.varies = true;
    return form;
  }

  /// A product or quotient of which one side is scaled, or late.
  FailureOr<Form> applyFactor(Operation *op, ArrayRef<Form> operands) {
    auto isLate = [](const Form &form) {
      return form.kind == Form::Late || form.kind == Form::Maximum;
    };
    unsigned at =
        isLate(operands[0]) || (operands[0].kind == Form::Plain && operands[1].kind == Form::Scaled)
            ? 1
            : 0;
    const Form &kept = operands[at], &other = operands[1 - at];
    if ((isa<arith::DivFOp>(op) && at == 1) ||
        (kept.kind != Form::Plain && kept.kind != Form::Scaled) || other.kind == Form::Scaled)
      return refuseOp(op);
    Form form = kept;
    form.kind = Form::Scaled;
    form.varies = true;
    if (isLate(other)) {
      form.deferrals.push_back(dim.deferrals.size());
      dim.deferrals.push_back({number_, op, at, op->getOperand(1 - at)});
    }
    return form;
  }

  //===- Deferred factors -----------------------------------------------------------------===//

  /// Whether all that the factor is computed from is known wherever `folding` has a result.
  LogicalResult checkDeferral(const StreamDeferral &deferral, unsigned folding) {
    linalg::LinalgOp deferring = kernel.ops()[deferral.member];
    auto member = cast<linalg::GenericOp>(deferring.getOperation());
    OpResult result = kernel.ops()[folding]->getResult(0);
    SmallVector<Value> open = {deferral.late};
    while (!open.empty()) {
      Value value = open.pop_back_val();
      if (auto argument = dyn_cast<BlockArgument>(value)) {
        if (argument.getOwner() != member.getBody())
          continue;
        AffineMap map = member.getIndexingMapsArray()[argument.getArgNumber()];
        if (argument.getArgNumber() >= member.getNumDpsInputs() ||
            !mapByClass(kernel, deferral.member, map, result))
          return refuse("a factor changes along what is summed");
        continue;
      }
      Operation *op = value.getDefiningOp();
      if (op->getParentOp() != member.getOperation())
        continue;
      if (op->getNumRegions() > 0 || isa<linalg::IndexOp, tensor::ExtractOp>(op))
        return refuse("a factor depends on the position");
      llvm::append_range(open, op->getOperands());
    }
    return success();
  }

  const KernelMembers &kernel;
  linalg::LinalgOp member_;
  unsigned number_ = 0;
  std::optional<unsigned> loop_;
  DenseMap<Value, Form> forms, scalars;
};

} // namespace

std::optional<StreamedDim> fuse::findStreamedDim(const KernelMembers &kernel, std::string &reason) {
  const SharedDomain &domain = kernel.domain();
  // What each class would save: the values along it that stay in the kernel.
  SmallVector<int64_t> saved(domain.sequential.size(), 0);
  SmallVector<bool> isFolded(saved.size(), false);
  for (auto [m, op] : llvm::enumerate(kernel.ops())) {
    linalg::LinalgOp member = op;
    SmallVector<utils::IteratorType> iterators = member.getIteratorTypesArray();
    int64_t elements = 1;
    for (auto [range, iterator] : llvm::zip(member.getStaticLoopRanges(), iterators))
      if (iterator == utils::IteratorType::parallel && !ShapedType::isDynamic(range))
        elements = mulCounts(elements, std::max<int64_t>(range, 1));
    for (auto [loop, id] : llvm::enumerate(domain.classes[m])) {
      if (domain.loops[m][loop] != SharedDomain::kPrivate)
        continue;
      if (iterators[loop] == utils::IteratorType::reduction)
        isFolded[id] = true;
      else if (!kernel.resultNumber(member->getResult(0)))
        saved[id] = addCounts(saved[id], elements);
    }
  }
  SmallVector<unsigned> candidates;
  for (unsigned id = 0; id < saved.size(); ++id)
    if (saved[id] > 0 && isFolded[id] && domain.sequential[id])
      candidates.push_back(id);
  llvm::stable_sort(candidates, [&](unsigned a, unsigned b) { return saved[a] > saved[b]; });
  for (unsigned id : candidates) {
    Analyzer analyzer(kernel, id);
    if (succeeded(analyzer.run()))
      return analyzer.dim;
    if (reason.empty())
      reason = analyzer.reason;
  }
  if (reason.empty())
    reason = "no dim is both run along and reduced";
  return std::nullopt;
}
