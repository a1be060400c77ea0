//===- CalibrationPrograms.cpp - Kernels that are measured ---------------------- ===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CalibrationPrograms.h"

#include "fuse/Execution/Compile.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/Parser/Parser.h"

#include <cstring>

using namespace mlir;
using namespace mlir::fuse;

/// Rows of 4 KB.
static constexpr int64_t kRowElements = 1024;
static constexpr int64_t kRowBytes = kRowElements * 4;

std::string mlir::fuse::getMoverFunction(Mover mover, int64_t bytes) {
  static const char *const names[] = {"read_", "move_", "write_"};
  return names[static_cast<int>(mover)] + std::to_string(bytes);
}

static void addMover(Mover mover, int64_t bytes, llvm::raw_ostream &os) {
  int64_t rows = bytes / kRowBytes / (mover == Mover::Move ? 2 : 1);
  std::string array =
      "tensor<" + std::to_string(rows) + "x" + std::to_string(kRowElements) + "xf32>";
  std::string row = "tensor<" + std::to_string(kRowElements) + "xf32>";
  std::string sums = "tensor<" + std::to_string(rows) + "xf32>";
  os << "func.func @" << getMoverFunction(mover, bytes);
  switch (mover) {
  case Mover::Read:
    os << "(%x: " << array << ") -> " << sums
       << " {\n  %y = fuse.reduce sum %x dimensions = [1] : " << array << " -> " << sums
       << "\n  return %y : " << sums << "\n}\n";
    return;
  case Mover::Move:
    os << "(%x: " << array << ") -> " << array << " {\n  %y = fuse.unary neg %x : " << array
       << "\n  return %y : " << array << "\n}\n";
    return;
  case Mover::Write:
    os << "(%x: " << row << ") -> " << array
       << " {\n  %b = fuse.broadcast %x dimensions = [0] : " << row << " -> " << array
       << "\n  %y = fuse.unary neg %b : " << array << "\n  return %y : " << array << "\n}\n";
    return;
  }
}

/// (((%x · %c) + %c) · %c) + …: machines add and multiply side by side.
static void addChain(StringRef name, int64_t elements, int64_t length, StringRef attributes,
                     llvm::raw_ostream &os) {
  std::string type = "tensor<" + std::to_string(elements) + "xf32>";
  os << "func.func @" << name << "(%v0: " << type << ", %c: " << type << ") -> " << type << " {\n";
  for (int64_t i = 0; i < length; ++i)
    os << "  %v" << i + 1 << " = fuse.binary " << (i % 2 ? "add" : "mul") << " %v" << i << ", %c "
       << attributes << ": " << type << "\n";
  os << "  return %v" << length << " : " << type << "\n}\n";
}

static std::string makeSource(ArrayRef<int64_t> sizes) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (Mover mover : {Mover::Read, Mover::Move, Mover::Write})
    for (int64_t bytes : sizes)
      addMover(mover, bytes, os);
  addChain("rate", kChainElements, kChainLength, "", os);
  addChain("tiny", 16, kTinyLaunches, "{fuse.alone} ", os);
  addChain("single", 16, 1, "", os);
  std::string matrix =
      "tensor<" + std::to_string(kProductExtent) + "x" + std::to_string(kProductExtent) + "xf32>";
  os << "func.func @product(%a: " << matrix << ", %b: " << matrix << ") -> " << matrix
     << " {\n  %y = fuse.matmul %a, %b : (" << matrix << ", " << matrix << ") -> " << matrix
     << "\n  return %y : " << matrix << "\n}\n";
  return text;
}

llvm::Expected<std::shared_ptr<const Program>>
mlir::fuse::compileCalibration(MLIRContext &context, TargetAttr target, ArrayRef<int64_t> sizes,
                               const ObjectCompilerOptions &options) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(makeSource(sizes), &context);
  if (!module)
    return llvm::createStringError("the programs to measure cannot be parsed");
  (*module)->setAttr(attr::kTarget, target);
  std::vector<Signature> signatures;
  for (auto function : module->getOps<func::FuncOp>()) {
    FailureOr<Signature> signature = Signature::get(function);
    if (failed(signature))
      return llvm::createStringError("the programs to measure cannot be called");
    signatures.push_back(std::move(*signature));
  }
  if (failed(planProgram(*module, CompileOptions())) || failed(lowerProgram(*module)))
    return llvm::createStringError("the programs to measure cannot be lowered");
  return Program::load(*module, signatures, options);
}

llvm::Expected<MeasuredProgram> MeasuredProgram::create(std::shared_ptr<const Program> program,
                                                        StringRef function, int32_t threads) {
  MeasuredProgram made;
  auto session = Session::create(std::move(program), function, threads);
  if (!session)
    return session.takeError();
  made.session = std::move(*session);
  std::vector<NamedArray> inputs;
  for (const ValueInfo &info : made.session->getEntry().signature.inputs) {
    auto array = HostArray::createUninitialized(info.type, info.shape);
    if (!array)
      return array.takeError();
    // Written, so that every page is memory of its own.
    llvm::fill(array->data<float>(), 1.0f);
    inputs.push_back({info.name, std::move(*array)});
  }
  if (llvm::Error error = made.session->bind(inputs))
    return error;
  if (llvm::Error error = made.session->run())
    return error;
  int64_t launches = made.session->getContext()->counters.launches;
  if (fuse_context_set_recording(made.session->getContext(), launches))
    return llvm::createStringError(fuse_context_error(made.session->getContext()));
  return std::move(made);
}

llvm::Expected<double> MeasuredProgram::measureLaunch(Patience patience) {
  fuse_context *context = session->getContext();
  double least = 0;
  int64_t spent = 0;
  for (int64_t i = 0; i < patience.leastRuns || spent < patience.leastNs; ++i) {
    fuse_context_clear_events(context);
    if (llvm::Error error = session->run())
      return error;
    spent += session->getLastRunNanoseconds();
    if (context->num_events != 1 || context->events_lost)
      return llvm::createStringError("a kernel to measure has become several");
    double ns = static_cast<double>(context->events[0].end_ns - context->events[0].begin_ns);
    least = i == 0 ? ns : std::min(least, ns);
  }
  return least;
}

llvm::Expected<double> MeasuredProgram::measurePerLaunch(Patience patience) {
  fuse_context *context = session->getContext();
  double launches = static_cast<double>(context->events_capacity), least = 0;
  fuse_context_set_recording(context, 0);
  int64_t spent = 0;
  for (int64_t i = 0; i < patience.leastRuns || spent < patience.leastNs; ++i) {
    if (llvm::Error error = session->run())
      return error;
    spent += session->getLastRunNanoseconds();
    double ns = static_cast<double>(session->getLastRunNanoseconds()) / launches;
    least = i == 0 ? ns : std::min(least, ns);
  }
  return least;
}
