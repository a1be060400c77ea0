//===- Program.h - Programs that Python calls -----------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_PYTHON_PROGRAM_H
#define FUSE_PYTHON_PROGRAM_H

#include "Arrays.h"
#include "Library.h"

#include <nanobind/nanobind.h>

#include <mutex>
#include <string>
#include <vector>

namespace fuse_python {

class Program {
public:
  /// Takes over one reference to `program`, and `compilation`, which may be null. kept: what must
  /// stay as long.
  Program(const Library &library, fuse_program *program, fuse_compilation *compilation, int threads,
          nanobind::object kept);
  ~Program();
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  /// Runs it on the arrays, in order or by name. One output comes as itself, several as a tuple,
  /// none as None.
  nanobind::object call(nanobind::args args, nanobind::kwargs kwargs);
  /// As ONNX Runtime's InferenceSession has it: the outputs of these names, or all, as a list.
  nanobind::list run(nanobind::object names, nanobind::dict feeds);
  /// Runs it several times, and then gives what each run did: a list of (seconds, events), an event
  /// being (kind, name, kernel, begin, end, bytes), times in ns.
  nanobind::list record(nanobind::tuple args, int runs);

  /// (name, dtype, shape, flags, indices below) of each; an open dimension is its name, or None
  /// without one.
  nanobind::tuple describeInputs() const { return describe(inputs, true); }
  nanobind::tuple describeOutputs() const { return describe(outputs, false); }

  std::string getReport() const { return library.fuse_program_report(program); }
  std::string getVersion() const { return library.fuse_program_version(program); }
  std::string getCpus() const { return library.fuse_program_cpus(program); }
  std::string getCpu() const { return library.fuse_program_cpu(program); }
  int getThreads() const { return threads; }
  bool isCompiled() const { return compilation != nullptr; }
  /// See fuse_text. Raises fuse.Error for a program that was loaded.
  std::string getText(int what);
  void save(const std::string &path);

private:
  struct Run;
  /// A context that nobody uses, or a new one.
  fuse_program_context *acquire();
  void release(fuse_program_context *context);
  /// args: a tuple; kwargs: a dict, or null.
  void readArguments(nanobind::handle args, nanobind::handle kwargs, Run &run);
  void readArgument(size_t index, nanobind::handle array, Run &run);
  void checkComplete(const Run &run) const;
  /// Makes room for the outputs and runs.
  void execute(Run &run, fuse_program_context *context);
  /// An output as an array of the package that the inputs were of.
  nanobind::object takeOutput(size_t index, Run &run) const;
  [[noreturn]] void fail(fuse_program_context *context) const;
  int64_t findInput(nanobind::handle name) const;
  nanobind::tuple describe(const std::vector<fuse_bundle_value> &values, bool isInput) const;

  const Library &library;
  fuse_program *program;
  fuse_compilation *compilation;
  int threads;
  nanobind::object kept;
  std::vector<fuse_bundle_value> inputs, outputs;
  std::vector<nanobind::object> inputNames; // interned
  bool hasOpenOutputs = false;
  std::mutex mutex;
  std::vector<fuse_program_context *> idle;
};

/// Called with an output of NumPy and the first argument that came by DLPack; gives the output as
/// that package has arrays.
void setConverter(nanobind::object converter);

} // namespace fuse_python

#endif // FUSE_PYTHON_PROGRAM_H
