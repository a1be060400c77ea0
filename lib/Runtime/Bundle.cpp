//===- Bundle.cpp - Compiled programs with their weights -----------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "BundleInternal.h"
#include "Threads.h"


#include <cstdlib>
#include <cstring>
#ifdef __linux__
#include <sys/mman.h>
#endif

using namespace mlir::fuse::runtime;

/// Unchanging once it is open.
struct fuse_bundle {
  const fuse_bundle_program *program;
  Mapping weights;
  const void *const *arrays; // of the weights, in place of a file
  BundleDevice device; // unused on the CPU
  fuse_memory prepared;
  int64_t rank; // of this process, among those that run the program together
  int64_t num_inputs;
  int64_t *inputs;        // per input, the argument's number
  fuse_buffer *arguments; // data and extents of weights and of what was prepared
  int64_t *extents;       // theirs
};

struct fuse_bundle_context {
  const fuse_bundle *bundle;
  fuse_context *context;
  fuse_buffer *ins; // arguments of the program
  fuse_buffer *outs;
  int64_t *extents; // sizes and strides of inputs and outputs
  fuse_memory arena;
  fuse_device_run *device_run; // null on the CPU
  int64_t arena_bytes;
  bool is_sized; // whether outs and arena fit the sizes of the inputs
};

/// How many sizes and strides the arguments of some roles have.
static int64_t countExtents(const fuse_bundle_program &program, bool ofInputs) {
  int64_t count = 0;
  for (int64_t i = 0; i < program.num_arguments; ++i)
    if ((program.arguments[i].role == FUSE_ARGUMENT_INPUT) == ofInputs)
      count += 2 * program.arguments[i].value.rank;
  return count;
}

/// Never of 0 bytes, so that null means that memory is out.
template <typename T>
static T *makeZeros(int64_t count) {
  return static_cast<T *>(std::calloc(static_cast<size_t>(count) + 1, sizeof(T)));
}

static const fuse_bundle_value &getInput(const fuse_bundle &bundle, int64_t index) {
  return bundle.program->arguments[bundle.inputs[index]].value;
}

/// A buffer of the value's rank and type with sizes and strides at `extents`, which moves on.
static fuse_buffer makeBuffer(const fuse_bundle_value &value, int64_t *&extents) {
  fuse_buffer buffer = {nullptr, extents, extents + value.rank, value.rank, value.dtype};
  extents += 2 * value.rank;
  return buffer;
}

static int64_t *mutableSizes(const fuse_buffer &buffer) {
  return const_cast<int64_t *>(buffer.sizes);
}

static int64_t *mutableStrides(const fuse_buffer &buffer) {
  return const_cast<int64_t *>(buffer.strides);
}

/// Memory for prepared weights, which are read again and again: in large pages where there are enough of them and the
/// system has such.
static void *allocateWeights(int64_t bytes) {
#ifdef __linux__
  constexpr int64_t kLargePage = int64_t(2) << 20;
  if (bytes >= 2 * kLargePage && bytes <= INT64_MAX - kLargePage) {
    size_t whole = static_cast<size_t>(alignUp(bytes, kLargePage));
    void *data = std::aligned_alloc(kLargePage, whole);
    if (data)
      (void)madvise(data, whole, MADV_HUGEPAGE);
    return data;
  }
#endif
  return std::aligned_alloc(FUSE_WEIGHTS_ALIGNMENT, static_cast<size_t>(bytes));
}

