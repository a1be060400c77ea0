//===- Cpu.h - Which CPU this is ------------------------------------------------*- C -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Printed with every figure, since figures from different CPUs do not compare.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_CPU_H
#define FUSE_RUNTIME_CPU_H

#ifdef __cplusplus
extern "C" {
#endif

/* The CPU's own name and, on x86, its family and model, which tell generations apart where a
   virtual machine hides the name: "AMD EPYC (family 25, model 17)". "unknown CPU" if it can't be
   found. Never null, never freed; safe from any thread. */
const char *fuse_cpu_name(void);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // FUSE_RUNTIME_CPU_H
