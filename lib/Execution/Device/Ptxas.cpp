//===- Ptxas.cpp - PTX to machine code -------------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../MachineCode/MemoryFile.h"
#include "CudaFiles.h"
#include "fuse/Execution/DeviceCode.h"

#include "llvm/BinaryFormat/ELF.h"

#include <algorithm>
#include <cstring>

using namespace mlir;
using namespace mlir::fuse;

/// Raises `figure` to the number before each `unit`: 8 in "Used 8 registers".
static void readFigure(StringRef text, StringRef unit, int64_t &figure) {
  for (size_t at = text.find(unit); at != StringRef::npos; at = text.find(unit, at + 1)) {
    StringRef before = text.take_front(at);
    size_t digits = before.size() - before.rtrim("0123456789").size();
    int64_t number = 0;
    if (digits > 0 && !before.take_back(digits).getAsInteger(10, number))
      figure = std::max(figure, number);
  }
}

DeviceResources mlir::fuse::parseResources(StringRef text) {
  DeviceResources resources;
  readFigure(text, " registers", resources.registers);
  readFigure(text, " bytes spill stores", resources.spillStores);
  readFigure(text, " bytes spill loads", resources.spillLoads);
  readFigure(text, " bytes stack frame", resources.stack);
  readFigure(text, " bytes smem", resources.sharedBytes);
  readFigure(text, " barriers", resources.barriers);
  return resources;
}

/// A 64-bit ELF file for an NVIDIA GPU.
static bool isCubin(StringRef bytes) {
  using namespace llvm::ELF;
  Elf64_Ehdr header;
  if (bytes.size() < sizeof header)
    return false;
  std::memcpy(&header, bytes.data(), sizeof header);
  return header.checkMagic() && header.getFileClass() == ELFCLASS64 && header.e_machine == EM_CUDA;
}

bool mlir::fuse::canAssemble() {
  auto assembler = findCudaFile("bin/ptxas");
  if (assembler)
    return true;
  llvm::consumeError(assembler.takeError());
  return false;
}

llvm::Expected<DeviceCode> mlir::fuse::assemblePtx(StringRef ptx, StringRef name, StringRef chip) {
  auto fail = [&](llvm::Error error) {
    return llvm::createStringError("cannot assemble " + name.str() + " for " + chip.str() + ": " +
                                   llvm::toString(std::move(error)));
  };
  auto assembler = findCudaFile("bin/ptxas");
  if (!assembler)
    return fail(assembler.takeError());
  MemoryFile source, cubin;
  if (llvm::Error error = source.write(ptx))
    return fail(std::move(error));
  // Sums and products that may become one instruction are one in the PTX already.
  auto messages = runProgram(*assembler, {"-v", "--fmad=false", "-O3", "-arch=" + chip.str(),
                                          source.getPath(), "-o", cubin.getPath()});
  if (!messages)
    return fail(messages.takeError());
  auto bytes = cubin.read();
  if (!bytes)
    return fail(llvm::errorCodeToError(bytes.getError()));
  if (!isCubin((*bytes)->getBuffer()))
    return fail(llvm::createStringError(
        "expected " + *assembler + " to write an ELF file of NVIDIA's, found " +
        std::to_string((*bytes)->getBufferSize()) + " bytes of something else"));
  DeviceCode code;
  code.binary = (*bytes)->getBuffer().str();
  code.resources = parseResources(*messages);
  return code;
}
