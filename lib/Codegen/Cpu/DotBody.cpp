//===- DotBody.cpp - Sums of groups of short products ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "DotBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fuse;

/// Makes room for a whole group behind the last element of a temporary, so that the steps that are left over are read
/// with those behind them; whether that could be done. Zeros on the other side make those count nothing.
static bool makeRoomBehind(RewriterBase &b, Value rows, int64_t group) {
  auto allocation = getBase(rows).getDefiningOp<memref::AllocOp>();
  if (!allocation)
    return false;
  MemRefType type = allocation.getType();
  if (!type.hasStaticShape() || !type.getLayout().isIdentity() || !type.getElementType().isInteger(8))
    return false;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(allocation);
  auto bytes = MemRefType::get({type.getNumElements() + group - 1}, b.getI8Type());
  Value room = memref::AllocOp::create(b, allocation.getLoc(), bytes, allocation.getAlignmentAttr());
  Value first = arith::ConstantIndexOp::create(b, allocation.getLoc(), 0);
  b.replaceOpWithNewOp<memref::ViewOp>(allocation, type, room, first, ValueRange());
  return true;
}

Value DotBody::splatWords(uint32_t word) {
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(words, llvm::APInt(32, word)));
}

DotBody::DotBody(RewriterBase &b, linalg::GenericOp op, const ContractionPlan &plan,
                 ArrayRef<unsigned> inner)
    : VectorBody(b, op, plan.loop, plan.hasFma), plan(plan), dot(*plan.dot), inner(inner) {
  bits =
      b.getIntegerType(getElementTypeOrSelf(op->getOperand(dot.columns)).getIntOrFloatBitWidth());
  words = VectorType::get({dot.lanes}, b.getI32Type());
  if (dot.kind == DotPlan::Kind::Copied) {
    int64_t steps = plan.reductionBlock ? plan.reductionBlock : ranges[dot.loop];
    copies = memref::AllocOp::create(
        b, loc,
        MemRefType::get({plan.unroll, static_cast<int64_t>(llvm::alignTo(steps, dot.lanes))},
                        b.getF32Type()));
  }
  if (dot.isInteger() && ranges[dot.loop] % dot.group != 0)
    hasRoomBehind = makeRoomBehind(b, op->getOperand(dot.rows), dot.group);
  // Few rows sum up their shift beside them, for all others it is done once.
  int64_t rows = plan.unrolledLoop ? ranges[*plan.unrolledLoop] : 1;
  if (dot.isShifted() && (ShapedType::isDynamic(rows) || rows > plan.unroll))
    shifts = memref::AllocOp::create(b, loc, MemRefType::get({plan.lanes}, b.getI32Type()));
  if (!dot.packsColumns())
    return;
  SmallVector<int64_t> shape;
  for (unsigned loop : inner)
    shape.push_back(plan.reductionBlock ? plan.reductionBlock : ranges[loop]);
  shape.back() = llvm::divideCeil(shape.back(), dot.group);
  shape.push_back(plan.lanes * dot.group);
  packed = memref::AllocOp::create(b, loc, MemRefType::get(shape, bits));
}

//===- Loops over groups --------------------------------------------------------------------===//

SmallVector<Value> DotBody::makeLoop(Value from, Value to, int64_t step, unsigned loop,
                                     ArrayRef<Value> carried,
                                     llvm::function_ref<Values(ArrayRef<Value>)> emit) {
  OpBuilder::InsertionGuard guard(b);
  scf::ForOp nest = makeFor(from, to, step, carried);
  ivs[loop] = nest.getInductionVar();
  Values results = emit(llvm::to_vector_of<Value>(nest.getRegionIterArgs()));
  if (!carried.empty()) {
    b.setInsertionPointToEnd(nest.getBody());
    scf::YieldOp::create(b, loc, results);
  }
  return llvm::to_vector_of<Value>(nest.getResults());
}

SmallVector<Value> DotBody::forGroups(unsigned depth, ArrayRef<Value> carried, GroupCode emit) {
  return forGroupsOf(depth, range.from[depth], range.to[depth], carried, emit);
}

