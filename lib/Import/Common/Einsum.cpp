//===- Einsum.cpp - Products and sums over named dimensions -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Einsum.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::importer;

//===- Einsum -------------------------------------------------------------------------------===//

namespace {

/// An operand with a label for each dimension; the dimensions of `...` have labels of their own.
struct Term {
  Value value;
  SmallVector<int> labels;
};

class Einsum {
public:
  Einsum(OpContext &n, ArrayRef<Value> operands, StringRef equation)
      : n(n), b(n.b), operands(operands), equation(equation) {}

  FailureOr<Value> run() {
    if (failed(parse()))
      return failure();
    for (size_t i = 0; i < terms.size(); ++i)
      if (failed(takeDiagonals(terms[i])))
        return failure();
    Term product = std::move(terms.front());
    sumOut(product, 0);
    for (size_t i = 1; i < terms.size(); ++i) {
      sumOut(terms[i], i, &product);
      product = multiply(product, terms[i], i);
      if (n.hasFailed())
        return failure();
    }
    SmallVector<int64_t> permutation;
    for (auto [place, label] : llvm::enumerate(output)) {
      if (llvm::is_contained(ArrayRef(output).take_front(place), label))
        return n.fail("a label of the result is named twice");
      auto *it = llvm::find(product.labels, label);
      if (it == product.labels.end())
        return n.fail("a label of the result is in no operand");
      permutation.push_back(it - product.labels.begin());
    }
    return b.transpose(product.value, permutation);
  }

private:
  static constexpr int kEllipsis = 256;

  LogicalResult parse() {
    llvm::erase_if(equation, [](char c) { return c == ' '; });
    auto [left, right] = StringRef(equation).split("->");
    bool hasResult = StringRef(equation).contains("->");
    SmallVector<StringRef> parts;
    left.split(parts, ',');
    if (parts.size() != operands.size())
      return n.fail("expected an equation of " + Twine(operands.size()) + " operands, found '" + equation + "'");
    llvm::SmallDenseMap<int, int> counts;
    int widest = 0;
    for (auto [i, part] : llvm::enumerate(parts)) {
      Term &term = terms.emplace_back(Term{operands[i], {}});
      int64_t named = part.size() - (part.contains("...") ? 3 : 0);
      int64_t open = b.rankOf(operands[i]) - named;
      if (open < 0 || (open > 0 && !part.contains("...")))
        return n.fail("operand " + Twine(i) + " has rank " + Twine(b.rankOf(operands[i])) + ", the equation has '" +
                      part + "'");
      widest = std::max<int>(widest, open);
      while (!part.empty()) {
        if (part.consume_front("...")) {
          // Counted from the last, so that they broadcast.
          for (int64_t k = open; k-- > 0;)
            term.labels.push_back(kEllipsis + static_cast<int>(k));
          continue;
        }
        unsigned char label = part.front();
        if (!llvm::isAlpha(label))
          return n.fail("expected letters in the equation, found '" + part + "'");
        ++counts[label];
        term.labels.push_back(label);
        part = part.drop_front();
      }
      if (static_cast<int64_t>(term.labels.size()) != b.rankOf(operands[i]))
        return n.fail("operand " + Twine(i) + " has rank " + Twine(b.rankOf(operands[i])) + ", the equation '" +
                      equation + "' names " + Twine(term.labels.size()) + " dimensions");
    }
    auto appendEllipsis = [&] {
      for (int k = widest; k-- > 0;)
        output.push_back(kEllipsis + k);
    };
    if (!hasResult) {
      appendEllipsis();
      for (int label = 0; label < kEllipsis; ++label)
        if (counts.lookup(label) == 1)
          output.push_back(label);
      return success();
    }
    while (!right.empty()) {
      if (right.consume_front("...")) {
        appendEllipsis();
        continue;
      }
      output.push_back(static_cast<unsigned char>(right.front()));
      right = right.drop_front();
    }
    return success();
  }

  /// A label that an operand has twice: its diagonal.
  LogicalResult takeDiagonals(Term &term) {
    for (size_t i = 0; i < term.labels.size(); ++i)
      for (size_t k = i + 1; k < term.labels.size(); ++k) {
        if (term.labels[i] != term.labels[k])
          continue;
        SmallVector<int64_t> shape(b.shapeOf(term.value)), order;
        if (shape[i] != shape[k] || ShapedType::isDynamic(shape[i]))
          return n.fail("expected equal extents for a label that an operand has twice");
        int64_t extent = shape[i];
        for (size_t dim = 0; dim < shape.size(); ++dim)
          if (dim != i && dim != k)
            order.push_back(dim);
        SmallVector<int64_t> flat;
        for (int64_t dim : order)
          flat.push_back(shape[dim]);
        SmallVector<int> labels;
        for (int64_t dim : order)
          labels.push_back(term.labels[dim]);
        labels.push_back(term.labels[i]);
        order.append({int64_t(i), int64_t(k)});
        if (failed(n.takeListed(extent)))
          return failure();
        flat.push_back(extent * extent);
        SmallVector<int64_t> places;
        for (int64_t at = 0; at < extent; ++at)
          places.push_back(at * (extent + 1));
        Value moved = b.reshape(b.transpose(term.value, order), flat);
        term = {b.gather(moved, places, flat.size() - 1), labels};
        return takeDiagonals(term);
      }
    return success();
  }

