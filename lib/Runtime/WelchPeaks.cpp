//===- WelchPeaks.cpp - The highest bins of an averaged power spectrum ---------------------===//
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

/// Whether a comes before b among the peaks. A NaN is higher than any number, as in argmax, so
/// that it is never hidden.
bool isHigher(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && !std::isnan(b);
  return a > b;
}

/// Fills peaks with the k highest bins as (bin, power), descending; of equal ones the lower bin
/// first. k is small, so that an insertion into the sorted list is cheap.
void selectPeaks(const double *power, int64_t bins, int64_t k, double *peaks) {
  int64_t found = 0;
  for (int64_t bin = 0; bin < bins; ++bin) {
    if (found == k && (k == 0 || !isHigher(power[bin], peaks[2 * k - 1])))
      continue;
    int64_t place = found < k ? found++ : k - 1;
    for (; place > 0 && isHigher(power[bin], peaks[2 * place - 1]); --place) {
      peaks[2 * place] = peaks[2 * place - 2];
      peaks[2 * place + 1] = peaks[2 * place - 1];
    }
    peaks[2 * place] = static_cast<double>(bin);
    peaks[2 * place + 1] = power[bin];
  }
}

} // namespace

int32_t mlir::fuse::runtime::welchPeaks(fuse_context *context, const fuse_buffer *args,
                                        int64_t numIns, int64_t numOuts, const int64_t *attrs,
                                        int64_t numAttrs, void *userData) {
  const char *op = "welch_peaks";
  if (expectCounts(context, op, {1, 1, 2}, numIns, numOuts, numAttrs))
    return 1;
  const fuse_buffer &spectrum = args[0], &result = args[1];
  int64_t k = attrs[0], segments = attrs[1];
  if (expectFloats(context, op, "spectrum", spectrum, 2, /*orMore=*/false) ||
      expectFloats(context, op, "result", result, 2, /*orMore=*/false))
    return 1;
  int64_t rows = spectrum.sizes[0], columns = spectrum.sizes[1];
  if (segments <= 0 || rows % segments != 0 || columns <= 0 || columns % 2 != 0)
    return failWith(context,
                    "%s: expected a spectrum of shape [batch * n_segments, 2 * n_fft] with "
                    "n_segments = %lld and n_fft > 0, found %s",
                    op, toLong(segments), ShapeText(spectrum).text);
  int64_t nFft = columns / 2, bins = nFft / 2 + 1, batch = rows / segments;
  if (k < 0 || k > bins)
    return failWith(context, "%s: expected k between 0 and the %lld bins, found %lld", op,
                    toLong(bins), toLong(k));
  if (result.sizes[0] != batch || result.sizes[1] != 2 * k)
    return failWith(context, "%s: expected a result of shape [%lld, %lld], found %s", op,
                    toLong(batch), toLong(2 * k), ShapeText(result).text);
  int64_t doubles = columns + bins + 2 * k;
  if (reserve(context, context->host_space, doubles * sizeof(double), op))
    return 1;
  double *row = static_cast<double *>(context->host_space.data);
  double *power = row + columns, *peaks = power + bins;

  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t bin = 0; bin < bins; ++bin)
      power[bin] = 0;
    for (int64_t s = 0; s < segments; ++s) {
      readRow(spectrum, b * segments + s, row);
      const double *re = row, *im = row + nFft;
      for (int64_t bin = 0; bin < bins; ++bin)
        power[bin] += re[bin] * re[bin] + im[bin] * im[bin];
    }
    // One-sided: all bins but DC and, where n_fft is even, Nyquist stand for two.
    for (int64_t bin = 0; bin < bins; ++bin) {
      bool isInner = bin > 0 && 2 * bin != nFft;
      power[bin] = (isInner ? 2 : 1) * (power[bin] / static_cast<double>(segments));
    }
    selectPeaks(power, bins, k, peaks);
    writeRow(result, b, peaks);
  }
  return 0;
}