SmallVector<Value> DotBody::sumGroups(unsigned depth, ArrayRef<Value> carried, GroupCode emit) {
  if (!plan.partialSums || plan.addsParts())
    return forGroups(depth, carried, emit);
  unsigned loop = inner[depth];
  Value from = range.from[depth], to = range.to[depth];
  if (plan.partialSums->loop != loop)
    return makeLoop(from, to, 1, loop, carried,
                    [&](ArrayRef<Value> values) { return sumGroups(depth + 1, values, emit); });
  int64_t steps = plan.partialSums->steps;
  return addPartialSums(loop, from, to, steps, depth == 0, carried,
                        [&](Value begin, Value end, ArrayRef<Value> sums) {
                          if (steps > 1)
                            return forGroupsOf(depth, begin, end, sums, emit);
                          ivs[loop] = begin;
                          return forGroups(depth + 1, sums, emit);
                        });
}

SmallVector<Value> DotBody::forGroupsOf(unsigned depth, Value from, Value to,
                                        ArrayRef<Value> carried, GroupCode emit) {
  unsigned loop = inner[depth];
  if (loop == dot.unpackedLoop) {
    Values sums(carried);
    for (int64_t number = 0; number < ranges[loop]; ++number) {
      ivs[loop] = index(number);
      sums = forGroups(depth + 1, sums, emit);
    }
    return sums;
  }
  if (depth + 1 < inner.size())
    return makeLoop(from, to, 1, loop, carried,
                    [&](ArrayRef<Value> values) { return forGroups(depth + 1, values, emit); });
  auto emitGroups = [&](int64_t count) {
    return [&, count](ArrayRef<Value> values) { return emit(values, count); };
  };
  Values sums(carried);
  if (ways > 1) {
    // As many groups at a time as there are sums of each, and then the others with the first of these.
    size_t each = carried.size() / ways;
    Value size = index(dot.group * ways);
    Value whole = arith::MulIOp::create(b, loc, arith::DivUIOp::create(b, loc, to, size), size);
    sums = makeLoop(from, whole, dot.group * ways, loop, sums, [&](ArrayRef<Value> values) {
      Values next;
      Value first = ivs[loop];
      for (int64_t way = 0; way < ways; ++way) {
        ivs[loop] = way ? Value(arith::AddIOp::create(b, loc, first, index(way * dot.group))) : first;
        llvm::append_range(next, emit(values.slice(way * each, each), dot.group));
      }
      ivs[loop] = first;
      return next;
    });
    int64_t before = std::exchange(ways, 1);
    if (ranges[loop] % (dot.group * before) != 0)
      llvm::copy(forGroupsOf(depth, whole, to, ArrayRef(sums).take_front(each), emit), sums.begin());
    ways = before;
    return sums;
  }
  int64_t left = readsBehind ? 0 : ranges[loop] % dot.group;
  if (left == 0)
    return makeLoop(from, to, dot.group, loop, sums, emitGroups(dot.group));
  // Steps that are left over are one group more, at most.
  Value size = index(dot.group);
  Value whole = arith::MulIOp::create(b, loc, arith::DivUIOp::create(b, loc, to, size), size);
  sums = makeLoop(from, whole, dot.group, loop, sums, emitGroups(dot.group));
  return makeLoop(whole, to, dot.group, loop, sums, emitGroups(left));
}

SmallVector<Value> DotBody::packIndices(int64_t element) {
  Values at;
  for (auto [depth, loop] : llvm::enumerate(inner)) {
    Value position = ivs[loop];
    if (plan.reductionBlock)
      position = arith::SubIOp::create(b, loc, position, range.from[depth]);
    if (depth + 1 == inner.size())
      position = arith::DivUIOp::create(b, loc, position, index(dot.group));
    at.push_back(position);
  }
  at.push_back(index(element));
  return at;
}

//===- Sums ---------------------------------------------------------------------------------===//

/// How many sums each of `sums` is made of, so that enough of them hide how long a sum of products takes.
int64_t DotBody::getWays(int64_t sums) {
  constexpr int64_t kEnough = 8, kMost = 4;
  if (!dot.isInteger())
    return 1;
  int64_t groups = std::max<int64_t>(1, ranges[dot.loop] / dot.group);
  return std::clamp<int64_t>(std::min(kEnough / sums, groups / 2), 1, kMost);
}

SmallVector<Value> DotBody::joinWays(ArrayRef<Value> sums) {
  size_t each = sums.size() / std::exchange(ways, 1);
  Values joined(sums.take_front(each));
  for (size_t i = each; i < sums.size(); ++i)
    joined[i % each] = arith::AddIOp::create(b, loc, joined[i % each], sums[i]);
  return joined;
}

