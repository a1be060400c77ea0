//===- DeviceCode.h - Machine code of GPUs ------------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// One module of device functions, as bytecode, to what a driver loads. The module is a
// builtin.module that holds functions of the LLVM dialect with ops of NVVM or ROCDL, or that holds
// one gpu.module with them; kernels carry nvvm.kernel or rocdl.kernel. Each call works in contexts
// of its own, so that any number of threads may compile at once. No GPU and no driver is needed.
//
// Arithmetic is what the module says: denormals are kept, divisions and square roots are rounded
// correctly, and a product is fused with a sum only where both ops carry `contract`.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_EXECUTION_DEVICECODE_H
#define FUSE_EXECUTION_DEVICECODE_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace mlir::fuse {

/// What ptxas says of a module; of several kernels the largest figure of each.
struct DeviceResources {
  int64_t registers = 0;   // of 32 bits, per thread
  int64_t spillStores = 0; // bytes per thread
  int64_t spillLoads = 0;  // bytes per thread
  int64_t stack = 0;       // bytes per thread
  int64_t sharedBytes = 0; // static shared memory per block; dynamic memory comes on top
  int64_t barriers = 0;    // per block
};

/// Code of a device, as its driver loads it.
struct DeviceCode {
  /// What the driver compiles: PTX. With a binary it is there to be read.
  std::string text;
  /// What the driver only loads: a cubin, or an AMD GPU's code object. Empty where nothing here
  /// makes one of the text, as without ptxas.
  std::string binary;
  DeviceResources resources;

  bool isEmpty() const { return text.empty() && binary.empty(); }
  /// The one that is given to the driver.
  const std::string &getImage() const { return binary.empty() ? text : binary; }
};

// Functions whose name starts with `from` get `to` in its place, as kernels that are compared
// without their names need it; PTX allows letters, digits, _ and $ in names.

/// PTX for a chip as NVIDIA names it ("sm_80"). libdevice is linked where the module refers to
/// __nv_*, which looks for a CUDA toolkit. Errors: an unknown chip or one older than sm_75, a
/// module that cannot be translated, functions that nothing defines, no libdevice.
llvm::Expected<std::string> compilePtx(StringRef bytecode, StringRef name, StringRef chip,
                                       StringRef from = "", StringRef to = "");

/// Assembles PTX with ptxas of a CUDA toolkit; result.text is left empty. Errors: no ptxas; what
/// ptxas says.
llvm::Expected<DeviceCode> assemblePtx(StringRef ptx, StringRef name, StringRef chip);

/// Whether there is a ptxas.
bool canAssemble();

/// Both of the above, the PTX included.
llvm::Expected<DeviceCode> compileCuda(StringRef bytecode, StringRef name, StringRef chip,
                                       StringRef from = "", StringRef to = "");

/// A code object (version 5) for a chip as AMD names it ("gfx90a"), linked with ld.lld. The ROCm
/// device libraries are linked where the module refers to __ocml_* or __ockl_*. Errors: an unknown
/// chip, a module that cannot be translated, functions that nothing defines, no libraries, no
/// linker.
llvm::Expected<std::string> compileHsaco(StringRef bytecode, StringRef name, StringRef chip,
                                         StringRef from = "", StringRef to = "");

/// The figures in the text that `ptxas -v` prints.
DeviceResources parseResources(StringRef text);

/// The chips that compilePtx compiles for, in the order of their numbers.
std::vector<std::string> getCudaChips();

} // namespace mlir::fuse

#endif // FUSE_EXECUTION_DEVICECODE_H
