//===- Calibration.cpp - What this machine gives our kernels --------------------- ===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/Calibration.h"
#include "fuse/Execution/Session.h"

#include "CalibrationPrograms.h"
#include "fuse/Execution/CpuLevel.h"
#include "fuse/Execution/ObjectCompiler.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/Runtime/Cpu.h"
#include "fuse/Support/Plural.h"
#include "llvm/Support/Format.h"

#include <chrono>
#include <thread>
#include <unistd.h>

using namespace mlir;
using namespace mlir::fuse;

static constexpr int kMostPasses = 3;
/// Passes that differ by more say that something else is running.
static constexpr double kMostDifference = 1.2;

namespace {

/// Times of one thing by pass, in ns; none where it is not measured.
struct Passes {
  SmallVector<double, kMostPasses> ns;
  double least() const { return *llvm::min_element(ns); }
  double most() const { return *llvm::max_element(ns); }
};

/// Times of a working set, by mover and by how many threads.
struct SizeTimes {
  int64_t bytes;
  Passes times[3][2];
};

std::string formatSize(int64_t bytes) {
  bool isLarge = bytes >= 1 << 20;
  return std::to_string(bytes >> (isLarge ? 20 : 10)) + (isLarge ? " MB" : " KB");
}

class Calibrator {
public:
  Calibrator(MLIRContext &context, const CalibrationOptions &options)
      : context(context), options(options), caches(getCacheSizes()) {
    result.threads = countThreads(options.threads);
    patience.leastNs = options.isQuick ? 2000000 : 20000000;
    patience.leastRuns = options.isQuick ? 3 : 5;
    numPasses = options.isQuick ? 2 : kMostPasses;
    for (int64_t bytes : listSizes())
      sizes.push_back({bytes, {}});
    for (const SizeTimes &size : sizes)
      for (Mover mover : kMovers)
        steps += numPasses * (isMeasured(mover, 0, size.bytes) + isMeasured(mover, 1, size.bytes));
    steps += numPasses * 5;
  }

  llvm::Expected<Calibration> run() {
    describeMachine();
    if (llvm::Error error = compile())
      return error;
    auto array = HostArray::createUninitialized(ElementType::F32, {sizes.back().bytes / 4});
    if (!array)
      return array.takeError();
    // Written, so that every page is memory of its own.
    llvm::fill(array->data<float>(), 1.0f);
    ones = std::move(*array);
    // Threads that have just worked look for more for a while, and would disturb what has one.
    for (auto measure : {&Calibrator::measureOneThread, &Calibrator::measureAllThreads})
      for (int pass = 0; pass < numPasses; ++pass)
        if (llvm::Error error = (this->*measure)())
          return error;
    makeCurve();
    addStores();
    addBandwidths();
    addCaches();
    addRates();
    sortFigures();
    return std::move(result);
  }

private:
  int64_t getLastCache() const {
    return std::max({caches.l1, caches.l2, caches.l3, int64_t(4) << 20});
  }

  /// Powers of two from well within the first cache to well beyond the last; quickly, to what can
  /// be filled and read in some ms.
  std::vector<int64_t> listSizes() const {
    constexpr int64_t kMostQuickly = 128 << 20;
    int64_t most =
        options.isQuick ? std::min(getLastCache() * 4, kMostQuickly) : getLastCache() * 8;
    int64_t memory = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    most = std::min(most, std::max<int64_t>(memory / 8, 64 << 20));
    std::vector<int64_t> sizes;
    for (int64_t bytes = options.isQuick ? 32 << 10 : 16 << 10; bytes <= most;
         bytes *= options.isQuick ? 4 : 2)
      sizes.push_back(bytes);
    return sizes;
  }

  /// Quickly, what figures are read off: caches serve one thread, memory serves all.
  bool isMeasured(Mover mover, int isAll, int64_t bytes) const {
    bool isMemory = bytes == sizes.back().bytes;
    return !options.isQuick || (mover == Mover::Read && (!isAll || isMemory)) ||
           (mover == Mover::Write && isAll && isMemory);
  }

  void add(StringRef key, double value, const Twine &source) {
    // As many digits as a measurement has; sizes and counts are exact.
    if (!key.ends_with("_bytes")) {
      std::string text;
      llvm::raw_string_ostream(text) << llvm::format("%.4g", value);
      (void)StringRef(text).getAsDouble(value);
    }
    result.target.figures.push_back({key.str(), value, source.str()});
  }

  /// What the kernels to measure are built for: what is known without measuring.
  void describeMachine() {
    TargetFile &target = result.target;
    target.cpu = fuse_cpu_name();
    target.name = target.cpu;
    CpuVectors vectors = findCpuLevel(kNativeCpu)->vectors;
    add("vector_bytes", static_cast<double>(vectors.bytes), "the CPU's features");
    add("registers", static_cast<double>(vectors.registers), "the CPU's features");
    add("max_threads", result.threads, "threads used");
  }

