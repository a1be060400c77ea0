//===- PictureBoxes.cpp - Boxes, tags and frames of a view ------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "PictureBoxes.h"
#include "Text.h"
#include "fuse/Support/Saturating.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::fuse;

// Pixels; page/style.css has the fonts that go with them.
static constexpr double kLabelWidth = 7.2, kLabelHeight = 14;
static constexpr double kTagWidth = 7.2, kTagHeight = 16, kTagGap = 4, kTagPadding = 7;
static constexpr double kSide = 10;
static constexpr double kFrameHeader = 26, kFramePadding = 14, kFrameTitleWidth = 7.9;
/// About that of a screen without the panel.
static constexpr double kAspect = 1.35;
/// Edges over more layers, and values that more boxes read, are tags.
static constexpr unsigned kMaxBoxSpan = 2, kMaxReaders = 3;

/// "1x64xf32 · 16.0 KB", or how many values there are and what they take together.
static std::string describeValues(const FunctionGraph &graph, ArrayRef<unsigned> values) {
  int64_t total = 0;
  bool isKnown = true;
  for (unsigned value : values) {
    isKnown &= graph.values[value].bytes.has_value();
    total = addSaturating(total, graph.values[value].bytes.value_or(0));
  }
  std::string text = values.size() == 1 ? shortenText(graph.values[values.front()].type, 28)
                                        : std::to_string(values.size()) + " values";
  return isKnown ? text + " \xC2\xB7 " + formatBytes(total) : text;
}

namespace {
class BoxPlacer {
public:
  BoxPlacer(const FunctionGraph &graph, const ViewPlan &plan)
      : graph(graph), plan(plan), tags(plan.boxes.size()), shifts(plan.boxes.size(), 0) {
    llvm::DenseMap<unsigned, llvm::SmallDenseSet<unsigned>> readers;
    for (const BoxEdge &edge : plan.edges)
      for (unsigned value : edge.values)
        readers[value].insert(edge.to);
    for (auto &[value, boxes] : readers)
      numReaders[value] = boxes.size();
    view.boxes.resize(plan.boxes.size());
    for (auto [i, box] : llvm::enumerate(plan.boxes)) {
      view.boxes[i].width = box.width;
      view.boxes[i].height = box.height;
    }
  }

  PictureView place() {
    // Frames first, for what they hold makes their size. An item is a box or a frame.
    std::vector<Item> items;
    std::vector<unsigned> itemOf(plan.boxes.size());
    for (auto [i, box] : llvm::enumerate(plan.boxes))
      if (box.width > 0 && getFrame(i) < 0) {
        itemOf[i] = items.size();
        items.push_back({static_cast<int>(i), -1});
      }
    std::vector<Level> inside;
    for (auto [i, frame] : llvm::enumerate(plan.frames)) {
      Level &level = inside.emplace_back();
      std::vector<unsigned> numbers(plan.boxes.size());
      for (unsigned k = 0; k < frame.period; ++k) {
        numbers[frame.first + k] = k;
        itemOf[frame.first + k] = items.size();
        level.items.push_back({static_cast<int>(frame.first + k), -1});
      }
      items.push_back({-1, static_cast<int>(i)});
      for (const BoxEdge &edge : plan.edges) {
        bool reads = getFrame(edge.to) == static_cast<int>(i);
        if (reads && getFrame(edge.from) == static_cast<int>(i) && !edge.isCarried)
          level.add(edge, numbers[edge.from], numbers[edge.to]);
        else if (reads)
          tags[edge.to].push_back(&edge);
      }
      layOut(level);
      double title = kFrameTitleWidth * countColumns(plan.titles[i]);
      double width = std::max(level.layout.width, title) + 2 * kFramePadding;
      view.frames.push_back({{{}, width, level.layout.height + kFrameHeader + 2 * kFramePadding},
                             frame,
                             plan.titles[i]});
    }
    Level level;
    level.items = std::move(items);
    for (const BoxEdge &edge : plan.edges)
      if (unsigned from = itemOf[edge.from], to = itemOf[edge.to];
          !edge.isCarried && (from != to || getFrame(edge.from) < 0))
        level.add(edge, from, to);
    layOut(level);
    move(level, {0, 0});
    for (auto [frame, own] : llvm::zip_equal(view.frames, inside)) {
      double left = frame.place.center.x - own.layout.width / 2;
      double top = frame.place.center.y - frame.place.height / 2 + kFrameHeader + kFramePadding;
      move(own, {left, top});
    }
    view.width = level.layout.width;
    view.height = level.layout.height;
    placeTexts();
    return std::move(view);
  }

private:
  struct Item {
    int box, frame; ///< one of them is negative
  };
  /// Items that are placed together, and the lines between them.
  struct Level {
    std::vector<Item> items;
    llvm::MapVector<std::pair<unsigned, unsigned>, SmallVector<const BoxEdge *, 2>> edges;
    LayoutGraph graph;
    ColumnPlan plan;
    Layout layout;

    void add(const BoxEdge &edge, unsigned from, unsigned to) {
      edges[{from, to}].push_back(&edge);
    }
  };

  int getFrame(unsigned box) const {
    for (auto [i, frame] : llvm::enumerate(plan.frames))
      if (frame.contains(box))
        return i;
    return -1;
  }

  bool isReadByMany(const BoxEdge &edge) const {
    return llvm::all_of(edge.values,
                        [&](unsigned value) { return numReaders.lookup(value) > kMaxReaders; });
  }

  PictureView::Box &getPlace(const Item &item) {
    return item.box >= 0 ? view.boxes[item.box] : view.frames[item.frame].place;
  }

