//===- Sanitizers.cpp - What the sanitizers have to know of OpenMP -------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Part of sanitizer builds only: options that sanitizers ask the program for, so that no
// environment has to be set. TSAN_OPTIONS and LSAN_OPTIONS still override them.
//
//===----------------------------------------------------------------------------------------===//

extern "C" {

// OpenMP's library is not instrumented: its own accesses are to be left alone. What a fork and a
// join order is told to the thread sanitizer by the Archer tool, which is linked in beside this.
const char *__tsan_default_options() { return "ignore_noninstrumented_modules=1"; }

// OpenMP does not free what it holds for a calling thread when that thread ends (seen with
// libomp 19: about 3 KB per thread).
const char *__lsan_default_suppressions() { return "leak:libomp.so\n"; }

} // extern "C"
