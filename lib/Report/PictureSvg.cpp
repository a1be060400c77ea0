//===- PictureSvg.cpp - The overview of a report as one SVG -----------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What the page of makePicture shows first, for places that show pictures and no pages. Colors and
// sizes are those of lib/Report/page.
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Report/Picture.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::fuse;

static StringRef getColor(StringRef label) {
  return llvm::StringSwitch<StringRef>(label)
      .Case("conv-bn-relu", "#0072b2")
      .Case("matmul-add-activation", "#e69f00")
      .Case("elementwise-chain", "#009e73")
      .Case("attention", "#cc79a7")
      .Case("layernorm-linear", "#56b4e9")
      .Case("row-reduction", "#f0e442")
      .Case("contraction", "#d55e00")
      .Case("conv-bn-relu-pool", "#56a0d3")
      .Case("bottleneck", "#004d7a")
      .Case("attention-projection", "#9a5080")
      .Case("copy", "#8c96a5")
      .Case("host", "#5b4b8a")
      .Default("#b9c0cb");
}

/// Whether a color is so dark that text on it is white.
static bool isDark(StringRef color) {
  unsigned red = 0, green = 0, blue = 0;
  if (color.substr(1, 2).getAsInteger(16, red) || color.substr(3, 2).getAsInteger(16, green) ||
      color.substr(5, 2).getAsInteger(16, blue))
    return false;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 140;
}

