//===- SynchronizationTest.cpp - Seeded faults of synchronization in kernels of programs ---===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Kernels of whole programs are right; with one barrier, wait or end of a group less, with a wait
// for one group too few, with a ring of copies that is a stage shorter, or with a fence less, the
// emulator says so, and where. A barrier whose absence it does not report must have been one that nothing needed: the
// numbers are the same then.
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/Backend.h"
#include "fuse/Execution/Compare.h"
#include "fuse/Execution/Compile.h"
#include "fuse/Execution/RandomInputs.h"
#include "fuse/Execution/Session.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/InitAll/InitAll.h"
#include "fuse/Target/Targets.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

using namespace mlir;
using namespace mlir::fuse;
using testing::AnyOf;
using testing::HasSubstr;

namespace {

enum class Fault {
  Barrier,
  Wait,
  LaterWait,
  Commit,
  Ring,
  ProxyFence,
  ProductFence,
  ProductCommit,
  ProductWait,
  LaterProductWait
};
constexpr const char *kNames[] = {"no barrier", "no wait", "a group too few waited for", "no end of a group", "a stage less",
                                  "no proxy fence", "no fence of products", "no end of a group of products",
                                  "no wait for products", "a group of products too few waited for"};

/// An op whose change is a fault.
struct Site {
  Fault fault;
  unsigned number; ///< among the ops of its kind
};

/// The select that moves a stage on, or back: `stage == c ? … : …`.
bool movesStage(arith::SelectOp select) {
  auto loop = dyn_cast<scf::ForOp>(select->getParentOp());
  auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>();
  return loop && compare && compare.getPredicate() == arith::CmpIPredicate::eq &&
         select.getType().isSignlessIntOrIndex() && !loop.getBody()->getOps<NVVM::CpAsyncWaitGroupOp>().empty();
}

/// One constant less by one, of an operand that has uses besides.
void decrement(OpOperand &operand) {
  APInt value;
  if (!matchPattern(operand.get(), m_ConstantInt(&value)) || value.isZero())
    return;
  OpBuilder b(operand.getOwner());
  Type type = operand.get().getType();
  operand.set(arith::ConstantOp::create(b, operand.getOwner()->getLoc(), type,
                                        b.getIntegerAttr(type, value.getSExtValue() - 1)));
}

/// Changes the op, if it is one that the fault is made of and the `number`th.
class Mutation {
public:
  explicit Mutation(std::optional<Site> site) : site(site) {}

  void visit(Operation *op) {
    if (isa<gpu::BarrierOp>(op)) {
      if (comesTo(Fault::Barrier, op))
        op->erase();
    } else if (isa<NVVM::CpAsyncCommitGroupOp>(op)) {
      if (comesTo(Fault::Commit, op))
        op->erase();
    } else if (auto wait = dyn_cast<NVVM::CpAsyncWaitGroupOp>(op)) {
      if (comesTo(Fault::LaterWait, op))
        wait.setN(wait.getN() + 1);
      if (comesTo(Fault::Wait, op))
        op->erase();
    } else if (isa<NVVM::FenceProxyOp>(op)) {
      if (comesTo(Fault::ProxyFence, op))
        op->erase();
    } else if (isa<NVVM::WgmmaFenceAlignedOp>(op)) {
      if (comesTo(Fault::ProductFence, op))
        op->erase();
    } else if (isa<NVVM::WgmmaGroupSyncAlignedOp>(op)) {
      if (comesTo(Fault::ProductCommit, op))
        op->erase();
    } else if (auto wait = dyn_cast<NVVM::WgmmaWaitGroupSyncOp>(op)) {
      if (comesTo(Fault::LaterProductWait, op))
        wait.setGroup(wait.getGroup() + 1);
      if (comesTo(Fault::ProductWait, op))
        op->erase();
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      SmallVector<arith::SelectOp> moves(
          llvm::make_filter_range(loop.getBody()->getOps<arith::SelectOp>(), movesStage));
      if (!moves.empty() && comesTo(Fault::Ring, op))
        for (arith::SelectOp move : moves) {
          // The ring goes on from its last stage, and the last one is free at first.
          decrement(move.getCondition().getDefiningOp()->getOpOperand(1));
          decrement(loop.getInitArgsMutable()[loop.getInitArgs().size() - 1]);
        }
    }
  }

