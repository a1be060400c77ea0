/*===- Dialect.h - The dialect and its passes for MLIR's C interface --------------*- C -*-===*\
|*                                                                                            *|
|* Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.              *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                                     *|
|*                                                                                            *|
|*===----------------------------------------------------------------------------------------===*|
|*                                                                                            *|
|* libfuse-compiler has MLIR's own C interface for IR, passes and diagnostics as well (mlir-c/IR.h, Pass.h,                  *|
|* Diagnostics.h, BuiltinTypes.h, BuiltinAttributes.h): that of the MLIR inside, which shares nothing with another one in    *|
|* the process. Python's fuse.mlir is made of it.                                                                            *|
|*                                                                                            *|
\*===----------------------------------------------------------------------------------------===*/

#ifndef FUSE_CAPI_DIALECT_H
#define FUSE_CAPI_DIALECT_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/* mlirGetDialectHandle__fuse__ */
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Fuse, fuse);

/* Adds the dialects that fuse-opt reads: fuse with the external models of its ops, and MLIR's own. */
MLIR_CAPI_EXPORTED void fuse_register_dialects(MlirDialectRegistry registry);

/* Makes the passes and pipelines that fuse-opt has known by their names, for mlirParsePassPipeline and
   mlirOpPassManagerAddPipeline. Any number of times, by any thread. */
MLIR_CAPI_EXPORTED void fuse_register_passes(void);

#ifdef __cplusplus
}
#endif

#endif /* FUSE_CAPI_DIALECT_H */
