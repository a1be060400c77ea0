//===- ModelFileTest.cpp - Tensors of a model's file
//--------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ModelFile.h"
#include "ModelText.h"

#include <sys/stat.h>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;
using fuse_test::Folder;

namespace {

struct Read {
  HostArray array;
  std::string error;
};

/// The first initializer of a model in `folder`, with one tensor in protobuf's text format.
Read readTensor(const Folder &folder, const TensorProto &tensor) {
  ModelProto model;
  *model.mutable_graph()->add_initializer() = tensor;
  auto file = ModelFile::open(folder.write("m.onnx", model.SerializeAsString()));
  if (!file)
    return {{}, llvm::toString(file.takeError())};
  auto array = (*file)->readTensor((*file)->getModel().graph().initializer(0));
  if (!array)
    return {{}, llvm::toString(array.takeError())};
  return {*array, ""};
}

Read readTensor(const Folder &folder, const std::string &text) {
  TensorProto tensor;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &tensor)) << text;
  return readTensor(folder, tensor);
}

std::vector<double> toList(const HostArray &array) {
  std::vector<double> values;
  for (int64_t i = 0; i < array.getNumElements(); ++i)
    values.push_back(array.getFloat(i));
  return values;
}

struct ListCase {
  int type;
  const char *fields;
  std::vector<double> expected;
};

class TypedLists : public testing::TestWithParam<ListCase> {};

