//===- Coverage.cpp - Which cells of the product have been compared ----------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Coverage.h"

#include "fuse/Support/KindTypes.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::differential;

/// The column of a kind's types, whatever the shape.
static constexpr const char *anyShape = "any";

static SmallVector<ElementType> getTypes(unsigned classes) {
  SmallVector<ElementType> types;
  for (ElementType type : getElementTypes())
    if (getTypeClass(type) & classes)
      types.push_back(type);
  return types;
}

static SmallVector<StringRef> getColumns() {
  SmallVector<StringRef> columns(std::begin(kShapeClasses), std::end(kShapeClasses));
  for (unsigned i = 0; i < kNumValueSets; ++i)
    columns.push_back(getName(static_cast<ValueSet>(i)));
  return columns;
}

void Coverage::declare(StringRef family, StringRef kind, ArrayRef<ElementType> types,
                       ArrayRef<StringRef> columns) {
  std::pair<std::string, std::string> row(family, kind);
  if (rows.empty() || rows.back() != row)
    rows.push_back(row);
  for (ElementType type : types)
    for (StringRef column : columns)
      wanted.insert({row.first, row.second, getElementTypeName(type).str(), column.str()});
}

void Coverage::declareFull(StringRef family, StringRef kind, ArrayRef<ElementType> types,
                           ArrayRef<StringRef> without) {
  for (ElementType type : types) {
    SmallVector<StringRef> columns;
    for (StringRef shape : kShapeClasses)
      columns.push_back(shape);
    for (unsigned i = 0; i < kNumValueSets; ++i) {
      auto set = static_cast<ValueSet>(i);
      if (set == ValueSet::Ordinary || isSpecialFor(set, type))
        columns.push_back(getName(set));
    }
    llvm::erase_if(columns, [&](StringRef column) { return llvm::is_contained(without, column); });
    declare(family, kind, type, columns);
  }
}

template <typename Kind>
static SmallVector<Kind> getKinds(uint32_t last) {
  SmallVector<Kind> kinds;
  for (uint32_t i = 0; i <= last; ++i)
    kinds.push_back(static_cast<Kind>(i));
  return kinds;
}

Coverage::Coverage(llvm::function_ref<bool(StringRef)> isSelected) {
  if (isSelected("unary"))
    for (UnaryKind kind : getKinds<UnaryKind>(getMaxEnumValForUnaryKind())) {
      bool isGelu = kind == UnaryKind::Gelu;
      for (StringRef name : isGelu ? SmallVector<StringRef>{"gelu_none", "gelu_tanh"}
                                   : SmallVector<StringRef>{stringifyUnaryKind(kind)})
        declareFull("unary", name, getTypes(getLegalTypes(kind)));
    }
  if (isSelected("binary"))
    for (BinaryKind kind : getKinds<BinaryKind>(getMaxEnumValForBinaryKind()))
      declareFull("binary", stringifyBinaryKind(kind), getTypes(getLegalTypes(kind)));
  if (isSelected("compare"))
    for (auto predicate : getKinds<ComparePredicate>(getMaxEnumValForComparePredicate()))
      declareFull("compare", stringifyComparePredicate(predicate),
                  getTypes(getLegalTypes(predicate)));
  if (isSelected("select"))
    declareFull("select", "select", getElementTypes());
  if (isSelected("clamp"))
    declareFull("clamp", "clamp", getTypes(getLegalClampTypes()));
  if (isSelected("cast"))
    for (ElementType to : getElementTypes())
      declareFull("cast", ("to_" + getElementTypeName(to)).str(), getElementTypes());
  if (isSelected("bitcast"))
    for (ElementType to : getElementTypes()) {
      SmallVector<ElementType> types;
      for (ElementType from : getElementTypes())
        if (from != ElementType::I1 && to != ElementType::I1 &&
            getElementBits(from) == getElementBits(to))
          types.push_back(from);
      if (!types.empty())
        declareFull("bitcast", ("to_" + getElementTypeName(to)).str(), types);
    }
  if (isSelected("reduce"))
    for (ReduceKind kind : getKinds<ReduceKind>(getMaxEnumValForReduceKind())) {
      // See addReductionCases for what depends on the order.
      SmallVector<StringRef> without;
      if (kind == ReduceKind::Sum || kind == ReduceKind::Mean || kind == ReduceKind::Prod)
        without.push_back("pairs");
      if (kind == ReduceKind::Prod)
        without.append({"denormal", "extreme"});
      declareFull("reduce", stringifyReduceKind(kind), getTypes(getLegalTypes(kind) & FloatTypes),
                  without);
      declareFull("reduce", stringifyReduceKind(kind),
                  getTypes(getLegalTypes(kind) & ~FloatTypes));
    }
  if (isSelected("argreduce"))
    for (ArgReduceKind kind : getKinds<ArgReduceKind>(getMaxEnumValForArgReduceKind()))
      // There is no dimension to search at rank 0.
      declareFull("argreduce", stringifyArgReduceKind(kind), getTypes(getLegalTypes(kind)),
                  {"rank0"});
  declareStructured(isSelected);
}

