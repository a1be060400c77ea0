//===- ModelFile.h - A model's file, its message and its tensors -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_ONNX_MODELFILE_H
#define FUSE_IMPORT_ONNX_MODELFILE_H

#include "../Common/Checks.h"
#include "../Common/Limits.h"
#include "../Common/MappedFile.h"
#include "OnnxProto.h"
#include "WireScan.h"
#include "fuse/Support/HostArray.h"

#include "llvm/ADT/StringMap.h"

#include <memory>
#include <optional>

namespace mlir::fuse::onnx {
using namespace importer;

class ModelFile {
public:
  /// Reads the message; tensors stay in the file, or in the bytes that stand for it.
  static llvm::Expected<std::unique_ptr<ModelFile>> open(StringRef path, std::optional<StringRef> bytes = std::nullopt);

  const ModelProto &getModel() const { return model; }
  /// Bytes of the file itself.
  int64_t getSize() const { return static_cast<int64_t>(file->getBytes().size()); }
  /// For rewriting before the import.
  GraphProto &getGraph() { return *model.mutable_graph(); }

  /// The elements of a tensor: in place where they are aligned in a file, else copied once. Errors:
  /// a type that no array has, dimensions that are negative or too large, as many bytes as the
  /// shape does not take, external data outside the model's folder or missing. Elements of a type
  /// that the dialect does not have are stored as Formats.h says.
  llvm::Expected<HostArray> readTensor(const TensorProto &tensor) const;

private:
  llvm::Expected<HostArray> readElements(const TensorProto &tensor, ElementType type,
                                         ArrayRef<int64_t> shape) const;
  llvm::Expected<HostArray> readExternal(const TensorProto &tensor, ElementType type,
                                         ArrayRef<int64_t> shape) const;
  llvm::Expected<std::shared_ptr<MappedFile>> openExternal(StringRef location) const;

  std::shared_ptr<MappedFile> file;
  std::vector<ByteRange> ranges;
  ModelProto model;
  mutable llvm::StringMap<std::shared_ptr<MappedFile>> externals;
};

/// The element type of an ONNX data type; nothing for one that the dialect does not have.
std::optional<ElementType> getTensorElement(int64_t dataType);
/// Its name as ONNX spells it, also of types newer than the protobuf schema.
std::string getDataTypeName(int64_t dataType);
std::string getDataTypeName(ElementType type);

} // namespace mlir::fuse::onnx

#endif // FUSE_IMPORT_ONNX_MODELFILE_H
