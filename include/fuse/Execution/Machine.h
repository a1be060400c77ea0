//===- Machine.h - What kernels are compiled for and run on -------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_EXECUTION_MACHINE_H
#define FUSE_EXECUTION_MACHINE_H

namespace mlir::fuse {

enum class Machine {
  Cpu,      ///< this one's
  Emulator, ///< kernels of a GPU, on this CPU
  Cuda,     ///< an NVIDIA GPU
  Rocm,     ///< an AMD GPU: code is built for it, which nothing here runs
};

inline bool hasDevice(Machine machine) { return machine != Machine::Cpu; }

} // namespace mlir::fuse

#endif // FUSE_EXECUTION_MACHINE_H