  const std::vector<Site> &getSites() const { return sites; }
  /// Where the op is that was changed.
  const std::string &getPlace() const { return place; }

private:
  bool comesTo(Fault fault, Operation *op) {
    unsigned number = counts[static_cast<int>(fault)]++;
    sites.push_back({fault, number});
    if (!site || site->fault != fault || site->number != number)
      return false;
    op->getLoc()->walk([&](Location location) {
      if (auto file = dyn_cast<FileLineColLoc>(location))
        place = file.getFilename().str() + ":" + std::to_string(file.getLine()) + ":";
      return place.empty() ? WalkResult::advance() : WalkResult::interrupt();
    });
    return true;
  }

  std::optional<Site> site;
  unsigned counts[std::size(kNames)] = {};
  std::vector<Site> sites;
  std::string place;
};

/// Mutates kernels whose temporaries have their places, which follow from the barriers.
class Mutator : public PassInstrumentation {
public:
  explicit Mutator(Mutation &mutation) : mutation(mutation) {}

  void runAfterPass(Pass *pass, Operation *op) override {
    if (pass->getArgument() != "fuse-place-scratch")
      return;
    SmallVector<Operation *> ops;
    op->walk([&](Operation *inner) { ops.push_back(inner); });
    for (Operation *inner : ops)
      mutation.visit(inner);
  }

private:
  Mutation &mutation;
};

struct NamedProgram {
  const char *name, *chip, *text;
};

const NamedProgram kPrograms[] = {
    {"rows", "sm_80", R"(
func.func @main(%x: tensor<8x1500xf32>) -> tensor<8x1500xf32> {
  %0 = fuse.softmax %x dimension = -1 : tensor<8x1500xf32>
  return %0 : tensor<8x1500xf32>
})"},
    {"norm", "sm_90", R"(
func.func @main(%x: tensor<6x2000xf32>, %g: tensor<2000xf32>) -> tensor<6x2000xf32> {
  %0 = fuse.layer_norm %x, %g, %g dimensions = [1] epsilon = 1.0e-05 : (tensor<6x2000xf32>, tensor<2000xf32>, tensor<2000xf32>) -> tensor<6x2000xf32>
  return %0 : tensor<6x2000xf32>
})"},
    {"halves", "sm_80", R"(
func.func @main(%a: tensor<64x256xf16>, %b: tensor<256x64xf16>) -> tensor<64x64xf16> {
  %0 = fuse.matmul %a, %b : (tensor<64x256xf16>, tensor<256x64xf16>) -> tensor<64x64xf16>
  %1 = fuse.unary relu %0 : tensor<64x64xf16>
  return %1 : tensor<64x64xf16>
})"},
    {"floats", "sm_90", R"(
func.func @main(%a: tensor<64x100xf32>, %b: tensor<100x96xf32>, %c: tensor<96xf32>) -> tensor<64x96xf32> {
  %0 = fuse.matmul %a, %b : (tensor<64x100xf32>, tensor<100x96xf32>) -> tensor<64x96xf32>
  %1 = fuse.binary add %0, %c : (tensor<64x96xf32>, tensor<96xf32>) -> tensor<64x96xf32>
  return %1 : tensor<64x96xf32>
})"},
    {"attention", "sm_80", R"(
func.func @main(%q: tensor<1x2x64x64xf16>, %k: tensor<1x2x64x64xf16>, %v: tensor<1x2x64x64xf16>) -> tensor<1x2x64x64xf16> {
  %0 = fuse.attention %q, %k, %v scale = 0.25 : (tensor<1x2x64x64xf16>, tensor<1x2x64x64xf16>, tensor<1x2x64x64xf16>) -> tensor<1x2x64x64xf16>
  return %0 : tensor<1x2x64x64xf16>
})"},
    {"warpgroups", "sm_90a", R"(
func.func @main(%a: tensor<128x520xf16>, %b: tensor<520x128xf16>) -> tensor<128x128xf16> {
  %0 = fuse.kernel (%x = %a, %y = %b) : (tensor<128x520xf16>, tensor<520x128xf16>) -> tensor<128x128xf16> attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0, 1], sizes = [64, 128]>], threads = 128>} {
    %1 = fuse.matmul %x, %y : (tensor<128x520xf16>, tensor<520x128xf16>) -> tensor<128x128xf16>
    %2 = fuse.unary relu %1 : tensor<128x128xf16>
    fuse.yield %2 : tensor<128x128xf16>
  }
  return %0 : tensor<128x128xf16>
})"},
    {"two warpgroups", "sm_90a", R"(
func.func @main(%a: tensor<128x520xbf16>, %b: tensor<520x256xbf16>) -> tensor<128x256xbf16> {
  %0 = fuse.kernel (%x = %a, %y = %b) : (tensor<128x520xbf16>, tensor<520x256xbf16>) -> tensor<128x256xbf16> attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0, 1], sizes = [128, 256]>], threads = 256>} {
    %1 = fuse.matmul %x, %y : (tensor<128x520xbf16>, tensor<520x256xbf16>) -> tensor<128x256xbf16>
    fuse.yield %1 : tensor<128x256xbf16>
  }
  return %0 : tensor<128x256xbf16>
})"},
    {"sums", "sm_90", R"(
func.func @main(%x: tensor<1500x64xf32>) -> tensor<64xf32> {
  %0 = fuse.reduce sum %x dimensions = [0] : tensor<1500x64xf32> -> tensor<64xf32>
  return %0 : tensor<64xf32>
})"},
    {"split", "sm_80", R"(
func.func @main(%x: tensor<70001xf32>) -> tensor<f32> {
  %0 = fuse.reduce sum %x dimensions = [0] : tensor<70001xf32> -> tensor<f32>
  return %0 : tensor<f32>
})"},
};

