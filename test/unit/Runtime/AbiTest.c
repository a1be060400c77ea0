//===- AbiTest.c - The runtime's headers are C ---------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Runtime/Context.h"
#include "fuse/Runtime/Cpu.h"
#include "fuse/Runtime/Cuda.h"
#include "fuse/Runtime/Device.h"
#include "fuse/Runtime/DeviceRun.h"
#include "fuse/Runtime/HostCalls.h"
#include "fuse/Runtime/Runtime.h"

#include <stddef.h>

// The offsets that generated code uses.
_Static_assert(sizeof(void *) != 8 || offsetof(fuse_buffer, data) == 0, "data");
_Static_assert(sizeof(void *) != 8 || offsetof(fuse_buffer, sizes) == 8, "sizes");
_Static_assert(sizeof(void *) != 8 || offsetof(fuse_buffer, strides) == 16, "strides");
_Static_assert(sizeof(void *) != 8 || offsetof(fuse_buffer, rank) == 24, "rank");
_Static_assert(sizeof(void *) != 8 || offsetof(fuse_buffer, dtype) == 28, "dtype");
_Static_assert(sizeof(void *) != 8 || sizeof(fuse_buffer) == 32, "buffer");
_Static_assert(sizeof(void *) != 8 || sizeof(fuse_kernel) == 48, "kernel");
