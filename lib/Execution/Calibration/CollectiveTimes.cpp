//===- CollectiveTimes.cpp - What collectives take on this machine ---------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/CollectiveTimes.h"

#include "fuse/Support/Clock.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

namespace {

struct Measured {
  CollectiveKind kind;
  StringLiteral name;
};

constexpr Measured kMeasured[] = {{CollectiveKind::AllReduce, "all_reduce"},
                                  {CollectiveKind::ReduceScatter, "reduce_scatter"},
                                  {CollectiveKind::AllGather, "all_gather"},
                                  {CollectiveKind::AllToAll, "all_to_all"},
                                  {CollectiveKind::BroadcastFrom, "broadcast_from"}};

constexpr int64_t kFewBytes = 64, kLeastFitted = 65536;
constexpr int64_t kSizes[] = {kFewBytes, 1024, 16384, kLeastFitted, 262144, 1048576, 4194304, 16777216};

/// Calls that are measured: many of short ones, some of long ones.
int64_t countCalls(int64_t bytes) {
  constexpr int64_t kBytes = int64_t(1) << 28, kLeast = 11, kMost = 201;
  return std::clamp(kBytes / bytes | 1, kLeast, kMost);
}

/// Its arrays are [ranks][columns]; parts of the first dimension lie in one piece, so that what is
/// measured is the exchange.
struct Call {
  SmallVector<int64_t> integers;
  HostArray in, out;

  static llvm::Expected<Call> make(CollectiveKind kind, int64_t bytes, int64_t ranks) {
    int64_t columns = std::max<int64_t>(1, bytes / 4 / ranks / ranks) * ranks;
    SmallVector<int64_t> in{ranks, columns}, out = in;
    Call call;
    switch (kind) {
    case CollectiveKind::AllReduce:
      call.integers = {FUSE_REDUCE_SUM};
      break;
    case CollectiveKind::ReduceScatter:
      call.integers = {FUSE_REDUCE_SUM, 0};
      out[0] = 1;
      break;
    case CollectiveKind::AllGather:
      call.integers = {0};
      in[0] = 1;
      break;
    case CollectiveKind::AllToAll:
      call.integers = {0, 1};
      out = {1, columns * ranks};
      break;
    default:
      call.integers = {0};
      break;
    }
    // One group of all ranks.
    llvm::append_range(call.integers, SmallVector<int64_t>{1, ranks, 0});
    for (auto [array, shape] : {std::pair(&call.in, &in), {&call.out, &out}}) {
      auto memory = HostArray::create(ElementType::F32, *shape);
      if (!memory)
        return memory.takeError();
      *array = std::move(*memory);
    }
    return call;
  }
};

llvm::Expected<double> measure(Job &job, StringRef name, Call &call, int64_t calls) {
  std::vector<double> times;
  for (int64_t i = 0; i <= calls; ++i) { // the first touches memory
    if (llvm::Error error = job.wait())
      return std::move(error);
    int64_t begin = getSteadyNs();
    if (llvm::Error error = job.call(name, call.integers, call.in, call.out))
      return std::move(error);
    if (i > 0)
      times.push_back(static_cast<double>(getSteadyNs() - begin));
  }
  llvm::sort(times);
  auto all = job.gather(times[times.size() / 2]);
  if (!all)
    return all.takeError();
  return *llvm::max_element(*all);
}

TargetAttr makeTarget(MLIRContext &context, double alpha, double beta) {
  Builder builder(&context);
  NamedAttribute figures[] = {
      builder.getNamedAttr("collective_alpha_ns", builder.getF64FloatAttr(alpha)),
      builder.getNamedAttr("collective_beta_bw", builder.getF64FloatAttr(beta))};
  return TargetAttr::get(&context, "measured", TargetKind::Cpu, builder.getDictionaryAttr(figures));
}

} // namespace