/// Buffers of weights and prepared arguments; the latter get one piece of memory.
static int32_t describeArguments(fuse_bundle &bundle, const ErrorText &error) {
  const fuse_bundle_program &program = *bundle.program;
  int64_t *extents = bundle.extents, bytes = 0, weight = 0;
  for (int64_t i = 0; i < program.num_arguments; ++i) {
    const fuse_bundle_argument &argument = program.arguments[i];
    if (argument.role == FUSE_ARGUMENT_INPUT) {
      bundle.inputs[bundle.num_inputs++] = i;
      continue;
    }
    const fuse_bundle_value &value = argument.value;
    fuse_buffer &buffer = bundle.arguments[i] = makeBuffer(value, extents);
    for (int32_t d = 0; d < value.rank; ++d)
      mutableSizes(buffer)[d] = value.shape[d];
    computeStrides(value.rank, buffer.sizes, mutableStrides(buffer));
    if (argument.role == FUSE_ARGUMENT_WEIGHT)
      buffer.data = bundle.arrays ? const_cast<void *>(bundle.arrays[weight++])
                                  : bundle.weights.data + argument.offset +
                                        getPartOffset(program, i, bundle.rank);
    else if (!program.device)
      bytes += alignUp(countBytes(value, value.shape), FUSE_WEIGHTS_ALIGNMENT);
  }
  if (bytes == 0)
    return 0;
  void *data = allocateWeights(bytes);
  if (!data)
    return error.fail("out of memory: %lld bytes of prepared weights", toLong(bytes));
  bundle.prepared = {data, bytes};
  char *next = static_cast<char *>(data);
  for (int64_t i = 0; i < program.num_arguments; ++i)
    if (program.arguments[i].role == FUSE_ARGUMENT_PREPARED) {
      bundle.arguments[i].data = next;
      next += alignUp(countBytes(program.arguments[i].value, program.arguments[i].value.shape),
                      FUSE_WEIGHTS_ALIGNMENT);
    }
  return 0;
}

static int32_t prepare(fuse_bundle &bundle, fuse_buffer *params, fuse_buffer *prepared,
                       const ErrorText &error) {
  const fuse_bundle_program &program = *bundle.program;
  int64_t numParams = 0;
  for (int64_t i = 0; i < program.num_arguments; ++i)
    if (program.arguments[i].role == FUSE_ARGUMENT_WEIGHT)
      params[numParams++] = bundle.arguments[i];
  // What is given stays what it is; what is computed from it follows.
  std::memcpy(prepared, params, static_cast<size_t>(numParams) * sizeof(fuse_buffer));
  int64_t next = numParams;
  for (int64_t i = 0; i < program.num_arguments; ++i)
    if (program.arguments[i].role == FUSE_ARGUMENT_PREPARED)
      prepared[next++] = bundle.arguments[i];
  fuse_context *context = program.device ? bundle.device.owner : fuse_context_create(0);
  if (!context)
    return error.fail("out of memory: a context");
  int32_t status = fuse_context_set_kernels(context, program.kernels, program.num_kernels) ||
                   program.prepare(context, params, prepared);
  if (status != 0)
    error.fail("preparing the weights of @%s: %s", program.function, context->error);
  if (!program.device)
    fuse_context_destroy(context);
  next = 0;
  for (int64_t i = 0; status == 0 && i < program.num_arguments; ++i)
    if (program.arguments[i].role == FUSE_ARGUMENT_WEIGHT)
      bundle.arguments[i] = prepared[next++];
  return status;
}

static bool hasPrepared(const fuse_bundle_program &program) {
  for (int64_t i = 0; i < program.num_arguments; ++i)
    if (program.arguments[i].role == FUSE_ARGUMENT_PREPARED)
      return true;
  return false;
}

static int32_t openProgram(fuse_bundle &bundle, const char *weights, const ErrorText &error) {
  const fuse_bundle_program &program = *bundle.program;
  if (joinRanks(program, bundle.rank, error))
    return 1;
  if (program.device && openDevice(program, bundle.device, error))
    return 1;
  if (!bundle.arrays && mapWeights(program, weights, bundle.weights, error))
    return 1;
  bundle.inputs = makeZeros<int64_t>(program.num_arguments);
  bundle.arguments = makeZeros<fuse_buffer>(program.num_arguments);
  bundle.extents = makeZeros<int64_t>(countExtents(program, /*ofInputs=*/false));
  if (!bundle.inputs || !bundle.arguments || !bundle.extents)
    return error.fail("out of memory: a bundle");
  if (describeArguments(bundle, error))
    return 1;
  if (program.device && placeWeights(program, bundle.device, bundle.arguments, error))
    return 1;
  if (!hasPrepared(program))
    return 0;
  auto *params = makeZeros<fuse_buffer>(program.num_arguments);
  auto *prepared = makeZeros<fuse_buffer>(program.num_arguments);
  int32_t status = params && prepared ? prepare(bundle, params, prepared, error)
                                      : error.fail("out of memory: a bundle");
  std::free(params);
  std::free(prepared);
  return status;
}

