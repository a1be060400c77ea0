//===- ReportText.cpp - The report as text ----------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ProfileText.h"
#include "TextTable.h"
#include "Units.h"
#include "fuse/Report/Report.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

/// How many reasons for refused merges are printed, and how much of a kernel's ops.
static constexpr size_t kMaxReasons = 10;
static constexpr size_t kMaxOpsText = 160;

void mlir::fuse::printProfile(StringRef name, const Profile &profile, raw_ostream &os) {
  os << "  " << name << ": launches " << profile.kernelLaunches << ", syncs " << profile.syncPoints
     << ", readback " << profile.hostOutputBytes << " bytes, traffic " << profile.deviceTrafficBytes
     << " bytes";
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
    change = std::to_string(more) + (more == 1 ? " kernel" : " kernels") + " more than ops";
  return "Fusion: " + std::to_string(originalKernels) + " \xE2\x86\x92 " +
         std::to_string(fusedKernels) + " kernels (" + change + "), " +
         formatKilobytes(memorySavedBytes) + "KB memory saved";
}

std::optional<double> KernelReport::getTimeRatio() const {
  if (!ms || !predictedMs || *predictedMs <= 0)
    return std::nullopt;
  return *ms / *predictedMs;
}

SmallVector<const KernelReport *> FunctionReport::sortByCost() const {
  SmallVector<const KernelReport *> sorted;
  for (const KernelReport &kernel : kernels)
    sorted.push_back(&kernel);
  llvm::sort(sorted, [](const KernelReport *a, const KernelReport *b) {
    return std::pair(-a->getCostMs(), a->id) < std::pair(-b->getCostMs(), b->id);
  });
  return sorted;
}

/// The first ops, as many as fit, and how many more there are. Many equal ones in a row are
/// counted.
static std::string shortenOps(ArrayRef<std::string> ops) {
  std::string text;
  for (size_t i = 0; i < ops.size();) {
    size_t same = 1;
    while (i + same < ops.size() && ops[i + same] == ops[i])
      ++same;
    if (same < 3)
      same = 1;
    std::string piece = ops[i] + (same > 1 ? " (" + std::to_string(same) + "x)" : "");
    if (i > 0 && text.size() + piece.size() > kMaxOpsText)
      return text + ", and " + std::to_string(ops.size() - i) + " more";
    text += (i > 0 ? ", " : "") + piece;
    i += same;
  }
  return text;
}

namespace {
/// Writes one function's launches as a table.
class KernelTable {
public:
  explicit KernelTable(const FunctionReport &function) : kernels(function.sortByCost()) {}

  void print(raw_ostream &os) {
    using Align = TextTable::Align;
    add("kernel", Align::Left, [](auto &k) { return "kernel " + std::to_string(k.id) + ":"; });
    add("label", Align::Left, [](auto &k) { return k.label; });
    addOptional("predicted ms", [](auto &k) { return toMs(k.predictedMs); });
    addOptional("measured ms", [](auto &k) { return toMs(k.ms); });
    addOptional("measured / predicted", [](auto &k) {
      std::optional<double> ratio = k.getTimeRatio();
      return ratio ? formatNumber("%.2f", *ratio) : "";
    });
    add("inputs", Align::Right, [](auto &k) { return std::to_string(k.inputs); });
    add("outputs", Align::Right, [](auto &k) { return std::to_string(k.outputs); });
    add("traffic KB", Align::Right, [](auto &k) { return formatKilobytes(k.trafficBytes); });
    add("memory_saved KB", Align::Right,
        [](auto &k) { return formatKilobytes(k.memorySavedBytes); });
    add("buffers_ eliminated", Align::Right,
        [](auto &k) { return std::to_string(k.buffersEliminated); });
    add("values_ elided", Align::Right, [](auto &k) { return std::to_string(k.valuesElided); });
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
    add("ops", Align::Left, [](auto &k) { return shortenOps(k.ops); });
    table.print(os, 2);
  }

private:
  using GetCell = llvm::function_ref<std::string(const KernelReport &)>;

  static std::string toText(const std::optional<int64_t> &number) {
    return number ? std::to_string(*number) : "";
  }

  static std::string toMs(const std::optional<double> &ms) {
    return ms ? formatNumber("%.4f", *ms) : "";
  }

  void add(StringRef head, TextTable::Align align, GetCell getCell) {
    std::vector<std::string> cells;
    for (const KernelReport *kernel : kernels)
      cells.push_back(getCell(*kernel));
    table.addColumn(head, align, std::move(cells));
  }

  /// Only where some kernel has the figure; a dash where one has not.
  void addOptional(StringRef head, GetCell getCell) {
    if (llvm::any_of(kernels, [&](const KernelReport *k) { return !getCell(*k).empty(); }))
      add(head, TextTable::Align::Right, [&](const KernelReport &kernel) {
        std::string cell = getCell(kernel);
        return cell.empty() ? "-" : cell;
      });
  }

  SmallVector<const KernelReport *> kernels;
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
    int64_t sectors = 0, idealSectors = 0;
    for (const AccessReport &access : kernel.accesses) {
      sectors += access.sectors;
      idealSectors += access.idealSectors;
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
  }
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
    if (function.scoreNs)
      os << "  score: " << llvm::format("%.3f", *function.scoreNs) << " ns on " << function.target
         << "\n";
    if (function.unknownOps)
      os << "  ops of other dialects, not planned: " << function.unknownOps << "\n";
    if (!function.kernels.empty())
      KernelTable(function).print(os);
    printAccesses(function, os);
    printRefused(function.refused, os);
  }
}
