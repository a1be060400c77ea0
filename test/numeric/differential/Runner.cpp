//===- Runner.cpp - Compiles, runs and compares some cases -------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Runner.h"

#include "HostFunctions.h"
#include "fuse/Execution/Compile.h"
#include "fuse/Execution/Session.h"
#include "fuse/IR/FuseAttributes.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/Target/Targets.h"
#include "fuse/Interpreter/Interpreter.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/xxhash.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::differential;

std::string Run::getName() const {
  std::string name = differential::getName(set).str();
  return extents ? name + "+" + std::to_string(extents) : name;
}

std::optional<Run> Run::parse(StringRef name) {
  auto [set, number] = name.split('+');
  Run run{ValueSet::Ordinary, 0};
  if (!number.empty() && number.getAsInteger(10, run.extents))
    return std::nullopt;
  for (unsigned i = 0; i < kNumValueSets; ++i)
    if (differential::getName(static_cast<ValueSet>(i)) == set) {
      run.set = static_cast<ValueSet>(i);
      return run;
    }
  return std::nullopt;
}

std::vector<Run> differential::getRuns(const Case &c) {
  std::vector<Run> runs;
  auto numExtents = static_cast<unsigned>(c.extents.size());
  for (unsigned i = 0; i < kNumValueSets; ++i) {
    auto set = static_cast<ValueSet>(i);
    bool changes = llvm::any_of(c.arguments, [&](const Argument &argument) {
      return argument.role.kind != ValueRole::Index && argument.role.kind != ValueRole::Positive &&
             !llvm::is_contained(argument.shape, 0) && isSpecialFor(set, argument.type);
    });
    if (set == ValueSet::Ordinary || (changes && !(c.skippedSets & (1u << i))))
      runs.push_back({set, static_cast<unsigned>(runs.size()) % numExtents});
  }
  while (runs.size() < numExtents)
    runs.push_back({ValueSet::Ordinary, static_cast<unsigned>(runs.size())});
  return runs;
}

std::vector<NamedArray> differential::makeInputs(const Case &c, Run run, uint64_t seed) {
  std::vector<NamedArray> inputs;
  const Shape &symbols = c.extents[run.extents % c.extents.size()];
  for (auto [i, argument] : llvm::enumerate(c.arguments)) {
    Shape shape = argument.shape;
    for (int64_t &extent : shape)
      if (extent < 0)
        extent = symbols[-1 - extent];
    inputs.push_back({"arg" + std::to_string(i),
                      makeValues(argument.type, shape, argument.role, run.set,
                                 static_cast<unsigned>(i), seed + hashText(c.getId()))});
  }
  return inputs;
}

namespace {

/// Collects the errors of its lifetime.
class Errors {
public:
  explicit Errors(MLIRContext &context)
      : handler(&context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            text += (text.empty() ? "" : "; ") + diagnostic.str();
          return success();
        }) {}
  std::string take(const char *otherwise) {
    return text.empty() ? std::string(otherwise) : std::exchange(text, "");
  }

private:
  std::string text;
  ScopedDiagnosticHandler handler;
};

/// The cases of one batch, parsed.
class Batch {
public:
  Batch(MLIRContext &context, ArrayRef<const Case *> cases, const RunnerOptions &options,
        Observer &observer)
      : context(context), cases(cases), options(options), observer(observer), errors(context) {}

  std::string run();

private:
  std::string parse();
  std::string compile(bool fusion, std::shared_ptr<const Program> &program);
  void runCase(size_t index);
  std::string runOnce(size_t index, Run run, Session *fused, Session *unfused, double &worst);
  std::string interpretOn(size_t index, ArrayRef<NamedArray> inputs,
                          std::vector<NamedArray> &outputs);
  llvm::Expected<std::unique_ptr<Session>> start(size_t index, bool fusion);

  MLIRContext &context;
  ArrayRef<const Case *> cases;
  const RunnerOptions &options;
  Observer &observer;
  Errors errors;
  OwningOpRef<ModuleOp> module;
  std::vector<func::FuncOp> functions;
  std::vector<Signature> signatures;
  std::shared_ptr<const Program> programs[2]; // unfused, fused
};

std::string getFunctionName(size_t index) { return "case_" + std::to_string(index); }

} // namespace