/// Points the buffers of a context at its extents, static sizes filled in.
static void describeContext(fuse_bundle_context &context) {
  const fuse_bundle &bundle = *context.bundle;
  const fuse_bundle_program &program = *bundle.program;
  if (program.num_arguments > 0)
    std::memcpy(context.ins, bundle.arguments,
                static_cast<size_t>(program.num_arguments) * sizeof(fuse_buffer));
  int64_t *extents = context.extents;
  for (int64_t i = 0; i < bundle.num_inputs; ++i) {
    const fuse_bundle_value &value = getInput(bundle, i);
    fuse_buffer &buffer = context.ins[bundle.inputs[i]] = makeBuffer(value, extents);
    for (int32_t d = 0; d < value.rank; ++d)
      mutableSizes(buffer)[d] = value.shape[d];
  }
  for (int64_t i = 0; i < program.num_outputs; ++i)
    context.outs[i] = makeBuffer(program.outputs[i], extents);
}

/// Fails unless a buffer of the caller's has the value's type and rank.
static int32_t checkType(fuse_bundle_context &context, const char *what,
                         const fuse_bundle_value &value, const fuse_buffer &given) {
  if (given.dtype == value.dtype && given.rank == value.rank)
    return 0;
  return failWith(context.context, "%s '%s': expected rank %d of %s, found rank %d of %s", what,
                  value.name, value.rank, fuse_dtype_name(value.dtype), given.rank,
                  fuse_dtype_name(given.dtype));
}

/// Takes over where the caller has an array, and its strides.
static void takeMemory(fuse_buffer &buffer, const fuse_buffer &given) {
  if (given.strides)
    std::memcpy(mutableStrides(buffer), given.strides,
                static_cast<size_t>(buffer.rank) * sizeof(int64_t));
  else
    computeStrides(buffer.rank, buffer.sizes, mutableStrides(buffer));
  buffer.data = given.data;
}

/// Takes over what the caller says of one input.
static int32_t takeInput(fuse_bundle_context &context, int64_t index, const fuse_buffer &given) {
  const fuse_bundle_value &value = getInput(*context.bundle, index);
  if (checkType(context, "input", value, given))
    return 1;
  fuse_buffer &buffer = context.ins[context.bundle->inputs[index]];
  for (int32_t d = 0; d < value.rank; ++d) {
    int64_t size = given.sizes ? given.sizes[d] : value.shape[d];
    if (size < 0 || (value.shape[d] >= 0 && size != value.shape[d])) {
      if (!given.sizes)
        return failWith(context.context,
                        "input '%s': expected its sizes, since dimension %d is "
                        "not fixed, found none",
                        value.name, d);
      fuse_buffer wanted = {nullptr, value.shape, nullptr, value.rank, value.dtype};
      return failWith(context.context, "input '%s': expected sizes %s (-1: any), found %s",
                      value.name, ShapeText(wanted).text, ShapeText(given).text);
    }
    context.is_sized &= buffer.sizes[d] == size;
    mutableSizes(buffer)[d] = size;
  }
  if (value.flags & FUSE_VALUE_SAYS_SIZES) {
    context.is_sized = false;
    if (!given.data && countBytes(value, buffer.sizes) > 0)
      return failWith(context.context, "input '%s': expected data, which says sizes, found null", value.name);
  }
  takeMemory(buffer, given);
  return 0;
}

/// Takes the inputs over and, where their sizes have changed, asks the program for the outputs'.
static int32_t takeInputs(fuse_bundle_context &context, const fuse_buffer *ins) {
  const fuse_bundle_program &program = *context.bundle->program;
  for (int64_t i = 0; i < context.bundle->num_inputs; ++i)
    if (takeInput(context, i, ins[i])) {
      context.is_sized = false;
      return 1;
    }
  if (context.is_sized)
    return 0;
  int64_t bytes = 0;
  if (program.device) {
    if (sizeDeviceRun(program, context.device_run, context.ins, context.outs))
      return 1;
    bytes = fuse_device_run_arena_bytes(context.device_run);
  } else if (program.query(context.context, context.ins, context.outs, &bytes) ||
             reserve(context.context, context.arena, bytes, "the arena"))
    return 1;
  context.arena_bytes = bytes;
  context.is_sized = true;
  return 0;
}