/// A program that is planned once and compiled for each of its faults.
class Planned {
public:
  explicit Planned(const NamedProgram &program) : name(program.name), chip(program.chip) {
    DialectRegistry registry;
    registerAllDialects(registry);
    registerAllExtensions(registry);
    registerAllFuseDialects(registry);
    context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
    module = parseSourceString<ModuleOp>(program.text, context.get(), name + ".mlir");
    if (!module)
      return;
    Signature signature = *Signature::get(module->lookupSymbol<func::FuncOp>("main"));
    for (const ValueInfo &info : signature.inputs)
      inputs.push_back({info.name, *makeRandomInput(info.getFull(), 7, std::nullopt)});
    (*module)->setAttr(attr::kTarget, *lookupTarget(context.get(), program.chip,
                                                    [&] { return module->emitError(); }));
    CompileOptions options;
    options.numerics = Numerics::Reassociates;
    options.backend = findBackend("emulator");
    if (failed(planProgram(*module, options)))
      module = nullptr;
  }

  /// What a run says: "" if nothing was wrong with it. Its results go to `results`.
  std::string run(Mutation &mutation, std::vector<HostArray> &results) {
    OwningOpRef<ModuleOp> lowered = module->clone();
    LoweringOptions lowering;
    lowering.numerics = Numerics::Reassociates;
    lowering.backend = findBackend("emulator");
    lowering.chip = chip;
    PassManager passes(context.get(), ModuleOp::getOperationName());
    lowering.backend->buildLoweringPipeline(passes, TargetAttr::lookup(*lowered), lowering);
    passes.addInstrumentation(std::make_unique<Mutator>(mutation));
    Signature signature = *Signature::get(lowered->lookupSymbol<func::FuncOp>("main"));
    if (failed(passes.run(*lowered)))
      return "not lowered";
    ObjectCompilerOptions compiler;
    compiler.backend = lowering.backend;
    compiler.threads = 1;
    auto objects = compileObjects(*lowered, compiler);
    if (!objects)
      return "not compiled: " + llvm::toString(objects.takeError());
    auto program = Program::load(std::move(*objects), {signature});
    if (!program)
      return "not loaded: " + llvm::toString(program.takeError());
    auto session = Session::create(*program, "main", 1);
    if (!session)
      return "no session: " + llvm::toString(session.takeError());
    if (llvm::Error error = (*session)->bind(inputs))
      return "not bound: " + llvm::toString(std::move(error));
    if (llvm::Error error = (*session)->run())
      return llvm::toString(std::move(error));
    for (const NamedArray &output : (*session)->getOutputs())
      results.push_back(output.array.clone());
    return "";
  }