/// A register of a longer vector; a shorter one as it is.
Value DotBody::slice(Value vector, int64_t piece) {
  if (cast<VectorType>(vector.getType()).getNumElements() <= dot.lanes)
    return vector;
  return vector::ExtractStridedSliceOp::create(b, loc, vector, {piece * dot.lanes}, {dot.lanes},
                                               {1});
}

SmallVector<Value> DotBody::sum(ArrayRef<Value> positions, ArrayRef<Value> unrolled, Range at,
                                ArrayRef<Value> starts, int64_t lanes, Value mask,
                                ReadColumns readColumns) {
  llvm::copy(positions, ivs.begin());
  range = at;
  this->mask = mask;
  int64_t pieces = llvm::divideCeil(lanes, dot.lanes);
  Value shift;
  if (shifts)
    shift =
        vector::LoadOp::create(b, loc, VectorType::get({lanes}, b.getI32Type()), shifts, index(0));
  Values sums;
  for (Value start : starts) {
    if (shift)
      start = arith::SubIOp::create(b, loc, start, shift);
    for (int64_t piece = 0; piece < pieces; ++piece)
      sums.push_back(slice(start, piece));
  }
  if (copies)
    copyRows(unrolled);
  if (dot.isInteger()) {
    Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(words));
    if (dot.isShifted() && !shifts) // what the shift adds is summed up beside the rows
      sums.append(pieces, zeros);
    ways = getWays(sums.size());
    sums.append((ways - 1) * sums.size(), zeros);
  }
  readsBehind = hasRoomBehind;
  sums = sumGroups(0, sums, [&](ArrayRef<Value> before, int64_t count) {
    return dot.isPacked() ? sumPacked(unrolled, before, pieces, count)
                          : sumWidened(unrolled, before, pieces, count, readColumns);
  });
  readsBehind = false;
  sums = joinWays(sums);
  size_t count = starts.size() * pieces;
  for (size_t i = 0; i < count && sums.size() > count; ++i)
    sums[i] = arith::SubIOp::create(b, loc, sums[i], sums[count + i % pieces]);
  sums.resize(count);
  if (pieces == 1)
    return sums;
  Values results;
  for (size_t i = 0; i < starts.size(); ++i) {
    Value whole =
        arith::ConstantOp::create(b, loc, b.getZeroAttr(cast<VectorType>(starts[i].getType())));
    for (int64_t piece = 0; piece < pieces; ++piece)
      whole = vector::InsertStridedSliceOp::create(b, loc, sums[i * pieces + piece], whole,
                                                   ArrayRef<int64_t>{piece * dot.lanes},
                                                   ArrayRef<int64_t>{1});
    results.push_back(whole);
  }
  return results;
}

/// A step of a row that was copied, in all lanes.
Value DotBody::readCopy(int64_t row) {
  Value at = arith::SubIOp::create(b, loc, ivs[dot.loop], range.from[0]);
  Value factor = memref::LoadOp::create(b, loc, copies, ValueRange{index(row), at});
  return vector::BroadcastOp::create(b, loc, words.clone(b.getF32Type()), factor);
}

/// A row's group in all lanes, as words.
Value DotBody::makeRowWords(int64_t count) {
  OpOperand &rows = op->getOpOperand(dot.rows);
  if (dot.isInteger() && count < dot.group) {
    // One to three bytes, as a number.
    Value first = ivs[dot.loop], word;
    for (int64_t step = 0; step < count;) {
      int64_t bytes = count - step >= 2 ? 2 : 1;
      ivs[dot.loop] = step ? Value(arith::AddIOp::create(b, loc, first, index(step))) : first;
      Value part = vector::LoadOp::create(b, loc, VectorType::get({bytes}, bits), rows.get(), indices(rows));
      Type number = b.getIntegerType(8 * bytes);
      part = vector::BitCastOp::create(b, loc, VectorType::get({1}, number), part);
      part = arith::ExtUIOp::create(b, loc, b.getI32Type(), vector::ExtractOp::create(b, loc, part, 0).getResult());
      if (step)
        part = arith::ShLIOp::create(b, loc, part, arith::ConstantIntOp::create(b, loc, 8 * step, 32));
      word = word ? Value(arith::OrIOp::create(b, loc, word, part)) : part;
      step += bytes;
    }
    ivs[dot.loop] = first;
    return vector::BroadcastOp::create(b, loc, words, word);
  }
  Value group = loadGroup(rows, count);
  Value word = vector::BitCastOp::create(b, loc, VectorType::get({1}, b.getI32Type()), group);
  return vector::BroadcastOp::create(b, loc, words, vector::ExtractOp::create(b, loc, word, 0));
}