  void layOut(Level &level) {
    for (const Item &item : level.items)
      level.graph.nodes.push_back({getPlace(item).width, getPlace(item).height});
    level.graph.nodeGap = 26;
    level.graph.layerGap = plan.layerGap;
    std::vector<bool> isLeftOut;
    for (auto &[ends, edges] : level.edges) {
      level.graph.edges.push_back({ends.first, ends.second});
      isLeftOut.push_back(llvm::all_of(edges, [&](auto *edge) { return isReadByMany(*edge); }));
    }
    level.plan = planColumns(level.graph, isLeftOut, kMaxBoxSpan, kAspect);
    for (auto [i, entry] : llvm::enumerate(level.edges))
      for (const BoxEdge *edge : entry.second)
        // What is read in a frame has its tags already.
        if (!level.plan.isDrawn[i] && level.items[entry.first.second].box >= 0)
          tags[edge->to].push_back(edge);
    for (auto [item, node] : llvm::zip_equal(level.items, level.graph.nodes))
      if (item.box >= 0)
        node = addTags(item.box);
    level.layout = layoutColumns(level.graph, level.plan);
  }

  std::string getTagText(const BoxEdge &edge) const {
    return (edge.isCarried ? "\xE2\x86\xBB " : "\xE2\x86\x90 ") +
           shortenText(plan.names[edge.from], kMaxTextColumns);
  }

  /// Puts the tags of a box into rows; their places are as of a box at the origin. The box's size
  /// then.
  LayoutGraph::Node addTags(unsigned box) {
    PictureView::Box &place = view.boxes[box];
    if (tags[box].empty())
      return {place.width, place.height};
    // One tag for all values of a producer.
    llvm::MapVector<std::pair<unsigned, unsigned>, PictureView::Tag> byProducer;
    for (const BoxEdge *edge : tags[box]) {
      PictureView::Tag &tag = byProducer[{edge->from, edge->isCarried}];
      tag.from = edge->from;
      tag.to = box;
      tag.isCarried = edge->isCarried;
      tag.text = getTagText(*edge);
      tag.place.width = kTagWidth * countColumns(tag.text) + 2 * kTagPadding;
      tag.place.height = kTagHeight;
      llvm::append_range(tag.values, edge->values);
      place.width = std::max(place.width, tag.place.width + 2 * kSide);
    }
    double x = kSide, y = plan.boxes[box].tagTop + kTagGap / 2;
    for (auto &[producer, tag] : byProducer) {
      if (x > kSide && x + tag.place.width > place.width - kSide) {
        x = kSide;
        y += kTagHeight + kTagGap;
      }
      tag.place.center = {x + tag.place.width / 2, y + kTagHeight / 2};
      x += tag.place.width + kTagGap;
      view.tags.push_back(tag);
    }
    shifts[box] = y + kTagHeight + kTagGap - plan.boxes[box].tagTop;
    place.height += shifts[box];
    return {place.width, place.height};
  }

  /// Gives what is on a level its places, and its lines with their labels.
  void move(const Level &level, Point origin) {
    auto add = [&](Point point) { return Point{point.x + origin.x, point.y + origin.y}; };
    for (auto [item, center] : llvm::zip_equal(level.items, level.layout.centers))
      getPlace(item).center = add(center);
    std::vector<PictureView::Line> lines;
    std::vector<LayoutGraph::Node> sizes;
    for (auto [i, entry] : llvm::enumerate(level.edges)) {
      PictureView::Line &line = lines.emplace_back();
      line.from = entry.second.front()->from;
      line.to = entry.second.front()->to;
      llvm::SmallSetVector<unsigned, 4> values;
      for (const BoxEdge *edge : entry.second)
        values.insert_range(edge->values);
      line.values.assign(values.begin(), values.end());
      line.text = describeValues(graph, line.values);
      sizes.push_back(
          {level.plan.isDrawn[i] ? kLabelWidth * countColumns(line.text) + 4 : 0, kLabelHeight});
    }
    std::vector<Label> labels = placeLabels(level.graph, level.layout, sizes);
    for (size_t i = 0; i < lines.size(); ++i) {
      if (!level.plan.isDrawn[i])
        continue;
      for (Point point : level.layout.curves[i])
        lines[i].curve.push_back(add(point));
      lines[i].label = labels[i];
      lines[i].label.center = add(labels[i].center);
      view.lines.push_back(std::move(lines[i]));
    }
  }

  void placeTexts() {
    auto getCorner = [&](unsigned box) {
      const PictureView::Box &place = view.boxes[box];
      return Point{place.center.x - place.width / 2, place.center.y - place.height / 2};
    };
    for (PictureView::Tag &tag : view.tags) {
      Point corner = getCorner(tag.to);
      tag.place.center = {tag.place.center.x + corner.x, tag.place.center.y + corner.y};
    }
    for (auto [box, content] : llvm::enumerate(plan.boxes))
      for (PictureView::Text text : content.texts) {
        Point corner = getCorner(box);
        double shift = text.at.y > content.tagTop ? shifts[box] : 0;
        text.box = box;
        text.at = {corner.x + text.at.x, corner.y + text.at.y + shift};
        view.texts.push_back(std::move(text));
      }
  }

  const FunctionGraph &graph;
  const ViewPlan &plan;
  PictureView view;
  llvm::DenseMap<unsigned, unsigned> numReaders;  // of values
  std::vector<std::vector<const BoxEdge *>> tags; // of boxes
  std::vector<double> shifts; // how far what is in each box moves down for its tags
};
} // namespace

PictureView mlir::fuse::placeBoxes(const FunctionGraph &graph, const ViewPlan &plan) {
  return BoxPlacer(graph, plan).place();
}
