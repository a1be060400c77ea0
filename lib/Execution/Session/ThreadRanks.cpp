//===- ThreadRanks.cpp - Programs for several processes on threads of one --------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/ThreadRanks.h"

#include "fuse/Execution/Job.h"
#include "fuse/Execution/Session.h"

#include <functional>
#include <thread>

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// What one rank makes of its parts of the inputs: its parts of the outputs.
using RunRank = std::function<llvm::Expected<std::vector<NamedArray>>(
    Job &job, ArrayRef<NamedArray> inputs)>;

class ThreadRanks {
public:
  explicit ThreadRanks(const Signature &signature)
      : signature(signature), jobs(static_cast<size_t>(countRanks(signature.grid))) {}
  ~ThreadRanks() { fuse_job_destroy_threads(jobs.front()); }

  llvm::Expected<std::vector<NamedArray>> run(ArrayRef<NamedArray> inputs, const RunRank &runRank) {
    char text[FUSE_ERROR_CAPACITY] = {};
    if (fuse_job_create_threads(static_cast<int64_t>(jobs.size()), jobs.data(), text, sizeof text))
      return llvm::createStringError(text);
    std::vector<std::vector<NamedArray>> outputs(jobs.size());
    std::vector<std::string> errors(jobs.size());
    std::vector<std::thread> threads;
    for (size_t rank = 0; rank < jobs.size(); ++rank)
      threads.emplace_back([&, rank] {
        Job job(jobs[rank]);
        auto joined = runOne(job, inputs, runRank);
        if (joined)
          outputs[rank] = std::move(*joined);
        else
          errors[rank] = llvm::toString(joined.takeError());
        if (!errors[rank].empty())
          job.abort(1);
      });
    for (std::thread &thread : threads)
      thread.join();
    // Others only say that one has failed.
    for (bool isOther : {false, true})
      for (auto [rank, error] : llvm::enumerate(errors))
        if (!error.empty() && StringRef(error).contains("another rank of the job") == isOther)
          return llvm::createStringError("rank " + std::to_string(rank) + ": " + error);
    return std::move(outputs.front());
  }

private:
  llvm::Expected<std::vector<NamedArray>> runOne(Job &job, ArrayRef<NamedArray> inputs,
                                                 const RunRank &runRank) {
    std::vector<NamedArray> parts;
    for (const NamedArray &input : inputs) {
      const ValueInfo *info = find(signature.inputs, input.name);
      auto part = info ? info->sharding.takePart(input.array, job.getRank())
                       : llvm::Expected<HostArray>(input.array);
      if (!part)
        return part.takeError();
      parts.push_back({input.name, std::move(*part)});
    }
    auto outputs = runRank(job, parts);
    if (!outputs)
      return outputs.takeError();
    for (NamedArray &output : *outputs) {
      const ValueInfo *info = find(signature.results, output.name);
      if (!info)
        info = find(signature.inputs, output.name);
      auto joined = job.join(output.array, info->sharding);
      if (!joined)
        return joined.takeError();
      output.array = std::move(*joined);
    }
    return outputs;
  }

  static const ValueInfo *find(ArrayRef<ValueInfo> infos, StringRef name) {
    auto info = llvm::find_if(infos, [&](const ValueInfo &each) { return each.name == name; });
    return info == infos.end() ? nullptr : info;
  }

  const Signature &signature;
  std::vector<fuse_job *> jobs;
};

} // namespace

llvm::Expected<std::vector<NamedArray>>
mlir::fuse::runRanks(std::shared_ptr<const Program> program, StringRef function,
                     ArrayRef<NamedArray> inputs) {
  const ProgramEntry *entry = program->lookup(function);
  if (!entry)
    return llvm::createStringError("the program has no function @" + function.str());
  return ThreadRanks(entry->signature)
      .run(inputs,
           [&](Job &job, ArrayRef<NamedArray> parts) -> llvm::Expected<std::vector<NamedArray>> {
             SessionOptions options;
             options.threads = 1;
             options.job = job.get();
             auto session = Session::create(program, function, options);
             if (!session)
               return session.takeError();
             if (llvm::Error error = (*session)->bind(parts))
               return std::move(error);
             if (llvm::Error error = (*session)->run())
               return std::move(error);
             return (*session)->getOutputs().vec();
           });
}

llvm::Expected<std::vector<NamedArray>>
mlir::fuse::interpretRanks(func::FuncOp function, ArrayRef<NamedArray> inputs) {
  FailureOr<Signature> signature = Signature::get(function);
  if (failed(signature))
    return llvm::createStringError("@" + function.getSymName().str() + " cannot be called");
  return ThreadRanks(*signature)
      .run(inputs,
           [&](Job &job, ArrayRef<NamedArray> parts) -> llvm::Expected<std::vector<NamedArray>> {
             auto arguments = signature->matchInputs(parts);
             if (!arguments)
               return arguments.takeError();
             for (auto [info, argument] : llvm::zip_equal(signature->inputs, *arguments))
               if (info.isMemref)
                 argument = argument.clone();
             InterpreterOptions options;
             options.onCollective = job.getCollectiveFunction();
             auto results = interpret(function, *arguments, options);
             if (failed(results))
               return llvm::createStringError("@" + signature->function + " was not interpreted");
             std::vector<NamedArray> outputs;
             for (auto [info, result] : llvm::zip_equal(signature->results, *results))
               outputs.push_back({info.name, result});
             for (auto [info, argument] : llvm::zip_equal(signature->inputs, *arguments))
               if (info.isMemref)
                 outputs.push_back({info.name, argument});
             return outputs;
           });
}
