//===- ReportJson.cpp - The report as JSON -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "JsonValues.h"
#include "fuse/Report/Report.h"

using namespace mlir::fuse;
namespace json = llvm::json;

namespace {

json::Object toJson(const Profile &profile) {
  json::Object object{{"kernel_launches", profile.kernelLaunches},
                      {"sync_points", profile.syncPoints},
                      {"host_output_bytes", profile.hostOutputBytes},
                      {"device_traffic_bytes", profile.deviceTrafficBytes},
                      {"unknown_values", profile.unknownValues},
                      {"bound_values", profile.boundValues},
                      {"hint_values", profile.hintValues}};
  if (profile.collectiveBytes)
    object["collective_bytes"] = profile.collectiveBytes;
  return object;
}

json::Object toJson(const RunCounters &counters) {
  return json::Object{{"launches", counters.launches},
                      {"host_calls", counters.hostCalls},
                      {"waits", counters.waits},
                      {"copies", counters.copies},
                      {"readback_bytes", counters.readBackBytes}};
}

json::Object toJson(const AccessReport &access) {
  json::Object object{{"location", access.location},
                      {"kind", access.writes ? "store" : "load"},
                      {"requests", access.requests},
                      {"sectors", access.sectors},
                      {"ideal_sectors", access.idealSectors}};
  if (access.rounds > 0) {
    object["rounds"] = access.rounds;
    object["ideal_rounds"] = access.idealRounds;
  }
  return object;
}

/// `like`: the least id of the kernels that are like it.
json::Object toJson(const KernelReport &kernel, int64_t like) {
  json::Object object{{"id", kernel.id},
                      {"name", kernel.name},
                      {"label", kernel.label},
                      {"ops", json::Array(kernel.ops)},
                      {"locations", json::Array(kernel.locations)},
                      {"layer", kernel.layer},
                      {"like", like},
                      {"inputs", kernel.inputs},
                      {"outputs", kernel.outputs},
                      {"traffic_bytes", kernel.trafficBytes},
                      {"memory_saved_bytes", kernel.memorySavedBytes},
                      {"buffers_eliminated", kernel.buffersEliminated},
                      {"values_elided", kernel.valuesElided},
                      {"blocks", orNull(kernel.blocks)},
                      {"scratch_bytes", orNull(kernel.scratchBytes)},
                      {"predicted_ms", orNull(kernel.predictedMs)},
                      {"flops", orNull(kernel.flops)},
                      {"planned_blocks", orNull(kernel.plannedBlocks)},
                      {"planned_schedule", kernel.plannedSchedule},
                      {"schedule", kernel.getScheduleSource()}};
  if (kernel.collectiveBytes)
    object["collective_bytes"] = *kernel.collectiveBytes;
  if (kernel.warpgroupFlops)
    object["warpgroup_flops"] = *kernel.warpgroupFlops;
  if (kernel.threads)
    object["threads"] = *kernel.threads;
  if (kernel.sharedBytes)
    object["shared_bytes"] = *kernel.sharedBytes;
  if (kernel.registers)
    object["registers"] = *kernel.registers;
  if (kernel.spillBytes)
    object["spill_bytes"] = *kernel.spillBytes;
  if (kernel.occupancy)
    object["occupancy"] = *kernel.occupancy;
  if (!kernel.accesses.empty()) {
    json::Array accesses;
    for (const AccessReport &access : kernel.accesses)
      accesses.push_back(toJson(access));
    object["accesses"] = std::move(accesses);
  }
  if (kernel.ms)
    object["ms"] = *kernel.ms;
  if (kernel.leastMs)
    object["least_ms"] = *kernel.leastMs;
  return object;
}

json::Object toJson(const RefusedReport &refused) {
  return json::Object{{"producer", refused.producer},
                      {"consumer", refused.consumer},
                      {"location", refused.location},
                      {"reason", refused.reason},
                      {"gain_ns", orNull(refused.gainNs)},
                      {"needs", refused.needs},
                      {"kind", refused.kind},
                      {"producer_kernel", orNull(refused.producerKernel)},
                      {"consumer_kernel", orNull(refused.consumerKernel)}};
}

json::Object toJson(const FunctionReport &function) {
  std::vector<int64_t> like(function.kernels.size());
  for (const KernelGroup &group : function.groupKernels())
    for (const KernelReport *kernel : group.kernels)
      like[kernel->id] = group.getFirst().id;
  json::Array kernels, refused;
  for (const KernelReport &kernel : function.kernels)
    kernels.push_back(toJson(kernel, like[kernel.id]));
  for (const RefusedReport &edge : function.refused)
    refused.push_back(toJson(edge));
  json::Object object{{"name", function.name},
                      {"original_kernels", function.originalKernels},
                      {"fused_kernels", function.fusedKernels},
                      {"kernel_reduction", function.getKernelReduction()},
                      {"memory_saved_bytes", function.memorySavedBytes},
                      {"summary", function.getSummary()},
                      {"before", toJson(function.before)},
                      {"after", toJson(function.after)},
                      {"score_ns", orNull(function.scoreNs)},
                      {"target", function.target},
                      {"unknown_ops", function.unknownOps},
                      {"kernels", std::move(kernels)},
                      {"refused", std::move(refused)}};
  if (!function.variants.empty()) {
    json::Array variants;
    for (const VariantReport &variant : function.variants)
      variants.push_back(json::Object{{"name", variant.name},
                                      {"sizes", variant.sizes},
                                      {"kernels", variant.kernels},
                                      {"predicted_ms", orNull(variant.predictedMs)},
                                      {"open_ms", orNull(variant.openMs)}});
    object["variants"] = std::move(variants);
  }
  if (function.runMs)
    object["run_ms"] = *function.runMs;
  if (!function.grid.empty())
    object["grid"] = json::Array(function.grid);
  if (function.counters)
    object["counters"] = toJson(*function.counters);
  return object;
}

} // namespace

json::Value mlir::fuse::toJson(const Report &report) {
  json::Array functions;
  for (const FunctionReport &function : report.functions)
    functions.push_back(::toJson(function));
  return json::Object{{"version", 1}, {"functions", std::move(functions)}};
}
