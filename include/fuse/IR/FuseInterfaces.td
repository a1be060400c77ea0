//===- FuseInterfaces.td - What passes need to know of an op -*- tablegen -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_FUSEINTERFACES_TD
#define FUSE_IR_FUSEINTERFACES_TD

include "mlir/IR/OpBase.td"

def FusableOpInterface : OpInterface<"FusableOpInterface"> {
  let cppNamespace = "::mlir::fuse";
  let description = [{
    The iteration domain of an op and where each operand and result is touched in it. The method
    names are those of upstream's `IndexingMapOpInterface` and `LinalgOp`. Broadcast positions of
    an element-wise operand (a static 1 against a larger extent) map to the constant 0.
  }];
  let methods = [
    InterfaceMethod<[{
      The loops of the op, outermost first: parallel, or reduction. Unless an op says otherwise,
      those that its last map has no position of are reductions.
    }],
      "::llvm::SmallVector<::mlir::utils::IteratorType>", "getIteratorTypesArray", (ins), [{}], [{
        return ::mlir::fuse::detail::getIteratorTypes($_op.getIndexingMapsArray().back());
      }]>,
    InterfaceMethod<[{
      One map from loops to positions for each operand, then for each result. A symbol in the place
      of a position says that it is no affine function of the loops (where a concat's operand is
      read along the joined dimension, a gather's data along the gathered one); a null map says so
      of all positions. Nothing can be cut along these.
    }],
      "::llvm::SmallVector<::mlir::AffineMap>", "getIndexingMapsArray">,
    InterfaceMethod<"The extent of each loop; `ShapedType::kDynamic` where unknown.",
      "::llvm::SmallVector<int64_t>", "getStaticLoopRanges", (ins), [{}], [{
        return ::mlir::fuse::detail::getStaticLoopRanges($_op);
      }]>,
    InterfaceMethod<"The map of one operand, null if unmappable.",
      "::mlir::AffineMap", "getMatchingIndexingMap", (ins "::mlir::OpOperand *":$operand), [{}], [{
        return $_op.getIndexingMapsArray()[operand->getOperandNumber()];
      }]>,
    InterfaceMethod<"The map of one result, null if unmappable.",
      "::mlir::AffineMap", "getIndexingMapMatchingResult", (ins "::mlir::OpResult":$result), [{}], [{
        return $_op.getIndexingMapsArray()[$_op->getNumOperands() + result.getResultNumber()];
      }]>,
    InterfaceMethod<[{
      Whether the op computes one result element from one element of each operand, at one point of
      the domain (element-wise), or folds such points into an accumulator (reduce).
    }],
      "bool", "hasScalarBody", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<[{
      Emits the scalar computation. Element-wise: `args` are the operand elements, in the signless
      form of their type, scalars or vectors of one shape; returns the result element. Reduce:
      `args` are the operand element and the accumulator; returns the new accumulator.
      Null where `hasScalarBody` is false.
    }],
      "::mlir::Value", "buildScalarBody",
      (ins "::mlir::ImplicitLocOpBuilder &":$builder, "::mlir::ValueRange":$args), [{}],
      [{ return {}; }]>,
    InterfaceMethod<"Whether every result element is computed from one element of each operand.",
      "bool", "isElementwise", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<[{
      Whether computing the op twice, in two kernels, certainly gives equal bits: views, constants, casts, neg, abs, relu, min,
      max, comparisons, integer ops, and sums, differences, products, quotients and square roots of f32 and f64.
    }],
      "bool", "isBitStable", (ins), [{}], [{ return false; }]>
  ];
}

def CostOpInterface : OpInterface<"CostOpInterface"> {
  let cppNamespace = "::mlir::fuse";
  let description = [{What an op costs a device; the facts that cost models work from.}];
  let methods = [
    InterfaceMethod<"Whether the op is free: a view, which kernels absorb as an index map.",
      "bool", "isMetadata", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<"Whether the op runs on the host and so waits for the device.",
      "bool", "isHostSync", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<"Floating-point or integer operations per point of the iteration domain.",
      "int64_t", "getFlopsPerElement", (ins), [{}], [{ return 1; }]>,
    InterfaceMethod<[{
      Bytes moved when the op runs alone: each distinct operand once (0 for a splat constant; the
      smaller of view and source for a view) plus the results. Saturates; a dynamic size counts 0.
    }],
      "int64_t", "getTrafficBytes", (ins), [{}], [{
        return ::mlir::fuse::detail::getTrafficBytes($_op);
      }]>
  ];
}

def HostOpInterface : OpInterface<"HostOpInterface"> {
  let cppNamespace = "::mlir::fuse";
  let description = [{An op that is a call of the runtime's host-call table.}];
  let methods = [
    InterfaceMethod<"The name in the host-call table.", "::llvm::StringRef", "getHostCallee">,
    InterfaceMethod<"The integers that the function gets beside its arrays.",
      "::llvm::SmallVector<int64_t>", "getHostAttributes">
  ];
}

def DecomposableOpInterface : OpInterface<"DecomposableOpInterface"> {
  let cppNamespace = "::mlir::fuse";
  let description = [{An op that is defined as a composition of primitives.}];
  let methods = [
    InterfaceMethod<[{
      Emits the primitives before the op, at its location, and returns the values that replace its
      results. The op itself is left in place.
    }],
      "::llvm::SmallVector<::mlir::Value>", "decompose", (ins "::mlir::OpBuilder &":$builder)>
  ];
}

#endif // FUSE_IR_FUSEINTERFACES_TD
