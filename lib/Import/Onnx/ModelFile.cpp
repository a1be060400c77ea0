//===- ModelFile.cpp - A model's file, its message and its tensors -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ModelFile.h"
#include "Formats.h"
#include "SortNodes.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

//===- The file -----------------------------------------------------------------------------===//

llvm::Expected<std::unique_ptr<ModelFile>> ModelFile::open(StringRef path, std::optional<StringRef> bytes) {
  llvm::Expected<std::shared_ptr<MappedFile>> file = bytes ? MappedFile::adopt(path, *bytes) : MappedFile::open(path);
  if (!file)
    return file.takeError();
  auto result = std::make_unique<ModelFile>();
  result->file = *file;
  auto skeleton = scanModel((*file)->getBytes());
  if (!skeleton)
    return skeleton.takeError();
  result->ranges = std::move(skeleton->ranges);
  google::protobuf::LogSilencer quiet; // what it says goes to the standard error stream
  if (skeleton->message.size() > INT32_MAX ||
      !result->model.ParseFromArray(skeleton->message.data(), skeleton->message.size()))
    return llvm::createStringError("no ONNX model, or a damaged one");
  if (!result->model.has_graph())
    return llvm::createStringError("no ONNX model: it has no graph");
  sortNodes(*result->model.mutable_graph()->mutable_node());
  for (FunctionProto &each : *result->model.mutable_functions())
    sortNodes(*each.mutable_node());
  return result;
}

//===- Types --------------------------------------------------------------------------------===//

std::optional<ElementType> mlir::fuse::onnx::getTensorElement(int64_t dataType) {
  switch (dataType) {
  case TensorProto::FLOAT:
    return ElementType::F32;
  case TensorProto::UINT8:
    return ElementType::U8;
  case TensorProto::INT8:
    return ElementType::I8;
  case TensorProto::UINT16:
    return ElementType::U16;
  case TensorProto::INT16:
    return ElementType::I16;
  case TensorProto::INT32:
    return ElementType::I32;
  case TensorProto::INT64:
    return ElementType::I64;
  case TensorProto::BOOL:
    return ElementType::I1;
  case TensorProto::FLOAT16:
    return ElementType::F16;
  case TensorProto::DOUBLE:
    return ElementType::F64;
  case TensorProto::UINT32:
    return ElementType::U32;
  case TensorProto::UINT64:
    return ElementType::U64;
  case TensorProto::BFLOAT16:
    return ElementType::BF16;
  default:
    return std::nullopt;
  }
}

std::string mlir::fuse::onnx::getDataTypeName(int64_t dataType) {
  static constexpr const char *kNewer[] = {
      "FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ", "UINT4",
      "INT4",         "FLOAT4E2M1",     "FLOAT8E8M0", "UINT2",          "INT2"};
  if (llvm::isInt<32>(dataType) && TensorProto::DataType_IsValid(static_cast<int>(dataType)))
    return TensorProto::DataType_Name(static_cast<TensorProto::DataType>(dataType));
  constexpr int64_t kFirst = 17;
  if (dataType >= kFirst && dataType - kFirst < static_cast<int64_t>(std::size(kNewer)))
    return kNewer[dataType - kFirst];
  return "data type " + std::to_string(dataType);
}

std::string mlir::fuse::onnx::getDataTypeName(ElementType type) {
  int64_t dataType = TensorProto::FLOAT;
  while (getTensorElement(dataType) != type)
    ++dataType;
  return getDataTypeName(dataType);
}

//===- Tensors ------------------------------------------------------------------------------===//

/// Elements in one of the message's typed lists, which hold narrower types widened.
template <typename T, typename List>
static void copyList(HostArray &array, const List &list) {
  MutableArrayRef<T> to = array.data<T>();
  for (size_t i = 0; i < to.size(); ++i)
    to[i] = static_cast<T>(list.Get(i));
}

static llvm::Error makeCountError(int64_t found, const HostArray &array) {
  return llvm::createStringError("expected " + llvm::Twine(array.getNumElements()) +
                                 " elements for " + array.describe() + ", found " +
                                 llvm::Twine(found));
}