llvm::Expected<std::vector<CollectiveSample>> mlir::fuse::measureCollectives(Job &job) {
  std::vector<CollectiveSample> samples;
  for (const Measured &each : kMeasured)
    for (int64_t bytes : kSizes) {
      auto call = Call::make(each.kind, bytes, job.getSize());
      if (!call)
        return call.takeError();
      auto ns = measure(job, each.name, *call, countCalls(bytes));
      if (!ns)
        return ns.takeError();
      const HostArray &counted = each.kind == CollectiveKind::AllGather ? call->out : call->in;
      samples.push_back({each.kind, counted.getByteSize(), *ns});
    }
  return samples;
}

std::vector<TargetFile::Figure> mlir::fuse::fitCollectives(TargetAttr target, ArrayRef<CollectiveSample> samples,
                                                           int64_t ranks) {
  // A prediction is steps · alpha + sent / beta; asked for with one of the two at a time.
  constexpr double kNoTime = 1e18;
  MLIRContext &context = *target.getContext();
  TargetAttr onlySteps = makeTarget(context, 1, kNoTime), onlyBytes = makeTarget(context, 0, 1);
  auto getSteps = [&](const CollectiveSample &sample) {
    return collectiveTime(onlySteps, sample.kind, sample.bytes, ranks);
  };
  double alpha = 0;
  for (const CollectiveSample &sample : samples)
    if (sample.kind == CollectiveKind::AllReduce && sample.bytes < kLeastFitted && alpha == 0)
      alpha = sample.ns / getSteps(sample);
  /// The least and the most that was sent in a ns.
  struct Range {
    double least = 0, most = 0;
  };
  Range cached, others;
  for (const CollectiveSample &sample : samples) {
    if (sample.bytes < kLeastFitted)
      continue;
    double sent = collectiveTime(onlyBytes, sample.kind, sample.bytes, ranks);
    double ns = std::max(sample.ns - alpha * getSteps(sample), sample.ns / 4);
    Range &range = isCollectiveCached(target, sample.bytes, ranks) ? cached : others;
    range.least = range.least == 0 ? sent / ns : std::min(range.least, sent / ns);
    range.most = std::max(range.most, sent / ns);
  }
  std::string source = "measured: " + std::to_string(ranks) + " ranks, ";
  double l3 = target.getFigure("l3_bytes");
  std::string limit = std::to_string(static_cast<int64_t>(l3 / 2 / static_cast<double>(ranks) / 1024)) + " KB";
  std::vector<TargetFile::Figure> figures = {{"collective_alpha_ns", alpha, source + "all_reduce of some bytes"}};
  // A cache may hold all samples, or none.
  const Range &large = others.most > 0 ? others : cached;
  figures.push_back({"collective_beta_bw", std::sqrt(large.least * large.most), source + "collectives of more than " + limit});
  if (cached.most > 0)
    figures.push_back({"collective_cache_bw", std::sqrt(cached.least * cached.most), source + "collectives of up to " + limit});
  return figures;
}

void mlir::fuse::printCollectives(ArrayRef<CollectiveSample> samples, TargetAttr target,
                                  int64_t ranks, llvm::raw_ostream &os) {
  os << "collectives among " << ranks << " ranks\n"
     << llvm::left_justify("", 16) << llvm::right_justify("bytes", 10)
     << llvm::right_justify("us", 12) << llvm::right_justify("predicted", 12)
     << llvm::right_justify("predicted / measured", 23) << "\n";
  for (const CollectiveSample &sample : samples) {
    StringRef name = llvm::find_if(kMeasured, [&](const Measured &each) {
                       return each.kind == sample.kind;
                     })->name;
    double predicted = collectiveTime(target, sample.kind, sample.bytes, ranks);
    os << llvm::left_justify(name, 16) << llvm::format("%10lld", static_cast<long long>(sample.bytes))
       << llvm::format("%12.1f%12.1f%23.2f\n", sample.ns * 1e-3, predicted * 1e-3,
                       predicted / sample.ns);
  }
  os << "\n";
}