  TargetAttr makePreliminaryTarget() {
    TargetFile target = result.target;
    for (auto [key, bytes] :
         {std::pair("l1_bytes", caches.l1), {"l2_bytes", caches.l2}, {"l3_bytes", caches.l3}})
      if (bytes > 0)
        target.figures.push_back({key, static_cast<double>(bytes), ""});
    TargetAttr usual = TargetAttr::getDefault(&context);
    for (NamedAttribute figure : usual.getFigures())
      target.figures.push_back({figure.getName().str(), usual.getFigure(figure.getName()), ""});
    return target.makeTarget(&context);
  }

  llvm::Error compile() {
    ObjectCompilerOptions compiler;
    compiler.progress = [&](size_t done, size_t total) {
      if (options.progress)
        options.progress(kCompilePart * static_cast<double>(done) / static_cast<double>(total),
                         "compiling");
    };
    auto compiled = compileCalibration(context, makePreliminaryTarget(), compiler);
    if (!compiled)
      return compiled.takeError();
    program = std::move(*compiled);
    return llvm::Error::success();
  }

  void step(const Twine &what) {
    if (options.progress)
      options.progress(kCompilePart + (1 - kCompilePart) * static_cast<double>(done) /
                                          static_cast<double>(steps),
                       what.str());
    ++done;
  }

  llvm::Error measureOne(StringRef function, int32_t threads, int64_t rows, Patience patience,
                         Passes &passes, bool isPerLaunch = false) {
    auto measured = MeasuredProgram::create(program, function, threads, rows, ones);
    if (!measured)
      return measured.takeError();
    auto time =
        isPerLaunch ? measured->measurePerLaunch(patience) : measured->measureLaunch(patience);
    if (!time)
      return time.takeError();
    passes.ns.push_back(*time);
    return llvm::Error::success();
  }

  llvm::Error measureMovers(int isAll) {
    int32_t threads = isAll ? result.threads : 1;
    for (SizeTimes &size : sizes)
      for (Mover mover : kMovers) {
        if (!isMeasured(mover, isAll, size.bytes))
          continue;
        step("bandwidth of " + formatSize(size.bytes) + ", " + pluralize(threads, "thread"));
        // What comes from memory is what others disturb most, and what most depends on.
        Patience own = patience;
        if (size.bytes > 2 * getLastCache())
          own.leastNs *= 4;
        if (llvm::Error error =
                measureOne(getMoverFunction(mover), threads, countRows(mover, size.bytes), own,
                           size.times[static_cast<int>(mover)][isAll]))
          return error;
      }
    return llvm::Error::success();
  }

  /// Whether this CPU has an instruction for products of bytes.
  static bool hasByteProducts() { return findCpuLevel(kNativeCpu)->vectors.hasInt8Dot; }

  llvm::Error measureOneThread() {
    for (auto [function, isPerLaunch, passes] : {std::tuple("rate", false, &rate),
                                                 {"product", false, &product},
                                                 {"byte_product", false, &byteProduct},
                                                 {"tiny", true, &dispatch},
                                                 {"single", false, &single}}) {
      if (passes == &byteProduct && !hasByteProducts())
        continue;
      step(isPerLaunch ? "launches" : "rates");
      if (llvm::Error error = measureOne(function, 1, 0, patience, *passes, isPerLaunch))
        return error;
    }
    return measureMovers(/*isAll=*/0);
  }

  llvm::Error measureAllThreads() {
    if (llvm::Error error = measureMovers(/*isAll=*/1))
      return error;
    step("threads and stores");
    if (result.threads > 1) {
      auto time = measureFork(result.threads, patience);
      if (!time)
        return time.takeError();
      fork.ns.push_back(*time);
    }
    // How stores go decides code, which is nothing to measure quickly.
    return options.isQuick ? llvm::Error::success() : measureNonTemporal();
  }

  llvm::Error measureNonTemporal() {
    if (storeSizes.empty())
      for (const SizeTimes &size : sizes)
        if (size.bytes >= 1 << 18)
          storeSizes.push_back(size.bytes);
    auto measured = measureStores(storeSizes, result.threads, patience);
    if (!measured)
      return measured.takeError();
    if (!*measured)
      return llvm::Error::success();
    if (!stores) {
      stores = std::move(*measured);
      return llvm::Error::success();
    }
    for (size_t i = 0; i < storeSizes.size(); ++i) {
      stores->usual[i] = std::min(stores->usual[i], (*measured)->usual[i]);
      stores->nonTemporal[i] = std::min(stores->nonTemporal[i], (*measured)->nonTemporal[i]);
    }
    return llvm::Error::success();
  }

