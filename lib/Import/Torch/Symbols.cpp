//===- Symbols.cpp - Expressions of open extents as the program writes them -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Symbols.h"
#include "fuse/IR/SymbolicShapes.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::torch;

static bool isIdentifier(StringRef text) {
  return !text.empty() && (llvm::isAlpha(text.front()) || text.front() == '_') &&
         llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

StringRef mlir::fuse::torch::getSymbolName(StringRef text) {
  text = text.trim();
  if (isIdentifier(text))
    return text;
  if (!text.consume_front("Symbol('"))
    return {};
  auto [name, rest] = text.split('\'');
  // What follows are assumptions, up to the only bracket that closes.
  return !rest.empty() && rest.find(')') == rest.size() - 1 ? name : StringRef();
}

namespace {

/// Calls of functions within each other, with numbers and names as arguments.
class Parser {
public:
  Parser(StringRef text, MLIRContext *context, llvm::function_ref<AffineExpr(StringRef)> find,
         const ComputedParts &computed)
      : rest(text), context(context), find(find), computed(computed) {}

  AffineExpr run() {
    AffineExpr expr = parse(0);
    return rest.trim().empty() ? expr : AffineExpr();
  }

private:
  static constexpr unsigned kMostDepth = 64;

  AffineExpr parse(unsigned depth) {
    rest = rest.ltrim();
    if (depth > kMostDepth)
      return {};
    if (rest.starts_with("Symbol(")) {
      size_t end = rest.find(')');
      if (end == StringRef::npos)
        return {};
      StringRef name = getSymbolName(rest.take_front(end + 1));
      rest = rest.drop_front(end + 1);
      return name.empty() ? AffineExpr() : find(name);
    }
    int64_t number;
    if (!rest.empty() && (rest.front() == '-' || llvm::isDigit(rest.front())))
      return rest.consumeInteger(10, number) ? AffineExpr() : getAffineConstantExpr(number, context);
    StringRef name = rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    rest = rest.drop_front(name.size());
    if (name.empty())
      return {};
    if (!rest.consume_front("("))
      return find(name);
    SmallVector<AffineExpr> arguments;
    while (!rest.ltrim().starts_with(")")) {
      AffineExpr argument = parse(depth + 1);
      if (!argument)
        return {};
      arguments.push_back(argument);
      rest = rest.ltrim();
      if (!rest.consume_front(",") && !rest.starts_with(")"))
        return {};
    }
    rest = rest.ltrim().drop_front();
    return apply(name, arguments);
  }

  AffineExpr apply(StringRef name, ArrayRef<AffineExpr> arguments) {
    if (arguments.empty())
      return {};
    AffineExpr result = arguments.front();
    if (name == "Integer")
      return arguments.size() == 1 ? result : AffineExpr();
    if (name == "Add" || name == "Mul") {
      for (AffineExpr argument : arguments.drop_front())
        result = name == "Add" ? result + argument : result * argument;
      return simplifyExtent(result);
    }
    bool isQuotient = name == "FloorDiv" || name == "CleanDiv";
    if (computed.divide && isQuotient && arguments.size() == 2 && !isa<AffineConstantExpr>(arguments[1]))
      return computed.divide(result, arguments[1]);
    if (name == "Min")
      return computed.min ? computed.min(arguments) : AffineExpr();
    if (name == "Max")
      return computed.max ? computed.max(arguments) : AffineExpr();
    auto second = arguments.size() == 2 ? dyn_cast<AffineConstantExpr>(arguments[1]) : AffineConstantExpr();
    if (!second || second.getValue() <= 0)
      return {};
    if (isQuotient)
      return simplifyExtent(result.floorDiv(second.getValue()));
    if (name == "CeilDiv")
      return simplifyExtent(result.ceilDiv(second.getValue()));
    if (name == "Mod" || name == "PythonMod")
      return simplifyExtent(result % second.getValue());
    if (name == "Pow" && second.getValue() <= 4) {
      for (int64_t i = 1; i < second.getValue(); ++i)
        result = result * arguments.front();
      return result;
    }
    return {};
  }

  StringRef rest;
  MLIRContext *context;
  llvm::function_ref<AffineExpr(StringRef)> find;
  const ComputedParts &computed;
};

} // namespace

AffineExpr mlir::fuse::torch::parseExpression(StringRef text, MLIRContext *context,
                                              llvm::function_ref<AffineExpr(StringRef)> find,
                                              const ComputedParts &computed) {
  return Parser(text, context, find, computed).run();
}

AffineExpr mlir::fuse::torch::readSize(const llvm::json::Value &size, MLIRContext *context,
                                       const llvm::StringMap<AffineExpr> &symbols,
                                       const ComputedParts &computed) {
  const llvm::json::Object *holder = size.getAsObject();
  if (!holder)
    return {};
  if (std::optional<int64_t> number = holder->getInteger("as_int"))
    return getAffineConstantExpr(*number, context);
  const llvm::json::Object *expression = holder->getObject("as_expr");
  std::optional<StringRef> text = expression ? expression->getString("expr_str") : std::nullopt;
  if (!text)
    return {};
  return parseExpression(*text, context, [&](StringRef symbol) { return symbols.lookup(symbol); }, computed);
}
