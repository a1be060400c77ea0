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

StringRef mlir::fuse::getMoverFunction(Mover mover) {
  static constexpr StringLiteral names[] = {"read", "move", "write"};
  return names[static_cast<int>(mover)];
}

int64_t mlir::fuse::countRows(Mover mover, int64_t bytes) {
  return bytes / kRowBytes / (mover == Mover::Move ? 2 : 1);
}

/// Compiled once for all sizes.
static void addMovers(llvm::raw_ostream &os) {
  std::string row = "x" + std::to_string(kRowElements);
  os << "func.func @" << getMoverFunction(Mover::Read) << "(%x: tensor<?" << row
     << "xf32>) -> tensor<?xf32> {\n"
     << "  %y = fuse.reduce sum %x dimensions = [1] : tensor<?" << row << "xf32> -> tensor<?xf32>\n"
     << "  return %y : tensor<?xf32>\n}\n"
     << "func.func @" << getMoverFunction(Mover::Move) << "(%x: tensor<?" << row
     << "xf32>) -> tensor<?" << row << "xf32> {\n"
     << "  %y = fuse.unary neg %x : tensor<?" << row << "xf32>\n"
     << "  return %y : tensor<?" << row << "xf32>\n}\n"
     << "func.func @" << getMoverFunction(Mover::Write) << "(%x: tensor<?xf32>) -> tensor<?" << row
     << "xf32> {\n"
     << "  %b = fuse.broadcast %x dimensions = [1] : tensor<?xf32> -> tensor<?" << row << "xf32>\n"
     << "  %y = fuse.unary neg %b : tensor<?" << row << "xf32>\n"
     << "  return %y : tensor<?" << row << "xf32>\n}\n";
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

/// A product of two square matrices.
static void addProduct(StringRef name, StringRef element, StringRef sum, llvm::raw_ostream &os) {
  std::string extents = "tensor<" + std::to_string(kProductExtent) + "x" + std::to_string(kProductExtent) + "x";
  std::string matrix = extents + element.str() + ">", result = extents + sum.str() + ">";
  os << "func.func @" << name << "(%a: " << matrix << ", %b: " << matrix << ") -> " << result
     << " {\n  %y = fuse.matmul %a, %b : (" << matrix << ", " << matrix << ") -> " << result
     << "\n  return %y : " << result << "\n}\n";
}

static std::string makeSource() {
  std::string text;
  llvm::raw_string_ostream os(text);
  addMovers(os);
  addChain("rate", kChainElements, kChainLength, "", os);
  addChain("tiny", 16, kTinyLaunches, "{fuse.alone} ", os);
  addChain("single", 16, 1, "", os);
  addProduct("product", "f32", "f32", os);
  addProduct("byte_product", "i8", "i32", os);
  return text;
}

llvm::Expected<std::shared_ptr<const Program>>
mlir::fuse::compileCalibration(MLIRContext &context, TargetAttr target,
                               const ObjectCompilerOptions &options) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(makeSource(), &context);
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
                                                        StringRef function, int32_t threads,
                                                        int64_t rows, const HostArray &ones) {
  MeasuredProgram made;
  auto session = Session::create(std::move(program), function, threads);
  if (!session)
    return session.takeError();
  made.session = std::move(*session);
  std::vector<NamedArray> inputs;
  for (const ValueInfo &info : made.session->getEntry().signature.inputs) {
    SmallVector<int64_t, 4> shape = info.shape;
    llvm::replace(shape, ShapedType::kDynamic, rows);
    // The array outlives what is measured.
    std::shared_ptr<char> bytes(const_cast<char *>(ones.getBytes()), [](char *) {});
    auto array = HostArray::adopt(info.type, shape, std::move(bytes));
    if (!array)
      return array.takeError();
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