  /// Passes that disagree; `what` is the figure.
  void check(StringRef what, const Passes &passes) {
    if (passes.most() <= passes.least() * kMostDifference)
      return;
    std::string text;
    llvm::raw_string_ostream(text)
        << what << ": two passes differ by "
        << llvm::format("%.0f", 100 * (passes.most() / passes.least() - 1))
        << " %; the better one is taken. Is something else running?";
    result.warnings.push_back(text);
  }

  void makeCurve() {
    for (const SizeTimes &size : sizes) {
      BandwidthPoint &point = result.curve.emplace_back();
      point.bytes = size.bytes;
      for (int isAll : {0, 1}) {
        auto getBandwidth = [&](Mover mover) {
          if (!isMeasured(mover, isAll, size.bytes))
            return 0.0;
          // The smallest sets take no longer than a launch: what that takes by itself is no
          // transfer.
          double ns = size.times[static_cast<int>(mover)][isAll].least();
          return static_cast<double>(size.bytes) / std::max(ns - single.least(), ns / 4);
        };
        point.read[isAll] = getBandwidth(Mover::Read);
        point.move[isAll] = getBandwidth(Mover::Move);
        point.write[isAll] = getBandwidth(Mover::Write);
      }
    }
  }

  void addStores() {
    if (!stores)
      return;
    for (auto [i, bytes] : llvm::enumerate(storeSizes))
      for (BandwidthPoint &point : result.curve)
        if (point.bytes == bytes) {
          point.usual = 2 * static_cast<double>(bytes) / stores->usual[i];
          point.past = 2 * static_cast<double>(bytes) / stores->nonTemporal[i];
        }
    int64_t crossing = findCrossing(storeSizes, stores->usual, stores->nonTemporal);
    add("nontemporal_bytes", static_cast<double>(crossing),
        crossing ? "measured: an array written and read again, all threads"
                 : "measured: no array is faster written past the caches and read again");
  }

  const Passes &getTimes(Mover mover, int isAll, int64_t bytes) const {
    const BandwidthPoint &point = findPoint(result.curve, bytes);
    return sizes[&point - result.curve.data()].times[static_cast<int>(mover)][isAll];
  }

  /// Of the two largest sets the one that went better: what else runs can only slow one down.
  void addMemory(StringRef key, double (BandwidthPoint::*pair)[2], Mover mover, int isAll,
                 StringRef what) {
    const BandwidthPoint *best = &result.curve.back(), *before = best - 1;
    if (before->bytes > 2 * getLastCache() && (before->*pair)[isAll] > (best->*pair)[isAll])
      best = before;
    check(key, getTimes(mover, isAll, best->bytes));
    add(key, (best->*pair)[isAll],
        "measured: " + what + " of " + formatSize(best->bytes) +
            (isAll ? ", all threads" : ", one thread"));
  }

  void addBandwidths() {
    addMemory("memory_bw", &BandwidthPoint::read, Mover::Read, 1, "row sums");
    addMemory("store_bw", &BandwidthPoint::write, Mover::Write, 1, "rows of one number each");
    addMemory("thread_memory_bw", &BandwidthPoint::read, Mover::Read, 0, "row sums");
  }

  /// What one thread reads from a cache, from sets of `inside` bytes.
  void addCacheBandwidth(StringRef key, int64_t inside) {
    inside = std::max(inside, result.curve.front().bytes);
    check(key, getTimes(Mover::Read, 0, inside));
    const BandwidthPoint &point = findPoint(result.curve, inside);
    add(key, point.read[0], "measured: row sums of " + formatSize(point.bytes) + ", one thread");
  }

  /// The system's word is taken for a cache's size, unless reads of half of it are as slow as
  /// memory: virtual machines tell of caches that they share with others.
  void addCaches() {
    for (auto [key, bytes] : {std::pair("l1_bytes", caches.l1), {"l2_bytes", caches.l2}})
      if (bytes > 0)
        add(key, static_cast<double>(bytes), "the system");
    if (caches.l2 > 0)
      addCacheBandwidth("l2_bw", caches.l2 / 2);
    if (caches.l3 <= 0)
      return add("l3_bytes", 0, "the system: none");
    int64_t memory = sizes.back().bytes, bytes = caches.l3;
    if (memory > bytes && findCacheEnd(result.curve, bytes / 2, memory) == 0) {
      bytes = findCacheEnd(result.curve, std::max(2 * caches.l2, sizes.front().bytes), memory);
      result.warnings.push_back("l3_bytes: the system tells of " + formatSize(caches.l3) +
                                ", but reads are as slow as memory from " + formatSize(bytes) +
                                " on, which is taken");
      add("l3_bytes", static_cast<double>(bytes), "measured: where row sums become slower");
    } else {
      add("l3_bytes", static_cast<double>(bytes), "the system");
    }
    // Others have their part of what is shared.
    if (bytes > 0)
      addCacheBandwidth("l3_bw", bytes / 4);
  }

