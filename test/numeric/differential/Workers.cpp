//===- Workers.cpp - Batches of cases in processes of their own --------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Workers.h"

#include "llvm/ADT/StringExtras.h"

#include <csignal>
#include <cstring>
#include <deque>
#include <memory>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::differential;

namespace {

/// What a process reports, one line each: WORD, the index in the batch, the run, and text.
class PipeObserver : public Observer {
public:
  explicit PipeObserver(int file) : os(file, /*shouldClose=*/false) {}

  void begin(size_t index, Run run) override { send("begin", index, run, ""); }
  void pass(size_t index, Run run, double worst) override {
    send("pass", index, run, std::to_string(worst));
  }
  void fail(size_t index, Run run, StringRef text) override { send("fail", index, run, text); }
  /// The last word: how compiling went.
  void end(StringRef error) { send("end", 0, {ValueSet::Ordinary, 0}, error); }

private:
  void send(const char *word, size_t index, Run run, StringRef text) {
    std::string line = text.str();
    std::replace(line.begin(), line.end(), '\n', ' ');
    os << word << "\t" << index << "\t" << run.getName() << "\t" << line << "\n";
    // A crash must not take with it what happened before.
    os.flush();
  }

  llvm::raw_fd_ostream os;
};

struct Worker {
  std::vector<size_t> batch;
  pid_t process = -1;
  int file = -1;
  std::string received;
  /// The run that has begun and not ended.
  std::optional<std::pair<size_t, Run>> current;
  bool hasEnded = false;
  std::string error; // of compiling
};

class Pool {
public:
  Pool(MLIRContext &context, ArrayRef<Case> cases, const WorkerOptions &options, Results &results)
      : context(context), cases(cases), options(options), results(results) {}

  void run(ArrayRef<size_t> selected);

private:
  void start(std::vector<size_t> batch);
  void receive(Worker &worker);
  void handle(Worker &worker, StringRef line);
  void finish(Worker &worker);
  void settle(Worker &worker, const std::string &error);

  MLIRContext &context;
  ArrayRef<Case> cases;
  const WorkerOptions &options;
  Results &results;
  std::deque<std::vector<size_t>> waiting;
  std::vector<std::unique_ptr<Worker>> running;
  size_t numDone = 0;
};

} // namespace

void Pool::start(std::vector<size_t> batch) {
  int files[2];
  if (pipe(files) != 0)
    llvm::report_fatal_error("cannot make a pipe");
  pid_t process = fork();
  if (process < 0)
    llvm::report_fatal_error("cannot fork");
  if (process == 0) {
    close(files[0]);
    alarm(options.secondsPerBatch);
    std::vector<const Case *> members;
    for (size_t index : batch)
      members.push_back(&cases[index]);
    PipeObserver observer(files[1]);
    observer.end(runCases(context, members, options.runner, observer));
    _exit(0);
  }
  close(files[1]);
  auto worker = std::make_unique<Worker>();
  worker->batch = std::move(batch);
  worker->process = process;
  worker->file = files[0];
  running.push_back(std::move(worker));
}

void Pool::handle(Worker &worker, StringRef line) {
  SmallVector<StringRef> words;
  line.split(words, '\t', 3);
  size_t index = 0;
  std::optional<Run> run = words.size() == 4 ? Run::parse(words[2]) : std::nullopt;
  if (!run || words[1].getAsInteger(10, index) || index >= worker.batch.size())
    return;
  if (words[0] == "begin") {
    worker.current = {index, *run};
    return;
  }
  worker.current.reset();
  if (words[0] == "end") {
    worker.hasEnded = true;
    worker.error = words[3].str();
    return;
  }
  double worst = 0;
  if (words[0] == "pass" && !words[3].getAsDouble(worst))
    results.pass(worker.batch[index], *run, worst);
  else
    results.fail(worker.batch[index], *run, words[3]);
}

void Pool::receive(Worker &worker) {
  char buffer[65536];
  ssize_t count = read(worker.file, buffer, sizeof buffer);
  if (count <= 0) {
    finish(worker);
    return;
  }
  worker.received.append(buffer, static_cast<size_t>(count));
  size_t from = 0;
  for (size_t to; (to = worker.received.find('\n', from)) != std::string::npos; from = to + 1)
    handle(worker, StringRef(worker.received).slice(from, to));
  worker.received.erase(0, from);
}

/// Compiling failed: the halves know more.
void Pool::settle(Worker &worker, const std::string &error) {
  std::vector<size_t> &batch = worker.batch;
  if (batch.size() == 1) {
    results.reject(batch.front(), error);
    ++numDone;
    return;
  }
  auto middle = batch.begin() + static_cast<ptrdiff_t>(batch.size() / 2);
  waiting.push_front(std::vector<size_t>(middle, batch.end()));
  waiting.push_front(std::vector<size_t>(batch.begin(), middle));
}

void Pool::finish(Worker &worker) {
  close(worker.file);
  worker.file = -1;
  int status = 0;
  waitpid(worker.process, &status, 0);
  if (worker.hasEnded) {
    if (worker.error.empty())
      numDone += worker.batch.size();
    else
      settle(worker, worker.error);
    return;
  }
  std::string how = WIFSIGNALED(status)
                        ? (WTERMSIG(status) == SIGALRM ? std::string("does not end")
                                                       : std::string("crash: ") +
                                                             strsignal(WTERMSIG(status)))
                        : "exit with status " + std::to_string(WEXITSTATUS(status));
  if (!worker.current) {
    settle(worker, "compiling: " + how);
    return;
  }
  auto [index, run] = *worker.current;
  results.fail(worker.batch[index], run, how);
  ++numDone;
  std::vector<size_t> rest;
  for (size_t i = index + 1; i < worker.batch.size(); ++i)
    rest.push_back(worker.batch[i]);
  numDone += index;
  if (!rest.empty())
    waiting.push_front(std::move(rest));
}

void Pool::run(ArrayRef<size_t> selected) {
  std::vector<size_t> batch;
  auto flush = [&] {
    if (!batch.empty())
      waiting.push_back(std::exchange(batch, {}));
  };
  for (size_t index : selected) {
    // What may be refused would take its batch with it.
    if (cases[index].mayRefuse) {
      waiting.push_back({index});
      continue;
    }
    batch.push_back(index);
    if (batch.size() == options.batchSize)
      flush();
  }
  flush();
  while (!waiting.empty() || !running.empty()) {
    while (!waiting.empty() && running.size() < options.processes) {
      std::vector<size_t> next = std::move(waiting.front());
      waiting.pop_front();
      start(std::move(next));
    }
    std::vector<pollfd> files;
    for (auto &worker : running)
      files.push_back({worker->file, POLLIN, 0});
    if (poll(files.data(), files.size(), -1) < 0)
      continue;
    for (auto [worker, file] : llvm::zip_equal(running, files))
      if (file.revents)
        receive(*worker);
    llvm::erase_if(running, [](auto &worker) { return worker->file < 0; });
    results.progress(numDone, selected.size());
  }
}

void differential::runInProcesses(MLIRContext &context, ArrayRef<Case> cases,
                                  ArrayRef<size_t> selected, const WorkerOptions &options,
                                  Results &results) {
  Pool(context, cases, options, results).run(selected);
}
