//===- ToolContext.cpp - What a tool loads a program with ------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ToolContext.h"

#include "fuse/Driver/LoadProgram.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::fuse;

static std::shared_ptr<llvm::SourceMgr> makeSources(std::unique_ptr<llvm::MemoryBuffer> buffer) {
  auto sources = std::make_shared<llvm::SourceMgr>();
  if (buffer)
    sources->AddNewSourceBuffer(std::move(buffer), SMLoc());
  return sources;
}

ToolContext::ToolContext(std::unique_ptr<llvm::MemoryBuffer> buffer)
    : sources(makeSources(std::move(buffer))), context(makeProgramRegistry()),
      handler(*sources, &context), modelHandler(&context) {
  // Diagnostics show the line of the source instead.
  context.printOpOnDiagnostic(false);
}

llvm::Expected<std::unique_ptr<ToolContext>> ToolContext::open(StringRef program) {
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  if (!isModelPath(program)) {
    auto read = llvm::MemoryBuffer::getFileOrSTDIN(program);
    if (!read)
      return llvm::createStringError("cannot read '" + program +
                                     "': " + read.getError().message());
    buffer = std::move(*read);
  }
  return std::unique_ptr<ToolContext>(new ToolContext(std::move(buffer)));
}

StringRef ToolContext::getText() const {
  return sources->getNumBuffers() ? sources->getMemoryBuffer(sources->getMainFileID())->getBuffer()
                                  : StringRef();
}
