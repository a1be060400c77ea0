//===- LogMel.cpp - log_mel and its gradient -----------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Floats.h"
#include "Internal.h"

#include <cmath>

using namespace mlir::fuse::runtime;

namespace {

/// Energies are floored here before the logarithm …
constexpr double kFloor = 1e-10;
/// … and log energies this far below the frame's highest.
constexpr double kRange = 8.0;

/// The operands of either op with working memory for one frame.
struct LogMel {
  fuse_buffer spectrum;
  int64_t frames, nFft, bins, mels;
  // In doubles: filtersByBin bins × mels (transposed, so that the sums over bins of all mels
  // advance together), row 2·nFft, power bins, the others mels.
  double *filtersByBin, *row, *power, *energy, *logEnergy, *result;

  int32_t init(fuse_context *context, const char *op, const fuse_buffer *args);
  /// Fails unless the buffer is [the spectrum's leading dimensions…, last].
  int32_t expectFrames(fuse_context *context, const char *op, const char *what,
                       const fuse_buffer &buffer, int64_t last) const;
  /// Fills row, power, energy and logEnergy of one frame; returns the first mel with the highest
  /// log energy (the first NaN, if there is one).
  int64_t computeFrame(int64_t frame);
  /// Whether the mel's log energy is raised to the frame's highest − 8. A NaN anywhere in the
  /// frame makes all of it NaN.
  bool isClamped(int64_t mel, int64_t highest) const {
    return !(logEnergy[mel] >= logEnergy[highest] - kRange);
  }
};

int32_t LogMel::init(fuse_context *context, const char *op, const fuse_buffer *args) {
  spectrum = args[0];
  const fuse_buffer &filters = args[1];
  if (expectFloats(context, op, "spectrum", spectrum, 1, /*orMore=*/true) ||
      expectFloats(context, op, "filters", filters, 2, /*orMore=*/false))
    return 1;
  int64_t columns = spectrum.sizes[spectrum.rank - 1];
  if (columns <= 0 || columns % 2 != 0)
    return failWith(context,
                    "%s: expected a spectrum of shape [..., 2 * n_fft] with n_fft > 0, found %s",
                    op, ShapeText(spectrum).text);
  nFft = columns / 2;
  bins = nFft / 2 + 1;
  mels = filters.sizes[0];
  frames = numRows(spectrum);
  if (filters.sizes[1] != bins)
    return failWith(context,
                    "%s: expected filters of shape [n_mels, %lld] for n_fft = %lld, found %s", op,
                    toLong(bins), toLong(nFft), ShapeText(filters).text);
  int64_t doubles = 2 * nFft + bins + (bins + 3) * mels;
  if (reserve(context, context->host_space, doubles * sizeof(double), "log_mel"))
    return 1;
  row = static_cast<double *>(context->host_space.data);
  power = row + 2 * nFft;
  energy = power + bins;
  logEnergy = energy + mels;
  result = logEnergy + mels;
  filtersByBin = result + mels;
  for (int64_t mel = 0; mel < mels; ++mel) {
    // Row is free until the first frame.
    readRow(filters, mel, row);
    for (int64_t bin = 0; bin < bins; ++bin)
      filtersByBin[bin * mels + mel] = row[bin];
  }
  return 0;
}

int32_t LogMel::expectFrames(fuse_context *context, const char *op, const char *what,
                             const fuse_buffer &buffer, int64_t last) const {
  if (expectFloats(context, op, what, buffer, spectrum.rank, /*orMore=*/false))
    return 1;
  bool agrees = buffer.sizes[spectrum.rank - 1] == last;
  for (int32_t d = 0; d < spectrum.rank - 1; ++d)
    agrees &= buffer.sizes[d] == spectrum.sizes[d];
  if (agrees)
    return 0;
  return failWith(context,
                  "%s: expected the %s to have the leading dimensions of spectrum %s and a last "
                  "dimension of %lld, found %s",
                  op, what, ShapeText(spectrum).text, toLong(last), ShapeText(buffer).text);
}

int64_t LogMel::computeFrame(int64_t frame) {
  readRow(spectrum, frame, row);
  const double *re = row, *im = row + nFft;
  for (int64_t bin = 0; bin < bins; ++bin)
    power[bin] = re[bin] * re[bin] + im[bin] * im[bin];
  for (int64_t mel = 0; mel < mels; ++mel)
    energy[mel] = 0;
  for (int64_t bin = 0; bin < bins; ++bin) {
    const double *weights = filtersByBin + bin * mels;
    for (int64_t mel = 0; mel < mels; ++mel)
      energy[mel] += weights[mel] * power[bin];
  }
  int64_t highest = 0;
  for (int64_t mel = 0; mel < mels; ++mel) {
    // Written so that a NaN stays one.
    logEnergy[mel] = std::log10(energy[mel] < kFloor ? kFloor : energy[mel]);
    double best = logEnergy[highest];
    if (logEnergy[mel] > best || (std::isnan(logEnergy[mel]) && !std::isnan(best)))
      highest = mel;
  }
  return highest;
}

} // namespace

