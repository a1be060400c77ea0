//===- FuseEnums.td - Enums of the attributes -*- tablegen -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_FUSEENUMS_TD
#define FUSE_IR_FUSEENUMS_TD

include "mlir/IR/EnumAttr.td"

def Fuse_TargetKind : I32EnumAttr<"TargetKind", "the kind of machine", [
  I32EnumAttrCase<"Cpu", 0, "cpu">, I32EnumAttrCase<"Gpu", 1, "gpu">
]> {
  let cppNamespace = "::mlir::fuse";
  let genSpecializedAttr = 0;
}

def Fuse_LevelMapping : I32EnumAttr<"LevelMapping", "what a level's iterations are spread over", [
  I32EnumAttrCase<"Block", 0, "block">, I32EnumAttrCase<"Subgroup", 1, "subgroup">,
  I32EnumAttrCase<"Sequential", 2, "sequential">
]> {
  let cppNamespace = "::mlir::fuse";
  let genSpecializedAttr = 0;
}

def Fuse_StepRole : I32EnumAttr<"StepRole", "what a step's argument is of the buffers of its kernel", [
  I32EnumAttrCase<"Whole", 0, "whole">, I32EnumAttrCase<"Element", 1, "element">,
  I32EnumAttrCase<"State", 2, "state">, I32EnumAttrCase<"Last", 3, "last">,
  I32EnumAttrCase<"Carried", 4, "carried">
]> {
  let cppNamespace = "::mlir::fuse";
  let genSpecializedAttr = 0;
}

def Fuse_Verdict : I32EnumAttr<"Verdict", "what a price decides", [
  I32EnumAttrCase<"Fuse", 0, "fuse">, I32EnumAttrCase<"Apart", 1, "apart">
]> {
  let cppNamespace = "::mlir::fuse";
  let genSpecializedAttr = 0;
}

#endif // FUSE_IR_FUSEENUMS_TD
