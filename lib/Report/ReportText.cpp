//===- ReportText.cpp - The report as text ----------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Text.h"
#include "TextTable.h"
#include "fuse/Report/Report.h"
#include "fuse/Support/Plural.h"
#include "fuse/Support/Saturating.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

/// How many reasons for refused merges are printed, and how much of a kernel's ops.
static constexpr size_t kMaxReasons = 10;
static constexpr size_t kMaxOpsText = 160;
static constexpr size_t kMaxOtherKernels = 24;
static constexpr size_t kMaxTableWidth = 120;

void mlir::fuse::printProfile(StringRef name, const Profile &profile, raw_ostream &os) {
  os << "  " << name << ": launches " << profile.kernelLaunches << ", syncs " << profile.syncPoints
     << ", readback " << profile.hostOutputBytes << " bytes, traffic " << profile.deviceTrafficBytes
     << " bytes";
  if (profile.collectiveBytes)
    os << ", sent to other processes " << profile.collectiveBytes << " bytes";
  if (profile.boundValues)
    os << ", values sized by bounds " << profile.boundValues;
  if (profile.hintValues)
    os << ", values sized by hints " << profile.hintValues;
  if (profile.unknownValues)
    os << ", values of unknown size " << profile.unknownValues;
  if (profile.partial)
    os << " (a loop of unknown length counted once)";
  os << "\n";
}

double FunctionReport::getKernelReduction() const {
  return originalKernels == 0 ? 0.0 : 1.0 - static_cast<double>(fusedKernels) / originalKernels;
}

std::string FunctionReport::getSummary() const {
  // Ops of long reductions may become several kernels, so that there are more of them than ops.
  int64_t more = fusedKernels - originalKernels;
  std::string change =
      formatNumber("%.0f", std::round(100.0 * getKernelReduction())) + "% reduction";
  if (more > 0)
    change = pluralize(more, "kernel") + " more than ops";
  return "Fusion: " + std::to_string(originalKernels) + " \xE2\x86\x92 " +
         std::to_string(fusedKernels) + " kernels (" + change + "), " +
         formatKilobytes(memorySavedBytes) + "KB memory saved";
}

namespace {
/// Writes one function's launches as a table: a row for those that are alike. What adds up is that
/// of all of them.
class KernelTable {
public:
  explicit KernelTable(const FunctionReport &function)
      : function(function), groups(function.groupByCost()), table(kMaxTableWidth) {
    for (const KernelReport &kernel : function.kernels)
      all.kernels.push_back(&kernel);
    isMeasured = all.add(getMs).has_value();
  }

  void print(raw_ostream &os) {
    using Align = TextTable::Align;
    add("kernel", Align::Left, getName, "total");
    add("label", Align::Left, [](auto &group) { return group.getFirst().label; }, "");
    if (isMeasured) {
      addSum("measured ms", [](auto &group) { return toMs(group.add(getMs)); });
      addSum("% of run", [&](auto &group) { return getPart(group); });
      addSum("predicted / measured", getRatio);
    } else {
      addSum("predicted ms", [](auto &group) { return toMs(group.add(getPredictedMs)); });
    }
    add(
        "in", Align::Right, [](auto &group) { return std::to_string(group.getFirst().inputs); },
        "");
    add(
        "out", Align::Right, [](auto &group) { return std::to_string(group.getFirst().outputs); },
        "");
    addBytes("traffic KB", &KernelReport::trafficBytes);
    addSum("sent KB", [](auto &group) {
      std::optional<int64_t> bytes = group.add([](auto &k) { return k.collectiveBytes; });
      return bytes ? formatKilobytes(*bytes) : "";
    });
    addBytes("saved KB", &KernelReport::memorySavedBytes);
    addSum("buffers saved", [](auto &group) {
      return std::to_string(addUp(group, &KernelReport::buffersEliminated));
    });
    addSum("values elided",
           [](auto &group) { return std::to_string(addUp(group, &KernelReport::valuesElided)); });
    addOptional("blocks", [](auto &k) { return toText(k.blocks); });
    addOptional("schedule", [](auto &k) {
      StringRef source = k.getScheduleSource();
      return source == "computed" ? "" : source.str();
    });
    addOptional("scratch bytes", [](auto &k) { return toText(k.scratchBytes); });
    addOptional("threads", [](auto &k) { return toText(k.threads); });
    addOptional("shared bytes", [](auto &k) { return toText(k.sharedBytes); });
    addOptional("registers", [](auto &k) { return toText(k.registers); });
    addOptional("spill bytes", [](auto &k) { return toText(k.spillBytes); });
    addOptional("occupancy",
                [](auto &k) { return k.occupancy ? formatNumber("%.2f", *k.occupancy) : ""; });
    std::vector<std::string> texts;
    for (const KernelGroup &group : groups)
      texts.push_back(listOps(group.getFirst().ops, kMaxOpsText) + listOthers(group));
    if (isMeasured)
      texts.emplace_back();
    table.setText("ops", std::move(texts));
    table.print(os, 2);
  }

private:
  using GetCell = llvm::function_ref<std::string(const KernelGroup &)>;