int32_t mlir::fuse::runtime::logMel(fuse_context *context, const fuse_buffer *args, int64_t numIns,
                                    int64_t numOuts, const int64_t *attrs, int64_t numAttrs,
                                    void *userData) {
  const char *op = "log_mel";
  LogMel state;
  if (expectCounts(context, op, {2, 1, 0}, numIns, numOuts, numAttrs) ||
      state.init(context, op, args) ||
      state.expectFrames(context, op, "result", args[2], state.mels))
    return 1;
  if (state.mels == 0)
    return 0;
  for (int64_t frame = 0; frame < state.frames; ++frame) {
    int64_t highest = state.computeFrame(frame);
    double least = state.logEnergy[highest] - kRange;
    for (int64_t mel = 0; mel < state.mels; ++mel) {
      double value = state.isClamped(mel, highest) ? least : state.logEnergy[mel];
      state.result[mel] = (value + 4) / 4;
    }
    writeRow(args[2], frame, state.result);
  }
  return 0;
}

// With s = F·(re² + im²), m = log10(max(s, floor)), h the mel of the highest m and
// y = (max(m, m[h] − 8) + 4) / 4:
//   dm[j]  = Σ dy[i] / 4 over the i whose value came from m[j]: i = j unless i is clamped, and for
//            j = h all clamped i too
//   ds[j]  = dm[j] / (s[j] · ln 10), 0 where s[j] is below the floor
//   dp[b]  = Σ_j F[j, b] · ds[j]
//   dre[b] = 2 · re[b] · dp[b], dim[b] = 2 · im[b] · dp[b]; 0 for bins above n_fft/2.
// Where the two sides of a max are equal the first one takes the gradient.
int32_t mlir::fuse::runtime::logMelBackward(fuse_context *context, const fuse_buffer *args,
                                            int64_t numIns, int64_t numOuts, const int64_t *attrs,
                                            int64_t numAttrs, void *userData) {
  const char *op = "log_mel_backward";
  LogMel state;
  if (expectCounts(context, op, {3, 1, 0}, numIns, numOuts, numAttrs) ||
      state.init(context, op, args) ||
      state.expectFrames(context, op, "gradient dy", args[2], state.mels) ||
      state.expectFrames(context, op, "result", args[3], 2 * state.nFft))
    return 1;
  double *gradient = state.result;
  for (int64_t frame = 0; frame < state.frames; ++frame) {
    int64_t highest = state.computeFrame(frame);
    readRow(args[2], frame, gradient);
    double toHighest = 0;
    for (int64_t mel = 0; mel < state.mels; ++mel) {
      gradient[mel] /= 4;
      if (!state.isClamped(mel, highest))
        continue;
      toHighest += gradient[mel];
      gradient[mel] = 0;
    }
    if (state.mels > 0)
      gradient[highest] += toHighest;
    for (int64_t mel = 0; mel < state.mels; ++mel)
      gradient[mel] = state.energy[mel] < kFloor ? 0 : gradient[mel] / (state.energy[mel] * M_LN10);

    double *re = state.row, *im = state.row + state.nFft;
    for (int64_t bin = 0; bin < state.nFft; ++bin) {
      double sum = 0;
      for (int64_t mel = 0; mel < state.mels && bin < state.bins; ++mel)
        sum += state.filtersByBin[bin * state.mels + mel] * gradient[mel];
      re[bin] = bin < state.bins ? 2 * re[bin] * sum : 0;
      im[bin] = bin < state.bins ? 2 * im[bin] * sum : 0;
    }
    writeRow(args[3], frame, state.row);
  }
  return 0;
}
