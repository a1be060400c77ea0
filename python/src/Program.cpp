//===- Program.cpp - Programs that Python calls
//-------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Program.h"

#include "Errors.h"

#include <nanobind/stl/string.h>

#include <chrono>
#include <memory>
#include <utility>

namespace nb = nanobind;
using namespace fuse_python;

static nb::object &getConverter() {
  static nb::object *converter = new nb::object(); // lives longer than the interpreter's modules
  return *converter;
}

void fuse_python::setConverter(nb::object converter) { getConverter() = std::move(converter); }

/// What one call has in hand. Few arguments take no memory of the heap.
struct Program::Run {
  static constexpr size_t kFew = 8;

  explicit Run(const Program &program)
      : numInputs(program.inputs.size()), numOutputs(program.outputs.size()) {
    if (numInputs > kFew) {
      moreArguments = std::make_unique<Argument[]>(numInputs);
      moreIns = std::make_unique<fuse_buffer[]>(numInputs);
      arguments = moreArguments.get();
      ins = moreIns.get();
    }
    if (numOutputs > kFew) {
      moreOuts = std::make_unique<fuse_buffer[]>(numOutputs);
      moreResults = std::make_unique<nb::object[]>(numOutputs);
      moreManaged = std::make_unique<void *[]>(numOutputs);
      outs = moreOuts.get();
      results = moreResults.get();
      managed = moreManaged.get();
    }
  }
  ~Run() {
    for (size_t i = 0; i < numOutputs; ++i)
      Exchange::release(managed[i]);
  }

  size_t numInputs, numOutputs;
  size_t given = 0; // how many inputs have been read
  Argument fewArguments[kFew];
  fuse_buffer fewIns[kFew] = {}, fewOuts[kFew] = {};
  nb::object fewResults[kFew];
  std::unique_ptr<Argument[]> moreArguments;
  std::unique_ptr<fuse_buffer[]> moreIns, moreOuts;
  std::unique_ptr<nb::object[]> moreResults;
  Argument *arguments = fewArguments;
  fuse_buffer *ins = fewIns, *outs = fewOuts;
  nb::object *results = fewResults;
  nb::handle foreign;                 // the first argument that is of another package than NumPy
  const Exchange *exchange = nullptr; // that package's
  void *fewManaged[kFew] = {};
  std::unique_ptr<void *[]> moreManaged;
  void **managed = fewManaged; // outputs in its memory
};

Program::Program(const Library &library, fuse_program *program, fuse_compilation *compilation,
                 int threads, nb::object kept)
    : library(library), program(program), compilation(compilation), threads(threads),
      kept(std::move(kept)) {
  for (int64_t i = 0; i < library.fuse_program_num_inputs(program); ++i) {
    inputs.push_back(*library.fuse_program_input(program, i));
    inputNames.push_back(nb::steal(PyUnicode_InternFromString(inputs.back().name)));
  }
  for (int64_t i = 0; i < library.fuse_program_num_outputs(program); ++i) {
    outputs.push_back(*library.fuse_program_output(program, i));
    for (int32_t d = 0; d < outputs.back().rank; ++d)
      hasOpenOutputs |= outputs.back().shape[d] < 0;
  }
}

Program::~Program() {
  for (fuse_program_context *context : idle)
    library.fuse_program_context_destroy(context);
  if (compilation)
    library.fuse_compilation_destroy(compilation);
  library.fuse_program_release(program);
}

fuse_program_context *Program::acquire() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!idle.empty()) {
      fuse_program_context *context = idle.back();
      idle.pop_back();
      return context;
    }
  }
  return makeContext(library, program, threads);
}

void Program::release(fuse_program_context *context) {
  std::lock_guard<std::mutex> lock(mutex);
  idle.push_back(context);
}

void Program::fail(fuse_program_context *context) const {
  throwError(library.fuse_program_error(context));
}

