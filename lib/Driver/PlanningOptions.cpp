//===- PlanningOptions.cpp - How programs are planned and compiled -------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Driver/PlanningOptions.h"

#include "fuse/Analysis/Labels.h"
#include "fuse/Distribute/Annotations.h"
#include "fuse/Execution/CpuLevel.h"
#include "fuse/Schedule/ScheduleFile.h"
#include "fuse/Target/TargetFile.h"
#include "fuse/Target/Targets.h"
#include "fuse/Transforms/Transforms.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <functional>

using namespace mlir;
using namespace mlir::fuse;

static llvm::Error ok() { return llvm::Error::success(); }

/// "a, b or c".
static std::string joinNames(ArrayRef<StringRef> names) {
  if (names.size() < 2)
    return llvm::join(names, "");
  return llvm::join(names.drop_back(), ", ") + " or " + names.back().str();
}

static llvm::Error readInputs(PlanningOptions &options, StringRef path) {
  if (!path.ends_with(".npz"))
    return expected("a file's name that ends in .npz", path);
  options.inputArchives.push_back(path.str());
  return ok();
}

static llvm::Error readInput(PlanningOptions &options, StringRef text) {
  auto [name, path] = text.split('=');
  if (name.empty() || !path.ends_with(".npy"))
    return expected("NAME=F.npy", text);
  options.inputFiles.push_back({name.str(), path.str()});
  return ok();
}

static llvm::Error readBinding(PlanningOptions &options, StringRef text) {
  auto [name, path] = text.split('=');
  if (name.empty() || !path.ends_with(".npy"))
    return expected("NAME=F.npy", text);
  options.boundFiles.push_back({name.str(), path.str()});
  return ok();
}

static llvm::Error readDim(PlanningOptions &options, StringRef text) {
  auto [name, number] = text.split('=');
  if (number.contains("..") || number.contains("likely")) {
    std::optional<DimRange> range = parseRange(number);
    if (name.empty() || !range)
      return expected("NAME=LEAST..MOST,likely=N, N within", text);
    if (llvm::is_contained(llvm::make_first_range(options.ranges), name))
      return expected("one range for '" + name + "'", text);
    options.ranges.push_back({name.str(), *range});
    return ok();
  }
  int64_t extent = 0;
  if (name.empty() || number.getAsInteger(10, extent) || extent < 0)
    return expected("NAME=N, N at least 0", text);
  for (const auto &[known, size] : options.dims)
    if (known == name && size != extent)
      return expected("one extent for '" + name + "', " + llvm::Twine(size), text);
  options.dims.push_back({name.str(), extent});
  return ok();
}

static llvm::Error readVariants(PlanningOptions &options, StringRef text) {
  if (text == kAutomaticVariants || text == "none") {
    options.automaticVariants = text == kAutomaticVariants;
    return ok();
  }
  auto variants = parseVariants(text);
  if (!variants)
    return expected("NAME=N or NAME=LEAST..MOST,likely=N, with commas between them, N at least 0, auto or none", text);
  llvm::append_range(options.variants, *variants);
  return ok();
}

static llvm::Error readStrategy(PlanningOptions &options, StringRef text) {
  if (text != "chains" && text != "priority")
    return expected("chains or priority", text);
  options.strategy = text.str();
  return ok();
}

static llvm::Error readCostModel(PlanningOptions &options, StringRef text) {
  if (text != "io" && text != "roofline")
    return expected("io or roofline", text);
  options.costModel = text.str();
  return ok();
}

static llvm::Error readNumerics(PlanningOptions &options, StringRef text) {
  std::optional<Numerics> numerics = parseNumerics(text);
  if (!numerics)
    return expected(joinNames(getNumericsNames()), text);
  if (options.precision != Precision::AsWritten && *numerics < Numerics::ReducedPrecision)
    return expected(getNumericsName(Numerics::ReducedPrecision) + " with --precision " +
                        getPrecisionName(options.precision),
                    text);
  options.numerics = *numerics;
  options.isNumericsGiven = true;
  return ok();
}