std::string Batch::parse() {
  std::string text;
  for (auto [i, c] : llvm::enumerate(cases))
    text += c->print(getFunctionName(i));
  module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
  if (!module)
    return "parse: " + errors.take("failed");
  for (size_t i = 0; i < cases.size(); ++i) {
    auto function = module->lookupSymbol<func::FuncOp>(getFunctionName(i));
    functions.push_back(function);
    auto signature = Signature::get(function);
    if (failed(signature))
      return "signature: " + errors.take("failed");
    signatures.push_back(std::move(*signature));
  }
  return "";
}

std::string Batch::compile(bool fusion, std::shared_ptr<const Program> &program) {
  OwningOpRef<ModuleOp> lowered = cast<ModuleOp>((*module)->clone());
  std::vector<std::string> names;
  for (auto [i, c] : llvm::enumerate(cases))
    if (fusion || c->bothModes || c->onlyModes)
      names.push_back(getFunctionName(i));
    else
      lowered->lookupSymbol(getFunctionName(i))->erase();
  if (names.empty())
    return "";
  CompileOptions compileOptions;
  compileOptions.fusion = fusion;
  compileOptions.numerics = Numerics::Reassociates;
  compileOptions.backend = options.backend;
  const char *mode = fusion ? "" : "unfused: ";
  if (options.backend->hasDevice()) {
    StringRef chip = llvm::xxh3_64bits(cases.front()->getId()) % 2 ? "sm_80" : "sm_90";
    (*lowered)->setAttr(attr::kTarget,
                        *lookupTarget(module->getContext(), chip, [&] { return lowered->emitError(); }));
  }
  if (failed(planProgram(*lowered, compileOptions)))
    return mode + ("plan: " + errors.take("failed"));
  LoweringOptions lowering;
  lowering.backend = options.backend;
  lowering.cpu = options.cpu;
  lowering.asyncCopies = options.asyncCopies;
  lowering.numerics = Numerics::Reassociates;
  // Planning may have given a function parameters that the program computes itself.
  std::vector<Signature> wanted;
  for (StringRef name : names) {
    auto signature = Signature::get(lowered->lookupSymbol<func::FuncOp>(name));
    if (failed(signature))
      return mode + ("signature: " + errors.take("failed"));
    wanted.push_back(std::move(*signature));
  }
  ObjectCompilerOptions compiler;
  compiler.threads = 1;
  auto objects = compileProgram(*lowered, lowering, compiler);
  if (failed(objects)) {
    // What LLVM does not take is no refusal.
    std::string text = errors.take("failed");
    return mode + ((StringRef(text).contains("cannot compile") ? "compile: " : "lower: ") + text);
  }
  auto loaded = Program::load(std::move(*objects), wanted);
  if (!loaded)
    return mode + ("load: " + llvm::toString(loaded.takeError()));
  program = std::move(*loaded);
  return "";
}

std::string Batch::run() {
  if (std::string error = parse(); !error.empty())
    return error;
  for (bool fusion : {true, false})
    if (std::string error = compile(fusion, programs[fusion]); !error.empty())
      return error;
  for (size_t i = 0; i < cases.size(); ++i)
    runCase(i);
  return "";
}

llvm::Expected<std::unique_ptr<Session>> Batch::start(size_t index, bool fusion) {
  auto session =
      Session::create(programs[fusion], getFunctionName(index), cases[index]->threads);
  if (session)
    registerHostFunctions((*session)->getContext());
  return session;
}

void Batch::runCase(size_t index) {
  const Case &c = *cases[index];
  std::vector<Run> runs = options.only ? std::vector<Run>{*options.only} : getRuns(c);
  std::unique_ptr<Session> sessions[2];
  for (bool fusion : {true, false}) {
    if (!fusion && !c.bothModes && !c.onlyModes)
      continue;
    auto session = start(index, fusion);
    if (!session) {
      observer.fail(index, runs[0], "session: " + llvm::toString(session.takeError()));
      return;
    }
    sessions[fusion] = std::move(*session);
  }
  for (Run run : runs) {
    observer.begin(index, run);
    double worst = 0;
    std::string error = runOnce(index, run, sessions[1].get(), sessions[0].get(), worst);
    if (error.empty())
      observer.pass(index, run, worst);
    else
      observer.fail(index, run, error);
  }
}

