//===- FuseOpBase.td - What all ops of the dialect share -*- tablegen -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_FUSEOPBASE_TD
#define FUSE_IR_FUSEOPBASE_TD

include "fuse/IR/FuseAttributes.td"
include "fuse/IR/FuseDialect.td"
include "fuse/IR/FuseInterfaces.td"
include "mlir/Dialect/Arith/IR/ArithBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Fuse_Element : AnyTypeOf<[F16, BF16, F32, F64, I1, I8, I16, I32, I64, UI8, UI16, UI32, UI64],
                             "element type of the dialect">;
def Fuse_FloatElement : AnyTypeOf<[F16, BF16, F32, F64], "floating-point element type">;
def Fuse_IndexElement : AnyTypeOf<[I32, I64], "32- or 64-bit signed integer">;

def Fuse_Tensor : RankedTensorOf<[Fuse_Element]>;
def Fuse_FloatTensor : RankedTensorOf<[Fuse_FloatElement]>;
def Fuse_BoolTensor : RankedTensorOf<[I1]>;
def Fuse_IndexTensor : RankedTensorOf<[Fuse_IndexElement]>;
def Fuse_MemRef : MemRefOf<[Fuse_Element]>;

class Fuse_Op<string mnemonic, list<Trait> traits = []> : Op<Fuse_Dialect, mnemonic, traits> {
  let hasVerifier = 1;
}

/// An op that maps loops onto its operands and results.
defvar Fuse_Mappable = DeclareOpInterfaceMethods<FusableOpInterface>;

#endif // FUSE_IR_FUSEOPBASE_TD