static llvm::Error readPrecision(PlanningOptions &options, StringRef text) {
  std::optional<Precision> precision = parsePrecision(text);
  if (!precision)
    return expected(joinNames(getPrecisionNames()), text);
  if (*precision != Precision::AsWritten) {
    if (options.isNumericsGiven && options.numerics < Numerics::ReducedPrecision)
      return expected(getPrecisionName(Precision::AsWritten) + " with --numerics " + getNumericsName(options.numerics),
                      text);
    options.numerics = Numerics::ReducedPrecision;
  }
  options.precision = *precision;
  return ok();
}

static llvm::Error readCalibration(PlanningOptions &options, StringRef path) {
  if (!path.ends_with(".npz"))
    return expected("a file's name that ends in .npz", path);
  options.calibrationArchives.push_back(path.str());
  return ok();
}

static llvm::Error readDisabled(PlanningOptions &options, StringRef text) {
  if (!llvm::is_contained(getLabelNames(), text))
    return expected("one of " + llvm::join(getLabelNames(), ", "), text);
  options.disabledLabels.push_back(text.str());
  return ok();
}

static llvm::Error readCostTarget(PlanningOptions &options, StringRef text) {
  if (!llvm::is_contained(getTargetNames(), resolveTargetName(text)) && !isTargetFileName(text) &&
      !isClusterName(text))
    return expected(describeTargets(), text);
  options.costTarget = text.str();
  return ok();
}

static llvm::Error readShard(PlanningOptions &options, StringRef text) {
  auto request = parseShardRequest(text);
  if (!request)
    return request.takeError();
  options.shard = text.str();
  return ok();
}

static llvm::Error readBackend(PlanningOptions &options, StringRef text) {
  const Backend *found = findBackend(text);
  if (!found) {
    // Those that run anywhere come first.
    std::vector<const Backend *> backends = getBackends();
    llvm::stable_sort(backends, [](const Backend *a, const Backend *b) {
      return a->getRunPlace() < b->getRunPlace();
    });
    return expected(joinNames(llvm::map_to_vector(backends, std::mem_fn(&Backend::getName))), text);
  }
  options.backend = found;
  return ok();
}

static llvm::Error readChip(PlanningOptions &options, StringRef text) {
  text = resolveTargetName(text);
  llvm::SetVector<StringRef> chips;
  for (const Backend *backend : getBackends())
    chips.insert_range(backend->getChips());
  if (!chips.contains(text))
    return expected(joinNames(chips.getArrayRef()), text);
  options.chip = text.str();
  return ok();
}

static llvm::Error readSchedules(PlanningOptions &options, StringRef text) {
  if (!isScheduleFileName(text))
    return expected("a file's name that ends in .json", text);
  return readPath(text, options.schedules);
}

llvm::Error mlir::fuse::readThreads(PlanningOptions &options, StringRef text) {
  if (text.getAsInteger(10, options.threads) || options.threads < 1 || options.threads > 4096)
    return expected("an integer from 1 to 4096", text);
  return llvm::Error::success();
}

llvm::Error mlir::fuse::readCpu(StringRef text, std::string &cpu) {
  if (!findCpuLevel(text))
    return expected(llvm::join(getCpuLevelNames().drop_back(), ", ") + " or " +
                        getCpuLevelNames().back(),
                    text);
  cpu = text.str();
  return ok();
}

static llvm::Error readCpus(PlanningOptions &options, StringRef text) {
  SmallVector<StringRef> names;
  text.split(names, ',');
  std::vector<std::string> found;
  for (StringRef name : names) {
    std::string cpu;
    if (llvm::Error error = readCpu(name, cpu))
      return error;
    if (llvm::is_contained(found, cpu))
      return expected("each CPU once", text);
    found.push_back(cpu);
  }
  options.cpus.clear();
  for (StringRef name : getCpuLevelNames())
    if (llvm::is_contained(found, name))
      options.cpus.push_back(name.str());
  return llvm::Error::success();
}

