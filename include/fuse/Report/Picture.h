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

struct PictureOptions {
  /// The program that lays out; empty for our own layout.
  std::string dot = "dot";
  /// How long it may take, for each of the two views of a function. Our own takes its place then.
  double secondsPerView = 8;
};

/// One view of a function, placed: its boxes, what they hold, and the lines.
struct PictureView {
  struct Box {
    Point center;
    double width = 0, height = 0;
  };
  struct Line {
    std::vector<Point> curve;
    std::string text; ///< shape and bytes
    Label label;
  };
  std::string engine; ///< who laid it out, and why not Graphviz where it was not
  double width = 0, height = 0;
  std::vector<Box> boxes;   ///< nodes before, boxes of FunctionGraph after; none: width 0
  std::vector<Box> members; ///< after only
  std::vector<Line> lines;  ///< edges before, boxEdges after
  std::vector<std::vector<Point>> innerCurves; ///< after only
};

/// The ops as written.
PictureView layoutBefore(const FunctionGraph &graph, const PictureOptions &options);
/// Launches as boxes around their ops; arguments and results beside them.
PictureView layoutAfter(const FunctionGraph &graph, const FunctionReport &report,
                        const PictureOptions &options);

/// A page of HTML that needs nothing else, not even a network. `graphs`: of the report's functions,
/// in its order. Text of the program is data there, never markup or script.
std::string makePicture(ArrayRef<FunctionGraph> graphs, const Report &report,
                        const PictureOptions &options = {});

} // namespace mlir::fuse

#endif // FUSE_REPORT_PICTURE_H
