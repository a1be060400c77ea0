//===- PictureBoxes.h - Boxes, tags and frames of a view --------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_REPORT_PICTUREBOXES_H
#define FUSE_LIB_REPORT_PICTUREBOXES_H

#include "fuse/Report/Picture.h"

namespace mlir::fuse {

/// A box of a view before it is placed. Lengths are in pixels, from its left upper corner.
struct BoxContent {
  double width = 0, height = 0; ///< without tags; no width: no box
  double tagTop = 0;            ///< where tags go; what is below moves down
  std::vector<PictureView::Text> texts;
};

/// A value, or several, that one box computes and another reads.
struct BoxEdge {
  unsigned from = 0, to = 0;
  SmallVector<unsigned, 1> values;
  bool isCarried = false; ///< from the round before, within a repeat
};

/// What a view is made of.
struct ViewPlan {
  std::vector<BoxContent> boxes;
  std::vector<BoxEdge> edges;
  std::vector<std::string> names; ///< of boxes, as tags have them
  std::vector<Repeat> frames;
  std::vector<std::string> titles; ///< of frames
  double layerGap = 46;
};

/// Places boxes in columns, near ones joined by lines, far ones by tags.
PictureView placeBoxes(const FunctionGraph &graph, const ViewPlan &plan);

} // namespace mlir::fuse

#endif // FUSE_LIB_REPORT_PICTUREBOXES_H