std::string mlir::fuse::nameTargets(llvm::function_ref<bool(const Backend &)> isWanted) {
  SmallVector<StringRef> names;
  for (const Backend *backend : getBackends())
    if (isWanted(*backend))
      names.push_back(backend->getName());
  return joinNames(names);
}

llvm::Error mlir::fuse::checkChip(const PlanningOptions &options) {
  if (!options.schedules.empty() && !options.backend->usesSchedules())
    return llvm::createStringError("--schedules needs --target " +
                                   nameTargets(std::mem_fn(&Backend::usesSchedules)));
  if (options.chip.empty())
    return ok();
  ArrayRef<StringRef> chips = options.backend->getChips();
  auto hasChips = [](const Backend &backend) { return !backend.getChips().empty(); };
  if (chips.empty())
    return llvm::createStringError("--chip needs --target " + nameTargets(hasChips));
  if (llvm::is_contained(chips, options.chip))
    return ok();
  return llvm::createStringError("--chip: expected " + joinNames(chips) +
                                 " for this --target, found '" + options.chip + "'");
}

llvm::Error mlir::fuse::checkPrecision(const PlanningOptions &options) {
  if (options.precision == Precision::Int8 && options.calibrationArchives.empty())
    return llvm::createStringError("--precision int8 needs --calibrate F.npz, inputs that the ranges of activations are "
                                   "measured of");
  if (options.precision == Precision::AsWritten && !options.calibrationArchives.empty())
    return llvm::createStringError("--calibrate needs --precision bf16 or int8");
  return ok();
}

llvm::Error mlir::fuse::checkBundle(const PlanningOptions &options) {
  if (!options.backend->canBundle())
    return llvm::createStringError("--target: expected " +
                                   nameTargets(std::mem_fn(&Backend::canBundle)) +
                                   " for a bundle, found " + options.backend->getName());
  if (!options.cpus.empty() && !options.backend->usesCpuLevels())
    return llvm::createStringError("--cpu needs --target " +
                                   nameTargets(std::mem_fn(&Backend::usesCpuLevels)));
  if (!options.schedules.empty() && !options.cpus.empty() &&
      !llvm::is_contained(options.cpus, kNativeCpu))
    return llvm::createStringError("--schedules needs --cpu native, which they were measured on");
  return ok();
}

static llvm::Error readBudget(PlanningOptions &options, StringRef text) {
  auto budget = parseBudget(text);
  if (!budget)
    return budget.takeError();
  options.budget = options.budget & *budget;
  return ok();
}

llvm::ArrayRef<OptionSpec<PlanningOptions>> mlir::fuse::getInputOptions() {
  static const OptionSpec<PlanningOptions> specs[] = {
      {{nullptr, nullptr, "Inputs"}, nullptr},
      {{"inputs", "F.npz",
        "arrays by the inputs' names, weights too; repeatable.\n"
        "Arrays that no input is named like are not used"},
       readInputs},
      {{"input", "NAME=F.npy", "one input; repeatable"}, readInput},
      {{"dim", "NAME=N",
        "the extent of a model's open dimension, by its name or as INPUT:AXIS;\n"
        "or, where it stays open, NAME=LEAST..MOST,likely=N: what it may be, and\n"
        "what kernels are planned for; repeatable (default: those of the arrays\n"
        "given)"},
       readDim},
      {{"specialize", "NAME=N,…",
        "adds code for this size of open dimensions, or for a range\n"
        "NAME=LEAST..MOST,likely=N, which calls of the size run; a NAME that\n"
        "occurs again begins another such code; repeatable. auto: for sizes\n"
        "of 1 where prices say that it gains (default of bundles); none"},
       readVariants},
      {{"bind", "NAME=F.npy", "makes an input of a model a constant; repeatable"}, readBinding},
  };
  return specs;
}

