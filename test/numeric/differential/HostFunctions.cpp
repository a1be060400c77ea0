//===- HostFunctions.cpp - Functions that host_call cases name ---------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "HostFunctions.h"

#include <cstring>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::differential;

static void reverse(const char *from, char *to, int64_t count, unsigned size) {
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(to + (count - 1 - i) * size, from + i * size, size);
}

static int32_t reverseBuffer(fuse_context *context, const fuse_buffer *args, int64_t numIns,
                             int64_t numOuts, const int64_t *, int64_t, void *) {
  if (numIns != 1 || numOuts != 1 || args[0].dtype != args[1].dtype)
    return fuse_fail(context, "reverse: expected one operand and one result of its type");
  int64_t count = 1;
  for (int32_t dim = 0; dim < args[0].rank; ++dim)
    count *= args[0].sizes[dim];
  reverse(static_cast<const char *>(args[0].data), static_cast<char *>(args[1].data), count,
          getElementBytes(static_cast<ElementType>(args[0].dtype)));
  return 0;
}

void differential::registerHostFunctions(fuse_context *context) {
  // Out of memory only; a call then says that the function is unknown.
  (void)fuse_register_host_function(context, "reverse", reverseBuffer, nullptr);
}

void differential::registerHostFunctions(InterpreterOptions &options) {
  options.hostFunctions["reverse"] = [](ArrayRef<HostArray> ins,
                                        MutableArrayRef<HostArray> outs) {
    reverse(ins[0].getBytes(), outs[0].getBytes(), ins[0].getNumElements(),
            getElementBytes(ins[0].getElementType()));
    return llvm::Error::success();
  };
}
