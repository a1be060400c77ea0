//===- OnnxProto.h - The messages of ONNX, under names of this project -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Debian's schema is that of ONNX 1.12. Protobuf keeps fields that it does not know, so newer models
// parse; what they say in new fields is not seen.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_ONNX_ONNXPROTO_H
#define FUSE_IMPORT_ONNX_ONNXPROTO_H

#ifndef ONNX_ML
#define ONNX_ML 1 // which of its two schemas is installed
#endif
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <onnx/onnx_pb.h>
#pragma GCC diagnostic pop

#include "llvm/ADT/StringRef.h"

namespace mlir::fuse::onnx {
using ::onnx::AttributeProto;
using ::onnx::FunctionProto;
using ::onnx::GraphProto;
using ::onnx::ModelProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;
using ::onnx::TypeProto;
using ::onnx::ValueInfoProto;

/// The domain of the standard operators has two names.
inline bool isDefaultDomain(llvm::StringRef domain) {
  return domain.empty() || domain == "ai.onnx";
}
} // namespace mlir::fuse::onnx

#endif // FUSE_IMPORT_ONNX_ONNXPROTO_H