  static std::optional<double> getMs(const KernelReport &kernel) { return kernel.ms; }
  static std::optional<double> getPredictedMs(const KernelReport &k) { return k.predictedMs; }

  static int64_t addUp(const KernelGroup &group, int64_t KernelReport::*figure) {
    int64_t sum = 0;
    for (const KernelReport *kernel : group.kernels)
      sum = addSaturating(sum, kernel->*figure);
    return sum;
  }

  static std::string getName(const KernelGroup &group) {
    std::string name = "kernel " + std::to_string(group.getFirst().id);
    if (group.kernels.size() > 1)
      name += " \xC3\x97 " + std::to_string(group.kernels.size());
    return name + ":";
  }

  /// "; also kernels 7, 11 and 15"
  static std::string listOthers(const KernelGroup &group) {
    ArrayRef<const KernelReport *> others = ArrayRef(group.kernels).drop_front();
    if (others.empty())
      return "";
    std::string text = others.size() == 1 ? "; also kernel " : "; also kernels ";
    size_t listed = std::min(others.size(), kMaxOtherKernels);
    for (size_t i = 0; i < listed; ++i)
      text += (i > 0 ? ", " : "") + std::to_string(others[i]->id);
    if (listed < others.size())
      text += " and " + std::to_string(others.size() - listed) + " more";
    return text;
  }

  /// Of the run that was measured as a whole, or of the sum of all launches.
  std::string getPart(const KernelGroup &group) const {
    std::optional<double> ms = group.add(getMs), whole = function.runMs;
    if (!whole)
      whole = all.add(getMs);
    return ms && *whole > 0 ? formatNumber("%.1f", 100 * *ms / *whole) : "";
  }

  /// Of those launches that have both figures.
  static std::string getRatio(const KernelGroup &group) {
    double predicted = 0, measured = 0;
    for (const KernelReport *kernel : group.kernels)
      if (kernel->ms && kernel->predictedMs) {
        predicted += *kernel->predictedMs;
        measured += *kernel->ms;
      }
    return predicted > 0 && measured > 0 ? formatNumber("%.2f", predicted / measured) : "";
  }

  static std::string toText(const std::optional<int64_t> &number) {
    return number ? std::to_string(*number) : "";
  }

  static std::string toMs(const std::optional<double> &ms) {
    return ms ? formatNumber("%.4f", *ms) : "";
  }

  /// `total`: of the row below all others, which is there where times were measured.
  void add(StringRef head, TextTable::Align align, GetCell getCell, std::string total) {
    std::vector<std::string> cells;
    for (const KernelGroup &group : groups)
      cells.push_back(getCell(group));
    if (isMeasured)
      cells.push_back(std::move(total));
    table.addColumn(head, align, std::move(cells));
  }

  /// Only where some row has the figure; a dash where one has not.
  void addWhereKnown(StringRef head, GetCell getCell, std::string total) {
    if (llvm::any_of(groups, [&](const KernelGroup &group) { return !getCell(group).empty(); }))
      add(
          head, TextTable::Align::Right,
          [&](const KernelGroup &group) {
            std::string cell = getCell(group);
            return cell.empty() ? "-" : cell;
          },
          std::move(total));
  }
  void addSum(StringRef head, GetCell getCell) { addWhereKnown(head, getCell, getCell(all)); }
  void addBytes(StringRef head, int64_t KernelReport::*figure) {
    addSum(head, [&](auto &group) { return formatKilobytes(addUp(group, figure)); });
  }
  /// What does not add up: it is that of each launch.
  void addOptional(StringRef head, llvm::function_ref<std::string(const KernelReport &)> getCell) {
    addWhereKnown(head, [&](auto &group) { return getCell(group.getFirst()); }, "");
  }

  const FunctionReport &function;
  std::vector<KernelGroup> groups;
  KernelGroup all;
  bool isMeasured;
  TextTable table;
};

/// Refused merges for one reason.
struct ReasonGroup {
  const RefusedReport *first = nullptr; ///< in an array
  size_t count = 0;
  std::optional<double> largestGain;
};
} // namespace