std::string Batch::interpretOn(size_t index, ArrayRef<NamedArray> inputs,
                               std::vector<NamedArray> &outputs) {
  const Signature &signature = signatures[index];
  std::vector<HostArray> arguments;
  for (auto [info, input] : llvm::zip_equal(signature.inputs, inputs))
    arguments.push_back(info.isMemref ? input.array.clone() : input.array);
  InterpreterOptions interpreterOptions;
  registerHostFunctions(interpreterOptions);
  auto values = interpret(functions[index], arguments, interpreterOptions);
  if (failed(values))
    return "interpreter: " + errors.take("failed");
  for (auto [info, value] : llvm::zip_equal(signature.results, *values))
    outputs.push_back({info.name, value});
  for (auto [info, argument] : llvm::zip_equal(signature.inputs, arguments))
    if (info.isMemref)
      outputs.push_back({info.name, argument});
  return "";
}

static std::string runNative(Session &session, ArrayRef<NamedArray> inputs) {
  llvm::Error error = session.bind(inputs);
  if (!error)
    error = session.run();
  return error ? "native: " + llvm::toString(std::move(error)) : "";
}

/// Absolute values of the floats.
static std::vector<NamedArray> makeAbsolute(ArrayRef<NamedArray> inputs) {
  std::vector<NamedArray> result;
  for (const NamedArray &input : inputs) {
    HostArray array = input.array.clone();
    if (isFloatElement(array.getElementType()))
      for (int64_t i = 0; i < array.getNumElements(); ++i)
        array.setFloat(i, std::fabs(array.getFloat(i)));
    result.push_back({input.name, array});
  }
  return result;
}

std::string Batch::runOnce(size_t index, Run run, Session *fused, Session *unfused,
                           double &worst) {
  const Case &c = *cases[index];
  std::vector<NamedArray> inputs = makeInputs(c, run, options.seed);
  if (std::string error = runNative(*fused, inputs); !error.empty())
    return error;
  if (unfused)
    if (std::string error = runNative(*unfused, inputs); !error.empty())
      return "unfused: " + error;
  if (c.onlyModes) {
    for (auto [a, b] : llvm::zip_equal(fused->getOutputs(), unfused->getOutputs())) {
      int64_t at;
      if (!isIdentical(a.array, b.array, at))
        return "fused and unfused differ: " + findError(a.array, b.array, {}, Bound(), worst);
    }
    return "";
  }
  std::vector<NamedArray> wanted, magnitudes;
  if (std::string error = interpretOn(index, inputs, wanted); !error.empty())
    return error;
  if (c.bound.magnitude == Bound::OfTerms)
    if (std::string error = interpretOn(index, makeAbsolute(inputs), magnitudes); !error.empty())
      return error;
  for (Session *session : {fused, unfused}) {
    if (!session)
      continue;
    for (auto [i, want] : llvm::enumerate(wanted)) {
      std::string error =
          findError(session->getOutputs()[i].array, want.array,
                    magnitudes.empty() ? HostArray() : magnitudes[i].array, c.bound, worst);
      if (!error.empty())
        return (session == unfused ? "unfused: " : "") + want.name + " " + error;
    }
  }
  return "";
}

std::string differential::runCases(MLIRContext &context, ArrayRef<const Case *> cases,
                                   const RunnerOptions &options, Observer &observer) {
  return Batch(context, cases, options, observer).run();
}

static llvm::Error writeText(StringRef path, StringRef text) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  os << text;
  os.close();
  if (code || os.has_error())
    return llvm::createStringError("cannot write '" + path.str() + "'");
  return llvm::Error::success();
}

llvm::Error differential::writeRun(const Case &c, Run run,
                                   const RunnerOptions &options, StringRef directory) {
  if (std::error_code code = llvm::sys::fs::create_directories(directory))
    return llvm::createStringError(code, "cannot make '" + directory.str() + "'");
  auto in = [&](StringRef name) { return (directory + "/" + name).str(); };
  if (llvm::Error error = writeText(in("p.mlir"), c.print("main")))
    return error;
  return writeNpz(in("inputs.npz"), makeInputs(c, run, options.seed));
}