int64_t Program::findInput(nb::handle name) const {
  for (size_t i = 0; i < inputNames.size(); ++i)
    if (inputNames[i].is(name))
      return static_cast<int64_t>(i);
  for (size_t i = 0; i < inputNames.size(); ++i) {
    int equal = PyObject_RichCompareBool(inputNames[i].ptr(), name.ptr(), Py_EQ);
    if (equal < 0)
      nb::raise_python_error();
    if (equal)
      return static_cast<int64_t>(i);
  }
  std::string known;
  for (const fuse_bundle_value &value : inputs)
    known += (known.empty() ? "'" : ", '") + std::string(value.name) + "'";
  throwError("no input is named '" + nb::cast<std::string>(nb::str(name)) + "': expected " +
             (known.empty() ? "none" : known));
}

void Program::readArgument(size_t index, nb::handle array, Run &run) {
  Argument &argument = run.arguments[index];
  if (argument.getBuffer().sizes || argument.getBuffer().data)
    throwError("input '" + std::string(inputs[index].name) + "' is given twice");
  argument.read(array, inputs[index]);
  run.ins[index] = argument.getBuffer();
  if (!run.foreign && argument.isForeign()) {
    run.foreign = array;
    run.exchange = argument.getExchange();
  }
  ++run.given;
}

void Program::checkComplete(const Run &run) const {
  if (run.given == run.numInputs)
    return;
  for (size_t i = 0; i < run.numInputs; ++i)
    if (!run.ins[i].sizes && !run.ins[i].data)
      throwError("input '" + std::string(inputs[i].name) + "' is missing");
}

void Program::readArguments(nb::handle args, nb::handle kwargs, Run &run) {
  auto count = static_cast<size_t>(PyTuple_GET_SIZE(args.ptr()));
  if (count > run.numInputs)
    throwError("expected at most " + std::to_string(run.numInputs) + " arrays, found " +
               std::to_string(count));
  for (size_t i = 0; i < count; ++i)
    readArgument(i, nb::handle(PyTuple_GET_ITEM(args.ptr(), static_cast<Py_ssize_t>(i))), run);
  if (kwargs.ptr() && PyDict_GET_SIZE(kwargs.ptr()) > 0)
    for (auto [name, array] : nb::borrow<nb::dict>(kwargs))
      readArgument(static_cast<size_t>(findInput(name)), array, run);
  checkComplete(run);
}

void Program::execute(Run &run, fuse_program_context *context) {
  if (hasOpenOutputs) {
    int32_t status = library.fuse_program_query(context, run.ins, run.outs);
    if (status)
      fail(context);
  }
  for (size_t i = 0; i < run.numOutputs; ++i) {
    const fuse_bundle_value &value = outputs[i];
    const int64_t *sizes = hasOpenOutputs ? run.outs[i].sizes : value.shape;
    void *data = nullptr;
    if (run.exchange) {
      Exchange::release(run.managed[i]);
      run.managed[i] = nullptr;
      run.managed[i] = run.exchange->allocate(value.dtype, value.rank, sizes, data);
    } else {
      run.results[i] = makeOutput(value.dtype, value.rank, sizes, data);
    }
    run.outs[i] = {data, nullptr, nullptr, value.rank, value.dtype};
  }
  int32_t status;
  {
    nb::gil_scoped_release unlocked;
    status = library.fuse_program_run(context, run.ins, run.outs);
  }
  if (status)
    fail(context);
}

namespace {
/// Gives a context back, whatever happens.
template <typename Fn>
struct Finally {
  Fn fn;
  ~Finally() { fn(); }
};
template <typename Fn>
Finally(Fn) -> Finally<Fn>;
} // namespace

nb::object Program::takeOutput(size_t index, Run &run) const {
  if (run.exchange) {
    if (void *output = std::exchange(run.managed[index], nullptr))
      run.results[index] = nb::steal(run.exchange->take(output));
    return run.results[index];
  }
  if (!run.foreign || !getConverter())
    return run.results[index];
  return getConverter()(run.results[index], run.foreign);
}