TEST_P(TypedLists, AreReadAsTheirType) {
  Folder folder;
  Read read = readTensor(folder, "data_type: " + std::to_string(GetParam().type) + " dims: 2 " +
                                     GetParam().fields);
  ASSERT_EQ(read.error, "");
  EXPECT_EQ(read.array.getElementType(), *getTensorElement(GetParam().type));
  EXPECT_EQ(toList(read.array), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    All, TypedLists,
    testing::Values(ListCase{TensorProto::FLOAT, "float_data: [1.5, -2]", {1.5, -2}},
                    ListCase{TensorProto::DOUBLE, "double_data: [1.5, -2]", {1.5, -2}},
                    ListCase{TensorProto::INT64, "int64_data: [9, -9]", {9, -9}},
                    ListCase{TensorProto::INT32, "int32_data: [9, -9]", {9, -9}},
                    ListCase{TensorProto::INT16, "int32_data: [9, -9]", {9, -9}},
                    ListCase{TensorProto::INT8, "int32_data: [9, -9]", {9, -9}},
                    ListCase{TensorProto::UINT8, "int32_data: [9, 255]", {9, 255}},
                    ListCase{TensorProto::UINT16, "int32_data: [9, 65535]", {9, 65535}},
                    ListCase{
                        TensorProto::UINT32, "uint64_data: [9, 4294967295]", {9, 4294967295.0}},
                    ListCase{TensorProto::UINT64, "uint64_data: [9, 7]", {9, 7}},
                    ListCase{TensorProto::BOOL, "int32_data: [7, 0]", {1, 0}},
                    // The bits of 1 and −2.
                    ListCase{TensorProto::FLOAT16, "int32_data: [15360, 49152]", {1, -2}},
                    ListCase{TensorProto::BFLOAT16, "int32_data: [16256, 49152]", {1, -2}},
                    ListCase{TensorProto::FLOAT, "raw_data: '\\0\\0\\200?\\0\\0\\0\\300'", {1, -2}},
                    ListCase{TensorProto::UINT8, "raw_data: '\\1\\377'", {1, 255}},
                    ListCase{TensorProto::BOOL, "raw_data: '\\5\\0'", {1, 0}}));

struct BadTensor {
  const char *fields, *error;
};

class BadTensors : public testing::TestWithParam<BadTensor> {};

TEST_P(BadTensors, AreRefused) {
  Folder folder;
  folder.write("short.bin", "1234");
  mkdir((folder.path / "folder").c_str(), 0700);
  mkfifo((folder.path / "pipe").c_str(), 0600);
  symlink("/etc/passwd", (folder.path / "link").c_str());
  Read read = readTensor(folder, GetParam().fields);
  EXPECT_FALSE(static_cast<bool>(read.array));
  EXPECT_NE(read.error.find(GetParam().error), std::string::npos) << read.error;
}

#define EXTERNAL                                                                                   \
  "data_type: 1 dims: 2 data_location: EXTERNAL external_data { key: 'location' value: "
INSTANTIATE_TEST_SUITE_P(
    All, BadTensors,
    testing::Values(
        BadTensor{"data_type: 8 dims: 1 string_data: 'a'", "STRING are not supported"},
        BadTensor{"data_type: 14 dims: 1 raw_data: 'a'", "COMPLEX64 are not supported"},
        BadTensor{"data_type: 999", "data type 999 are not supported"},
        BadTensor{"data_type: 1 dims: -1 raw_data: 'aaaa'", "dimensions [-1]"},
        BadTensor{"data_type: 1 dims: 4611686018427387904 dims: 8", "no tensor can have"},
        BadTensor{"data_type: 1 dims: 1099511627776", "found 0"},
        BadTensor{"data_type: 1 dims: -9223372036854775808", "at least 0"},
        BadTensor{"data_type: 1 dims: 2 raw_data: 'aaaa'", "expected 8 bytes"},
        BadTensor{"data_type: 1 dims: 2 float_data: 1", "expected 2 elements"},
        BadTensor{"data_type: 1 dims: 2 int32_data: [1, 2]", "expected 2 elements"},
        BadTensor{EXTERNAL "'../m.onnx' }", "within the model's folder"},
        BadTensor{EXTERNAL "'a/../../m.onnx' }", "within the model's folder"},
        BadTensor{EXTERNAL "'/etc/passwd' }", "within the model's folder"},
        BadTensor{EXTERNAL "'' }", "within the model's folder"},
        BadTensor{EXTERNAL "'short.bin\\0x' }", "within the model's folder"},
        BadTensor{EXTERNAL "'link' }", "within the model's folder"},
        BadTensor{EXTERNAL "'missing' }", "cannot read external data"},
        BadTensor{EXTERNAL "'folder' }", "Is a directory"},
        BadTensor{EXTERNAL "'pipe' }", "no regular file"},
        BadTensor{EXTERNAL "'short.bin' }", "expected 8 bytes at 0"},
        BadTensor{EXTERNAL "'short.bin' } external_data { key: 'offset' value: '-1' }",
                  "expected a number as offset"},
        BadTensor{EXTERNAL
                  "'short.bin' } external_data { key: 'offset' value: '18446744073709551615' }",
                  "bytes at 18446744073709551615"},
        BadTensor{EXTERNAL "'short.bin' } external_data { key: 'length' value: '4' }",
                  "expected 8 bytes"}));

TEST(ModelFile, FloatsAreNotTakenForOtherTypes) {
  Folder folder;
  TensorProto tensor;
  tensor.set_data_type(TensorProto::INT32);
  tensor.add_dims(64);
  for (int i = 0; i < 64; ++i) // packed, and cut out of the message
    tensor.add_float_data(1);
  EXPECT_NE(readTensor(folder, tensor).error.find("those of another type"), std::string::npos);
  tensor.set_data_type(TensorProto::FLOAT);
  EXPECT_EQ(toList(readTensor(folder, tensor).array), std::vector<double>(64, 1));
}

TEST(ModelFile, ExternalDataStayInPlaceWhereTheyAreAligned) {
  Folder folder;
  std::string bytes(256, '\0');
  for (float &value : llvm::MutableArrayRef(reinterpret_cast<float *>(bytes.data()), 64))
    value = 3;
  folder.write("w.bin", bytes);
  auto read = [&](int offset) {
    return readTensor(folder, EXTERNAL "'w.bin' } external_data { key: 'offset' value: '" +
                                  std::to_string(offset) + "' }");
  };
  Read aligned = read(128), moved = read(4);
  ASSERT_EQ(aligned.error + moved.error, "");
  EXPECT_EQ(toList(aligned.array), (std::vector<double>{3, 3}));
  EXPECT_EQ(toList(moved.array), (std::vector<double>{3, 3}));
  // Arrays of their own begin where the allocator puts them; those of the file at its offset in a
  // page.
  EXPECT_EQ(reinterpret_cast<uintptr_t>(aligned.array.getBytes()) % 4096, 128u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(moved.array.getBytes()) % HostArray::alignment, 0u);
}

TEST(ModelFile, FilesThatAreNoModelsAreRefused) {
  Folder folder;
  mkfifo((folder.path / "pipe.onnx").c_str(), 0600);
  auto error = [](const std::string &path) {
    auto file = ModelFile::open(path);
    return file ? std::string() : llvm::toString(file.takeError());
  };
  EXPECT_NE(error(folder.path / "missing.onnx").find("No such file"), std::string::npos);
  EXPECT_NE(error(folder.path).find("Is a directory"), std::string::npos);
  EXPECT_NE(error(folder.path / "pipe.onnx").find("no regular file"), std::string::npos);
  EXPECT_NE(error(folder.write("empty.onnx", "")).find("no graph"), std::string::npos);
  EXPECT_NE(error(folder.write("text.onnx", "hello, world")).find("no ONNX model"),
            std::string::npos);
}

} // namespace