/// The help's text with a line break wherever a line would be longer than its column is wide.
static std::string wrap(StringRef text) {
  constexpr size_t kWidth = 71;
  SmallVector<StringRef> words;
  text.split(words, ' ');
  std::string wrapped;
  size_t column = 0;
  for (StringRef word : words) {
    if (column > 0) {
      bool fits = column + 1 + word.size() <= kWidth;
      wrapped += fits ? ' ' : '\n';
      column = fits ? column + 1 : 0;
    }
    wrapped += word;
    column += word.size();
  }
  return wrapped;
}

static std::string describeBackends() {
  std::vector<std::string> parts;
  for (const Backend *backend : getBackends())
    parts.push_back((backend->getName() + " (" +
                     (backend == &getDefaultBackend() ? "default" : backend->getDescription()) +
                     ")")
                        .str());
  return wrap("what code is built for: " + joinNames(llvm::to_vector_of<StringRef>(parts)));
}

/// Backends that have the same chips are named by the first of them.
static std::string describeChips() {
  std::string text = "the GPU that kernels are made for: ";
  SmallVector<ArrayRef<StringRef>> known;
  for (const Backend *backend : getBackends()) {
    ArrayRef<StringRef> chips = backend->getChips();
    if (chips.empty() || llvm::is_contained(known, chips))
      continue;
    if (!known.empty())
      text += ", with " + backend->getName().str() + " ";
    known.push_back(chips);
    SmallVector<std::string> names(chips.begin(), chips.end());
    names.front() += " (default)";
    text += joinNames(llvm::to_vector_of<StringRef>(names));
  }
  return wrap(text + "; or a product, e.g. a100, h100, mi300");
}

llvm::ArrayRef<OptionSpec<PlanningOptions>> mlir::fuse::getPlanningOptions() {
  static const std::string backends = describeBackends(), chips = describeChips();
  static const OptionSpec<PlanningOptions> specs[] = {
      {{nullptr, nullptr, "Planning"}, nullptr},
      {{"function", "NAME", "the function to take (default: main, else the only public one)"},
       [](PlanningOptions &o, StringRef v) { return readPath(v, o.function); }},
      {{"strategy", "NAME",
        "how kernels are planned: priority (default; the merge that gains most\n"
        "first) or chains (element-wise chains only)"},
       readStrategy},
      {{"cost-model", "NAME",
        "what may speak against a merge: roofline (default) or io (launches\n"
        "and traffic alone)"},
       readCostModel},
      {{"no-fusion", nullptr, "every op becomes a kernel of its own"},
       [](PlanningOptions &o, StringRef) {
         o.fusion = false;
         return ok();
       }},
      {{"disable", "LABEL", "keeps the planner from this pattern; repeatable"}, readDisabled},
      {{"numerics", "CLASS",
        "how far numbers may change: exact, reassociates (the order of float\n"
        "sums), folds (default; also batch norms folded into weights) or\n"
        "reduced-precision (also products of bf16 that round on the way, and of\n"
        "f32 as TF32 on a GPU)"},
       readNumerics},
      {{"precision", "TYPE",
        "what products with weights are computed in: as-written (default), bf16\n"
        "or int8; with numerics reduced-precision"},
       readPrecision},
      {{"calibrate", "F.npz",
        "inputs by their names, of which the ranges of activations for int8 are\n"
        "measured, and the error that a precision makes; repeatable"},
       readCalibration},
      {{"target", "NAME", backends.c_str()}, readBackend},
      {{"chip", "NAME", chips.c_str()}, readChip},
      {{"no-async-copies", nullptr,
        "products on a GPU load their operands to shared memory through\n"
        "registers, on chips that can copy them there as well"},
       [](PlanningOptions &o, StringRef) {
         o.asyncCopies = false;
         return ok();
       }},
      {{"no-warpgroups", nullptr,
        "products of f16 and bf16 on a GPU of sm_90a are those of subgroups\n"
        "(mma.sync), not of warpgroups (wgmma)"},
       [](PlanningOptions &o, StringRef) {
         o.warpgroups = false;
         return ok();
       }},
      {{"cost-target", "NAME",
        "the device that is planned and priced for, e.g. metal, F.json, or\n"
        "cluster:device=NAME,nodes=N,ranks=N with other figures as KEY=NUMBER\n"
        "(default: the chip; on the CPU the program's fuse.target, else round\n"
        "numbers of a CPU, and times are predicted by the file of\n"
        "fuse-calibrate); code is built for the target all the same"},
       readCostTarget},
      {{"shard", "WHAT",
        "makes the program that of one of several processes: tensor=N,data=M (or\n"
        "one of them) shares weights among N and the batch among M; auto=N\n"
        "divides the work among N as takes the least time by the target"},
       readShard},
      {{"budget", "LIMITS",
        "what one run may cost at most: launches=N,syncs=N,readback_bytes=N,\n"
        "traffic_bytes=N or some of them; more is an error before anything is\n"
        "run or written"},
       readBudget},
  };
  return specs;
}

