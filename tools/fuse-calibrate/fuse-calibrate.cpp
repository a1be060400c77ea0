//===- fuse-calibrate.cpp - Measures this machine -------------------------------- ===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Driver/CalibratedTarget.h"
#include "fuse/Driver/CommandLine.h"
#include "../common/ProgressBar.h"
#include "../common/ToolMain.h"
#include "../common/WriteText.h"

#include "fuse/Execution/Calibration.h"
#include "fuse/Execution/CollectiveTimes.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/InitAll/InitAll.h"
#include "fuse/Runtime/Cpu.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr ToolErrors fail("fuse-calibrate");

namespace {
struct CalibrateOptions {
  int32_t threads = 0;
  std::string output;
  bool quick = false, print = false, help = false, version = false;
};
} // namespace

static llvm::Error ok() { return llvm::Error::success(); }

static llvm::Error readThreads(CalibrateOptions &options, StringRef text) {
  if (text.getAsInteger(10, options.threads) || options.threads < 1 || options.threads > 4096)
    return expected("an integer from 1 to 4096", text);
  return ok();
}

static const OptionSpec<CalibrateOptions> specs[] = {
    {{nullptr, nullptr, "Options"}, nullptr},
    {{"output", "F.json",
      "the file to write; -o is the same (default: where fuse-run looks,\n"
      "$FUSE_TARGET_FILE, else fuse/target.json in $XDG_CONFIG_HOME, else in\n"
      "~/.config)"},
     [](CalibrateOptions &o, StringRef v) {
       return isTargetFileName(v) ? readPath(v, o.output)
                                  : expected("a file's name that ends in .json", v);
     }},
    {{"print", nullptr, "prints the file's text instead; the table goes to stderr"},
     [](CalibrateOptions &o, StringRef) {
       o.print = true;
       return ok();
     }},
    {{"threads", "N", "threads per kernel (default: OMP_NUM_THREADS, else all CPUs)"}, readThreads},
    {{"quick", nullptr,
      "about a second: what times are predicted from, and nothing that decides\ncode"},
     [](CalibrateOptions &o, StringRef) {
       o.quick = true;
       return ok();
     }},
    {{"version", nullptr, "prints the version of fuse and the CPU"},
     [](CalibrateOptions &o, StringRef) {
       o.version = true;
       return ok();
     }},
    {{"help", nullptr, "prints this"},
     [](CalibrateOptions &o, StringRef) {
       o.help = true;
       return ok();
     }},
};

static void printHelp(llvm::raw_ostream &os) {
  os << "usage: fuse-calibrate [options]\n\n"
        "Measures what this machine gives the kernels of fuse, in less than a minute, prints it, "
        "and\n"
        "writes a target file, which fuse-run, fuse-compile and fuse-translate find and plan for.\n"
        "Nothing else should be running. Started by mpirun, it measures what collectives take among\n"
        "so many ranks, and adds that to the file.\n";
  CalibrateOptions options;
  OptionParser parser;
  parser.add(options, ArrayRef(specs));
  parser.printOptions(os);
  os << "\nExit status: 0 done, 1 an error, 2 wrong usage.\n";
}

static void printVersion(llvm::raw_ostream &os) {
  os << "fuse " << FUSE_VERSION << "\nCPU " << fuse_cpu_name() << "\n";
}

static llvm::Expected<CalibrateOptions> parseOptions(ArrayRef<const char *> arguments) {
  CalibrateOptions options;
  OptionParser parser;
  parser.add(options, ArrayRef(specs));
  auto refuse = [](StringRef text) { return expected("options only", text); };
  if (llvm::Error error = parser.parse(arguments, refuse))
    return error;
  if (options.help || options.version)
    return options;
  if (options.print && !options.output.empty())
    return llvm::createStringError("--print and --output: expected one of them");
  if (!options.print && options.output.empty()) {
    options.output = getCalibratedPath();
    if (options.output.empty())
      return llvm::createStringError("expected --output F.json or --print, since FUSE_TARGET_FILE "
                                     "names no file");
  }
  return options;
}

