//===- Program.cpp - Programs that can be called ---------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Runtime/Program.h"

#include "BundleInternal.h"
#include "Threads.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

using namespace mlir::fuse::runtime;

namespace {

/// The functions that a program is called by, by their names in Bundle.h without "fuse_bundle_":
/// those of the bundle's own runtime, or this library's.
#define FUSE_CALLED_FUNCTIONS(ENTRY)                                                               \
  ENTRY(cpu)                                                                                       \
  ENTRY(close) ENTRY(num_inputs) ENTRY(num_outputs) ENTRY(input) ENTRY(output)                     \
      ENTRY(context_create) ENTRY(context_destroy) ENTRY(query) ENTRY(run) ENTRY(error)            \
          ENTRY(arena_bytes) ENTRY(register_host_function)
/// Those that bundles made before they were there lack.
#define FUSE_NEWER_FUNCTIONS(ENTRY)                                                                \
  ENTRY(input_dim) ENTRY(output_dim) ENTRY(counters) ENTRY(record) ENTRY(events)                   \
      ENTRY(grid) ENTRY(input_axes) ENTRY(output_axes)

struct Functions {
#define FUSE_MEMBER(name) decltype(&fuse_bundle_##name) name;
  FUSE_CALLED_FUNCTIONS(FUSE_MEMBER)
  FUSE_NEWER_FUNCTIONS(FUSE_MEMBER)
#undef FUSE_MEMBER
};

#define FUSE_OWN(name) &fuse_bundle_##name,
constexpr Functions kOwnFunctions = {FUSE_CALLED_FUNCTIONS(FUSE_OWN)
                                         FUSE_NEWER_FUNCTIONS(FUSE_OWN)};
#undef FUSE_OWN

} // namespace

struct fuse_program {
  int64_t references; // changed atomically
  Functions functions;
  fuse_bundle *bundle;
  const char *report, *version, *cpus;
  void *library; // null for a program in memory
  void (*release)(void *owner);
  void *owner;
};

struct fuse_program_context {
  fuse_program *program;
  fuse_bundle_context *context;
  const char *reason; // of a function that the program's runtime does not have
};

static const char *openMp = nullptr; // by fuse_program_set_openmp

template <typename Fn>
static bool findFunction(void *library, const char *name, Fn &function) {
  function = reinterpret_cast<Fn>(dlsym(library, name));
  return function != nullptr;
}

/// Null without memory.
static fuse_program *makeProgram(const ErrorText &error) {
  auto *program = static_cast<fuse_program *>(std::calloc(1, sizeof(fuse_program)));
  if (!program)
    error.fail("out of memory: a program");
  else
    program->references = 1;
  return program;
}

static int32_t loadProgram(fuse_program &program, const char *path, const char *weights,
                           const ErrorText &error) {
  char reason[FUSE_ERROR_CAPACITY];
  auto fail = [&](const char *text) { return error.fail("'%s': %s", path, text); };
  if (fuse_bundle_check_file(path, reason, sizeof reason))
    return fail(reason);
  program.library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!program.library)
    return error.fail("'%s': cannot load: %s", path, dlerror());
  auto lacks = [&](const char *name) {
    return error.fail("'%s': is no bundle: it has no function '%s'", path, name);
  };
  decltype(&fuse_bundle_abi_version) getAbiVersion;
  decltype(&fuse_bundle_version) getVersion;
  decltype(&fuse_bundle_report) getReport;
  decltype(&fuse_bundle_cpus) getCpus;
  decltype(&fuse_bundle_open) open;
  if (!findFunction(program.library, "fuse_bundle_abi_version", getAbiVersion))
    return lacks("fuse_bundle_abi_version");
  if (!findFunction(program.library, "fuse_bundle_version", getVersion))
    return lacks("fuse_bundle_version");
  program.version = getVersion();
  if (getAbiVersion() != FUSE_ABI_VERSION)
    return error.fail("'%s': expected a bundle of ABI version %d, which fuse " FUSE_VERSION
                      " has, found ABI version %d, made by fuse %s; compile it again",
                      path, FUSE_ABI_VERSION, getAbiVersion(), program.version);
  if (!findFunction(program.library, "fuse_bundle_report", getReport))
    return lacks("fuse_bundle_report");
  if (!findFunction(program.library, "fuse_bundle_cpus", getCpus))
    return lacks("fuse_bundle_cpus");
  if (!findFunction(program.library, "fuse_bundle_open", open))
    return lacks("fuse_bundle_open");
  Functions &functions = program.functions;
