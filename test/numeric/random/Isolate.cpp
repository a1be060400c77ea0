//===- Isolate.cpp - Checks in processes of their own, and cutting failures down ----------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Isolate.h"

#include <chrono>
#include <csignal>
#include <cstring>
#include <deque>
#include <memory>
#include <poll.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::random;

/// Of its own time, and of all time, after which a process counts as hung: a machine may be busy.
static constexpr unsigned kSecondsPerTask = 60, kAllSecondsPerTask = 600;
static constexpr size_t kTasksPerProcess = 25;

/// A program that is compiled for several calls has longer.
static void limitTime(const Graph &graph) {
  itimerval limit = {};
  limit.it_value.tv_sec = static_cast<time_t>(kSecondsPerTask * graph.numCalls);
  setitimer(ITIMER_PROF, &limit, nullptr);
  alarm(static_cast<unsigned>(kAllSecondsPerTask * graph.numCalls));
}

static void send(int file, const Outcome &outcome) {
  std::string text = outcome.error;
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::string figures;
  for (int64_t figure :
       {outcome.kernelsBefore, outcome.kernelsAfter, outcome.outputs, outcome.reassociated, outcome.refused})
    figures += std::to_string(figure) + "\t";
  text = figures + text + "\n";
  for (size_t at = 0; at < text.size();) {
    ssize_t count = write(file, text.data() + at, text.size() - at);
    if (count <= 0)
      _exit(1);
    at += static_cast<size_t>(count);
  }
}

namespace {

/// A forked process that sends outcomes.
struct Child {
  pid_t process = -1;
  int file = -1;
  std::string received;
  size_t first = 0, end = 0; // tasks

  /// Calls `work` in a process of its own.
  explicit Child(const std::function<void(int)> &work);
  /// Whether there may be more to come.
  bool receive();
  /// What it sent, and how it died if it did.
  std::vector<Outcome> finish(std::string &death);
};

} // namespace

Child::Child(const std::function<void(int)> &work) {
  int files[2];
  if (pipe(files) != 0)
    llvm::report_fatal_error("cannot make a pipe");
  process = fork();
  if (process < 0)
    llvm::report_fatal_error("cannot fork");
  if (process == 0) {
    close(files[0]);
    work(files[1]);
    _exit(0);
  }
  close(files[1]);
  file = files[0];
}

bool Child::receive() {
  char buffer[65536];
  ssize_t count = read(file, buffer, sizeof buffer);
  if (count > 0)
    received.append(buffer, static_cast<size_t>(count));
  return count > 0;
}

std::vector<Outcome> Child::finish(std::string &death) {
  close(file);
  int status = 0;
  waitpid(process, &status, 0);
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGPROF))
    death = "hang: does not end";
  else if (WIFSIGNALED(status))
    death = std::string("crash: ") + strsignal(WTERMSIG(status));
  else if (WEXITSTATUS(status) != 0)
    death = "crash: exit with status " + std::to_string(WEXITSTATUS(status));
  std::vector<Outcome> outcomes;
  SmallVector<StringRef> lines;
  StringRef(received).split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    SmallVector<StringRef> words;
    line.split(words, '\t', 5);
    Outcome outcome;
    if (words.size() != 6 || words[0].getAsInteger(10, outcome.kernelsBefore) ||
        words[1].getAsInteger(10, outcome.kernelsAfter) ||
        words[2].getAsInteger(10, outcome.outputs) ||
        words[3].getAsInteger(10, outcome.reassociated) || words[4].getAsInteger(10, outcome.refused))
      continue;
    outcome.error = words[5].str();
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

