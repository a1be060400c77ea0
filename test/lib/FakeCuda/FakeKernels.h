//===- FakeKernels.h - What kernels of the fake driver do --------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A block is one element. The last-but-one parameter says how many blocks there are; a block of the
// grid does every grid-th of them.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_LIB_FAKECUDA_FAKEKERNELS_H
#define FUSE_TEST_LIB_FAKECUDA_FAKEKERNELS_H

#include <cstdint>
#include <cstring>

namespace fakecuda {

/// One block of the grid. Returns a result of the driver, 0 for success.
using BlockFn = int (*)(const uint64_t *params, int64_t block, int64_t grid);

struct Builtin {
  const char *name;
  int64_t numParams;
  BlockFn run;
};

inline float *floats(uint64_t param) { return reinterpret_cast<float *>(param); }

inline const Builtin kBuiltins[] = {
    // (a, b, out, blocks): out = a + b
    {"add_f32", 4,
     [](const uint64_t *params, int64_t block, int64_t grid) {
       for (int64_t i = block; i < static_cast<int64_t>(params[3]); i += grid)
         floats(params[2])[i] = floats(params[0])[i] + floats(params[1])[i];
       return 0;
     }},
    // (a, out, blocks): out = 2 a
    {"double_f32", 3,
     [](const uint64_t *params, int64_t block, int64_t grid) {
       for (int64_t i = block; i < static_cast<int64_t>(params[2]); i += grid)
         floats(params[1])[i] = 2 * floats(params[0])[i];
       return 0;
     }},
    // (out, size, blocks, scratch): writes 64 bytes of its scratch; out = size + block
    {"scratch_f32", 4,
     [](const uint64_t *params, int64_t block, int64_t grid) {
       std::memset(reinterpret_cast<char *>(params[3]) + 64 * block, 1, 64);
       for (int64_t i = block; i < static_cast<int64_t>(params[2]); i += grid)
         floats(params[0])[i] = static_cast<float>(params[1] + i);
       return 0;
     }},
    // (): an access out of bounds
    {"fault", 0, [](const uint64_t *, int64_t, int64_t) { return 700; }},
};

} // namespace fakecuda

#endif // FUSE_TEST_LIB_FAKECUDA_FAKEKERNELS_H