static llvm::Error readLists(const TensorProto &tensor, HostArray &array) {
  int64_t wanted = array.getNumElements();
  auto check = [&](int64_t found) {
    return found == wanted ? llvm::Error::success() : makeCountError(found, array);
  };
  auto copy = [&](const auto &list, auto zero) -> llvm::Error {
    if (llvm::Error error = check(list.size()))
      return error;
    copyList<decltype(zero)>(array, list);
    return llvm::Error::success();
  };
  switch (array.getElementType()) {
  case ElementType::F32:
    return copy(tensor.float_data(), float());
  case ElementType::F64:
    return copy(tensor.double_data(), double());
  case ElementType::I64:
    return copy(tensor.int64_data(), int64_t());
  case ElementType::U64:
    return copy(tensor.uint64_data(), uint64_t());
  case ElementType::U32:
    return copy(tensor.uint64_data(), uint32_t());
  case ElementType::I32:
    return copy(tensor.int32_data(), int32_t());
  case ElementType::I16:
  case ElementType::U16:
  case ElementType::F16:
  case ElementType::BF16:
    return copy(tensor.int32_data(), uint16_t());
  case ElementType::I8:
  case ElementType::U8:
    return copy(tensor.int32_data(), uint8_t());
  case ElementType::I1:
    if (llvm::Error error = check(tensor.int32_data_size()))
      return error;
    for (int64_t i = 0; i < wanted; ++i)
      array.data<uint8_t>()[i] = tensor.int32_data(i) != 0;
    return llvm::Error::success();
  }
  llvm_unreachable("all element types are handled");
}

/// Which ranges a tensor's elements were cut out of.
static SmallVector<ByteRange, 1> getRanges(const TensorProto &tensor, ArrayRef<ByteRange> ranges) {
  SmallVector<ByteRange, 1> found;
  const auto &unknown = tensor.unknown_fields();
  for (int i = 0; i < unknown.field_count(); ++i) {
    const auto &field = unknown.field(i);
    if (field.number() == kCutField &&
        field.type() == google::protobuf::UnknownField::TYPE_VARINT &&
        field.varint() < ranges.size())
      found.push_back(ranges[field.varint()]);
  }
  return found;
}

/// Whether the bytes of a tensor's field are its elements as arrays have them.
static bool holdsElementsOf(uint32_t field, ElementType type) {
  switch (field) {
  case TensorProto::kRawDataFieldNumber:
    return true;
  case TensorProto::kFloatDataFieldNumber:
    return type == ElementType::F32;
  case TensorProto::kDoubleDataFieldNumber:
    return type == ElementType::F64;
  default:
    return false;
  }
}

llvm::Expected<HostArray> ModelFile::readTensor(const TensorProto &tensor) const {
  std::optional<ElementType> type = getStoredElement(tensor.data_type());
  if (!type)
    return llvm::createStringError("elements of type " + getDataTypeName(tensor.data_type()) +
                                   " are not supported");
  SmallVector<int64_t, 4> shape(tensor.dims().begin(), tensor.dims().end());
  if (llvm::is_contained(shape, ShapedType::kDynamic))
    return llvm::createStringError("expected extents of at least 0, found " +
                                   llvm::Twine(ShapedType::kDynamic));
  if (std::optional<std::string> problem = findShapeProblem(*type, shape))
    return llvm::createStringError(*problem);
  const Format *format = getFormat(tensor.data_type());
  if (!format || format->bits == 8)
    return readElements(tensor, *type, shape);
  int64_t elements = *HostArray::computeByteSize(*type, shape);
  auto packed = readElements(tensor, ElementType::U8, {getPackedSize(*format, elements)});
  if (!packed)
    return packed;
  auto array = HostArray::createUninitialized(*type, shape);
  if (array)
    unpack(*format, packed->data<uint8_t>(), array->data<uint8_t>());
  return array;
}

