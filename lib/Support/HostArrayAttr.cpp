//===- HostArrayAttr.cpp - Host arrays from and to builtin attributes -----------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Support/HostArray.h"

#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>

using namespace mlir;
using namespace mlir::fuse;

llvm::Expected<HostArray> HostArray::fromAttribute(ElementsAttr attribute) {
  ShapedType shaped = attribute.getShapedType();
  // `index` has no size of its own: attributes hold it as 64 bits.
  Type elementType = shaped.getElementType();
  if (elementType.isIndex())
    elementType = IntegerType::get(attribute.getContext(), 64);
  llvm::Expected<HostArray> array = create(shaped.clone(elementType));
  if (!array)
    return array;
  int64_t count = array->getNumElements();
  if (count == 0)
    return array;
  if (auto dense = dyn_cast<DenseElementsAttr>(attribute)) {
    if (array->getElementType() == ElementType::I1) {
      // Packed as bits in the attribute.
      for (auto [to, from] : llvm::zip_equal(array->data<uint8_t>(), dense.getValues<bool>()))
        to = from;
      return array;
    }
    ArrayRef<char> raw = dense.getRawData();
    if (!dense.isSplat()) {
      std::memcpy(array->getBytes(), raw.data(), array->getByteSize());
      return array;
    }
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(array->getBytes() + i * raw.size(), raw.data(), raw.size());
    return array;
  }
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return llvm::createStringError("the resource '" + resource.getRawHandle().getKey().str() +
                                     "' has no data");
    // Resources of i1 hold a byte per element.
    if (int64_t(blob->getData().size()) != array->getByteSize())
      return llvm::createStringError("the resource '" + resource.getRawHandle().getKey().str() +
                                     "' holds " + std::to_string(blob->getData().size()) +
                                     " bytes; expected " + std::to_string(array->getByteSize()) +
                                     " for " + array->describe());
    std::memcpy(array->getBytes(), blob->getData().data(), array->getByteSize());
    if (array->getElementType() == ElementType::I1)
      for (uint8_t &value : array->data<uint8_t>())
        value = value != 0;
    return array;
  }
  return llvm::createStringError("expected a dense or dense_resource attribute");
}

DenseElementsAttr HostArray::toAttribute(MLIRContext *context) const {
  RankedTensorType tensor = getTensorType(context);
  size_t elementSize = getElementBytes(type);
  size_t size = getByteSize();
  bool splat = size > elementSize &&
               std::memcmp(getBytes(), getBytes() + elementSize, size - elementSize) == 0;
  size_t kept = splat ? elementSize : size;
  if (type == ElementType::I1)
    return DenseElementsAttr::get(tensor,
                                  ArrayRef(reinterpret_cast<const bool *>(getBytes()), kept));
  return DenseElementsAttr::getFromRawBuffer(tensor, ArrayRef(getBytes(), kept));
}
