//===- RenameSymbols.cpp - Objects whose functions get other names ---------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "BundleParts.h"

#include "llvm/ObjCopy/ConfigManager.h"
#include "llvm/ObjCopy/ObjCopy.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/StringSaver.h"

using namespace mlir;
using namespace mlir::fuse;
using llvm::object::BasicSymbolRef;
using llvm::object::ObjectFile;

/// Adds the names that others can refer to the object by.
static llvm::Error addDefined(const ObjectFile &object, StringRef suffix, llvm::StringSaver &saver,
                              llvm::StringMap<StringRef> &renames) {
  for (const llvm::object::SymbolRef &symbol : object.symbols()) {
    auto flags = symbol.getFlags();
    if (!flags)
      return flags.takeError();
    if (!(*flags & BasicSymbolRef::SF_Global) || (*flags & BasicSymbolRef::SF_Undefined))
      continue;
    auto name = symbol.getName();
    if (!name)
      return name.takeError();
    renames[*name] = saver.save(*name + suffix);
  }
  return llvm::Error::success();
}

llvm::Error mlir::fuse::renameSymbols(std::vector<std::unique_ptr<llvm::MemoryBuffer>> &objects,
                                      StringRef suffix) {
  llvm::BumpPtrAllocator names;
  llvm::StringSaver saver(names);
  llvm::objcopy::ConfigManager config;
  config.Common.OutputFormat = llvm::objcopy::FileFormat::Unspecified;
  std::vector<std::unique_ptr<ObjectFile>> files;
  for (const std::unique_ptr<llvm::MemoryBuffer> &object : objects) {
    if (!object)
      continue;
    auto file = ObjectFile::createObjectFile(object->getMemBufferRef());
    if (!file)
      return file.takeError();
    if (llvm::Error error = addDefined(**file, suffix, saver, config.Common.SymbolsToRename))
      return error;
    files.push_back(std::move(*file));
  }
  auto file = files.begin();
  for (std::unique_ptr<llvm::MemoryBuffer> &object : objects) {
    if (!object)
      continue;
    llvm::SmallVector<char, 0> bytes;
    llvm::raw_svector_ostream stream(bytes);
    std::string name = object->getBufferIdentifier().str();
    if (llvm::Error error = llvm::objcopy::executeObjcopyOnBinary(config, **file, stream))
      return error;
    (file++)->reset(); // before the bytes that it reads
    object = std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(bytes), name,
                                                             /*RequiresNullTerminator=*/false);
  }
  return llvm::Error::success();
}