#define FUSE_FIND(name)                                                                            \
  if (!findFunction(program.library, "fuse_bundle_" #name, functions.name))                                \
    return lacks("fuse_bundle_" #name);
  FUSE_CALLED_FUNCTIONS(FUSE_FIND)
#undef FUSE_FIND
#define FUSE_FIND(name) findFunction(program.library, "fuse_bundle_" #name, functions.name);
  FUSE_NEWER_FUNCTIONS(FUSE_FIND)
#undef FUSE_FIND
  program.report = getReport();
  program.cpus = getCpus();
  decltype(&fuse_bundle_set_openmp) setBundleOpenMp;
  if (openMp && findFunction(program.library, "fuse_bundle_set_openmp", setBundleOpenMp))
    setBundleOpenMp(openMp);
  if (open(FUSE_ABI_VERSION, weights, &program.bundle, reason, sizeof reason))
    return fail(reason);
  return 0;
}

extern "C" {

int32_t fuse_api_version(void) { return FUSE_API_VERSION; }

void fuse_program_set_openmp(const char *file) {
  // Others may be reading the one before: it stays.
  if (!file || !openMp || std::strcmp(file, openMp) != 0)
    openMp = file ? strdup(file) : nullptr;
  setOpenMp(file);
}

int32_t fuse_program_load(const char *path, const char *weights, fuse_program **result, char *error,
                          int64_t capacity) {
  ErrorText text = {error, capacity};
  *result = nullptr;
  // A name without a folder would be looked for elsewhere.
  char *file = realpath(path, nullptr);
  if (!file)
    return text.fail("'%s': cannot load: %s", path, std::strerror(errno));
  std::free(file);
  // Its weights lie beside a link's target or beside the link, as the bundle itself says.
  char *name = nullptr;
  if (!std::strchr(path, '/')) {
    size_t length = std::strlen(path);
    name = static_cast<char *>(std::malloc(length + 3));
    if (!name)
      return text.fail("out of memory: a file's name");
    std::memcpy(name, "./", 2);
    std::memcpy(name + 2, path, length + 1);
  }
  fuse_program *program = makeProgram(text);
  int32_t status = !program || loadProgram(*program, name ? name : path, weights, text);
  std::free(name);
  if (status != 0)
    fuse_program_release(program);
  else
    *result = program;
  return status;
}

int32_t fuse_program_open(const fuse_bundle_program *description, const void *const *weights,
                          void (*release)(void *owner), void *owner, fuse_program **result,
                          char *error, int64_t capacity) {
  ErrorText text = {error, capacity};
  *result = nullptr;
  fuse_program *program = makeProgram(text);
  if (!program) {
    release(owner);
    return 1;
  }
  program->functions = kOwnFunctions;
  program->release = release;
  program->owner = owner;
  program->report = description->report;
  program->version = description->version;
  program->cpus = description->cpus;
  if (openBundle(*description, nullptr, weights, &program->bundle, text)) {
    fuse_program_release(program);
    return 1;
  }
  *result = program;
  return 0;
}

void fuse_program_retain(fuse_program *program) {
  if (program)
    __atomic_add_fetch(&program->references, 1, __ATOMIC_RELAXED);
}

void fuse_program_release(fuse_program *program) {
  if (!program || __atomic_sub_fetch(&program->references, 1, __ATOMIC_ACQ_REL) > 0)
    return;
  if (program->bundle)
    program->functions.close(program->bundle);
  if (program->library)
    dlclose(program->library);
  if (program->release)
    program->release(program->owner);
  std::free(program);
}

int64_t fuse_program_num_inputs(const fuse_program *program) {
  return program->functions.num_inputs(program->bundle);
}

int64_t fuse_program_num_outputs(const fuse_program *program) {
  return program->functions.num_outputs(program->bundle);
}

const fuse_bundle_value *fuse_program_input(const fuse_program *program, int64_t index) {
  return program->functions.input(program->bundle, index);
}

const fuse_bundle_value *fuse_program_output(const fuse_program *program, int64_t index) {
  return program->functions.output(program->bundle, index);
}

const char *fuse_program_input_dim(const fuse_program *program, int64_t index, int32_t dim) {
  auto *get = program->functions.input_dim;
  return get ? get(program->bundle, index, dim) : nullptr;
}

const char *fuse_program_output_dim(const fuse_program *program, int64_t index, int32_t dim) {
  auto *get = program->functions.output_dim;
  return get ? get(program->bundle, index, dim) : nullptr;
}

int64_t fuse_program_grid(const fuse_program *program, const int64_t **grid) {
  *grid = nullptr;
  auto *get = program->functions.grid;
  return get ? get(program->bundle, grid) : 0;
}

const int64_t *fuse_program_input_axes(const fuse_program *program, int64_t index) {
  auto *get = program->functions.input_axes;
  return get ? get(program->bundle, index) : nullptr;
}

const int64_t *fuse_program_output_axes(const fuse_program *program, int64_t index) {
  auto *get = program->functions.output_axes;
  return get ? get(program->bundle, index) : nullptr;
}

const char *fuse_program_report(const fuse_program *program) { return program->report; }
const char *fuse_program_version(const fuse_program *program) { return program->version; }
const char *fuse_program_cpus(const fuse_program *program) { return program->cpus; }
const char *fuse_program_cpu(const fuse_program *program) {
  return program->functions.cpu(program->bundle);
}

int32_t fuse_program_context_create(fuse_program *program, int32_t threads,
                                    fuse_program_context **result, char *error, int64_t capacity) {
  *result = nullptr;
  auto *context = static_cast<fuse_program_context *>(std::calloc(1, sizeof(fuse_program_context)));
  if (!context)
    return ErrorText{error, capacity}.fail("out of memory: a context");
  context->program = program;
  if (program->functions.context_create(program->bundle, threads, &context->context, error,
                                        capacity)) {
    std::free(context);
    return 1;
  }
  *result = context;
  return 0;
}

void fuse_program_context_destroy(fuse_program_context *context) {
  if (!context)
    return;
  context->program->functions.context_destroy(context->context);
  std::free(context);
}

int32_t fuse_program_query(fuse_program_context *context, const fuse_buffer *ins,
                           fuse_buffer *outs) {
  context->reason = nullptr;
  return context->program->functions.query(context->context, ins, outs);
}

int32_t fuse_program_run(fuse_program_context *context, const fuse_buffer *ins,
                         const fuse_buffer *outs) {
  context->reason = nullptr;
  return context->program->functions.run(context->context, ins, outs);
}

const char *fuse_program_error(const fuse_program_context *context) {
  return context->reason ? context->reason : context->program->functions.error(context->context);
}

int64_t fuse_program_arena_bytes(const fuse_program_context *context) {
  return context->program->functions.arena_bytes(context->context);
}

const fuse_counters *fuse_program_counters(const fuse_program_context *context) {
  static const fuse_counters none = {};
  auto *get = context->program->functions.counters;
  return get ? get(context->context) : &none;
}

int32_t fuse_program_record(fuse_program_context *context, int64_t capacity) {
  auto *record = context->program->functions.record;
  if (!record || !context->program->functions.events) {
    context->reason =
        "the bundle was made by a fuse whose bundles record nothing; compile it again";
    return 1;
  }
  context->reason = nullptr;
  return record(context->context, capacity);
}

const fuse_event *fuse_program_events(const fuse_program_context *context, int64_t *count,
                                      int64_t *lost) {
  *count = *lost = 0;
  auto *get = context->program->functions.events;
  return get ? get(context->context, count, lost) : nullptr;
}

int32_t fuse_program_register_host_function(fuse_program_context *context, const char *name,
                                            fuse_host_fn function, void *userData) {
  context->reason = nullptr;
  return context->program->functions.register_host_function(context->context, name, function,
                                                            userData);
}

} // extern "C"