/// Fails unless the caller's buffer can hold the output as the query sized it.
static int32_t takeOutput(fuse_bundle_context &context, int64_t index, const fuse_buffer &given) {
  const fuse_bundle_value &value = context.bundle->program->outputs[index];
  if (checkType(context, "output", value, given))
    return 1;
  fuse_buffer &buffer = context.outs[index];
  for (int32_t d = 0; given.sizes && d < value.rank; ++d)
    if (given.sizes[d] != buffer.sizes[d])
      return failWith(context.context, "output '%s': expected sizes %s, found %s", value.name,
                      ShapeText(buffer).text, ShapeText(given).text);
  if (!given.data && countBytes(value, buffer.sizes) > 0)
    return failWith(context.context, "output '%s': expected memory, found null", value.name);
  takeMemory(buffer, given);
  return 0;
}

int32_t mlir::fuse::runtime::openBundle(const fuse_bundle_program &first, const char *weights,
                                        const void *const *arrays, fuse_bundle **result,
                                        const ErrorText &error) {
  *result = nullptr;
  auto *bundle = makeZeros<fuse_bundle>(1);
  if (!bundle)
    return error.fail("out of memory: a bundle");
  bundle->arrays = arrays;
  bundle->program = chooseProgram(first, error);
  if (!bundle->program || openProgram(*bundle, weights, error)) {
    fuse_bundle_close(bundle);
    return 1;
  }
  *result = bundle;
  return 0;
}