static void printRefused(ArrayRef<RefusedReport> refused, raw_ostream &os) {
  if (refused.empty())
    return;
  llvm::MapVector<StringRef, ReasonGroup> byReason;
  for (const RefusedReport &edge : refused) {
    ReasonGroup &group = byReason[edge.reason];
    if (!group.count++)
      group.first = &edge;
    group.largestGain = std::max(group.largestGain, edge.gainNs);
  }
  auto groups = llvm::to_vector(llvm::make_second_range(byReason));
  llvm::sort(groups, [](const ReasonGroup &a, const ReasonGroup &b) {
    return std::pair(b.largestGain, a.first) < std::pair(a.largestGain, b.first);
  });
  os << "  refused merges: " << refused.size() << ", by gain\n";
  for (const ReasonGroup &group : ArrayRef(groups).take_front(kMaxReasons)) {
    const RefusedReport &edge = *group.first;
    os << "    " << edge.producer << " \xE2\x86\x92 " << edge.consumer;
    if (edge.producerKernel && edge.consumerKernel)
      os << " (kernels " << *edge.producerKernel << ", " << *edge.consumerKernel << ")";
    if (group.count > 1)
      os << " and " << group.count - 1 << " more";
    if (group.largestGain)
      os << ", gain " << llvm::format("%.0f ns", *group.largestGain);
    os << ": " << edge.reason;
    if (!edge.needs.empty())
      os << "; needs " << edge.needs;
    os << "\n";
  }
  if (groups.size() > kMaxReasons)
    os << "    and " << groups.size() - kMaxReasons
       << " more reasons; the report as JSON has all refused merges\n";
}

/// The places where warps touch more of memory than they need; nothing where nobody counted.
static void printAccesses(const FunctionReport &function, raw_ostream &os) {
  for (const KernelReport &kernel : function.kernels) {
    if (kernel.accesses.empty())
      continue;
    int64_t sectors = 0, idealSectors = 0, rounds = 0, idealRounds = 0;
    for (const AccessReport &access : kernel.accesses) {
      sectors += access.sectors;
      idealSectors += access.idealSectors;
      rounds += access.rounds;
      idealRounds += access.idealRounds;
    }
    os << "  kernel " << kernel.id << " touches " << sectors << " sectors of global memory, "
       << idealSectors << " would do\n";
    for (const AccessReport &access : kernel.accesses)
      if (access.sectors > access.idealSectors)
        os << "    " << (access.writes ? "store" : "load") << " at " << access.location << ": "
           << formatNumber("%.1f", double(access.sectors) / double(access.requests))
           << " sectors a request, "
           << formatNumber("%.1f", double(access.idealSectors) / double(access.requests))
           << " would do\n";
    if (rounds == 0)
      continue;
    os << "  kernel " << kernel.id << " takes " << rounds << " rounds of shared memory's banks, " << idealRounds
       << " would do\n";
    for (const AccessReport &access : kernel.accesses)
      if (access.rounds > access.idealRounds)
        os << "    " << (access.writes ? "store" : "load") << " at " << access.location << ": "
           << formatNumber("%.1f", double(access.rounds) / double(access.idealRounds)) << " times as many as would do\n";
  }
}

/// What the processes of a grid do together; nothing for a program of one.
static void printRanks(const FunctionReport &function, raw_ostream &os) {
  if (function.grid.empty())
    return;
  int64_t ranks = 1, collectives = 0;
  os << "  ranks: ";
  llvm::interleave(function.grid, os, "x");
  for (int64_t extent : function.grid)
    ranks *= extent;
  std::optional<double> predicted, measured;
  for (const KernelReport &kernel : function.kernels) {
    if (!kernel.collectiveBytes)
      continue;
    ++collectives;
    if (kernel.predictedMs)
      predicted = predicted.value_or(0) + *kernel.predictedMs;
    if (kernel.ms)
      measured = measured.value_or(0) + *kernel.ms;
  }
  os << ", collectives " << collectives << ", sent by all "
     << mulSaturating(ranks, function.after.collectiveBytes) << " bytes";
  if (predicted)
    os << ", predicted ms " << formatNumber("%.4f", *predicted);
  if (measured)
    os << ", measured ms " << formatNumber("%.4f", *measured);
  os << "\n";
}

void mlir::fuse::printReport(const Report &report, raw_ostream &os) {
  for (const FunctionReport &function : report.functions) {
    os << "@" << function.name << "\n" << function.getSummary() << "\n";
    printProfile("before", function.before, os);
    printProfile("after", function.after, os);
    if (const std::optional<RunCounters> &counters = function.counters)
      os << "  counted: launches " << counters->launches << ", host calls " << counters->hostCalls
         << ", waits " << counters->waits << ", copies " << counters->copies << ", readback "
         << counters->readBackBytes << " bytes\n";
    printRanks(function, os);
    if (function.scoreNs)
      os << "  score: " << llvm::format("%.3f", *function.scoreNs) << " ns on " << function.target
         << "\n";
    if (function.unknownOps)
      os << "  ops of other dialects, not planned: " << function.unknownOps << "\n";
    for (const VariantReport &variant : function.variants) {
      os << "  calls of " << variant.sizes << " run @" << variant.name << ": kernels " << variant.kernels;
      if (variant.predictedMs && variant.openMs)
        os << ", predicted ms " << formatNumber("%.4f", *variant.predictedMs) << ", without it "
           << formatNumber("%.4f", *variant.openMs);
      os << "\n";
    }
    if (!function.kernels.empty())
      KernelTable(function).print(os);
    printAccesses(function, os);
    printRefused(function.refused, os);
  }
}
