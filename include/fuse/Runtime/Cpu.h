//===- Cpu.h - Which CPU this is ------------------------------------------------*- C -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Its name is printed with every figure, since figures from different CPUs do not compare.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_CPU_H
#define FUSE_RUNTIME_CPU_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The CPU's own name and, on x86, its family and model, which tell generations apart where a
   virtual machine hides the name: "AMD EPYC (family 25, model 17)". "unknown CPU" if it can't be
   found. Never null, never freed; safe from any thread. */
const char *fuse_cpu_name(void);

/* Asks the operating system to let this process use the tile registers of Intel's AMX, whose state it keeps for a
   process only on request. 1 if all threads, those that come later included, may use them; 0 where the CPU or the
   operating system has none, or refuses. Safe from any thread. */
int32_t fuse_cpu_allow_tiles(void);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // FUSE_RUNTIME_CPU_H
