//===- Native.cpp - Runs compiled programs on arrays that may be one ----------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Native.h"

#include "fuse/CostModel/MergeQuery.h"
#include "fuse/Execution/Backend.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/Runtime/Context.h"
#include "fuse/Runtime/Emulator.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::random;

std::string NativeProgram::compile(ModuleOp planned, const Backend &backend, Numerics numerics,
                                   bool asyncCopies) {
  LoweringOptions lowering;
  lowering.backend = &backend;
  lowering.numerics = numerics;
  lowering.asyncCopies = asyncCopies;
  auto signature = Signature::get(planned.lookupSymbol<func::FuncOp>("main"));
  if (failed(signature))
    return "signature";
  ObjectCompilerOptions options;
  options.threads = 1;
  auto objects = compileProgram(planned, lowering, options);
  if (failed(objects))
    return "compile";
  auto names = planned->getAttrOfType<ArrayAttr>(attr::kKernels);
  for (Operation &op : *planned.getBody()) {
    auto numbers = op.getAttrOfType<DenseI64ArrayAttr>(attr::kLaunches);
    // What computes prepared parameters does not run with the rest.
    if (!numbers || SymbolTable::getSymbolName(&op).getValue().contains("_prepare"))
      continue;
    for (int64_t number : numbers.asArrayRef()) {
      auto kernel = planned.lookupSymbol<ModuleOp>(cast<StringAttr>(names[number]).getValue());
      Launch &launch = launches.emplace_back();
      if (auto blocks = kernel->getAttrOfType<IntegerAttr>(attr::kBlocks))
        launch.blocks = blocks.getInt();
      if (auto scratch = kernel->getAttrOfType<IntegerAttr>(attr::kScratchBytes))
        launch.scratchBytes = scratch.getInt();
    }
  }
  auto loaded = Program::load(std::move(*objects), {*signature});
  if (!loaded)
    return "load: " + llvm::toString(loaded.takeError());
  program = std::move(*loaded);
  return "";
}

/// Iterations of a member of static shape: `parallel` of them write elements of their own.
/// Element-wise members run in each other's loops, so they count once.
static void countPoints(Operation *op, int64_t &all, int64_t &parallel) {
  auto count = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape() ? tensor.getNumElements() : 0;
  };
  parallel = op->getNumResults() ? count(op->getResult(0).getType()) : 0;
  all = parallel;
  if (auto matmul = dyn_cast<MatmulOp>(op)) {
    auto left = cast<RankedTensorType>(matmul.getLhs().getType());
    // Eight multiplications and additions take as long as one element of the rest.
    all = all * left.getDimSize(left.getRank() - (matmul.getTransposeLhs() ? 2 : 1)) / 8;
  } else if (isa<ReduceOp>(op)) {
    all = std::max(all, count(op->getOperand(0).getType()));
  }
}

/// Below these a kernel may run as one block: starting threads would take longer.
static constexpr int64_t kSmallPoints = 32768;

/// Blocks that the widest member of a kernel gets as a kernel of its own: the planner refuses a merge
/// for too few blocks only where that member would have more alone. `widest` of 44x21 products along
/// 8 may be one block, whatever stands before it.
static int64_t countBlocksOfWidest(KernelOp kernel, TargetAttr target) {
  FusionGraph graph(kernel.getBody().front());
  MemberTable table(graph);
  SmallVector<unsigned> nodes;
  for (unsigned node = 0; node < graph.size(); ++node)
    if (table[node].isFusable)
      nodes.push_back(node);
  std::unique_ptr<CostModel> model = createCostModel("roofline", target);
  KernelLimits limits = KernelLimits::get(target, model->getNumerics() != Numerics::Exact);
  unsigned widest = getWidestMember(table, computeGroupDomain(table, nodes), limits);
  return MergeQuery(graph, table, target, *model).evaluate({widest}).facts.blocks;
}

std::string NativeProgram::checkKernels(func::FuncOp planned, const FunctionReport &report,
                                        bool countsBlocks) {
  wantedLaunches = report.fusedKernels;
  if (static_cast<int64_t>(launches.size()) != report.fusedKernels)
    return "kernels: reported " + std::to_string(report.fusedKernels) + ", launched " +
           std::to_string(launches.size());
  for (auto [i, launch] : llvm::enumerate(launches))
    if (launch.scratchBytes.value_or(0) > (1 << 20))
      return "kernels: kernel " + std::to_string(i) + " wants " +
             std::to_string(*launch.scratchBytes) + " bytes of scratch";
  // Blocks are counted for a CPU's threads; those of a GPU have threads of their own.
  if (!countsBlocks || program->getBackend().hasDevice())
    return "";
  TargetAttr target = TargetAttr::lookup(planned);
  size_t next = 0;
  for (Operation &op : planned.getBody().front()) {
    auto kernel = dyn_cast<KernelOp>(op);
    if (!kernel || next == launches.size())
      continue;
    const Launch &launch = launches[next++];
    int64_t total = 0, widest = 0, elementwise = 0, members = 0;
    for (Operation &member : kernel.getBody().front()) {
      if (isa<ReshapeOp, TransposeOp, SliceOp, BroadcastOp>(member) ||
          member.hasTrait<OpTrait::IsTerminator>() || member.hasTrait<OpTrait::ConstantLike>())
        continue;
      int64_t all, parallel;
      countPoints(&member, all, parallel);
      if (auto fusable = dyn_cast<FusableOpInterface>(member); fusable && fusable.isElementwise())
        elementwise = std::max(elementwise, all);
      else
        total += all;
      widest = std::max(widest, parallel);
      ++members;
    }
    total += elementwise;
    int64_t wanted = std::min<int64_t>(16, widest);
    if (members > 1 && total > kSmallPoints && launch.blocks && *launch.blocks < wanted &&
        *launch.blocks < countBlocksOfWidest(kernel, target))
      return "kernels: kernel " + std::to_string(next - 1) + " has " +
             std::to_string(*launch.blocks) + " blocks, " + std::to_string(total) +
             " points, a member with " + std::to_string(widest);
  }
  return "";
}