llvm::ArrayRef<OptionSpec<PlanningOptions>> mlir::fuse::getScheduleOptions() {
  static const OptionSpec<PlanningOptions> specs[] = {
      {{"schedules", "F.json",
        "a file of fuse-tune: kernels that it knows get the schedules it has for\n"
        "them; of the machine, or the chip, that it was measured on"},
       readSchedules},
  };
  return specs;
}

llvm::ArrayRef<OptionSpec<PlanningOptions>> mlir::fuse::getBundleOptions() {
  static const OptionSpec<PlanningOptions> specs[] = {
      {{"cpu", "LIST",
        "the CPUs that code is compiled for: native (default; this one), x86-64-v4,\n"
        "x86-64-v3, x86-64-v2 and x86-64, or elsewhere generic, with commas between\n"
        "them; where the bundle is opened, the best that is there is taken"},
       readCpus},
      {{"threads", "N",
        "cuts kernels for so many threads (default: for any number); the bundle runs\nwith any number"},
       readThreads},
  };
  return specs;
}

llvm::ArrayRef<OptionSpec<PlanningOptions>> mlir::fuse::getCacheOptions() {
  static const OptionSpec<PlanningOptions> specs[] = {
      {{nullptr, nullptr, "Compiled kernels"}, nullptr},
      {{"cache", "DIR",
        "keeps compiled kernels of the CPU in this folder and looks for them there\n"
        "(default: FUSE_CACHE_DIR, else XDG_CACHE_HOME/fuse or ~/.cache/fuse)"},
       [](PlanningOptions &o, StringRef v) { return readPath(v, o.cacheFolder); }},
      {{"no-cache", nullptr, "compiles all kernels and keeps none"},
       [](PlanningOptions &o, StringRef) {
         o.usesCache = false;
         return ok();
       }},
  };
  return specs;
}

std::vector<std::string> PlanningOptions::getInputPaths() const {
  std::vector<std::string> paths(inputArchives);
  llvm::append_range(paths, calibrationArchives);
  for (const auto *files : {&inputFiles, &boundFiles})
    for (const auto &[name, path] : *files)
      paths.push_back(path);
  paths.push_back(schedules);
  return paths;
}

LoweringOptions PlanningOptions::getLoweringOptions() const {
  LoweringOptions lowering;
  lowering.numerics = numerics;
  lowering.backend = backend;
  lowering.cpu = cpu;
  lowering.chip = getChip();
  lowering.schedules = schedules;
  lowering.asyncCopies = asyncCopies;
  lowering.warpgroups = warpgroups;
  return lowering;
}

CompileOptions PlanningOptions::getCompileOptions() const {
  CompileOptions options;
  options.backend = backend;
  options.strategy = strategy;
  options.costModel = costModel;
  options.fusion = fusion;
  options.numerics = numerics;
  options.precision = precision;
  options.disabledLabels = disabledLabels;
  options.variants = variants;
  options.automaticVariants = automaticVariants;
  return options;
}