nb::object Program::call(nb::args args, nb::kwargs kwargs) {
  Run run(*this);
  readArguments(args, kwargs, run);
  {
    fuse_program_context *context = acquire();
    Finally done{[&] { release(context); }};
    execute(run, context);
  }
  if (run.numOutputs == 0)
    return nb::none();
  if (run.numOutputs == 1)
    return takeOutput(0, run);
  nb::object tuple = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(run.numOutputs)));
  for (size_t i = 0; i < run.numOutputs; ++i)
    PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i), takeOutput(i, run).release().ptr());
  return tuple;
}

nb::list Program::run(nb::object names, nb::dict feeds) {
  Run run(*this);
  for (auto [name, array] : feeds)
    readArgument(static_cast<size_t>(findInput(name)), array, run);
  checkComplete(run);
  std::vector<size_t> wanted;
  if (names.is_none()) {
    for (size_t i = 0; i < run.numOutputs; ++i)
      wanted.push_back(i);
  } else {
    for (nb::handle name : names) {
      std::string text = nb::cast<std::string>(name);
      size_t i = 0;
      while (i < run.numOutputs && text != outputs[i].name)
        ++i;
      if (i == run.numOutputs)
        throwError("no output is named '" + text + "'");
      wanted.push_back(i);
    }
  }
  {
    fuse_program_context *context = acquire();
    Finally done{[&] { release(context); }};
    execute(run, context);
  }
  nb::list list;
  for (size_t i : wanted)
    list.append(takeOutput(i, run));
  return list;
}

nb::list Program::record(nb::tuple args, int runs) {
  Run run(*this);
  readArguments(args, nb::handle(), run);
  // A context of its own: it has other things to do than those of calls.
  fuse_program_context *context = makeContext(library, program, threads);
  Finally done{[&] { library.fuse_program_context_destroy(context); }};
  constexpr int64_t kRoom = 65536;
  nb::list list;
  for (int i = 0; i <= runs; ++i) { // the first one takes memory, and is not counted
    if (library.fuse_program_record(context, i > 0 ? kRoom : 0))
      fail(context);
    auto begin = std::chrono::steady_clock::now();
    execute(run, context);
    std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (i == 0)
      continue;
    int64_t count = 0, lost = 0;
    const fuse_event *events = library.fuse_program_events(context, &count, &lost);
    nb::list entries;
    for (int64_t e = 0; e < count; ++e) {
      static const char *const kinds[] = {"kernel", "host", "copy"};
      entries.append(nb::make_tuple(kinds[events[e].kind], events[e].name, events[e].kernel,
                                    events[e].begin_ns, events[e].end_ns, events[e].bytes));
    }
    list.append(nb::make_tuple(took.count(), entries));
  }
  return list;
}

nb::tuple Program::describe(const std::vector<fuse_bundle_value> &values, bool isInput) const {
  nb::list list;
  for (size_t i = 0; i < values.size(); ++i) {
    const fuse_bundle_value &value = values[i];
    nb::list shape;
    for (int32_t d = 0; d < value.rank; ++d) {
      auto *getDim = isInput ? library.fuse_program_input_dim : library.fuse_program_output_dim;
      const char *name = value.shape[d] < 0 ? getDim(program, static_cast<int64_t>(i), d) : nullptr;
      if (value.shape[d] >= 0)
        shape.append(value.shape[d]);
      else if (name)
        shape.append(nb::str(name));
      else
        shape.append(nb::none());
    }
    list.append(nb::make_tuple(nb::str(value.name), nb::str(getTypeName(value.dtype)),
                               nb::tuple(shape), value.flags, value.indices_below));
  }
  return nb::tuple(list);
}

std::string Program::getText(int what) {
  if (!compilation)
    throwError("the program was loaded from a bundle, which has its report alone: compile the "
               "model to see more");
  return library.fuse_compilation_text(compilation, what);
}

void Program::save(const std::string &path) {
  if (!compilation)
    throwError("the program was loaded from a bundle: copy its files");
  char error[4096] = "";
  int32_t status;
  {
    nb::gil_scoped_release unlocked;
    status = library.fuse_compilation_save(compilation, path.c_str(), error, sizeof error);
  }
  if (status)
    throwError(error);
}