static constexpr StringLiteral kStyle = R"(
  text { font: 12px system-ui, sans-serif; fill: #161b24; }
  .box { fill: #ffffff; stroke: #8a93a3; }
  .node { fill: #eef1f6; stroke: #8a93a3; }
  .title { font-weight: 600; }
  .layer { fill: #5a6372; font-size: 11px; }
  .ops { font: 11px ui-monospace, monospace; }
  .edge { fill: none; stroke: #8a93a3; stroke-width: 1.4; }
  .type { font-size: 10px; fill: #5a6372; text-anchor: middle; }
  .label { font-size: 10px; fill: #5a6372; text-anchor: middle; paint-order: stroke; stroke: #ffffff; stroke-width: 4px; }
  .tag { fill: #eef1f6; stroke: #b9c0cb; }
  .middle { text-anchor: middle; }
  .repeat { fill: none; stroke: #8a93a3; stroke-dasharray: 6 4; }
)";

namespace {
class SvgWriter {
public:
  SvgWriter(const FunctionGraph &graph, const FunctionReport &report, llvm::raw_ostream &os)
      : graph(graph), report(report), os(os) {}

  void write(const PictureView &view);

private:
  void writeText(StringRef style, double x, double y, StringRef text) {
    os << "<text class=\"" << style << "\" x=\"" << format(x) << "\" y=\"" << format(y) << "\">";
    // Names in models may be any bytes.
    std::string valid = llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text);
    llvm::erase_if(valid, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
    llvm::printHTMLEscaped(valid, os);
    os << "</text>\n";
  }
  void writeRect(StringRef style, const PictureView::Box &box, double radius) {
    os << "<rect class=\"" << style << "\" x=\"" << format(left(box)) << "\" y=\""
       << format(top(box)) << "\" width=\"" << format(box.width) << "\" height=\""
       << format(box.height) << "\" rx=\"" << format(radius) << "\"/>\n";
  }
  void writeLine(const PictureView::Line &line);
  void writeKernel(const PictureView::Box &box, const KernelReport &kernel);
  void writeNode(const PictureView::Box &box, const GraphNode &node);

  static double left(const PictureView::Box &box) { return box.center.x - box.width / 2; }
  static double top(const PictureView::Box &box) { return box.center.y - box.height / 2; }
  static std::string format(double value) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format("%.0f", value);
    return text;
  }

  const FunctionGraph &graph;
  const FunctionReport &report;
  llvm::raw_ostream &os;
};
} // namespace

void SvgWriter::writeLine(const PictureView::Line &line) {
  if (line.curve.size() < 4)
    return;
  os << "<path class=\"edge\" marker-end=\"url(#arrow)\" d=\"M" << format(line.curve[0].x) << ","
     << format(line.curve[0].y);
  for (size_t i = 1; i + 2 < line.curve.size(); i += 3) {
    os << "C";
    for (size_t k = i; k < i + 3; ++k)
      os << (k > i ? " " : "") << format(line.curve[k].x) << "," << format(line.curve[k].y);
  }
  os << "\"/>\n";
  if (line.label.isPlaced)
    writeText("label", line.label.center.x, line.label.center.y + 3, line.text);
}

void SvgWriter::writeKernel(const PictureView::Box &box, const KernelReport &kernel) {
  constexpr double kHead = 26, kRadius = 9;
  StringRef color = getColor(kernel.label);
  writeRect("box", box, kRadius);
  double x = left(box), y = top(box);
  os << "<path fill=\"" << color << "\" d=\"M" << format(x) << "," << format(y + kHead) << "v-"
     << format(kHead - kRadius) << "q0,-9 9,-9h" << format(box.width - 2 * kRadius) << "q9,0 9,9v"
     << format(kHead - kRadius) << "z\"/>\n";
  writeText(isDark(color) ? "title inverse" : "title", x + 11, y + 18,
            (kernel.label == "host" ? "host " : "kernel ") + std::to_string(kernel.id));
}

void SvgWriter::writeNode(const PictureView::Box &box, const GraphNode &node) {
  bool isValue = node.kind == GraphNode::Kind::Input || node.kind == GraphNode::Kind::Output;
  writeRect("node", box, isValue ? box.height / 2 : 7);
  writeText("middle", box.center.x, box.center.y + (node.type.empty() ? 4 : -2), node.text);
  if (!node.type.empty())
    writeText("type", box.center.x, box.center.y + 12, node.type);
}

void SvgWriter::write(const PictureView &view) {
  constexpr double kMargin = 8; // of lines at the border
  double width = view.width + 2 * kMargin, height = view.height + 2 * kMargin;
  os << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"" << format(-kMargin) << " "
     << format(-kMargin) << " " << format(width) << " " << format(height) << "\" width=\""
     << format(width) << "\" height=\"" << format(height)
     << "\" style=\"max-width:100%;height:auto;background:#ffffff\">\n"
     << "<style>" << kStyle << "  .inverse { fill: #ffffff; }\n</style>\n"
     << "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" "
        "markerHeight=\"7\" orient=\"auto\"><path d=\"M0,0L8,4L0,8z\" "
        "fill=\"#8a93a3\"/></marker></defs>\n<title>";
  llvm::printHTMLEscaped(report.getSummary(), os);
  os << "</title>\n";
  for (const PictureView::Frame &frame : view.frames) {
    writeRect("repeat", frame.place, 14);
    writeText("title", left(frame.place) + 14, top(frame.place) + 24, frame.title);
  }
  for (const PictureView::Line &line : view.lines)
    writeLine(line);
  for (auto [index, box] : llvm::enumerate(view.boxes)) {
    if (box.width == 0)
      continue;
    if (index < report.kernels.size())
      writeKernel(box, report.kernels[index]);
    else
      writeNode(box, graph.nodes[index - graph.launches.size()]);
  }
  for (const PictureView::Text &text : view.texts) {
    static constexpr StringLiteral styles[] = {"title", "layer", "ops"};
    writeText(styles[static_cast<int>(text.role)], text.at.x, text.at.y, text.text);
  }
  for (const PictureView::Tag &tag : view.tags) {
    writeRect("tag", tag.place, tag.place.height / 2);
    writeText("middle", tag.place.center.x, tag.place.center.y + 4, tag.text);
  }
  os << "</svg>\n";
}

std::string mlir::fuse::makeSvg(ArrayRef<FunctionGraph> graphs, const Report &report) {
  std::string text;
  if (graphs.empty() || report.functions.empty())
    return text;
  llvm::raw_string_ostream os(text);
  const FunctionGraph &graph = graphs.front();
  const FunctionReport &function = report.functions.front();
  SvgWriter(graph, function, os).write(layoutOverview(graph, function));
  return text;
}