  /// Whether anything after operand `i` asks for a label.
  bool isWanted(int label, size_t i) const {
    if (llvm::is_contained(output, label))
      return true;
    for (size_t k = i + 1; k < terms.size(); ++k)
      if (llvm::is_contained(terms[k].labels, label))
        return true;
    return false;
  }

  /// Sums over the labels that only this operand has.
  void sumOut(Term &term, size_t i, const Term *other = nullptr) {
    SmallVector<int64_t> axes;
    SmallVector<int> labels;
    for (auto [dim, label] : llvm::enumerate(term.labels)) {
      bool isKept = isWanted(label, i) || (other && llvm::is_contained(other->labels, label));
      if (isKept)
        labels.push_back(label);
      else
        axes.push_back(dim);
    }
    term.value = b.reduce(ReduceKind::Sum, term.value, axes, false);
    term.labels = labels;
  }

  AffineExpr extentOf(const Term &term, int label) {
    const auto *it = llvm::find(term.labels, label);
    return it == term.labels.end() ? n.getConstant(1) : n.getExtents(term.value)[it - term.labels.begin()];
  }

  /// Whether two operands' extents are equal; those that are not both numbers are taken to be, but where one is 1.
  bool areEqual(AffineExpr one, AffineExpr other) {
    AffineExpr unit = n.getConstant(1);
    bool areNumbers = isa<AffineConstantExpr>(one) && isa<AffineConstantExpr>(other);
    if (one != other && (areNumbers || one == unit || other == unit))
      return false;
    n.assumeEqual(one, other);
    return true;
  }

  /// The operand with its dimensions in the order of some labels, extent 1 for those it lacks.
  Value arrange(const Term &term, ArrayRef<int> labels) {
    SmallVector<int64_t> permutation;
    SmallVector<AffineExpr> shape;
    for (int label : labels) {
      const auto *it = llvm::find(term.labels, label);
      if (it != term.labels.end())
        permutation.push_back(it - term.labels.begin());
      shape.push_back(extentOf(term, label));
    }
    return n.reshape(b.transpose(term.value, permutation), shape);
  }

  /// One product of matrices: batch · rows · summed with batch · summed · columns.
  Term multiply(const Term &x, const Term &y, size_t i) {
    SmallVector<int> batch, rows, columns, summed;
    for (int label : x.labels) {
      bool isShared = llvm::is_contained(y.labels, label);
      (!isShared ? rows : isWanted(label, i) ? batch : summed).push_back(label);
    }
    for (int label : y.labels)
      if (!llvm::is_contained(x.labels, label))
        columns.push_back(label);
    auto concat = [](ArrayRef<int> a, ArrayRef<int> c, ArrayRef<int> d) {
      SmallVector<int> all(a);
      llvm::append_range(all, c);
      llvm::append_range(all, d);
      return all;
    };
    auto count = [&](const Term &term, ArrayRef<int> labels) {
      AffineExpr product = n.getConstant(1);
      for (int label : labels)
        product = product * extentOf(term, label);
      return product;
    };
    SmallVector<AffineExpr> lhsShape, rhsShape, resultShape;
    for (int label : batch) {
      lhsShape.push_back(extentOf(x, label));
      rhsShape.push_back(extentOf(y, label));
      (void)areEqual(lhsShape.back(), rhsShape.back());
      resultShape.push_back(lhsShape.back() == n.getConstant(1) ? rhsShape.back() : lhsShape.back());
    }
    // A summed label may broadcast; then nothing but an element-wise product sums it.
    bool broadcasts = false;
    for (int label : summed)
      broadcasts |= !areEqual(extentOf(x, label), extentOf(y, label));
    SmallVector<int> order = concat(batch, rows, columns);
    if (summed.empty() || broadcasts) {
      SmallVector<int> all = concat(order, summed, {});
      Value product = b.mul(arrange(x, all), arrange(y, all));
      SmallVector<int64_t> axes;
      for (size_t k = order.size(); k < all.size(); ++k)
        axes.push_back(k);
      return {b.reduce(ReduceKind::Sum, product, axes, false), order};
    }
    lhsShape.append({count(x, rows), count(x, summed)});
    rhsShape.append({count(y, summed), count(y, columns)});
    Value lhs = n.reshape(arrange(x, concat(batch, rows, summed)), lhsShape);
    Value rhs = n.reshape(arrange(y, concat(batch, summed, columns)), rhsShape);
    Value product = b.matmul(lhs, rhs);
    for (int label : rows)
      resultShape.push_back(extentOf(x, label));
    for (int label : columns)
      resultShape.push_back(extentOf(y, label));
    return {n.reshape(product, resultShape), order};
  }

  OpContext &n;
  FuseBuilder &b;
  ArrayRef<Value> operands;
  std::string equation;
  SmallVector<Term> terms;
  SmallVector<int> output;
};

} // namespace

FailureOr<Value> mlir::fuse::importer::buildEinsum(OpContext &n, ArrayRef<Value> operands, StringRef equation) {
  return Einsum(n, operands, equation).run();
}
