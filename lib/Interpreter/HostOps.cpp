//===- HostOps.cpp - log_mel, its gradient, welch_peaks, and named host functions -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Written from the ops' descriptions and apart from the runtime's own functions, so that each
// checks the other. All arithmetic is in double, rounded once to the result's type.
//
//===----------------------------------------------------------------------------------------===//

#include "Evaluator.h"

#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>
#include <vector>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::interpreter;

namespace {

constexpr double leastEnergy = 1e-10;
constexpr double dynamicRange = 8;

/// Whether `a` comes before `b` among the greatest; a NaN is greater than every number.
bool ranksAbove(double a, double b) {
  if (std::isnan(b))
    return false;
  return std::isnan(a) || a > b;
}

/// max with the NaN of either operand.
double maximumOf(double a, double b) { return ranksAbove(a, b) ? a : b; }

/// A row of an array, as doubles.
std::vector<double> readRow(const HostArray &array, int64_t row) {
  std::vector<double> values(array.getShape().back());
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = array.getFloat(row * values.size() + i);
  return values;
}

void writeRow(HostArray &array, int64_t row, ArrayRef<double> values) {
  for (auto [i, value] : llvm::enumerate(values))
    array.setFloat(row * values.size() + i, value);
}

int64_t countRows(const HostArray &array) {
  int64_t rows = 1;
  for (int64_t size : array.getShape().drop_back())
    rows *= size;
  return rows;
}

/// re² + im² of the first `bins` columns.
std::vector<double> computePower(ArrayRef<double> row, int64_t bins) {
  std::vector<double> power(bins);
  for (int64_t bin = 0; bin < bins; ++bin) {
    double re = row[bin], im = row[row.size() / 2 + bin];
    power[bin] = re * re + im * im;
  }
  return power;
}

/// One frame on its way through log_mel.
struct Frame {
  std::vector<double> energies, logs;
  int64_t loudest = 0;

  Frame(ArrayRef<double> row, const HostArray &filters) {
    int64_t mels = filters.getShape()[0], bins = filters.getShape()[1];
    std::vector<double> power = computePower(row, bins);
    for (int64_t mel = 0; mel < mels; ++mel) {
      std::vector<double> weights = readRow(filters, mel);
      energies.push_back(
          std::inner_product(weights.begin(), weights.end(), power.begin(), 0.0));
      logs.push_back(std::log10(maximumOf(energies[mel], leastEnergy)));
      if (ranksAbove(logs[mel], logs[loudest]))
        loudest = mel;
    }
  }