  void addRates() {
    check("flops_per_ns", rate);
    add("flops_per_ns",
        static_cast<double>(kChainLength * kChainElements) / (rate.least() - single.least()),
        "measured: " + Twine(kChainLength) + " multiplications and additions in a row on " +
            Twine(kChainElements) + " f32, one thread");
    check("matmul_flops_per_ns", product);
    double extent = static_cast<double>(kProductExtent);
    add("matmul_flops_per_ns", 2 * extent * extent * extent / product.least(),
        "measured: a product of two matrices of " + Twine(kProductExtent) + " by " +
            Twine(kProductExtent) + " f32, one thread");
    if (hasByteProducts()) {
      check("int8_flops_per_ns", byteProduct);
      add("int8_flops_per_ns", 2 * extent * extent * extent / byteProduct.least(),
          "measured: the same of bytes, one thread");
    }
    check("dispatch_ns", dispatch);
    add("dispatch_ns", dispatch.least(),
        "measured: " + Twine(kTinyLaunches) + " launches on 16 f32 in a row, one thread");
    if (result.threads == 1)
      return add("fork_ns", 0, "one thread");
    check("fork_ns", fork);
    add("fork_ns", fork.least(), "measured: an empty kernel, all threads against one");
  }

  /// In the order of their documentation.
  void sortFigures() {
    std::vector<TargetFile::Figure> sorted;
    for (const auto &[key, unused] : TargetAttr::getDefaultFigures())
      if (const TargetFile::Figure *figure = result.target.find(key))
        sorted.push_back(*figure);
    result.target.figures = std::move(sorted);
  }

  /// The bar's part that compiling takes.
  static constexpr double kCompilePart = 0.2;
  static constexpr Mover kMovers[] = {Mover::Read, Mover::Move, Mover::Write};

  MLIRContext &context;
  const CalibrationOptions &options;
  CacheSizes caches;
  Patience patience;
  std::vector<SizeTimes> sizes;
  std::shared_ptr<const Program> program;
  HostArray ones; ///< what all inputs share, as large as the largest
  std::vector<int64_t> storeSizes;
  std::optional<StoreTimes> stores;
  Passes rate, product, byteProduct, dispatch, single, fork;
  int numPasses;
  int64_t steps = 0, done = 0;
  Calibration result;
};

} // namespace

llvm::Expected<Calibration> mlir::fuse::calibrate(MLIRContext &context,
                                                  const CalibrationOptions &options) {
  context.loadDialect<FuseDialect>();
  return Calibrator(context, options).run();
}

void mlir::fuse::printCalibration(const Calibration &calibration, llvm::raw_ostream &os) {
  std::string all = std::to_string(calibration.threads);
  using Column = std::pair<std::string, double (*)(const BandwidthPoint &)>;
  const Column columns[] = {{"read 1", [](const BandwidthPoint &p) { return p.read[0]; }},
                            {"read " + all, [](const BandwidthPoint &p) { return p.read[1]; }},
                            {"move 1", [](const BandwidthPoint &p) { return p.move[0]; }},
                            {"move " + all, [](const BandwidthPoint &p) { return p.move[1]; }},
                            {"write 1", [](const BandwidthPoint &p) { return p.write[0]; }},
                            {"write " + all, [](const BandwidthPoint &p) { return p.write[1]; }},
                            {"store", [](const BandwidthPoint &p) { return p.usual; }},
                            {"past", [](const BandwidthPoint &p) { return p.past; }}};
  // What was measured of no set has no column.
  SmallVector<const Column *> shown;
  for (const Column &column : columns)
    if (llvm::any_of(calibration.curve,
                     [&](const auto &point) { return column.second(point) > 0; }))
      shown.push_back(&column);
  os << calibration.target.cpu << ", bytes/ns by working set, with 1 and " << all << " threads\n"
     << llvm::right_justify("", 12);
  for (const Column *column : shown)
    os << llvm::right_justify(column->first, 10);
  os << "\n";
  for (const BandwidthPoint &point : calibration.curve) {
    os << llvm::right_justify(formatSize(point.bytes), 12);
    for (const Column *column : shown) {
      double bandwidth = column->second(point);
      if (bandwidth > 0)
        os << llvm::format("%10.1f", bandwidth);
      else
        os << llvm::right_justify("", 10);
    }
    os << "\n";
  }
  os << "\n";
  for (const TargetFile::Figure &figure : calibration.target.figures)
    os << "  " << llvm::left_justify(figure.key, 22) << llvm::format("%-12.10g", figure.value)
       << figure.source << "\n";
}
