//===- HostCallsTest.cpp - Finding and calling host functions ------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TestUtils.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace fusetest;

namespace {

/// result[0] = operand[0] · attribute 0 + *userData.
int32_t scale(fuse_context *context, const fuse_buffer *args, int64_t numIns, int64_t numOuts,
              const int64_t *attrs, int64_t numAttrs, void *userData) {
  if (numIns != 1 || numOuts != 1 || numAttrs != 1)
    return fuse_fail(context, "scale: one operand, one result, one attribute");
  *static_cast<float *>(args[1].data) =
      *static_cast<const float *>(args[0].data) * attrs[0] + *static_cast<float *>(userData);
  return 0;
}

int32_t failSilently(fuse_context *, const fuse_buffer *, int64_t, int64_t, const int64_t *,
                     int64_t, void *) {
  return 42;
}

} // namespace

TEST(HostCalls, CallsRegisteredFunctions) {
  Context context = makeContext(1);
  float offset = 0.5f, in = 3, out = 0, other = 100;
  ASSERT_EQ(fuse_register_host_function(context.get(), "scale", scale, &offset), 0);
  fuse_buffer args[] = {{&in, nullptr, nullptr, 0, FUSE_F32},
                        {&out, nullptr, nullptr, 0, FUSE_F32}};
  int64_t factor = 4;
  ASSERT_EQ(fuse_host_call(context.get(), "scale", args, 1, 1, &factor, 1), 0);
  EXPECT_EQ(out, 12.5f);
  EXPECT_EQ(context->counters.host_calls, 1);
  ASSERT_EQ(fuse_register_host_function(context.get(), "scale", scale, &other), 0);
  EXPECT_EQ(context->num_host_functions, 1);
  ASSERT_EQ(fuse_host_call(context.get(), "scale", args, 1, 1, &factor, 1), 0);
  EXPECT_EQ(out, 112.0f);
  EXPECT_EQ(fuse_host_call(context.get(), "scale", args, 1, 1, nullptr, 0), 1);
  EXPECT_STREQ(fuse_context_error(context.get()), "scale: one operand, one result, one attribute");
}

TEST(HostCalls, Errors) {
  Context context = makeContext(1);
  EXPECT_NE(fuse_host_call(context.get(), "nowhere", nullptr, 0, 0, nullptr, 0), 0);
  EXPECT_STREQ(fuse_context_error(context.get()), "unknown host function 'nowhere'");
  EXPECT_EQ(context->counters.host_calls, 0);
  EXPECT_NE(fuse_host_call(context.get(), "log_mel", nullptr, 2, 1, nullptr, 0), 0);
  EXPECT_STREQ(fuse_context_error(context.get()),
               "host function 'log_mel': bad lists of 2 operands, 1 results, 0 attributes");
  EXPECT_NE(fuse_register_host_function(context.get(), "log_mel", failSilently, nullptr), 0);
  EXPECT_STREQ(fuse_context_error(context.get()),
               "host function 'log_mel' would hide the host op of that name");
  EXPECT_NE(fuse_register_host_function(context.get(), "", failSilently, nullptr), 0);
  EXPECT_NE(fuse_register_host_function(context.get(), nullptr, failSilently, nullptr), 0);
  EXPECT_NE(fuse_register_host_function(context.get(), "null", nullptr, nullptr), 0);
  ASSERT_EQ(fuse_register_host_function(context.get(), "silent", failSilently, nullptr), 0);
  EXPECT_EQ(fuse_host_call(context.get(), "silent", nullptr, 0, 0, nullptr, 0), 42);
  EXPECT_STREQ(fuse_context_error(context.get()), "host function 'silent' failed with status 42");
}

TEST(HostCalls, HostOpsCheckTheirOperands) {
  Context context = makeContext(1);
  Array<float> spectrum(FUSE_F32, {4, 16}), odd(FUSE_F32, {4, 15}), filters(FUSE_F32, {3, 5}),
      wide(FUSE_F32, {3, 6}), result(FUSE_F32, {4, 3}), wrong(FUSE_F32, {5, 3}),
      peaks(FUSE_F32, {2, 4});
  Array<int32_t> integers(FUSE_I32, {4, 16});
  auto call = [&](const char *name, std::vector<fuse_buffer> args, int64_t ins,
                  std::vector<int64_t> attrs) -> std::string {
    int32_t status = fuse_host_call(context.get(), name, args.data(), ins, args.size() - ins,
                                    attrs.data(), attrs.size());
    return status == 0 ? "" : fuse_context_error(context.get());
  };
  fuse_buffer s = spectrum.buffer(), f = filters.buffer(), r = result.buffer();
  EXPECT_EQ(call("log_mel", {s, f, r}, 2, {}), "");
  EXPECT_EQ(call("log_mel", {s, f}, 1, {}),
            "log_mel: expected 2 operands, 1 results, 0 attributes, found 1, 1, 0");
  EXPECT_EQ(call("log_mel", {s, wide.buffer(), r}, 2, {}),
            "log_mel: expected filters of shape [n_mels, 5] for n_fft = 8, found [3, 6]");
  EXPECT_EQ(call("log_mel", {odd.buffer(), f, r}, 2, {}),
            "log_mel: expected a spectrum of shape [..., 2 * n_fft] with n_fft > 0, found [4, 15]");
  EXPECT_EQ(call("log_mel", {s, f, wrong.buffer()}, 2, {}),
            "log_mel: expected the result to have the leading dimensions of spectrum [4, 16] and a "
            "last dimension of 3, found [5, 3]");
  EXPECT_EQ(call("log_mel", {integers.buffer(), f, r}, 2, {}),
            "log_mel: expected the spectrum to be of f16, bf16, f32 or f64, found i32");
  fuse_buffer scalar = s;
  scalar.rank = 0;
  EXPECT_EQ(call("log_mel", {scalar, f, r}, 2, {}),
            "log_mel: expected the spectrum to have rank 1 or more, found []");
  EXPECT_EQ(call("log_mel_backward", {s, f, wrong.buffer(), s}, 3, {}),
            "log_mel_backward: expected the gradient dy to have the leading dimensions of spectrum "
            "[4, 16] and a last dimension of 3, found [5, 3]");
  EXPECT_EQ(call("welch_peaks", {s, peaks.buffer()}, 1, {2, 2}), "");
  EXPECT_EQ(call("welch_peaks", {s, peaks.buffer()}, 1, {6, 2}),
            "welch_peaks: expected k between 0 and the 5 bins, found 6");
  EXPECT_EQ(call("welch_peaks", {s, peaks.buffer()}, 1, {2, 3}),
            "welch_peaks: expected a spectrum of shape [batch * n_segments, 2 * n_fft] with "
            "n_segments = 3 and n_fft > 0, found [4, 16]");
  EXPECT_EQ(call("welch_peaks", {s, peaks.buffer()}, 1, {2, 0}),
            "welch_peaks: expected a spectrum of shape [batch * n_segments, 2 * n_fft] with "
            "n_segments = 0 and n_fft > 0, found [4, 16]");
  EXPECT_EQ(call("welch_peaks", {s, peaks.buffer()}, 1, {2, 1}),
            "welch_peaks: expected a result of shape [4, 4], found [2, 4]");
}
