//===- WireScan.h - A model's message without the bytes of its tensors -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Protobuf copies what it parses. A model is mostly tensors, so the bytes of large ones are cut out
// of the encoded message before it is parsed, and looked up in the file when they are needed. Only
// the headers of a tensor's fields are touched while scanning.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_ONNX_WIRESCAN_H
#define FUSE_IMPORT_ONNX_WIRESCAN_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace mlir::fuse::onnx {

/// Bytes within the scanned message.
struct ByteRange {
  uint64_t offset = 0, size = 0;
  uint32_t field = 0; ///< of the tensor
};

struct Skeleton {
  /// An encoded ModelProto. A tensor whose bytes were cut out has an unknown field `kCutField`: the
  /// number of its range.
  std::string message;
  std::vector<ByteRange> ranges;
};

inline constexpr int kCutField = 1000;

/// Scans an encoded ModelProto. An error where the encoding is damaged, messages nest too deep, or
/// there are more of them than the bytes of a valid model can hold.
llvm::Expected<Skeleton> scanModel(StringRef bytes);

} // namespace mlir::fuse::onnx

#endif // FUSE_IMPORT_ONNX_WIRESCAN_H
