//===- Picture.h - The report as a page for a browser -----------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_REPORT_PICTURE_H
#define FUSE_REPORT_PICTURE_H

#include "fuse/Report/Graph.h"
#include "fuse/Report/Layout.h"

namespace mlir::fuse {

/// What the page says of the program and of the machine that times were measured on; empty or
/// nothing where that is not known.
struct PictureOptions {
  std::string model; ///< name of the program
  std::string cpu;
  std::optional<int32_t> threads;
};

/// Launches that repeat, as the layers of a network do: `count` times `period` launches in a row,
/// the first of them `first`. Those of one round are alike those of any other.
struct Repeat {
  unsigned first, period, count;

  bool contains(unsigned launch) const {
    return launch >= first && launch < first + period * count;
  }
  unsigned getRound(unsigned launch) const { return (launch - first) / period; }
  /// The launch of the first round that a launch is like.
  unsigned getFirst(unsigned launch) const { return first + (launch - first) % period; }
};

/// Repeats that do not overlap, in the order of their launches. Where rounds may begin at several
/// launches, they begin where most of a round is of one layer of the model.
std::vector<Repeat> findRepeats(const FunctionReport &report);

/// One view of a function, placed: its boxes, what they hold, and the lines.
struct PictureView {
  struct Box {
    Point center;
    double width = 0, height = 0;
  };
  struct Line {
    unsigned from = 0, to = 0; ///< boxes
    SmallVector<unsigned, 1> values;
    std::vector<Point> curve;
    std::string text; ///< shape and bytes
    Label label;
  };
  /// A value that is read here and computed too far away for a line.
  struct Tag {
    unsigned from = 0, to = 0; ///< boxes
    SmallVector<unsigned, 1> values;
    Box place;
    std::string text;
    bool isCarried = false; ///< from the round before
  };
  /// A line of text in a box.
  struct Text {
    enum class Role { Label, Layer, Ops };
    unsigned box = 0;
    Role role = Role::Ops;
    std::string text;
    Point at; ///< where it begins, on its base line
  };
  /// Launches that repeat, as they are in one round.
  struct Frame {
    Box place;
    Repeat repeat;
    std::string title;
  };
  double width = 0, height = 0;
  std::vector<Box> boxes;   ///< nodes before, boxes of FunctionGraph else; none: width 0
  std::vector<Box> members; ///< after only
  std::vector<Line> lines;
  std::vector<Tag> tags;
  std::vector<Text> texts;
  std::vector<Frame> frames;                   ///< in the overview only
  std::vector<std::vector<Point>> innerCurves; ///< after only
};

/// The ops as written.
PictureView layoutBefore(const FunctionGraph &graph);
/// Launches as boxes around their ops; arguments and results beside them.
PictureView layoutAfter(const FunctionGraph &graph, const FunctionReport &report);
/// The same with a list of ops in each box, and one round of what repeats; the rest has no boxes.
PictureView layoutOverview(const FunctionGraph &graph, const FunctionReport &report);

/// A page of HTML that needs nothing else, not even a network. `graphs`: of the report's functions,
/// in its order. Text of the program is data there, never markup or script.
std::string makePicture(ArrayRef<FunctionGraph> graphs, const Report &report,
                        const PictureOptions &options = {});

/// The overview of the first function alone as an SVG, which needs no script; empty without functions.
std::string makeSvg(ArrayRef<FunctionGraph> graphs, const Report &report);

} // namespace mlir::fuse

#endif // FUSE_REPORT_PICTURE_H
