//===- Job.cpp - The processes that run a program together -----------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/Job.h"

#include "fuse/Support/OpKinds.h"

using namespace mlir;
using namespace mlir::fuse;

static_assert(static_cast<int>(ReduceKind::Sum) == FUSE_REDUCE_SUM &&
                  static_cast<int>(ReduceKind::Max) == FUSE_REDUCE_MAX &&
                  static_cast<int>(ReduceKind::Min) == FUSE_REDUCE_MIN &&
                  static_cast<int>(ReduceKind::Prod) == FUSE_REDUCE_PROD &&
                  static_cast<int>(ReduceKind::Any) == FUSE_REDUCE_ANY &&
                  static_cast<int>(ReduceKind::All) == FUSE_REDUCE_ALL,
              "reductions of the language and of the runtime are numbered alike");

llvm::Expected<std::unique_ptr<Job>> Job::open() {
  fuse_job *job;
  char text[FUSE_ERROR_CAPACITY] = {};
  if (fuse_job_open(&job, text, sizeof text))
    return llvm::createStringError(text);
  return std::make_unique<Job>(job);
}

Job::Job(fuse_job *job) : job(job), context(fuse_context_create(1)) {
  if (context)
    fuse_context_set_job(context, job);
}

Job::~Job() { fuse_context_destroy(context); }

llvm::Error Job::makeError() const { return llvm::createStringError(fuse_context_error(context)); }

llvm::Error Job::checkGrid(ArrayRef<int64_t> grid) const {
  char text[FUSE_ERROR_CAPACITY] = {};
  if (fuse_job_check_grid(job, grid.data(), static_cast<int64_t>(grid.size()), text, sizeof text))
    return llvm::createStringError(text);
  return llvm::Error::success();
}

llvm::Error Job::agree(StringRef what, StringRef given) {
  char text[FUSE_ERROR_CAPACITY] = {};
  if (fuse_job_agree(job, what.str().c_str(), given.str().c_str(), text, sizeof text))
    return llvm::createStringError(text);
  return llvm::Error::success();
}

llvm::Error Job::call(StringRef name, ArrayRef<int64_t> integers, const HostArray &in,
                      HostArray &out) {
  if (!context)
    return llvm::createStringError("out of memory: a context");
  SmallVector<int64_t> inStrides = in.getStrides(), outStrides = out.getStrides();
  // The runtime does not write operands.
  fuse_buffer args[] = {{const_cast<char *>(in.getBytes()), in.getShape().data(), inStrides.data(),
                         static_cast<int32_t>(in.getRank()),
                         static_cast<int32_t>(in.getElementType())},
                        {out.getBytes(), out.getShape().data(), outStrides.data(),
                         static_cast<int32_t>(out.getRank()),
                         static_cast<int32_t>(out.getElementType())}};
  if (fuse_host_call(context, name.str().c_str(), args, 1, 1, integers.data(),
                     static_cast<int64_t>(integers.size())))
    return makeError();
  return llvm::Error::success();
}

CollectiveFunction Job::getCollectiveFunction() {
  return [this](StringRef callee, ArrayRef<int64_t> integers, const HostArray &in, HostArray &out) {
    return call(callee, integers, in, out);
  };
}

llvm::Expected<HostArray> Job::join(const HostArray &shard, const Sharding &sharding) {
  HostArray joined = shard;
  for (size_t dim = 0; dim < sharding.axes.size(); ++dim) {
    int64_t parts = sharding.getParts(dim);
    if (parts == 1)
      continue;
    // The dimension, and the group: the grid and the axes that cut it.
    SmallVector<int64_t> integers{static_cast<int64_t>(dim),
                                  static_cast<int64_t>(sharding.grid.size())};
    llvm::append_range(integers, sharding.grid);
    llvm::append_range(integers, sharding.axes[dim]);
    SmallVector<int64_t, 4> shape(joined.getShape());
    shape[dim] *= parts;
    auto larger = HostArray::createUninitialized(joined.getElementType(), shape);
    if (!larger)
      return larger.takeError();
    if (llvm::Error error = call("all_gather", integers, joined, *larger))
      return std::move(error);
    joined = std::move(*larger);
  }
  return joined;
}

llvm::Expected<std::vector<double>> Job::gather(double number) {
  HostArray mine = HostArray::fromFloats(ElementType::F64, {1}, {number});
  Sharding all;
  all.grid = {getSize()};
  all.axes = {{0}};
  auto joined = join(mine, all);
  if (!joined)
    return joined.takeError();
  return joined->data<double>().vec();
}

llvm::Error Job::wait() {
  if (!context)
    return llvm::createStringError("out of memory: a context");
  return fuse_barrier(context, fuse_job_all(job)) ? makeError() : llvm::Error::success();
}