void mlir::fuse::random::checkAll(MLIRContext &context, ArrayRef<Task> tasks,
                                  const std::function<Graph(const Task &)> &generate,
                                  const std::function<bool(size_t, const Outcome &)> &done,
                                  size_t processes) {
  // Ranges of tasks that wait; what a process leaves when it dies waits again.
  std::deque<std::pair<size_t, size_t>> waiting;
  for (size_t next = 0; next < tasks.size(); next += kTasksPerProcess)
    waiting.push_back({next, std::min(tasks.size(), next + kTasksPerProcess)});
  std::vector<std::unique_ptr<Child>> running;
  bool goesOn = true;
  while ((goesOn && !waiting.empty()) || !running.empty()) {
    while (goesOn && !waiting.empty() && running.size() < processes) {
      auto [first, end] = waiting.front();
      waiting.pop_front();
      running.push_back(std::make_unique<Child>([&, first = first, end = end](int file) {
        for (size_t i = first; i < end; ++i) {
          Graph graph = generate(tasks[i]);
          limitTime(graph);
          send(file, check(context, graph, tasks[i].depth, *tasks[i].backend));
        }
      }));
      running.back()->first = first;
      running.back()->end = end;
    }
    std::vector<pollfd> files;
    for (auto &child : running)
      files.push_back({child->file, POLLIN, 0});
    if (poll(files.data(), files.size(), -1) < 0)
      continue;
    for (auto [child, file] : llvm::zip_equal(running, files)) {
      if (!file.revents || child->receive())
        continue;
      std::string death;
      std::vector<Outcome> outcomes = child->finish(death);
      size_t next = child->first, end = child->end;
      if (!death.empty() && outcomes.size() < end - next) {
        outcomes.emplace_back();
        outcomes.back().error = death;
      }
      if (outcomes.empty())
        llvm::report_fatal_error("a process gave no outcome");
      for (const Outcome &outcome : outcomes)
        if (goesOn)
          goesOn = done(next++, outcome);
      if (next < end)
        waiting.push_front({next, end});
      child.reset();
    }
    llvm::erase_if(running, [](auto &child) { return !child; });
  }
}

static Outcome checkForked(MLIRContext &context, const Graph &graph, const Task &task) {
  Child child([&](int file) {
    limitTime(graph);
    send(file, check(context, graph, task.depth, *task.backend));
  });
  while (child.receive()) {
  }
  std::string death;
  std::vector<Outcome> outcomes = child.finish(death);
  if (!outcomes.empty())
    return outcomes.front();
  Outcome outcome;
  outcome.error = death;
  return outcome;
}

/// `graph` without the nodes [from, to): ops become arguments, effects go.
static Graph cut(Graph graph, size_t from, size_t to) {
  for (size_t i = from; i < to; ++i) {
    Node &node = graph.nodes[i];
    if (node.kind == Node::Effect)
      node.isAlive = false;
    else if (!StringRef(node.text).starts_with("arith.constant") && node.kind == Node::Op) {
      node.kind = Node::Argument;
      node.operands.clear();
    }
  }
  graph.removeDead();
  return graph;
}

Graph mlir::fuse::random::reduce(MLIRContext &context, const Graph &graph, const Outcome &outcome,
                                 const Task &task, int seconds) {
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  Graph best = graph;
  best.removeDead();
  auto tryOne = [&](Graph candidate) {
    if (std::chrono::steady_clock::now() > end)
      return false;
    Outcome now = checkForked(context, candidate, task);
    if (now.error.empty() || now.getPhase() != outcome.getPhase())
      return false;
    best = std::move(candidate);
    return true;
  };
  // One result alone, if that will do; else without this one or that.
  for (int result : SmallVector<int>(best.results)) {
    Graph candidate = best;
    candidate.results = {result};
    candidate.removeDead();
    if (tryOne(std::move(candidate)))
      break;
  }
  for (size_t i = best.results.size(); i-- > 0 && best.results.size() > 1;) {
    Graph candidate = best;
    candidate.results.erase(candidate.results.begin() + i);
    candidate.removeDead();
    tryOne(std::move(candidate));
  }
  for (size_t size = std::max<size_t>(best.nodes.size() / 2, 1); size > 0; size /= 2)
    for (size_t from = 0; from < best.nodes.size(); from += size) {
      Graph candidate = cut(best, from, std::min(from + size, best.nodes.size()));
      if (candidate.countOps() < best.countOps())
        tryOne(std::move(candidate));
    }
  return best;
}