  /// Whether a mel is within the range below the loudest.
  bool isHeard(int64_t mel) const { return logs[mel] >= logs[loudest] - dynamicRange; }
};

void evaluateLogMel(ArrayRef<HostArray> ins, HostArray &out) {
  int64_t mels = ins[1].getShape()[0];
  std::vector<double> row(mels);
  for (int64_t f = 0, e = mels == 0 ? 0 : countRows(ins[0]); f < e; ++f) {
    Frame frame(readRow(ins[0], f), ins[1]);
    double quietest = frame.logs[frame.loudest] - dynamicRange;
    for (int64_t mel = 0; mel < mels; ++mel)
      row[mel] = (maximumOf(frame.logs[mel], quietest) + 4) / 4;
    writeRow(out, f, row);
  }
}

/// Backward through the result: what is not heard passes its gradient to the loudest mel, the
/// first among equals. Through the logarithm: energies below the floor do not matter.
void evaluateLogMelBackward(ArrayRef<HostArray> ins, HostArray &out) {
  const HostArray &spectrum = ins[0], &filters = ins[1], &gradient = ins[2];
  int64_t mels = filters.getShape()[0], bins = filters.getShape()[1];
  for (int64_t f = 0, e = mels == 0 ? 0 : countRows(spectrum); f < e; ++f) {
    std::vector<double> row = readRow(spectrum, f), incoming = readRow(gradient, f);
    Frame frame(row, filters);
    std::vector<double> toLogs(mels, 0.0), toPower(bins, 0.0);
    for (int64_t mel = 0; mel < mels; ++mel)
      toLogs[frame.isHeard(mel) ? mel : frame.loudest] += incoming[mel] / 4;
    for (int64_t mel = 0; mel < mels; ++mel) {
      if (frame.energies[mel] < leastEnergy)
        continue;
      double toEnergy = toLogs[mel] / (frame.energies[mel] * std::log(10.0));
      std::vector<double> weights = readRow(filters, mel);
      for (int64_t bin = 0; bin < bins; ++bin)
        toPower[bin] += weights[bin] * toEnergy;
    }
    int64_t columns = row.size() / 2;
    for (int64_t bin = 0; bin < columns; ++bin)
      for (int64_t plane : {int64_t(0), columns})
        row[plane + bin] = bin < bins ? 2 * row[plane + bin] * toPower[bin] : 0.0;
    writeRow(out, f, row);
  }
}

void evaluateWelchPeaks(ArrayRef<HostArray> ins, int64_t k, int64_t segments, HostArray &out) {
  const HostArray &spectrum = ins[0];
  int64_t columns = spectrum.getShape()[1] / 2, bins = columns / 2 + 1;
  for (int64_t b = 0; b < out.getShape()[0]; ++b) {
    std::vector<double> mean(bins, 0.0);
    for (int64_t s = 0; s < segments; ++s) {
      std::vector<double> power = computePower(readRow(spectrum, b * segments + s), bins);
      for (int64_t bin = 0; bin < bins; ++bin)
        mean[bin] += power[bin];
    }
    for (int64_t bin = 0; bin < bins; ++bin) {
      mean[bin] /= segments;
      // The mirror image of a bin is another one, but for 0 and, where it exists, the middle.
      if ((columns - bin) % columns != bin)
        mean[bin] *= 2;
    }
    std::vector<int64_t> order(bins);
    std::iota(order.begin(), order.end(), 0);
    llvm::sort(order, [&](int64_t x, int64_t y) {
      return ranksAbove(mean[x], mean[y]) || (!ranksAbove(mean[y], mean[x]) && x < y);
    });
    std::vector<double> peaks;
    for (int64_t bin : ArrayRef(order).take_front(k)) {
      peaks.push_back(bin);
      peaks.push_back(mean[bin]);
    }
    writeRow(out, b, peaks);
  }
}

/// Counts and shapes, which `launch_host` brings unverified and dynamic dimensions leave open.
LogicalResult checkSpectrum(Operation *op, StringRef callee, ArrayRef<HostArray> ins,
                            ArrayRef<HostArray> outs, size_t wantedIns) {
  if (ins.size() != wantedIns || outs.size() != 1)
    return op->emitOpError() << "'" << callee << "' takes " << wantedIns
                             << " arrays and fills 1, found " << ins.size() << " and "
                             << outs.size();
  for (const HostArray &array : ins)
    if (!isFloatElement(array.getElementType()) || array.getRank() < 1)
      return op->emitOpError() << "'" << callee << "' takes floats of rank 1 at least, found "
                               << array.describe();
  if (ins[0].getShape().back() % 2 != 0)
    return op->emitOpError() << "'" << callee << "' takes a spectrum with 2·n_fft columns, found "
                             << ins[0].describe();
  return success();
}

LogicalResult checkArray(Operation *op, StringRef what, const HostArray &array,
                         ArrayRef<int64_t> shape) {
  if (array.getShape() == shape)
    return success();
  HostArray wanted(array.getElementType(), {});
  std::string text;
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return op->emitOpError() << "expected " << what << " of " << text << wanted.describe()
                           << ", found " << array.describe();
}

LogicalResult callLogMel(Operation *op, StringRef callee, ArrayRef<HostArray> ins,
                         MutableArrayRef<HostArray> outs) {
  bool backward = callee == "log_mel_backward";
  if (failed(checkSpectrum(op, callee, ins, outs, backward ? 3 : 2)))
    return failure();
  SmallVector<int64_t> frames(ins[0].getShape());
  int64_t columns = frames.back() / 2, bins = columns / 2 + 1;
  if (ins[1].getRank() != 2 || ins[1].getShape()[1] != bins)
    return op->emitOpError() << "expected filters with " << bins << " bins, found "
                             << ins[1].describe();
  frames.back() = ins[1].getShape()[0];
  if (!backward) {
    if (failed(checkArray(op, "a result", outs[0], frames)))
      return failure();
    evaluateLogMel(ins, outs[0]);
    return success();
  }
  if (failed(checkArray(op, "a gradient", ins[2], frames)) ||
      failed(checkArray(op, "a result", outs[0], ins[0].getShape())))
    return failure();
  evaluateLogMelBackward(ins, outs[0]);
  return success();
}

LogicalResult callWelchPeaks(Operation *op, ArrayRef<int64_t> integers, ArrayRef<HostArray> ins,
                             MutableArrayRef<HostArray> outs) {
  if (failed(checkSpectrum(op, "welch_peaks", ins, outs, 1)))
    return failure();
  if (integers.size() != 2)
    return op->emitOpError() << "'welch_peaks' takes 2 integers, k and n_segments, found "
                             << integers.size();
  int64_t k = integers[0], segments = integers[1], bins = ins[0].getShape().back() / 2 / 2 + 1;
  if (ins[0].getRank() != 2 || k < 1 || k > bins || ins[0].getShape()[1] == 0 || segments < 1 ||
      ins[0].getShape()[0] % segments != 0)
    return op->emitOpError() << "k = " << k << " and n_segments = " << segments
                             << " do not fit a spectrum of " << ins[0].describe();
  if (failed(checkArray(op, "a result", outs[0], {ins[0].getShape()[0] / segments, 2 * k})))
    return failure();
  evaluateWelchPeaks(ins, k, segments, outs[0]);
  return success();
}

/// How many integers a collective has before those of its group; nothing for other host ops.
std::optional<size_t> countOwnIntegers(StringRef callee) {
  return llvm::StringSwitch<std::optional<size_t>>(callee)
      .Cases({"all_reduce", "all_gather", "all_slice", "broadcast_from"}, 1)
      .Cases({"reduce_scatter", "all_to_all"}, 2)
      .Default(std::nullopt);
}

/// A group is the number of the grid's axes, the grid, and the axes along which members differ.
int64_t getGroupSize(ArrayRef<int64_t> group) {
  int64_t size = 1;
  ArrayRef<int64_t> grid = group.slice(1, group.front());
  for (int64_t axis : group.drop_front(1 + group.front()))
    size *= grid[axis];
  return size;
}

LogicalResult callCollective(const InterpreterOptions &options, Operation *op, StringRef callee,
                             ArrayRef<int64_t> integers, ArrayRef<HostArray> ins,
                             MutableArrayRef<HostArray> outs) {
  ArrayRef<int64_t> group = integers.drop_front(*countOwnIntegers(callee));
  if (int64_t size = getGroupSize(group); size > 1) {
    if (!options.onCollective)
      return op->emitOpError() << "joins " << size << " ranks, expected one: nothing connects the "
                                  "interpreter with others";
    if (llvm::Error error = options.onCollective(callee, integers, ins[0], outs[0]))
      return op->emitOpError() << llvm::toString(std::move(error));
    return success();
  }
  if (failed(checkArray(op, "a result", outs[0], ins[0].getShape())))
    return failure();
  std::memcpy(outs[0].getBytes(), ins[0].getBytes(), ins[0].getByteSize());
  return success();
}

} // namespace

LogicalResult interpreter::callHost(const InterpreterOptions &options, Operation *op,
                                    StringRef callee, ArrayRef<int64_t> integers,
                                    ArrayRef<HostArray> ins, MutableArrayRef<HostArray> outs) {
  if (callee == "log_mel" || callee == "log_mel_backward")
    return callLogMel(op, callee, ins, outs);
  if (callee == "welch_peaks")
    return callWelchPeaks(op, integers, ins, outs);
  if (countOwnIntegers(callee))
    return callCollective(options, op, callee, integers, ins, outs);
  auto function = options.hostFunctions.find(callee);
  if (function == options.hostFunctions.end())
    return op->emitOpError() << "unknown host function '" << callee << "'";
  if (llvm::Error error = function->second(ins, outs))
    return op->emitOpError() << "host function '" << callee
                             << "' failed: " << llvm::toString(std::move(error));
  return success();
}