  bool isPlanned() const { return static_cast<bool>(module); }

  std::string name, chip;

private:
  std::unique_ptr<MLIRContext> context;
  OwningOpRef<ModuleOp> module;
  std::vector<NamedArray> inputs;
};

bool areEqual(ArrayRef<HostArray> got, ArrayRef<HostArray> want) {
  if (got.size() != want.size())
    return false;
  for (auto [one, other] : llvm::zip_equal(got, want)) {
    auto comparison = compareArrays(one, other, {0, 0});
    if (!comparison || !comparison->fits())
      return false;
  }
  return true;
}

TEST(EmulatorSynchronization, SeededFaultsAreFound) {
  constexpr unsigned kWanted = 48;
  // --gtest_random_seed=N seeds others.
  unsigned seed = 27 + static_cast<unsigned>(GTEST_FLAG_GET(random_seed));
  struct Candidate {
    Planned *planned;
    Site site;
    ArrayRef<HostArray> right;
  };
  std::vector<std::unique_ptr<Planned>> programs;
  std::vector<std::vector<HostArray>> right(std::size(kPrograms));
  std::vector<Candidate> candidates;
  for (auto [i, program] : llvm::enumerate(kPrograms)) {
    programs.push_back(std::make_unique<Planned>(program));
    Planned &planned = *programs.back();
    ASSERT_TRUE(planned.isPlanned()) << program.name;
    Mutation none(std::nullopt);
    ASSERT_EQ(planned.run(none, right[i]), "") << program.name;
    for (Site site : none.getSites())
      candidates.push_back({&planned, site, right[i]});
  }
  llvm::shuffle(candidates.begin(), candidates.end(), std::mt19937(seed));
  // Of each program and each kind of fault one, then another of each.
  std::map<std::pair<Planned *, Fault>, unsigned> turns;
  std::vector<std::pair<unsigned, size_t>> ordered;
  for (auto [i, candidate] : llvm::enumerate(candidates))
    ordered.push_back({turns[{candidate.planned, candidate.site.fault}]++, i});
  llvm::sort(ordered);

  unsigned found = 0;
  std::map<Fault, unsigned> kinds;
  for (auto [turn, number] : ordered) {
    if (found == kWanted)
      break;
    const Candidate &candidate = candidates[number];
    Site site = candidate.site;
    std::string what = candidate.planned->name + ", " + kNames[static_cast<int>(site.fault)] +
                       " number " + std::to_string(site.number);
    Mutation mutation(site);
    std::vector<HostArray> results;
    std::string said = candidate.planned->run(mutation, results);
    if (said.empty()) {
      // Only a barrier may be one too many.
      EXPECT_EQ(site.fault, Fault::Barrier) << what;
      EXPECT_TRUE(areEqual(results, candidate.right)) << what;
      continue;
    }
    ++found;
    ++kinds[site.fault];
    EXPECT_THAT(said, AnyOf(HasSubstr("race: "), HasSubstr("copy under way: "), HasSubstr("product under way: "),
                            HasSubstr("missing fence: "), HasSubstr("missing proxy fence: ")))
        << what;
    // The place of an access, and of what it conflicts with.
    EXPECT_THAT(said, HasSubstr(" at " + candidate.planned->name + ".mlir:")) << what;
    if (site.fault != Fault::Barrier)
      EXPECT_THAT(said, HasSubstr(" at " + mutation.getPlace())) << what;
  }
  EXPECT_EQ(found, kWanted);
  EXPECT_EQ(kinds.size(), std::size(kNames));
}

} // namespace
