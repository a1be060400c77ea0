//===- Modules.cpp - Images and their functions --------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CudaDevice.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace mlir::fuse::runtime;
using namespace mlir::fuse::runtime::cuda;

namespace {

constexpr size_t kLogBytes = 512;

int32_t failToLoad(CudaDevice &device, fuse_context *context, const fuse_kernel &kernel,
                   Result result, char *log) {
  size_t length = std::strlen(log);
  while (length > 0 && (log[length - 1] == '\n' || log[length - 1] == ' '))
    log[--length] = '\0';
  bool isUnfit = result == kNoBinaryForGpu || result == kUnsupportedPtxVersion ||
                 result == kInvalidPtx || result == kInvalidImage;
  char device_text[192] = "";
  if (isUnfit)
    snprintf(device_text, sizeof(device_text), ", on %s (sm_%d, driver of CUDA %d.%d)",
             device.facts.name, device.facts.chip, device.facts.driver_version / 1000,
             device.facts.driver_version % 1000 / 10);
  // A cubin runs on the GPUs of one generation, PTX on all later ones.
  const char *advice = "";
  if (result == kNoBinaryForGpu)
    advice = device.facts.chip >= 90   ? "; PTX of --chip compute_90 runs on this GPU"
             : device.facts.chip >= 80 ? "; PTX of --chip compute_80 runs on this GPU"
                                       : "; expected a GPU of sm_80 or later";
  return failWith(context, "kernel '%s': loading %s%s: %s%s%s%s", kernel.name,
                  ImageText(kernel.device->image, kernel.device->image_bytes).text, device_text,
                  ResultText(device.api, result).text, length ? ": " : "", log, advice);
}

/// The module of a kernel's image, with one user more. The lock is held. Null after an error.
LoadedModule *useModule(CudaDevice &device, fuse_context *context, const fuse_kernel &kernel) {
  const fuse_device_kernel &code = *kernel.device;
  for (int64_t i = 0; i < device.numModules; ++i) {
    LoadedModule &loaded = device.modules[i];
    if (loaded.bytes == code.image_bytes &&
        std::memcmp(loaded.image, code.image, code.image_bytes) == 0) {
      ++loaded.users;
      return &loaded;
    }
  }
  // PTX, whose bytes are counted without it, ends with a 0 for the driver.
  auto *copy = static_cast<char *>(std::malloc(code.image_bytes + 1));
  if (!copy || !makeRoom(reinterpret_cast<void **>(&device.modules), device.numModules,
                         &device.moduleCapacity, sizeof(LoadedModule))) {
    std::free(copy);
    failWith(context, "kernel '%s': out of memory: %lld bytes of code", kernel.name,
             toLong(code.image_bytes));
    return nullptr;
  }
  std::memcpy(copy, code.image, code.image_bytes);
  copy[code.image_bytes] = '\0';
  char log[kLogBytes] = "";
  int options[] = {kJitErrorLog, kJitErrorLogBytes};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log))};
  Module module = nullptr;
  Result result = device.api.moduleLoad(&module, copy, 2, options, values);
  log[sizeof(log) - 1] = '\0';
  if (result != kSuccess) {
    failToLoad(device, context, kernel, result, log);
    std::free(copy);
    return nullptr;
  }
  LoadedModule &loaded = device.modules[device.numModules++];
  loaded = {module, copy, code.image_bytes, 1};
  return &loaded;
}

void dropModule(CudaDevice &device, Module module) {
  for (int64_t i = 0; i < device.numModules; ++i) {
    LoadedModule &loaded = device.modules[i];
    if (loaded.module != module || --loaded.users > 0)
      continue;
    device.api.moduleUnload(module);
    std::free(loaded.image);
    loaded = device.modules[--device.numModules];
    return;
  }
}

/// The module of a kernel, which the queue keeps until its table is replaced. Null after an error.
Module findModule(CudaDevice &device, fuse_context *context, const fuse_kernel &kernel) {
  Queue &queue = getQueue(context);
  // As long as the table is the same, so are the images.
  for (int64_t i = 0; i < queue.numModules; ++i)
    if (queue.images[i] == kernel.device->image)
      return queue.modules[i];
  int64_t wanted = queue.numModules + 1;
  auto *modules = static_cast<Module *>(std::realloc(queue.modules, wanted * sizeof(Module)));
  if (modules)
    queue.modules = modules;
  auto *images =
      static_cast<const void **>(std::realloc(queue.images, wanted * sizeof(const void *)));
  if (images)
    queue.images = images;
  if (!modules || !images) {
    failWith(context, "kernel '%s': out of memory: the list of modules", kernel.name);
    return nullptr;
  }
  Lock lock(device);
  LoadedModule *loaded = useModule(device, context, kernel);
  if (!loaded)
    return nullptr;
  queue.modules[queue.numModules] = loaded->module;
  queue.images[queue.numModules++] = kernel.device->image;
  return loaded->module;
}

Function lookUp(CudaDevice &device, fuse_context *context, const fuse_kernel &kernel) {
  const fuse_device_kernel &code = *kernel.device;
  if (!code.image || code.image_bytes <= 0) {
    failWith(context, "kernel '%s' has no code for device '%s'", kernel.name, device.name);
    return nullptr;
  }
  if (code.shared_bytes > device.facts.shared_bytes) {
    failWith(context,
             "kernel '%s': expected at most %d bytes of shared memory per block on %s, found %d",
             kernel.name, device.facts.shared_bytes, device.facts.name, code.shared_bytes);
    return nullptr;
  }
  Module module = findModule(device, context, kernel);
  if (!module)
    return nullptr;
  Function function = nullptr;
  Result result = device.api.moduleGetFunction(&function, module, code.entry);
  // Static and dynamic memory beyond 48 KiB together must be asked for.
  if (result == kSuccess && code.shared_bytes > 0)
    result = device.api.functionSet(function, kDynamicSharedBytes, code.shared_bytes);
  if (result == kSuccess)
    return function;
  failWith(context, "kernel '%s': function '%s' with %d bytes of shared memory: %s", kernel.name,
           code.entry, code.shared_bytes, ResultText(device.api, result).text);
  return nullptr;
}

} // namespace

void cuda::forgetFunctions(CudaDevice &device, Queue &queue) {
  {
    Lock lock(device);
    for (int64_t i = 0; i < queue.numModules; ++i)
      dropModule(device, queue.modules[i]);
  }
  std::free(queue.modules);
  std::free(queue.images);
  std::free(queue.functions);
  queue.modules = nullptr;
  queue.images = nullptr;
  queue.functions = nullptr;
  queue.numModules = queue.numFunctions = 0;
}

Function cuda::findFunction(CudaDevice &device, fuse_context *context, const fuse_kernel &kernel) {
  Queue &queue = getQueue(context);
  if (queue.table != context->kernel_table) {
    // Kernels of the former table may be under way.
    if (wait(&device, context))
      return nullptr;
    forgetFunctions(device, queue);
    queue.table = context->kernel_table;
  }
  if (&kernel < context->kernels || &kernel >= context->kernels + context->num_kernels)
    return lookUp(device, context, kernel);
  if (!queue.functions) {
    queue.functions = static_cast<Function *>(std::calloc(context->num_kernels, sizeof(Function)));
    if (!queue.functions) {
      failWith(context, "kernel '%s': out of memory: the list of functions", kernel.name);
      return nullptr;
    }
    queue.numFunctions = context->num_kernels;
  }
  Function &function = queue.functions[&kernel - context->kernels];
  if (!function)
    function = lookUp(device, context, kernel);
  return function;
}