/// A place that is only looked at by default need not be there yet. Known before a minute is spent.
static llvm::Error makeFolder(StringRef path) {
  StringRef folder = llvm::sys::path::parent_path(path);
  if (folder.empty())
    return ok();
  std::error_code code = llvm::sys::fs::create_directories(folder);
  if (!code && !llvm::sys::fs::is_directory(folder))
    code = std::make_error_code(std::errc::not_a_directory);
  if (code)
    return llvm::createStringError("'" + folder + "': cannot be made: " + code.message());
  return ok();
}

static int run(const CalibrateOptions &options) {
  if (!options.print)
    if (llvm::Error error = makeFolder(options.output))
      return fail(std::move(error));
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllFuseDialects(registry);
  MLIRContext context(registry);
  ProgressBar bar(context);
  CalibrationOptions measuring;
  measuring.threads = options.threads;
  measuring.isQuick = options.quick;
  measuring.progress = [&](double part, StringRef what) { bar.show(part, what); };
  auto calibration = calibrate(context, measuring);
  bar.clear();
  if (!calibration)
    return fail(calibration.takeError());
  printCalibration(*calibration, options.print ? llvm::errs() : llvm::outs());
  for (const std::string &warning : calibration->warnings)
    llvm::WithColor::warning(llvm::errs(), "fuse-calibrate") << warning << "\n";
  std::string text = calibration->target.toJson();
  if (llvm::Error error = writeText(options.print ? "-" : options.output, text))
    return fail(std::move(error));
  if (!options.print)
    llvm::outs() << "\nwritten to " << options.output << "\n";
  if (llvm::Error error = finishOutput())
    return fail(std::move(error));
  return Done;
}

/// The file that was measured before, with the figures in place of what it has of them.
static llvm::Error addFigures(StringRef path, ArrayRef<TargetFile::Figure> figures,
                              TargetFile &file) {
  auto read = readTargetFile(path);
  if (!read)
    return llvm::createStringError(llvm::toString(read.takeError()) +
                                   "; run fuse-calibrate by itself first");
  file = std::move(*read);
  for (const TargetFile::Figure &figure : figures) {
    llvm::erase_if(file.figures, [&](const auto &each) { return each.key == figure.key; });
    file.figures.push_back(figure);
  }
  return ok();
}

/// Under mpirun: what collectives take, for a file that says the rest.
static llvm::Error measureRanks(const CalibrateOptions &options, Job &job) {
  MLIRContext context;
  context.loadDialect<FuseDialect>();
  std::string path = options.output.empty() ? getCalibratedPath() : options.output;
  TargetFile file;
  if (llvm::Error error = addFigures(path, {}, file))
    return error;
  auto samples = measureCollectives(job);
  if (!samples)
    return samples.takeError();
  if (!job.isFirst())
    return job.wait();
  if (llvm::Error error =
          addFigures(path, fitCollectives(file.makeTarget(&context), *samples, job.getSize()), file))
    return error;
  llvm::raw_ostream &os = options.print ? llvm::errs() : llvm::outs();
  printCollectives(*samples, file.makeTarget(&context), job.getSize(), os);
  for (const char *key : {"collective_alpha_ns", "collective_beta_bw", "collective_cache_bw"})
    if (const TargetFile::Figure *figure = file.find(key))
      os << "  " << llvm::left_justify(key, 22) << llvm::format("%-14.10g", figure->value) << figure->source << "\n";
  if (llvm::Error error = writeText(options.print ? "-" : path, file.toJson()))
    return error;
  if (!options.print)
    llvm::outs() << "\nwritten to " << path << "\n";
  if (llvm::Error error = finishOutput())
    return error;
  return job.wait();
}

static int runRanks(const CalibrateOptions &options) {
  auto job = Job::open();
  if (!job)
    return fail(job.takeError());
  llvm::Error error = measureRanks(options, **job);
  if (!error)
    return Done;
  int status = fail(std::move(error));
  (*job)->abort(status);
  return status;
}

int main(int argc, char **argv) {
  return runTool(
      argc, argv, fail, parseOptions, printHelp, printVersion,
      [](const CalibrateOptions &options, ArrayRef<const char *>) {
        return fuse_job_started_ranks() > 1 ? runRanks(options) : run(options);
      });
}
