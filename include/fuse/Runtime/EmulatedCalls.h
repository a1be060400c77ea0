//===- EmulatedCalls.h - What kernels on the emulator call ----------------------*- C -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The ABI between device code that emulateNvvm has made code of the CPU, and the emulator
// (Emulator.h). Every function but the first two takes the thread that calls it, and returns when
// the other threads it needs have come; one that finds a fault never returns. `site` is an index
// into the kernel's table of places in its source.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_EMULATEDCALLS_H
#define FUSE_RUNTIME_EMULATEDCALLS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a thread reads of itself, without a call. Emulated code relies on this layout. */
typedef struct fuse_emulated_thread {
  int32_t tid[3], ntid[3], ctaid[3], nctaid[3]; /* x, y, z */
  int32_t lane, warp;
  void *shared; /* the block's: static shared memory, then dynamic */
} fuse_emulated_thread;

/* Memory of the module that its kernels may read. */
typedef struct fuse_emulated_global {
  const void *address;
  int64_t bytes;
} fuse_emulated_global;

/* What the emulator must know of a kernel. */
typedef struct fuse_emulated_kernel {
  const char *name;
  int64_t shared_bytes;     /* static; a multiple of 16 */
  int64_t granule;          /* every access is to a multiple of so many bytes: 1, 2, 4, 8 or 16 */
  const char *const *sites; /* text that says where in the source each site is */
  int64_t num_sites;
  const fuse_emulated_global *globals;
  int64_t num_globals;
} fuse_emulated_kernel;

/* The thread that calls. */
fuse_emulated_thread *fuse_emulated_thread_now(void);

/* What a kernel's function calls, and nothing else, if it is given no parameters (null). */
void fuse_emulated_describe(const fuse_emulated_kernel *kernel);

/* count < 0: all threads of the block that have not ended. */
void fuse_emulated_barrier(fuse_emulated_thread *thread, int32_t id, int32_t count, int32_t site);

void fuse_emulated_warp_barrier(fuse_emulated_thread *thread, uint32_t mask, int32_t site);

enum fuse_emulated_shuffle_kind {
  FUSE_EMULATED_SHUFFLE_IDX = 0,
  FUSE_EMULATED_SHUFFLE_UP = 1,
  FUSE_EMULATED_SHUFFLE_DOWN = 2,
  FUSE_EMULATED_SHUFFLE_BFLY = 3
};

/* The value in the low 32 bits; bit 32: whether it came from a lane within the segment. */
uint64_t fuse_emulated_shuffle(fuse_emulated_thread *thread, int32_t kind, uint32_t mask,
                               uint32_t value, int32_t lane, int32_t clamp, int32_t site);

enum fuse_emulated_vote_kind {
  FUSE_EMULATED_VOTE_BALLOT = 0,
  FUSE_EMULATED_VOTE_ANY = 1,
  FUSE_EMULATED_VOTE_ALL = 2,
  FUSE_EMULATED_VOTE_UNI = 3,
  FUSE_EMULATED_VOTE_MATCH = 4 /* the lanes that have the same value */
};
uint32_t fuse_emulated_vote(fuse_emulated_thread *thread, int32_t kind, uint32_t mask,
                            uint32_t value, int32_t site);

enum fuse_emulated_reduce_kind {
  FUSE_EMULATED_REDUCE_ADD = 0,
  FUSE_EMULATED_REDUCE_AND = 1,
  FUSE_EMULATED_REDUCE_OR = 2,
  FUSE_EMULATED_REDUCE_XOR = 3,
  FUSE_EMULATED_REDUCE_MIN = 4,
  FUSE_EMULATED_REDUCE_MAX = 5,
  FUSE_EMULATED_REDUCE_UMIN = 6,
  FUSE_EMULATED_REDUCE_UMAX = 7,
  FUSE_EMULATED_REDUCE_FMIN = 8, /* of floats: a NaN is passed over */
  FUSE_EMULATED_REDUCE_FMAX = 9,
  FUSE_EMULATED_REDUCE_FMIN_NAN = 10, /* gives NaN if there is one */
  FUSE_EMULATED_REDUCE_FMAX_NAN = 11
};
uint32_t fuse_emulated_reduce(fuse_emulated_thread *thread, int32_t kind, uint32_t mask,
                              uint32_t value, int32_t site);

/* Element types of a product of matrices. */
enum fuse_emulated_element {
  FUSE_EMULATED_F16 = 0,
  FUSE_EMULATED_BF16 = 1,
  FUSE_EMULATED_TF32 = 2,
  FUSE_EMULATED_F32 = 3,
  FUSE_EMULATED_S8 = 4,
  FUSE_EMULATED_U8 = 5,
  FUSE_EMULATED_S32 = 6
};