llvm::Expected<HostArray> ModelFile::readElements(const TensorProto &tensor, ElementType type,
                                                  ArrayRef<int64_t> shape) const {
  std::optional<int64_t> wanted = HostArray::computeByteSize(type, shape);
  if (tensor.data_location() == TensorProto::EXTERNAL)
    return readExternal(tensor, type, shape);

  SmallVector<ByteRange, 1> cut = getRanges(tensor, ranges);
  uint64_t found = tensor.raw_data().size();
  for (const ByteRange &range : cut) {
    found += range.size;
    if (!holdsElementsOf(range.field, type))
      return llvm::createStringError("expected " + getDataTypeName(tensor.data_type()) +
                                     " elements in the tensor, found those of another type");
  }
  bool isRaw = !cut.empty() || tensor.has_raw_data();
  if (isRaw && found != static_cast<uint64_t>(*wanted))
    return llvm::createStringError("expected " + llvm::Twine(*wanted) +
                                   " bytes for the tensor's elements, found " + llvm::Twine(found));
  if (cut.size() == 1 && tensor.raw_data().empty())
    return readArray(file, cut.front().offset, type, shape);
  // The lists are as long as they are; a damaged shape must not ask for more memory than that.
  int64_t most = tensor.float_data_size() + tensor.int32_data_size() + tensor.int64_data_size() +
                 tensor.double_data_size() + tensor.uint64_data_size();
  int64_t elements = *wanted / getElementBytes(type);
  if (!isRaw && elements != most)
    return llvm::createStringError("expected " + llvm::Twine(elements) +
                                   " elements in the tensor, found " + llvm::Twine(most));
  auto array = HostArray::create(type, shape);
  if (!array)
    return array.takeError();
  if (!isRaw) {
    if (llvm::Error error = readLists(tensor, *array))
      return std::move(error);
    return array;
  }
  char *to = array->getBytes();
  for (const ByteRange &range : cut) {
    if (llvm::Error error = file->read(range.offset, range.size, to))
      return std::move(error);
    to += range.size;
  }
  std::memcpy(to, tensor.raw_data().data(), tensor.raw_data().size());
  normalizeBooleans(*array);
  return array;
}

/// The file at a path relative to the model's folder, which it must not leave.
llvm::Expected<std::shared_ptr<MappedFile>> ModelFile::openExternal(StringRef location) const {
  auto known = externals.find(location);
  if (known != externals.end())
    return known->second;
  namespace path = llvm::sys::path;
  bool leaves = location.empty() || path::is_absolute(location) || location.contains('\0') ||
                llvm::is_contained(llvm::make_range(path::begin(location), path::end(location)),
                                   StringRef(".."));
  StringRef folder = path::parent_path(file->getPath());
  SmallString<128> name(folder.empty() ? "." : folder), real, realFolder;
  if (!leaves) {
    // A link may lead out as well.
    if (llvm::sys::fs::real_path(name, realFolder))
      realFolder = name;
    path::append(name, location);
    if (std::error_code code = llvm::sys::fs::real_path(name, real))
      return llvm::createStringError("cannot read external data " + quote(name) + ": " +
                                     code.message());
    if (!path::has_root_path(realFolder) || realFolder.back() != '/')
      realFolder += '/';
    leaves = !StringRef(real).starts_with(realFolder);
  }
  if (leaves)
    return llvm::createStringError("expected external data within the model's folder, found " +
                                   quote(location));
  auto opened = MappedFile::open(real);
  if (opened)
    externals[location] = *opened;
  return opened;
}

llvm::Expected<HostArray> ModelFile::readExternal(const TensorProto &tensor, ElementType type,
                                                  ArrayRef<int64_t> shape) const {
  StringRef location;
  uint64_t offset = 0;
  uint64_t wanted = *HostArray::computeByteSize(type, shape), length = wanted;
  for (const auto &entry : tensor.external_data()) {
    StringRef key = entry.key(), value = entry.value();
    if (key == "location")
      location = value;
    else if ((key == "offset" && value.getAsInteger(10, offset)) ||
             (key == "length" && value.getAsInteger(10, length)))
      return llvm::createStringError("external data: expected a number as " + key + ", found " +
                                     quote(value));
  }
  auto external = openExternal(location);
  if (!external)
    return external.takeError();
  uint64_t size = (*external)->getBytes().size();
  if (length != wanted)
    return llvm::createStringError("external data: expected " + llvm::Twine(wanted) +
                                   " bytes for the tensor's elements, found " +
                                   llvm::Twine(length));
  if (offset > size || length > size - offset)
    return llvm::createStringError("external data: expected " + llvm::Twine(length) + " bytes at " +
                                   llvm::Twine(offset) + " of " + quote(location) + ", which has " +
                                   llvm::Twine(size));
  if (length == 0)
    return HostArray::create(type, shape);
  return readArray(*external, offset, type, shape);
}