void Coverage::declareStructured(llvm::function_ref<bool(StringRef)> isSelected) {
  struct Row {
    const char *family;
    std::vector<const char *> kinds;
    unsigned types;
    const char *shapes;
  };
  constexpr const char *contractions = "zero 1 7 17 1000 dynamic", *windows = contractions;
  static const Row table[] = {
      {"move",
       {"reshape", "transpose", "slice", "broadcast", "copy"},
       AllTypes,
       "rank0 zero 1 7 17 1000 broadcast 8d dynamic"},
      {"move", {"load", "store"}, AllTypes, "rank0 zero 1 7 17 1000 8d dynamic"},
      {"move", {"concat"}, AllTypes, "zero 1 7 17 1000 broadcast 8d dynamic"},
      {"move", {"gather"}, AllTypes, "zero 1 7 17 1000 broadcast 8d dynamic"},
      {"move", {"scatter_set", "scatter_max", "scatter_min"}, AllTypes, "zero 1 7 17 1000 broadcast 8d dynamic"},
      {"move", {"scatter_add", "scatter_mul"}, NumericTypes, "zero 1 7 17 1000 broadcast 8d dynamic"},
      {"move", {"pad"}, AllTypes, "rank0 zero 1 7 17 1000 broadcast 8d dynamic"},
      {"move", {"resize_nearest"}, AllTypes, "rank0 zero 1 7 17 1000 broadcast 8d dynamic"},
      {"move", {"iota"}, NumericTypes, "zero 1 7 17 1000 8d"},
      {"matmul",
       {"plain", "transpose_lhs", "transpose_rhs", "transpose_both"},
       NumericTypes,
       contractions},
      {"matmul", {"batched"}, NumericTypes, "zero 1 7 17 1000 broadcast 8d dynamic"},
      {"conv2d",
       {"nchw", "nhwc", "grouped", "depthwise", "strided", "dilated", "bias"},
       NumericTypes,
       windows},
      {"pool", {"max_nchw", "max_nhwc"}, NumericTypes, windows},
      {"pool", {"avg_nchw", "avg_nhwc", "avg_include_pad"}, FloatTypes, windows},
      {"composite",
       {"softmax", "softmax_first", "layer_norm", "layer_norm_plain", "layer_norm_axes",
        "batch_norm"},
       FloatTypes,
       "zero 1 7 17 1000 broadcast 8d dynamic"},
      {"composite",
       {"attention", "attention_causal", "attention_mask", "attention_keep",
        "attention_grouped"},
       FloatTypes,
       "1 7 17"},
      {"host", {"log_mel", "log_mel_backward", "welch_peaks"}, FloatTypes, "7 17 dynamic"},
      {"host", {"host_call"}, AllTypes, "zero 1 7 17 1000"},
  };
  for (const Row &row : table) {
    if (!isSelected(row.family))
      continue;
    SmallVector<StringRef> shapes;
    StringRef(row.shapes).split(shapes, ' ');
    for (const char *kind : row.kinds) {
      declare(row.family, kind, getTypes(row.types), {anyShape});
      declare(row.family, kind, ElementType::F32, shapes);
    }
  }
}

void Coverage::add(const Case &c, ValueSet set) {
  for (StringRef column : {StringRef(c.shape), getName(set), StringRef(anyShape)})
    ++made[{c.family, c.kind, c.type, column.str()}];
}

void Coverage::addRefused(const Case &c) {
  Cell cell{c.family, c.kind, c.type, c.shape};
  ++made[cell];
  refused.insert(cell);
}

size_t Coverage::countEmpty() const {
  return static_cast<size_t>(
      llvm::count_if(wanted, [&](const Cell &cell) { return !made.count(cell); }));
}

void Coverage::print(llvm::raw_ostream &os) const {
  os << "Types covered, by kind and column; '-' has no legal cell, '!' misses some,\n"
        "'r' counts cases that were refused with a diagnostic.\n";
  StringRef family;
  for (const auto &[rowFamily, kind] : rows) {
    if (family != rowFamily) {
      family = rowFamily;
      os << llvm::formatv("\n{0,-18}{1,6}", family, "types");
      for (StringRef column : getColumns())
        os << llvm::formatv("{0,10}", column);
      os << "\n";
    }
    std::set<std::string> legal, covered;
    std::map<std::string, int> wantedIn, madeIn;
    std::set<std::string> refusedIn;
    for (const Cell &cell : refused)
      if (cell.family == rowFamily && cell.kind == kind)
        refusedIn.insert(cell.column);
    for (auto it = wanted.lower_bound({rowFamily, kind, "", ""});
         it != wanted.end() && it->family == rowFamily && it->kind == kind; ++it) {
      legal.insert(it->type);
      ++wantedIn[it->column];
    }
    for (auto it = made.lower_bound({rowFamily, kind, "", ""});
         it != made.end() && it->first.family == rowFamily && it->first.kind == kind; ++it) {
      covered.insert(it->first.type);
      ++madeIn[it->first.column];
    }
    os << llvm::formatv("{0,-18}{1,6}", kind,
                        llvm::formatv("{0}/{1}", covered.size(), legal.size()).str());
    for (StringRef column : getColumns()) {
      int want = wantedIn[column.str()], got = madeIn[column.str()];
      std::string text = got || want ? std::to_string(got) : "-";
      text += got < want ? "!" : refusedIn.count(column.str()) ? "r" : "";
      os << llvm::formatv("{0,10}", text);
    }
    os << "\n";
  }
  for (const Cell &cell : wanted)
    if (!made.count(cell))
      os << "empty: " << cell.family << "/" << cell.kind << "/" << cell.type << " " << cell.column
         << "\n";
}
