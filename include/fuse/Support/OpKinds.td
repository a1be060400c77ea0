//===- OpKinds.td - The kinds of element-wise and reduce ops -----------------*- tablegen -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A new function is one case here, its element types and price (getTraits in lib/Support/KindTypes.cpp),
// its value (lib/Support/ScalarFunctions.cpp or ScalarReductions.cpp) and its scalar body
// (lib/IR/ScalarBody*.cpp); CONTRIBUTING.md has the tests. The enums carry no IR, so that everything
// below the dialect can use them.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_SUPPORT_OPKINDS_TD
#define FUSE_SUPPORT_OPKINDS_TD

include "mlir/IR/EnumAttr.td"

class Fuse_Kinds<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mlir::fuse";
  let genSpecializedAttr = 0;
}

def Fuse_UnaryKind : Fuse_Kinds<"UnaryKind", "element-wise function of one operand", [
  I32EnumAttrCase<"Relu", 0, "relu">,
  I32EnumAttrCase<"Sigmoid", 1, "sigmoid">,
  I32EnumAttrCase<"Tanh", 2, "tanh">,
  I32EnumAttrCase<"Gelu", 3, "gelu">,
  I32EnumAttrCase<"Sqrt", 4, "sqrt">,
  I32EnumAttrCase<"Rsqrt", 5, "rsqrt">,
  I32EnumAttrCase<"Exp", 6, "exp">,
  I32EnumAttrCase<"Log", 7, "log">,
  I32EnumAttrCase<"Neg", 8, "neg">,
  I32EnumAttrCase<"Abs", 9, "abs">,
  I32EnumAttrCase<"Erf", 10, "erf">,
  I32EnumAttrCase<"Silu", 11, "silu">,
  I32EnumAttrCase<"Softplus", 12, "softplus">,
  I32EnumAttrCase<"HardSigmoid", 13, "hard_sigmoid">,
  I32EnumAttrCase<"HardSwish", 14, "hard_swish">,
  I32EnumAttrCase<"LeakyRelu", 15, "leaky_relu">,
  I32EnumAttrCase<"Elu", 16, "elu">,
  I32EnumAttrCase<"Floor", 17, "floor">,
  I32EnumAttrCase<"Ceil", 18, "ceil">,
  I32EnumAttrCase<"RoundEven", 19, "round_even">,
  I32EnumAttrCase<"Sign", 20, "sign">,
  I32EnumAttrCase<"Sin", 21, "sin">,
  I32EnumAttrCase<"Cos", 22, "cos">,
  I32EnumAttrCase<"Tan", 23, "tan">,
  I32EnumAttrCase<"Reciprocal", 24, "reciprocal">,
  I32EnumAttrCase<"Log1p", 25, "log1p">,
  I32EnumAttrCase<"Expm1", 26, "expm1">,
  I32EnumAttrCase<"LogicalNot", 27, "logical_not">,
  I32EnumAttrCase<"IsNan", 28, "is_nan">,
  I32EnumAttrCase<"IsInf", 29, "is_inf">,
  I32EnumAttrCase<"BitwiseNot", 30, "bitwise_not">,
  I32EnumAttrCase<"Atan", 31, "atan">,
  I32EnumAttrCase<"Asin", 32, "asin">,
  I32EnumAttrCase<"Acos", 33, "acos">,
  I32EnumAttrCase<"Sinh", 34, "sinh">,
  I32EnumAttrCase<"Cosh", 35, "cosh">,
  I32EnumAttrCase<"Asinh", 36, "asinh">,
  I32EnumAttrCase<"Acosh", 37, "acosh">,
  I32EnumAttrCase<"Atanh", 38, "atanh">
]>;

def Fuse_BinaryKind : Fuse_Kinds<"BinaryKind", "element-wise function of two operands", [
  I32EnumAttrCase<"Add", 0, "add">,
  I32EnumAttrCase<"Sub", 1, "sub">,
  I32EnumAttrCase<"Mul", 2, "mul">,
  I32EnumAttrCase<"Div", 3, "div">,
  I32EnumAttrCase<"Max", 4, "max">,
  I32EnumAttrCase<"Min", 5, "min">,
  I32EnumAttrCase<"Pow", 6, "pow">,
  I32EnumAttrCase<"Rem", 7, "rem">,
  I32EnumAttrCase<"And", 8, "and">,
  I32EnumAttrCase<"Or", 9, "or">,
  I32EnumAttrCase<"Xor", 10, "xor">,
  I32EnumAttrCase<"ShiftLeft", 11, "shift_left">,
  I32EnumAttrCase<"ShiftRight", 12, "shift_right">
]>;

def Fuse_ComparePredicate : Fuse_Kinds<"ComparePredicate", "element-wise comparison", [
  I32EnumAttrCase<"Lt", 0, "lt">, I32EnumAttrCase<"Le", 1, "le">,
  I32EnumAttrCase<"Gt", 2, "gt">, I32EnumAttrCase<"Ge", 3, "ge">,
  I32EnumAttrCase<"Eq", 4, "eq">, I32EnumAttrCase<"Ne", 5, "ne">
]>;

def Fuse_ReduceKind : Fuse_Kinds<"ReduceKind", "reduction over dimensions", [
  I32EnumAttrCase<"Sum", 0, "sum">,
  I32EnumAttrCase<"Max", 1, "max">,
  I32EnumAttrCase<"Min", 2, "min">,
  I32EnumAttrCase<"Mean", 3, "mean">,
  I32EnumAttrCase<"Prod", 4, "prod">,
  I32EnumAttrCase<"Any", 5, "any">,
  I32EnumAttrCase<"All", 6, "all">
]>;

def Fuse_ArgReduceKind : Fuse_Kinds<"ArgReduceKind", "index of an extreme element", [
  I32EnumAttrCase<"Argmax", 0, "argmax">,
  I32EnumAttrCase<"Argmin", 1, "argmin">
]>;

def Fuse_ScatterKind : Fuse_Kinds<"ScatterKind", "what an update does to the element it meets", [
  I32EnumAttrCase<"Set", 0, "set">,
  I32EnumAttrCase<"Add", 1, "add">,
  I32EnumAttrCase<"Mul", 2, "mul">,
  I32EnumAttrCase<"Max", 3, "max">,
  I32EnumAttrCase<"Min", 4, "min">
]>;

def Fuse_ConvLayout : Fuse_Kinds<"ConvLayout", "dimension order of a convolution's input and filter", [
  I32EnumAttrCase<"NchwFchw", 0, "nchw_fchw">,
  I32EnumAttrCase<"NhwcHwcf", 1, "nhwc_hwcf">
]>;

def Fuse_GeluForm : Fuse_Kinds<"GeluForm", "how gelu's distribution function is computed", [
  I32EnumAttrCase<"None", 0, "none">,
  I32EnumAttrCase<"Tanh", 1, "tanh">
]>;

#endif // FUSE_SUPPORT_OPKINDS_TD