extern "C" {

void fuse_bundle_close(fuse_bundle *bundle) {
  if (!bundle)
    return;
  closeDevice(bundle->device);
  unmapWeights(bundle->weights);
  std::free(bundle->prepared.data);
  std::free(bundle->inputs);
  std::free(bundle->arguments);
  std::free(bundle->extents);
  std::free(bundle);
}

const char *fuse_bundle_cpu(const fuse_bundle *bundle) { return bundle->program->cpu; }

int64_t fuse_bundle_num_inputs(const fuse_bundle *bundle) { return bundle->num_inputs; }

int64_t fuse_bundle_num_outputs(const fuse_bundle *bundle) { return bundle->program->num_outputs; }

const fuse_bundle_value *fuse_bundle_input(const fuse_bundle *bundle, int64_t index) {
  return index >= 0 && index < bundle->num_inputs ? &getInput(*bundle, index) : nullptr;
}

const fuse_bundle_value *fuse_bundle_output(const fuse_bundle *bundle, int64_t index) {
  bool exists = index >= 0 && index < bundle->program->num_outputs;
  return exists ? &bundle->program->outputs[index] : nullptr;
}

const char *fuse_bundle_input_dim(const fuse_bundle *bundle, int64_t index, int32_t dim) {
  const fuse_bundle_value *value = fuse_bundle_input(bundle, index);
  if (!value || dim < 0 || dim >= value->rank)
    return nullptr;
  int64_t before = 0;
  for (int64_t i = 0; i < bundle->inputs[index]; ++i)
    before += bundle->program->arguments[i].value.rank;
  return bundle->program->argument_dims[before + dim];
}

const char *fuse_bundle_output_dim(const fuse_bundle *bundle, int64_t index, int32_t dim) {
  const fuse_bundle_value *value = fuse_bundle_output(bundle, index);
  if (!value || dim < 0 || dim >= value->rank)
    return nullptr;
  int64_t before = 0;
  for (int64_t i = 0; i < index; ++i)
    before += bundle->program->outputs[i].rank;
  return bundle->program->output_dims[before + dim];
}

int64_t fuse_bundle_grid(const fuse_bundle *bundle, const int64_t **grid) {
  *grid = bundle->program->grid;
  return bundle->program->grid_axes;
}

const int64_t *fuse_bundle_input_axes(const fuse_bundle *bundle, int64_t index) {
  const int64_t *const *axes = bundle->program->argument_axes;
  return axes && fuse_bundle_input(bundle, index) ? axes[bundle->inputs[index]] : nullptr;
}

const int64_t *fuse_bundle_output_axes(const fuse_bundle *bundle, int64_t index) {
  const int64_t *const *axes = bundle->program->output_axes;
  return axes && fuse_bundle_output(bundle, index) ? axes[index] : nullptr;
}

int32_t fuse_bundle_context_create(fuse_bundle *bundle, int32_t threads,
                                   fuse_bundle_context **result, char *error, int64_t capacity) {
  ErrorText text = {error, capacity};
  const fuse_bundle_program &program = *bundle->program;
  *result = nullptr;
  if (const char *reason = threads > 1 && !program.device ? whyOneThread() : nullptr)
    return text.fail("%d threads: %s", threads, reason);
  auto *context = makeZeros<fuse_bundle_context>(1);
  if (!context)
    return text.fail("out of memory: a context");
  int64_t extents = countExtents(program, /*ofInputs=*/true);
  for (int64_t i = 0; i < program.num_outputs; ++i)
    extents += 2 * program.outputs[i].rank;
  context->bundle = bundle;
  context->context = fuse_context_create(threads);
  context->ins = makeZeros<fuse_buffer>(program.num_arguments);
  context->outs = makeZeros<fuse_buffer>(program.num_outputs);
  context->extents = makeZeros<int64_t>(extents);
  int32_t status = 0;
  if (!context->context || !context->ins || !context->outs || !context->extents)
    status = text.fail("out of memory: a context");
  else if ((program.device && fuse_context_set_device(context->context, bundle->device.device)) ||
           fuse_context_set_kernels(context->context, program.kernels, program.num_kernels) ||
           (program.device && startDeviceRun(program, bundle->device, bundle->arguments,
                                             context->context, &context->device_run)))
    status = text.fail("%s", context->context->error);
  if (status != 0) {
    fuse_bundle_context_destroy(context);
    return status;
  }
  describeContext(*context);
  *result = context;
  return 0;
}

void fuse_bundle_context_destroy(fuse_bundle_context *context) {
  if (!context)
    return;
  fuse_device_run_destroy(context->device_run);
  fuse_context_destroy(context->context);
  std::free(context->ins);
  std::free(context->outs);
  std::free(context->extents);
  std::free(context->arena.data);
  std::free(context);
}

int32_t fuse_bundle_query(fuse_bundle_context *context, const fuse_buffer *ins, fuse_buffer *outs) {
  if (takeInputs(*context, ins))
    return 1;
  for (int64_t i = 0; i < context->bundle->program->num_outputs; ++i) {
    void *data = outs[i].data;
    fuse_buffer &buffer = context->outs[i];
    computeStrides(buffer.rank, buffer.sizes, mutableStrides(buffer));
    outs[i] = buffer;
    outs[i].data = data;
  }
  return 0;
}

int32_t fuse_bundle_run(fuse_bundle_context *context, const fuse_buffer *ins,
                        const fuse_buffer *outs) {
  const fuse_bundle &bundle = *context->bundle;
  if (takeInputs(*context, ins))
    return 1;
  for (int64_t i = 0; i < bundle.num_inputs; ++i) {
    const fuse_bundle_value &value = getInput(bundle, i);
    const fuse_buffer &buffer = context->ins[bundle.inputs[i]];
    if (!buffer.data && countBytes(value, buffer.sizes) > 0)
      return failWith(context->context, "input '%s': expected data, found null", value.name);
  }
  for (int64_t i = 0; i < bundle.program->num_outputs; ++i)
    if (takeOutput(*context, i, outs[i]))
      return 1;
  if (context->device_run)
    return runOnDevice(*bundle.program, context->device_run, context->ins, context->outs);
  return bundle.program->run(context->context, context->ins, context->outs, context->arena.data);
}

int32_t fuse_bundle_time(fuse_bundle_context *context, int64_t times, int64_t *nanoseconds) {
  *nanoseconds = 0;
  if (!context->device_run)
    return failWith(context->context, "expected kernels of a GPU, which has a clock, found those of a CPU");
  return fuse_device_run_time(context->device_run, times, nanoseconds);
}

const char *fuse_bundle_error(const fuse_bundle_context *context) {
  return context->context->error;
}

int64_t fuse_bundle_arena_bytes(const fuse_bundle_context *context) { return context->arena_bytes; }

const fuse_counters *fuse_bundle_counters(const fuse_bundle_context *context) {
  return &context->context->counters;
}

int32_t fuse_bundle_record(fuse_bundle_context *context, int64_t capacity) {
  return fuse_context_set_recording(context->context, capacity);
}

const fuse_event *fuse_bundle_events(const fuse_bundle_context *context, int64_t *count,
                                     int64_t *lost) {
  *count = context->context->num_events;
  *lost = context->context->events_lost;
  return context->context->events;
}

int32_t fuse_bundle_register_host_function(fuse_bundle_context *context, const char *name,
                                           fuse_host_fn function, void *userData) {
  return fuse_register_host_function(context->context, name, function, userData);
}

} // extern "C"
