//===- MappedFile.cpp - A file in memory, as far as it is touched -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "MappedFile.h"
#include "Checks.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::importer;

static llvm::Error makeFileError(StringRef path, int code) {
  return llvm::createStringError("cannot read " + quote(path) + ": " + std::strerror(code));
}

llvm::Expected<std::shared_ptr<MappedFile>> MappedFile::open(StringRef path) {
  std::shared_ptr<MappedFile> file(new MappedFile());
  file->path = path.str();
  if (path.contains('\0'))
    return makeFileError(path, ENOENT);
  // Nobody may ever write to a pipe of that name.
  file->descriptor = ::open(file->path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status;
  if (file->descriptor < 0 || fstat(file->descriptor, &status) != 0)
    return makeFileError(path, errno);
  if (S_ISDIR(status.st_mode))
    return makeFileError(path, EISDIR);
  if (!S_ISREG(status.st_mode))
    return llvm::createStringError("cannot read " + quote(path) + ": it is no regular file");
  file->size = status.st_size;
  if (file->size == 0)
    return file;
  void *mapped = mmap(nullptr, file->size, PROT_READ, MAP_PRIVATE, file->descriptor, 0);
  if (mapped == MAP_FAILED)
    return makeFileError(path, errno);
  file->data = static_cast<const char *>(mapped);
  return file;
}

std::shared_ptr<MappedFile> MappedFile::adopt(StringRef path, StringRef bytes) {
  std::shared_ptr<MappedFile> file(new MappedFile());
  file->path = path.str();
  file->data = bytes.data();
  file->size = bytes.size();
  return file;
}

MappedFile::~MappedFile() {
  if (data && descriptor >= 0)
    munmap(const_cast<char *>(data), size);
  if (descriptor >= 0)
    close(descriptor);
}

llvm::Error MappedFile::read(uint64_t offset, uint64_t count, char *to) const {
  if (descriptor < 0 && data) {
    if (offset > size || count > size - offset)
      return makeFileError(path, EIO);
    std::memcpy(to, data + offset, count);
    return llvm::Error::success();
  }
  while (count > 0) {
    ssize_t got = pread(descriptor, to, count, offset);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return makeFileError(path, got < 0 ? errno : EIO);
    offset += got;
    to += got;
    count -= got;
  }
  return llvm::Error::success();
}

void mlir::fuse::importer::normalizeBooleans(HostArray &array) {
  if (array.getElementType() == ElementType::I1)
    for (uint8_t &byte : array.data<uint8_t>())
      byte = byte != 0;
}

llvm::Expected<HostArray> mlir::fuse::importer::readArray(const std::shared_ptr<MappedFile> &file, uint64_t offset,
                                                          ElementType type, ArrayRef<int64_t> shape) {
  const char *bytes = file->getBytes().data() + offset;
  if (reinterpret_cast<uintptr_t>(bytes) % HostArray::alignment == 0 && type != ElementType::I1)
    return HostArray::adopt(type, shape, std::shared_ptr<char>(file, const_cast<char *>(bytes)));
  auto array = HostArray::createUninitialized(type, shape);
  if (!array)
    return array.takeError();
  if (llvm::Error error = file->read(offset, array->getByteSize(), array->getBytes()))
    return std::move(error);
  normalizeBooleans(*array);
  return array;
}