SmallVector<Value> DotBody::sumPacked(ArrayRef<Value> unrolled, ArrayRef<Value> before,
                                      int64_t pieces, int64_t count) {
  SmallVector<Values> columns;
  Values after;
  Value shift = dot.isShifted() ? splatWords(kShift) : Value();
  for (int64_t piece = 0; piece < pieces; ++piece)
    columns.push_back(widenBytes(loadWords(piece), dot.areColumnsSigned));
  auto multiply = [&](Value row) {
    Values factors = widenBytes(row, dot.areRowsSigned);
    for (const Values &column : columns) {
      Value sum = before[after.size()];
      for (auto [l, r] : llvm::zip_equal(factors, column))
        sum = multiplyGroups(sum, l, r);
      after.push_back(sum);
    }
  };
  for (Value iv : unrolled) {
    if (plan.unrolledLoop)
      ivs[*plan.unrolledLoop] = iv;
    Value row = makeRowWords(count);
    multiply(shift ? Value(arith::XOrIOp::create(b, loc, row, shift)) : row);
  }
  if (shift && !shifts)
    multiply(shift);
  return after;
}

SmallVector<Value> DotBody::widenBytes(Value words, bool isSigned) {
  if (dot.kind != DotPlan::Kind::Pairs)
    return {words};
  auto type = VectorType::get({dot.lanes * 2}, b.getI16Type());
  auto splat = [&](uint64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, llvm::APInt(16, value)));
  };
  Value both = vector::BitCastOp::create(b, loc, type, words);
  if (!isSigned)
    return {arith::AndIOp::create(b, loc, both, splat(0xff)), arith::ShRUIOp::create(b, loc, both, splat(8))};
  Value even = arith::ShLIOp::create(b, loc, both, splat(8));
  return {arith::ShRSIOp::create(b, loc, even, splat(8)), arith::ShRSIOp::create(b, loc, both, splat(8))};
}

/// The products of two 16-bit numbers in each word.
Value DotBody::multiplyPairs(Value sum, Value row, Value column) {
  Value products;
  if (dot.hasInt16) {
    StringRef name = dot.lanes == 16  ? "llvm.x86.avx512.pmaddw.d.512"
                     : dot.lanes == 8 ? "llvm.x86.avx2.pmadd.wd"
                                      : "llvm.x86.sse2.pmadd.wd";
    products =
        LLVM::CallIntrinsicOp::create(b, loc, words, b.getStringAttr(name), ValueRange{row, column}).getResult(0);
  } else {
    Value half = splatWords(16);
    auto multiply = [&](bool isHigh) -> Value {
      auto widen = [&](Value pairs) -> Value {
        Value word = vector::BitCastOp::create(b, loc, words, pairs);
        if (!isHigh)
          word = arith::ShLIOp::create(b, loc, word, half);
        return arith::ShRSIOp::create(b, loc, word, half);
      };
      return arith::MulIOp::create(b, loc, widen(row), widen(column));
    };
    products = arith::AddIOp::create(b, loc, multiply(false), multiply(true));
  }
  return arith::AddIOp::create(b, loc, sum, products);
}

Value DotBody::callInt8(Value sum, Value unsignedWords, Value signedWords) {
  std::string name = "llvm.x86.avx512.vpdpbusd." + std::to_string(dot.lanes * 32);
  auto bytes = VectorType::get({dot.lanes * 4}, b.getI8Type());
  Value l = vector::BitCastOp::create(b, loc, bytes, unsignedWords);
  Value r = vector::BitCastOp::create(b, loc, bytes, signedWords);
  return LLVM::CallIntrinsicOp::create(b, loc, words, b.getStringAttr(name), ValueRange{sum, l, r})
      .getResult(0);
}

Value DotBody::multiplyGroups(Value sum, Value row, Value column) {
  if (dot.kind == DotPlan::Kind::Pairs)
    return multiplyPairs(sum, row, column);
  if (dot.kind == DotPlan::Kind::Int8)
    return dot.isShifted() || !dot.areRowsSigned ? callInt8(sum, row, column)
                                                 : callInt8(sum, column, row);
  std::string name = "llvm.x86.avx512bf16.dpbf16ps." + std::to_string(dot.lanes * 32);
  auto pairs = VectorType::get({dot.lanes * 2}, b.getBF16Type());
  Value l = vector::BitCastOp::create(b, loc, pairs, row);
  Value r = vector::BitCastOp::create(b, loc, pairs, column);
  return LLVM::CallIntrinsicOp::create(b, loc, sum.getType(), b.getStringAttr(name),
                                       ValueRange{sum, l, r})
      .getResult(0);
}

