//===- Npy.cpp - Arrays in .npy files -------------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Support/Npy.h"
#include "NpyFormat.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstring>

using namespace mlir;
using namespace mlir::fuse;

llvm::Expected<HostArray> mlir::fuse::parseNpy(llvm::StringRef bytes, llvm::StringRef name) {
  llvm::Expected<npy::Extent> extent =
      npy::locateHeader(bytes.take_front(npy::preambleSize), bytes.size(), name);
  if (!extent)
    return extent.takeError();
  llvm::Expected<npy::Header> header =
      npy::parseHeader(bytes.slice(extent->begin, extent->end), name);
  if (!header)
    return header.takeError();
  llvm::StringRef data = bytes.drop_front(extent->end);
  llvm::Expected<HostArray> array = npy::allocate(*header, data.size(), name);
  if (!array)
    return array;
  std::memcpy(array->getBytes(), data.data(), data.size());
  return npy::finish(*header, std::move(*array));
}

llvm::Expected<HostArray> mlir::fuse::readNpy(llvm::StringRef path) {
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status))
    return npy::makeError(path, "cannot read: " + error.message());
  // A pipe or device has no size to hold the header against.
  if (!llvm::sys::fs::is_regular_file(status))
    return npy::makeError(path, "cannot read: expected a regular file");
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return npy::makeError(path, "cannot read: " + buffer.getError().message());
  return parseNpy((*buffer)->getBuffer(), path);
}

llvm::Error mlir::fuse::writeNpy(llvm::StringRef path, const HostArray &array) {
  if (llvm::Error error = npy::checkWritable(path))
    return error;
  llvm::Expected<llvm::sys::fs::TempFile> file =
      llvm::sys::fs::TempFile::create(path + ".tmp-%%%%%%%%");
  if (!file)
    return npy::makeError(path, "cannot write: " + llvm::toString(file.takeError()));
  std::error_code failure;
  {
    llvm::raw_fd_ostream stream(file->FD, /*shouldClose=*/false);
    stream << npy::makeHeader(array);
    stream.write(array.getBytes(), array.getByteSize());
    stream.flush();
    failure = stream.error();
    stream.clear_error();
  }
  if (failure) {
    llvm::consumeError(file->discard());
    return npy::makeError(path, "cannot write: " + failure.message());
  }
  if (llvm::Error error = file->keep(path))
    return npy::makeError(path, "cannot write: " + llvm::toString(std::move(error)));
  return llvm::Error::success();
}
