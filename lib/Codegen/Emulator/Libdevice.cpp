//===- Libdevice.cpp - Functions of libdevice ---------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "EmulatedFunction.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir::fuse;

/// The functions of libm that libdevice has under the same name, for double; floats have an "f"
/// behind it.
static bool isInLibm(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt"}, true)
      .Cases({"ceil", "copysign", "cos", "cosh", "erf", "erfc", "exp", "exp10"}, true)
      .Cases({"exp2", "expm1", "fabs", "fdim", "floor", "fma", "fmax", "fmin"}, true)
      .Cases({"fmod", "frexp", "hypot", "ilogb", "j0", "j1", "jn", "ldexp"}, true)
      .Cases({"lgamma", "llrint", "llround", "log", "log10", "log1p", "log2", "logb"}, true)
      .Cases({"modf", "nearbyint", "nextafter", "pow", "remainder", "remquo", "rint"}, true)
      .Cases({"round", "scalbn", "sin", "sincos", "sinh", "sqrt", "tan", "tanh"}, true)
      .Cases({"tgamma", "trunc", "y0", "y1", "yn"}, true)
      .Default(false);
}

/// The name in libm of a function called __nv_`name`; empty if there is none.
static std::string getLibmName(llvm::StringRef name) {
  name.consume_front("fast_"); // approximations: computed exactly
  if (isInLibm(name) || (name.ends_with("f") && isInLibm(name.drop_back())))
    return name.str();
  return "";
}

/// Gives a function that libm lacks a body. False if it is none of these.
static bool define(llvm::Function &function, llvm::StringRef name) {
  llvm::Type *type = function.getReturnType();
  bool isFloat = type->isFloatingPointTy();
  llvm::StringRef base = isFloat && type->isFloatTy() ? name.drop_back() : name;
  auto *entry = llvm::BasicBlock::Create(function.getContext(), "", &function);
  llvm::IRBuilder<> builder(entry);
  llvm::Value *x = function.arg_empty() ? nullptr : function.getArg(0);
  llvm::Value *y = function.arg_size() > 1 ? function.getArg(1) : nullptr;
  llvm::Value *result = nullptr;
  auto isClass = [&](llvm::FPClassTest test) {
    return builder.CreateZExt(builder.createIsFPClass(x, test), type);
  };
  if (base == "rsqrt")
    result = builder.CreateFDiv(llvm::ConstantFP::get(type, 1.0),
                                builder.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x));
  else if (name == "fast_fdividef")
    result = builder.CreateFDiv(x, y);
  else if (base == "powi")
    result = builder.CreateIntrinsic(llvm::Intrinsic::powi, {type, builder.getInt32Ty()}, {x, y});
  else if (name == "abs" || name == "llabs")
    result = builder.CreateBinaryIntrinsic(llvm::Intrinsic::abs, x, builder.getFalse());
  else if (name == "max" || name == "llmax")
    result = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, y);
  else if (name == "min" || name == "llmin")
    result = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y);
  else if (name == "umax" || name == "ullmax")
    result = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umax, x, y);
  else if (name == "umin" || name == "ullmin")
    result = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, x, y);
  else if (name == "popc" || name == "popcll")
    result =
        builder.CreateZExtOrTrunc(builder.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, x), type);
  else if (name == "clz" || name == "clzll")
    result = builder.CreateZExtOrTrunc(
        builder.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, x, builder.getFalse()), type);
  else if (name == "brev" || name == "brevll")
    result = builder.CreateUnaryIntrinsic(llvm::Intrinsic::bitreverse, x);
  else if (name == "isnanf" || name == "isnand")
    result = isClass(llvm::fcNan);
  else if (name == "isinff" || name == "isinfd")
    result = isClass(llvm::fcInf);
  else if (name == "finitef" || name == "isfinited")
    result = isClass(llvm::fcFinite);
  else if (name == "signbitf" || name == "signbitd")
    result = isClass(llvm::fcNegative);
  if (!result) {
    entry->eraseFromParent();
    return false;
  }
  builder.CreateRet(result);
  function.setLinkage(llvm::GlobalValue::InternalLinkage);
  return true;
}

llvm::Error mlir::fuse::replaceLibdevice(llvm::Module &module) {
  for (llvm::Function &function : llvm::make_early_inc_range(module)) {
    llvm::StringRef name = function.getName();
    if (!function.isDeclaration() || !name.consume_front("__nv_"))
      continue;
    function.setAttributes({});
    if (std::string libm = getLibmName(name); !libm.empty()) {
      llvm::FunctionCallee callee = module.getOrInsertFunction(libm, function.getFunctionType());
      function.replaceAllUsesWith(callee.getCallee());
      function.eraseFromParent();
      continue;
    }
    if (!define(function, name))
      return llvm::createStringError("the emulator does not know the function __nv_" + name);
  }
  return llvm::Error::success();
}
