//===- ModelText.h - Small models for tests -----------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_UNIT_IMPORT_MODELTEXT_H
#define FUSE_TEST_UNIT_IMPORT_MODELTEXT_H

#include "OnnxProto.h"
#include "fuse/Import/Onnx.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace fuse_test {

/// A folder that is gone at the end.
class Folder {
public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "fuse-import-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;

  std::string write(const std::string &name, const std::string &bytes) const {
    std::ofstream((path / name).string(), std::ios::binary) << bytes;
    return (path / name).string();
  }

  std::filesystem::path path;
};

/// The fields of a GraphProto in protobuf's text format, as a model of opset 17.
inline ::onnx::ModelProto parseModel(const std::string &graph, const std::string &rest = "") {
  ::onnx::ModelProto model;
  std::string text =
      "ir_version: 8 opset_import { domain: '' version: 17 } graph {" + graph + "}" + rest;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &model)) << text;
  return model;
}

} // namespace fuse_test

#endif // FUSE_TEST_UNIT_IMPORT_MODELTEXT_H
