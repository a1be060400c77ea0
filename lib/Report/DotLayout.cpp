//===- DotLayout.cpp - A layout by Graphviz ---------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// dot is given sizes and edges, no names: nothing that a model says reaches its parser. Positions
// are read from what it draws, for its attributes have five digits only.
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Report/Layout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <csignal>
#include <thread>

using namespace mlir::fuse;
namespace json = llvm::json;
namespace sys = llvm::sys;

/// dot's unit is the point; ours is a pixel. They are taken as equal: only ratios count.
static constexpr double kPointsPerInch = 72;

static void writeDot(const LayoutGraph &graph, llvm::raw_ostream &os) {
  auto inches = [](double length) { return llvm::format("%.4f", length / kPointsPerInch); };
  // The limits keep the search for better positions short in large graphs.
  os << "digraph g {\n  graph [nodesep=" << inches(graph.nodeGap)
     << ", ranksep=" << inches(graph.layerGap);
  if (graph.nodes.size() > 400)
    os << ", nslimit=2, nslimit1=2, mclimit=0.3";
  os << "];\n  node [shape=box, fixedsize=true, label=\"\"];\n  edge [arrowhead=none];\n";
  for (auto [i, node] : llvm::enumerate(graph.nodes))
    os << "  " << i << " [width=" << inches(node.width) << ", height=" << inches(node.height)
       << "];\n";
  for (auto [i, edge] : llvm::enumerate(graph.edges))
    os << "  " << edge.from << " -> " << edge.to << " [id=" << i << "];\n";
  os << "}\n";
}

/// Runs dot from one file to another.
static llvm::Error runDot(llvm::StringRef program, llvm::StringRef input, llvm::StringRef output,
                          double seconds) {
  std::optional<llvm::StringRef> redirects[] = {input, output, llvm::StringRef()};
  bool failed = false;
  std::string message;
  sys::ProcessInfo started = sys::ExecuteNoWait(program, {program, "-Tjson"}, std::nullopt,
                                                redirects, 0, &message, &failed);
  if (failed)
    return llvm::createStringError("it could not be started: " + message);
  // Looking again and again, for a wait with a limit uses the process's alarm clock.
  auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (true) {
    sys::ProcessInfo ended = sys::Wait(started, 0, &message);
    if (ended.Pid != 0)
      return ended.ReturnCode == 0 ? llvm::Error::success() : llvm::createStringError("it failed");
    if (std::chrono::steady_clock::now() > end)
      break;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ::kill(started.Pid, SIGKILL);
  sys::Wait(started, std::nullopt);
  return llvm::createStringError(llvm::formatv("it took more than {0:F1} s", seconds).str());
}

/// The points of the first drawing operation that is one of `ops`; none where there is no such.
static std::vector<Point> readPoints(const json::Object &object, llvm::StringRef ops,
                                     double height) {
  std::vector<Point> points;
  const json::Array *draws = object.getArray("_draw_");
  if (!draws)
    return points;
  for (const json::Value &draw : *draws) {
    const json::Object *entry = draw.getAsObject();
    std::optional<llvm::StringRef> op = entry ? entry->getString("op") : std::nullopt;
    const json::Array *list = entry ? entry->getArray("points") : nullptr;
    if (!op || op->size() != 1 || !ops.contains(*op) || !list)
      continue;
    for (const json::Value &pair : *list)
      if (const json::Array *xy = pair.getAsArray(); xy && xy->size() == 2)
        points.push_back(
            {(*xy)[0].getAsNumber().value_or(0), height - (*xy)[1].getAsNumber().value_or(0)});
    break;
  }
  return points;
}

/// The number that an attribute spells.
static size_t readNumber(const json::Object &object, llvm::StringRef key) {
  size_t number = ~size_t(0);
  if (std::optional<llvm::StringRef> text = object.getString(key))
    if (text->getAsInteger(10, number))
      number = ~size_t(0);
  return number;
}

static llvm::Expected<Layout> readLayout(llvm::StringRef text, const LayoutGraph &graph) {
  llvm::Expected<json::Value> parsed = json::parse(text);
  if (!parsed)
    return parsed.takeError();
  Layout layout;
  layout.centers.resize(graph.nodes.size());
  layout.curves.resize(graph.edges.size());
  const json::Object *root = parsed->getAsObject();
  if (!root)
    return llvm::createStringError("expected an object");
  // The background is as large as all of it.
  for (Point corner : readPoints(*root, "pP", 0)) {
    layout.width = std::max(layout.width, corner.x);
    layout.height = std::max(layout.height, -corner.y);
  }
  size_t found = 0;
  if (const json::Array *objects = root->getArray("objects"))
    for (const json::Value &value : *objects) {
      const json::Object *object = value.getAsObject();
      std::vector<Point> corners =
          object ? readPoints(*object, "pP", layout.height) : std::vector<Point>();
      size_t node = object ? readNumber(*object, "name") : ~size_t(0);
      if (node >= graph.nodes.size() || corners.size() < 4)
        continue;
      layout.centers[node] = {(corners[0].x + corners[2].x) / 2, (corners[0].y + corners[2].y) / 2};
      ++found;
    }
  if (const json::Array *edges = root->getArray("edges"))
    for (const json::Value &value : *edges) {
      const json::Object *object = value.getAsObject();
      size_t edge = object ? readNumber(*object, "id") : ~size_t(0);
      if (edge >= graph.edges.size())
        continue;
      layout.curves[edge] = readPoints(*object, "bB", layout.height);
      found += layout.curves[edge].size() >= 4;
    }
  if (found != graph.nodes.size() + graph.edges.size())
    return llvm::createStringError("its output lacks some nodes or edges");
  return layout;
}

llvm::Expected<Layout> mlir::fuse::layoutWithDot(const LayoutGraph &graph,
                                                 const std::string &program, double seconds) {
  if (graph.nodes.empty())
    return Layout();
  llvm::ErrorOr<std::string> path = sys::findProgramByName(program);
  if (!path)
    return llvm::createStringError("it was not found");
  llvm::SmallString<128> input, output;
  if (sys::fs::createTemporaryFile("fuse-graph", "dot", input))
    return llvm::createStringError("no temporary file could be made");
  llvm::FileRemover removeInput(input);
  if (sys::fs::createTemporaryFile("fuse-graph", "json", output))
    return llvm::createStringError("no temporary file could be made");
  llvm::FileRemover removeOutput(output);
  {
    std::error_code error;
    llvm::raw_fd_ostream os(input, error);
    if (!error)
      writeDot(graph, os);
    os.close();
    if (error || os.has_error()) {
      os.clear_error();
      return llvm::createStringError("its input could not be written");
    }
  }
  if (llvm::Error error = runDot(*path, input, output, seconds))
    return error;
  auto text = llvm::MemoryBuffer::getFile(output);
  if (!text)
    return llvm::createStringError("its output could not be read");
  return readLayout((*text)->getBuffer(), graph);
}
