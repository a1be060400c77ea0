//===- InitAll.h - What the project adds to a tool ----------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The one place that knows every layer with dialects, external models, passes or pipelines. A new
// one is a line in InitAll.cpp and its library in CMakeLists.txt beside it; fuse-opt, the plugin,
// the language server and the reducer then have it.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_INITALL_INITALL_H
#define FUSE_INITALL_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::fuse {

/// Adds the dialect and the external models of its ops. Upstream dialects are the caller's to add.
void registerAllFuseDialects(DialectRegistry &registry);

/// Registers the passes and pipelines with MLIR's global registry. Once per process.
void registerAllFusePasses();

} // namespace mlir::fuse

#endif // FUSE_INITALL_INITALL_H
