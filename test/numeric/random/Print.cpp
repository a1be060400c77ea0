//===- Print.cpp - The text of a random program -------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Graph.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::random;

namespace {

/// Prints a graph; with a call, for the sizes of that call.
class Printer {
public:
  Printer(const Graph &graph, std::optional<size_t> call) : graph(graph), call(call) {}

  std::string print(StringRef name);

private:
  std::string nameOf(int node) const {
    int count = graph.nodes[node].numResults;
    return "%" + std::to_string(node) + (count > 1 ? "#" + std::to_string(count - 1) : "");
  }
  std::string printType(const Node &node) { return expand(tensorType(node.shape, node.type, node.isMemref), 0); }
  std::string printAttributes(const Node &argument) const;
  /// The text of node `at` without what stands for operands and extents. What extents need is appended to `lines`.
  std::string expand(StringRef text, int at);
  std::string printSymbol(char what, int symbol, int at);
  /// The name of a value of type `index` that is the symbol's size.
  std::string defineNumber(int symbol, int at);
  /// The value's name, defined by `text`.
  std::string define(int at, const std::string &text) {
    std::string name = "%n" + std::to_string(at) + "_" + std::to_string(numbers++);
    lines += "  " + name + " = " + text + "\n";
    return name;
  }
  /// An argument, or an op in front of node `at`, that has the symbol as an extent; -1 where there is none.
  int findCarrier(int symbol, int at, bool isOp) const;

  const Graph &graph;
  std::optional<size_t> call;
  std::string lines;
  int numbers = 0;
};

} // namespace

int Printer::findCarrier(int symbol, int at, bool isOp) const {
  for (int i = isOp ? at - 1 : 0; i >= 0 && i < static_cast<int>(graph.nodes.size()); i += isOp ? -1 : 1) {
    const Node &node = graph.nodes[i];
    if (node.isAlive && (node.kind == (isOp ? Node::Op : Node::Argument)) && node.numResults == 1 &&
        llvm::is_contained(node.shape, -1 - symbol))
      return i;
  }
  return -1;
}

std::string Printer::defineNumber(int symbol, int at) {
  const Symbol &extent = graph.symbols[symbol];
  if (call)
    return define(at, "arith.constant " + std::to_string(extent.sizes[*call]) + " : index");
  // Every other one is read off what the program computes.
  int carrier = at % 2 == 1 ? findCarrier(symbol, at, /*isOp=*/true) : -1;
  if (carrier < 0 && extent.kind == Symbol::Open)
    carrier = findCarrier(symbol, at, /*isOp=*/false);
  if (carrier >= 0) {
    const Node &node = graph.nodes[carrier];
    auto position = llvm::find(node.shape, -1 - symbol) - node.shape.begin();
    std::string dim = define(at, "arith.constant " + std::to_string(position) + " : index");
    return define(at, std::string(node.isMemref ? "memref" : "tensor") + ".dim " + nameOf(carrier) + ", " + dim + " : " +
                          printType(node));
  }
  std::string symbols, operands;
  for (auto [i, part] : llvm::enumerate(extent.parts)) {
    if (part >= 0)
      continue;
    symbols += (symbols.empty() ? "s" : ", s") + std::to_string(i);
    operands += (operands.empty() ? "" : ", ") + defineNumber(static_cast<int>(-1 - part), at);
  }
  return define(at, "affine.apply affine_map<()[" + symbols + "] -> (" + extent.text + ")>()[" + operands + "]");
}

std::string Printer::printSymbol(char what, int symbol, int at) {
  if (what == '!' || (what == '#' && !call))
    return defineNumber(symbol, at);
  if (call)
    return std::to_string(graph.symbols[symbol].sizes[*call]);
  return what == '@' ? "?" : "-1";
}

std::string Printer::expand(StringRef text, int at) {
  std::string expanded;
  bool isLeftOut = false;
  while (!text.empty()) {
    char next = text.front();
    text = text.drop_front();
    if (next == '~') {
      isLeftOut = !isLeftOut && call.has_value();
    } else if (next == '$') {
      if (!isLeftOut)
        expanded += nameOf(graph.nodes[at].operands[text.front() - '0']);
      text = text.drop_front();
    } else if (StringRef("@^#!").contains(next) && !text.empty() && isdigit(text.front())) {
      auto [number, rest] = text.split(';');
      int symbol = 0;
      if (!number.getAsInteger(10, symbol)) {
        if (!isLeftOut)
          expanded += printSymbol(next, symbol, at);
        text = rest;
        continue;
      }
      expanded += next;
    } else if (!isLeftOut) {
      expanded += next;
    }
  }
  return expanded;
}

std::string Printer::printAttributes(const Node &argument) const {
  std::string text = argument.isParam ? "fuse.param" : "";
  if (graph.hasNames && !call && llvm::any_of(argument.shape, [](int64_t extent) { return extent < 0; })) {
    std::string names;
    for (int64_t extent : argument.shape) {
      bool isNamed = extent < 0 && graph.symbols[-1 - extent].kind == Symbol::Open;
      names += (names.empty() ? "\"" : ", \"") + (isNamed ? graph.symbols[-1 - extent].text : "") + "\"";
    }
    text += (text.empty() ? "" : ", ") + ("fuse.dim_names = [" + names + "]");
  }
  return text.empty() ? "" : " {" + text + "}";
}

std::string Printer::print(StringRef name) {
  std::string text = "func.func @" + name.str() + "(", types, values;
  bool isFirst = true;
  for (int argument : graph.getArguments()) {
    const Node &node = graph.nodes[argument];
    text += (isFirst ? "" : ", ") + nameOf(argument) + ": " + printType(node) + printAttributes(node);
    isFirst = false;
  }
  for (int result : graph.results) {
    types += (types.empty() ? "" : ", ") + printType(graph.nodes[result]);
    values += (values.empty() ? " " : ", ") + nameOf(result);
  }
  text += ")" + (graph.results.empty() ? "" : " -> (" + types + ")") + " {\n";
  for (auto [i, node] : llvm::enumerate(graph.nodes)) {
    if (!node.isAlive || node.kind == Node::Argument)
      continue;
    lines.clear();
    numbers = 0;
    std::string op = expand(node.text, static_cast<int>(i));
    text += lines + "  ";
    if (node.kind != Node::Effect)
      text += "%" + std::to_string(i) + (node.numResults > 1 ? ":" + std::to_string(node.numResults) : "") + " = ";
    text += op + "\n";
  }
  return text + "  return" + values + (graph.results.empty() ? "" : " : " + types) + "\n}\n";
}

std::string Graph::print(llvm::StringRef name, std::optional<size_t> call) const {
  return Printer(*this, call).print(name);
}
