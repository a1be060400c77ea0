//===- DeviceCode.cpp - What fuse-run does with code of a GPU ------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Driver.h"

using namespace mlir;
using namespace mlir::fuse;

bool Driver::countsRequests() const {
  return options.backend->countsRequests() && (options.report || !options.reportJson.empty());
}

LogicalResult Driver::buildOnly() {
  auto compiled = compileLowered();
  if (!compiled)
    return fail(compiled.takeError(), func);
  if (onlyExplains())
    return success();
  std::string chip = options.getChip();
  return fail(llvm::createStringError("code for " +
                                      (chip.empty() ? options.backend->getName() : chip) +
                                      " is built, but nothing here runs it"),
              func);
}

LogicalResult Driver::dumpText() {
  auto compiled = compileLowered();
  if (!compiled)
    return fail(compiled.takeError(), func);
  // Each is a file of its own to ptxas.
  for (const auto &[number, image] : compiled->images) {
    auto unit = llvm::find_if(compiled->kernels, [number = number](const KernelUnit &kernel) {
      return kernel.object == number;
    });
    os << "// " << unit->symbol << "\n" << image.text;
  }
  return success();
}
