//===- fuzz-onnx-import.cpp - Imports whatever libFuzzer makes up -----------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Models.h"

#include "fuse/Import/Onnx.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t mostSize);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  int file = memfd_create("model", MFD_CLOEXEC);
  if (file < 0 || write(file, data, size) != static_cast<ssize_t>(size))
    std::abort();
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  size_t messages = 0;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &) {
    ++messages;
    return mlir::success();
  });
  auto model = mlir::fuse::importOnnx("/proc/self/fd/" + std::to_string(file), &context);
  if (mlir::failed(model) && messages == 0) {
    std::fprintf(stderr, "the import fails without a diagnostic\n");
    std::abort();
  }
  close(file);
  return 0;
}

/// Mostly changes what the message says: few changes of bytes leave a model that parses.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t mostSize,
                                          unsigned seed) {
  fuse_test::Random random(seed);
  onnx::ModelProto model;
  if (random() % 4 == 0 || !model.ParseFromArray(data, static_cast<int>(size)))
    return LLVMFuzzerMutate(data, size, mostSize);
  fuse_test::damage(model, random);
  std::string bytes = model.SerializeAsString();
  if (bytes.size() > mostSize)
    return LLVMFuzzerMutate(data, size, mostSize);
  std::copy(bytes.begin(), bytes.end(), data);
  return bytes.size();
}
