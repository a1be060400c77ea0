//===- Module.cpp - The module fuse._core --------------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Errors.h"
#include "Program.h"

#include <nanobind/stl/string.h>

#include <deque>
#include <memory>
#include <vector>

namespace nb = nanobind;
using namespace fuse_python;

namespace {
/// fuse_options that end with a call.
class Options {
public:
  explicit Options(const Library &library) : library(library), options(library.fuse_options_create()) {
    if (!options)
      throw std::bad_alloc();
  }
  ~Options() { library.fuse_options_destroy(options); }

  void set(const char *name, const char *value) {
    char error[1024] = "";
    if (library.fuse_options_set(options, name, value, error, sizeof error))
      throwError(error);
  }
  fuse_options *get() const { return options; }

private:
  const Library &library;
  fuse_options *options;
};

/// Arrays with their names, in memory that stays as they are.
class NamedArrays {
public:
  NamedArrays(nb::dict arrays, const char *what) {
    for (auto [name, array] : arrays) {
      names.push_back(nb::cast<std::string>(name));
      arguments.emplace_back();
      arguments.back().readAny(array, std::string(what) + " '" + names.back() + "'");
      buffers.push_back({names.back().c_str(), arguments.back().getBuffer()});
    }
  }
  const fuse_named_buffer *data() const { return buffers.data(); }
  int64_t size() const { return static_cast<int64_t>(buffers.size()); }

private:
  std::deque<std::string> names;
  std::deque<Argument> arguments;
  std::vector<fuse_named_buffer> buffers;
};

/// What a compilation reads and a program goes on to use.
struct Kept {
  Kept(nb::object source, nb::dict weights, nb::dict inputs)
      : source(std::move(source)), weights(weights, "weight"), inputs(inputs, "input") {}

  nb::object source;
  NamedArrays weights, inputs;
};

/// A callback of Python's for progress. What it raises ends the calls to it, and is raised in the end.
struct Progress {
  nb::object callback;
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;

  static void report(double part, const char *stage, void *data) {
    auto &progress = *static_cast<Progress *>(data);
    nb::gil_scoped_acquire locked;
    if (progress.type)
      return;
    PyObject *result = PyObject_CallFunction(progress.callback.ptr(), "ds", part, stage);
    if (result)
      Py_DECREF(result);
    else
      PyErr_Fetch(&progress.type, &progress.value, &progress.trace);
  }
};
} // namespace

static Program *compile(nb::object source, nb::object format, nb::object name, nb::dict weights, nb::dict inputs,
                        nb::object options, nb::object progress, int threads) {
  const Library &library = getCompiler();
  Options set(library);
  for (nb::handle each : options) {
    nb::object key = each[0], value = each[1];
    std::string text = value.is_none() ? "" : nb::cast<std::string>(nb::str(value));
    set.set(nb::cast<std::string>(key).c_str(), value.is_none() ? nullptr : text.c_str());
  }
  Progress reporter{progress};
  if (!progress.is_none())
    library.fuse_options_set_progress(set.get(), Progress::report, &reporter);

  auto kept = std::make_unique<Kept>(source, weights, inputs);
  fuse_source given = {};
  given.struct_bytes = sizeof given;
  std::string path, formatText;
  if (nb::isinstance<nb::bytes>(source)) {
    given.data = PyBytes_AS_STRING(source.ptr());
    given.bytes = PyBytes_GET_SIZE(source.ptr());
    if (!name.is_none())
      path = nb::cast<std::string>(name);
  } else {
    path = nb::cast<std::string>(source);
  }
  given.path = path.empty() ? nullptr : path.c_str();
  if (!format.is_none()) {
    formatText = nb::cast<std::string>(format);
    given.format = formatText.c_str();
  }
  given.weights = kept->weights.data();
  given.num_weights = kept->weights.size();
  given.inputs = kept->inputs.data();
  given.num_inputs = kept->inputs.size();

  fuse_compilation *compilation = nullptr;
  int32_t status;
  {
    nb::gil_scoped_release unlocked;
    status = library.fuse_compile(&given, set.get(), &compilation);
  }
  if (!compilation)
    throw std::bad_alloc();
  if (reporter.type) {
    library.fuse_compilation_destroy(compilation);
    PyErr_Restore(reporter.type, reporter.value, reporter.trace);
    throw nb::python_error();
  }
  if (status) {
    std::string text = library.fuse_compilation_text(compilation, FUSE_TEXT_MESSAGES);
    std::string messages = library.fuse_compilation_text(compilation, FUSE_TEXT_MESSAGES_JSON);
    library.fuse_compilation_destroy(compilation);
    while (!text.empty() && text.back() == '\n')
      text.pop_back();
    throwError(text, messages);
  }
  fuse_program *program = library.fuse_compilation_program(compilation);
  library.fuse_program_retain(program);
  nb::object holder = nb::capsule(kept.release(), [](void *data) noexcept { delete static_cast<Kept *>(data); });
  return new Program(library, program, compilation, threads, holder);
}

