//===- print-operators.cpp - Prints the tables of docs/onnx.md, pytorch.md and jax.md ------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// From the same tables that models are imported by: one row per initial letter. Of PyTorch's ops (--torch) all
// overloads stand behind the name. Ops of StableHLO (--stablehlo) have a row for each dialect.
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Import/Onnx.h"
#include "fuse/Import/StableHlo.h"
#include "fuse/Import/Torch.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <map>
#include <string>
#include <vector>

/// aten.add.Tensor and aten.add.Scalar as `add` (Scalar, Tensor); "default" is not listed.
static void printTorch() {
  llvm::MapVector<llvm::StringRef, std::vector<llvm::StringRef>> overloads;
  for (llvm::StringRef op : mlir::fuse::getTorchOps()) {
    if (!op.consume_front("aten."))
      continue;
    auto [name, overload] = op.split('.');
    overloads[name].push_back(overload);
  }
  std::map<char, std::string> rows;
  for (const auto &[name, list] : overloads) {
    char initial = name.ltrim('_').front();
    std::string &row = rows[initial];
    row += (row.empty() ? " `" : ", `") + name.str() + "`";
    if (list.size() == 1 && list.front() == "default")
      continue;
    row += " (";
    for (auto [i, overload] : llvm::enumerate(list))
      row += (i ? ", " : "") + overload.str();
    row += ")";
  }
  llvm::outs() << "| | ops |\n|---|---|\n";
  for (const auto &[initial, row] : rows)
    llvm::outs() << "| " << initial << " |" << row << " |\n";
}

static void printStableHlo() {
  llvm::MapVector<llvm::StringRef, std::string> rows;
  for (llvm::StringRef op : mlir::fuse::getStableHloOps()) {
    auto [dialect, name] = op.split('.');
    std::string &row = rows[dialect];
    row += (row.empty() ? " `" : ", `") + name.str() + "`";
  }
  llvm::outs() << "| | ops |\n|---|---|\n";
  for (const auto &[dialect, row] : rows)
    llvm::outs() << "| `" << dialect << "` |" << row << " |\n";
}

int main(int count, char **words) {
  if (count > 1 && llvm::StringRef(words[1]) == "--torch") {
    printTorch();
    return 0;
  }
  if (count > 1 && llvm::StringRef(words[1]) == "--stablehlo") {
    printStableHlo();
    return 0;
  }
  // By their first letter, or by their domain.
  std::string last;
  llvm::outs() << "| | operators |\n|---|---|";
  auto names = mlir::fuse::getOnnxOperators();
  llvm::stable_sort(names, [](llvm::StringRef x, llvm::StringRef y) { return x.contains('.') < y.contains('.'); });
  for (llvm::StringRef name : names) {
    auto [domain, op] = name.rsplit('.');
    std::string group = op.empty() ? name.take_front(1).str() : "`" + domain.str() + "`";
    if (group != last)
      llvm::outs() << (last.empty() ? "" : " |") << "\n| " << group << " |";
    else
      llvm::outs() << ",";
    llvm::outs() << " `" << (op.empty() ? name : op) << "`";
    last = group;
  }
  llvm::outs() << " |\n";
  return 0;
}