/* D = A·B + C for A of 16 rows and `depth` columns and B of 8 columns, all of it spread over the
   lanes of a warp as PTX's mma.sync says. words: this lane's part of A, B, C and then room for D,
   each in words of 32 bits. left, right: the types of A and B, which differ in their sign at most; accumulated:
   that of C and D, f16 or f32, or s32, which wraps around, for integers of 8 bits. */
void fuse_emulated_matrix_multiply(fuse_emulated_thread *thread, int32_t depth, int32_t left,
                                   int32_t right, int32_t accumulated, uint32_t *words, int32_t site);

/* 8×8 matrices of 16-bit elements, `count` of them, the rows of matrix m at the addresses that
   lanes 8·m … 8·m + 7 give. */
void fuse_emulated_load_matrix(fuse_emulated_thread *thread, const void *row, int32_t count,
                               int32_t transposed, uint32_t *words, int32_t site);
void fuse_emulated_store_matrix(fuse_emulated_thread *thread, void *row, int32_t count,
                                int32_t transposed, uint32_t *words, int32_t site);

/* Copies `source_bytes` from global to shared memory and fills up to `bytes` with 0, at any time until
   the thread has waited for the group that the copy gets into. */
void fuse_emulated_copy_async(fuse_emulated_thread *thread, void *shared, const void *global,
                              int32_t bytes, int32_t source_bytes, int32_t site);
void fuse_emulated_commit_copies(fuse_emulated_thread *thread);
/* Waits for all groups but the newest `left`; left < 0: also for copies of no group. */
void fuse_emulated_wait_copies(fuse_emulated_thread *thread, int32_t left, int32_t site);

/* What a warpgroup asks for, by wgmma: D = A·B + D for A of 64 rows and B of `columns` columns, both of so many steps as have
   32 bytes, of elements `left` and `right`, which lie in shared memory as descriptors of PTX say. Bits of `turned`: 1 if A's
   memory runs along its rows, 2 if B's runs along its columns. words: this thread's part of D, each in a word of 32 bits, then
   room for as many. What is put there stands for the sums until fuse_emulated_take_sum is called with it: they are
   computed, and shared memory is read, at any time until the warp has waited. Each warp computes its 16 rows. */
void fuse_emulated_warpgroup_multiply(fuse_emulated_thread *thread, int32_t columns, int32_t left, int32_t right,
                                      int32_t turned, uint64_t left_place, uint64_t right_place, uint32_t *words,
                                      int32_t site);
void fuse_emulated_warpgroup_fence(fuse_emulated_thread *thread, int32_t site);
void fuse_emulated_warpgroup_commit(fuse_emulated_thread *thread, int32_t site);
/* Waits for all groups but the newest `left`. */
void fuse_emulated_warpgroup_wait(fuse_emulated_thread *thread, int64_t left, int32_t site);
/* What a word stands for that such a product may have given; a fault if nobody has waited for it. */
uint32_t fuse_emulated_take_sum(fuse_emulated_thread *thread, uint32_t word, int32_t site);

/* What the thread has written to shared memory until now may be read by such products. */
void fuse_emulated_proxy_fence(fuse_emulated_thread *thread);

/* Called before each access that is to be checked. */
void fuse_emulated_read(fuse_emulated_thread *thread, const void *address, int64_t bytes,
                        int32_t site);
void fuse_emulated_write(fuse_emulated_thread *thread, void *address, int64_t bytes, int32_t site);
void fuse_emulated_atomic(fuse_emulated_thread *thread, void *address, int64_t bytes, int32_t site);
/* Elements of a vector, those whose bit is set in mask. */
void fuse_emulated_read_masked(fuse_emulated_thread *thread, const void *address,
                               int64_t element_bytes, uint64_t mask, int32_t site);
void fuse_emulated_write_masked(fuse_emulated_thread *thread, void *address, int64_t element_bytes,
                                uint64_t mask, int32_t site);

/* What a failed assertion and a trap call. */
void fuse_emulated_fail(fuse_emulated_thread *thread, const char *text, int32_t site);

#ifdef __cplusplus
} // extern "C"

static_assert(offsetof(fuse_emulated_thread, ntid) == 12 &&
                  offsetof(fuse_emulated_thread, ctaid) == 24 &&
                  offsetof(fuse_emulated_thread, nctaid) == 36 &&
                  offsetof(fuse_emulated_thread, lane) == 48 &&
                  offsetof(fuse_emulated_thread, warp) == 52 &&
                  offsetof(fuse_emulated_thread, shared) == 56,
              "emulated code relies on it");
#endif

#endif // FUSE_RUNTIME_EMULATEDCALLS_H