static Program *load(const std::string &path, nb::object weights, int threads) {
  const Library &library = getRuntime();
  char error[2048] = "";
  fuse_program *program = nullptr;
  std::string file = weights.is_none() ? "" : nb::cast<std::string>(weights);
  int32_t status;
  {
    nb::gil_scoped_release unlocked;
    status = library.fuse_program_load(path.c_str(), file.empty() ? nullptr : file.c_str(), &program, error,
                                       sizeof error);
  }
  if (status)
    throwError(error);
  return new Program(library, program, nullptr, threads, nb::none());
}

NB_MODULE(_core, module) {
  // Caches of others (Dynamo's, at code objects) hold programs until the process ends.
  nb::set_leak_warnings(false);
  module.doc() = "Compiling and calling programs; the package fuse has the interface for people.";
  importNumPy();
  addErrorType(module);
  nb::class_<Program>(module, "Program", nb::dynamic_attr(),
                      "Compiled code with its weights. Any number of threads may call it.")
      .def("__call__", &Program::call)
      .def("run", &Program::run, nb::arg("names").none(), nb::arg("feeds"))
      .def("_record", &Program::record)
      .def("_text", &Program::getText)
      .def("_save", &Program::save)
      .def_prop_ro("_inputs", &Program::describeInputs)
      .def_prop_ro("_outputs", &Program::describeOutputs)
      .def_prop_ro("_report", &Program::getReport)
      .def_prop_ro("_is_compiled", &Program::isCompiled)
      .def_prop_ro("version", &Program::getVersion)
      .def_prop_ro("cpus", &Program::getCpus)
      .def_prop_ro("cpu", &Program::getCpu)
      .def_prop_ro("threads", &Program::getThreads);
  module.def("set_paths", &setPaths, nb::arg("runtime"), nb::arg("compiler"), nb::arg("openmp"));
  module.def("set_converter", &setConverter);
  module.def("compile", &compile, nb::arg("source"), nb::arg("format").none() = nb::none(), nb::kw_only(),
             nb::arg("name").none() = nb::none(), nb::arg("weights") = nb::dict(), nb::arg("inputs") = nb::dict(),
             nb::arg("options") = nb::tuple(), nb::arg("progress").none() = nb::none(), nb::arg("threads") = 0);
  module.def("load", &load, nb::arg("path"), nb::arg("weights").none() = nb::none(), nb::arg("threads") = 0);
  module.def("stablehlo_ops", [] { return std::string(getCompiler().fuse_stablehlo_ops()); });
  module.def("torch_ops", [] { return std::string(getCompiler().fuse_torch_ops()); });
  module.def("options_help", [] { return std::string(getCompiler().fuse_options_help()); });
  module.def("compiler_version", [] { return std::string(getCompiler().fuse_version()); });
}