std::string NativeProgram::prepare(fuse_context *context, std::vector<fuse_buffer> &ins) {
  const ProgramEntry &entry = program->getEntries().front();
  std::vector<fuse_buffer> params;
  for (auto [info, buffer] : llvm::zip_equal(entry.signature.inputs, ins))
    if (info.isParam)
      params.push_back(buffer);
  std::vector<fuse_buffer> outs = params;
  prepared.clear();
  preparedStrides.clear();
  for (const ValueInfo &info : entry.signature.prepared) {
    prepared.emplace_back(info.type, info.shape);
    preparedStrides.push_back(prepared.back().getStrides());
  }
  for (auto [array, strides] : llvm::zip_equal(prepared, preparedStrides)) {
    // What is not written shows.
    std::memset(array.getBytes(), 0x5a, static_cast<size_t>(array.getByteSize()));
    outs.push_back({array.getBytes(), array.getShape().data(), strides.data(),
                    static_cast<int32_t>(array.getRank()),
                    static_cast<int32_t>(array.getElementType())});
  }
  if (entry.prepare(context, params.data(), outs.data()))
    return fuse_context_error(context);
  const fuse_buffer *next = outs.data();
  for (auto [info, buffer] : llvm::zip_equal(entry.signature.inputs, ins))
    if (info.isParam)
      buffer = *next++;
  ins.insert(ins.end(), next, static_cast<const fuse_buffer *>(outs.data()) + outs.size());
  return "";
}

std::string NativeProgram::run(std::vector<NamedArray> inputs, std::vector<HostArray> &outputs) {
  const ProgramEntry &entry = program->getEntries().front();
  std::unique_ptr<fuse_device, void (*)(fuse_device *)> device(nullptr, fuse_emulator_destroy);
  if (program->getBackend().hasDevice())
    device.reset(fuse_emulator_create(FUSE_EMULATOR_DIVERGENCE | FUSE_EMULATOR_BOUNDS |
                                      FUSE_EMULATOR_RACES));
  std::unique_ptr<fuse_context, void (*)(fuse_context *)> context(fuse_context_create(2),
                                                                  fuse_context_destroy);
  auto fail = [&] { return std::string(fuse_context_error(context.get())); };
  // The context is destroyed before its device.
  if (device && fuse_context_set_device(context.get(), device.get()))
    return fail();
  ArrayRef<fuse_kernel> kernels = program->getKernels();
  if (fuse_context_set_kernels(context.get(), kernels.data(),
                               static_cast<int64_t>(kernels.size())))
    return fail();
  std::vector<SmallVector<int64_t>> extents;
  extents.reserve(2 * inputs.size() + 2 * entry.signature.results.size());
  std::vector<fuse_buffer> ins, outs;
  for (NamedArray &input : inputs) {
    extents.emplace_back(input.array.getShape());
    const int64_t *sizes = extents.back().data();
    extents.push_back(input.array.getStrides());
    // An empty array has no memory that could be read.
    ins.push_back({input.array.getNumElements() ? input.array.getBytes() : nullptr, sizes, extents.back().data(),
                   static_cast<int32_t>(input.array.getRank()),
                   static_cast<int32_t>(input.array.getElementType())});
  }
  for (const ValueInfo &result : entry.signature.results) {
    extents.emplace_back(result.shape.size(), 0);
    int64_t *sizes = extents.back().data();
    extents.emplace_back(result.shape.size(), 0);
    outs.push_back({nullptr, sizes, extents.back().data(),
                    static_cast<int32_t>(result.shape.size()), static_cast<int32_t>(result.type)});
  }
  if (std::string error = prepare(context.get(), ins); !error.empty())
    return error;
  int64_t bytes = 0;
  if (entry.query(context.get(), ins.data(), outs.data(), &bytes))
    return fail();
  for (auto [buffer, result] : llvm::zip_equal(outs, entry.signature.results)) {
    HostArray array(result.type, ArrayRef(buffer.sizes, result.shape.size()));
    // What is not written shows.
    std::memset(array.getBytes(), 0x5a, static_cast<size_t>(array.getByteSize()));
    buffer.data = array.getNumElements() ? array.getBytes() : nullptr;
    llvm::copy(array.getStrides(), const_cast<int64_t *>(buffer.strides));
    outputs.push_back(std::move(array));
  }
  HostArray arena(ElementType::I8, {std::max<int64_t>(bytes, 1)});
  std::memset(arena.getBytes(), 0x5a, static_cast<size_t>(arena.getByteSize()));
  if (entry.run(context.get(), ins.data(), outs.data(), arena.getBytes()))
    return fail();
  if (wantedLaunches && context->counters.launches != *wantedLaunches)
    return "reported " + std::to_string(*wantedLaunches) + " kernels, the runtime counted " +
           std::to_string(context->counters.launches) + " launches";
  for (auto [info, input] : llvm::zip_equal(entry.signature.inputs, inputs))
    if (info.isMemref)
      outputs.push_back(input.array);
  return "";
}