//===- Steps one after the other, in f32 ----------------------------------------------------===//

Value DotBody::multiplyAdd(Value row, Value column, Value sum) {
  if (plan.hasFma)
    return math::FmaOp::create(b, loc, row, column, sum);
  return arith::AddFOp::create(b, loc, arith::MulFOp::create(b, loc, row, column), sum);
}

SmallVector<Value> DotBody::sumWidened(ArrayRef<Value> unrolled, ArrayRef<Value> before,
                                       int64_t pieces, int64_t count, ReadColumns readColumns) {
  Values columns, pairs; // of each step, in pieces
  Value first = ivs[dot.loop];
  for (int64_t piece = 0; dot.areGrouped && piece < pieces; ++piece)
    pairs.push_back(loadWords(piece));
  for (int64_t step = 0; step < count; ++step) {
    for (Value words : pairs)
      columns.push_back(makeWidenedRow(words, step));
    if (dot.areGrouped)
      continue;
    ivs[dot.loop] = step ? Value(arith::AddIOp::create(b, loc, first, index(step))) : first;
    Value column = readColumns(ivs);
    auto type = cast<VectorType>(column.getType()).clone(b.getF32Type());
    if (column.getType() != type)
      column = arith::ExtFOp::create(b, loc, type, column);
    for (int64_t piece = 0; piece < pieces; ++piece)
      columns.push_back(slice(column, piece));
  }
  ivs[dot.loop] = first;
  Values after(before);
  for (auto [i, iv] : llvm::enumerate(unrolled)) {
    if (plan.unrolledLoop)
      ivs[*plan.unrolledLoop] = iv;
    Value row = copies ? Value() : makeRowWords(count);
    for (int64_t step = 0; step < count; ++step) {
      Value factor = copies ? readCopy(i) : makeWidenedRow(row, step);
      for (int64_t piece = 0; piece < pieces; ++piece) {
        Value &sum = after[i * pieces + piece];
        int64_t lanes = cast<VectorType>(sum.getType()).getNumElements();
        Value used = factor;
        if (lanes < dot.lanes)
          used = vector::ExtractStridedSliceOp::create(b, loc, factor, {0}, {lanes}, {1});
        sum = multiplyAdd(used, columns[step * pieces + piece], sum);
      }
    }
  }
  return after;
}

/// Step `step` of a row's pair in all lanes, as f32. The pair was loaded with one broadcast: what
/// is left are operations that other units have time for while these multiply.
Value DotBody::makeWidenedRow(Value row, int64_t step) {
  Value high =
      step ? Value(arith::AndIOp::create(b, loc, row, splatWords(0xffff0000)))
           : Value(arith::ShLIOp::create(b, loc, row, splatWords(16)));
  return arith::BitcastOp::create(b, loc, words.clone(b.getF32Type()), high);
}

/// The rows at hand as f32, for all steps of the range.
void DotBody::copyRows(ArrayRef<Value> unrolled) {
  OpOperand &operand = op->getOpOperand(dot.rows);
  auto shorts = VectorType::get({dot.lanes}, getElementTypeOrSelf(operand.get()));
  Value from = range.from[0], to = range.to[0];
  makeLoop(from, to, dot.lanes, dot.loop, {}, [&](ArrayRef<Value>) {
    Value step = ivs[dot.loop];
    Value mask;
    if (ranges[dot.loop] % dot.lanes != 0)
      mask = vector::CreateMaskOp::create(b, loc, maskType(dot.lanes),
                                          Value(arith::SubIOp::create(b, loc, to, step)));
    for (auto [i, iv] : llvm::enumerate(unrolled)) {
      ivs[*plan.unrolledLoop] = iv;
      Value row = loadAt(operand.get(), indices(operand), Access::Contiguous, dot.lanes, mask);
      row = arith::ExtFOp::create(b, loc, shorts.clone(b.getF32Type()), row);
      Value at = arith::SubIOp::create(b, loc, step, from);
      vector::StoreOp::create(b, loc, row, copies, ValueRange{index(i), at});
    }
    return Values();
  });
}
