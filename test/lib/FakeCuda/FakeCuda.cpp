//===- FakeCuda.cpp - The entry points of a driver without a GPU -----------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "FakeCuda.h"

#include "FakeCall.h"

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <sstream>

using namespace fakecuda;

namespace {

/// What a block may have of shared memory: compute capabilities in the CUDA programming guide.
int getSharedBytes() {
  switch (getSetting("FAKE_CUDA_CHIP", 80)) {
  case 80:
  case 87:
    return 166912;
  case 90:
  case 100:
    return 232448;
  default:
    return 101376;
  }
}

constexpr unsigned kFreeSharedBytes = 48 * 1024;

/// What an image is for, if it is not one of the fake's.
int judgeRealImage(const char *image, char *log, size_t logBytes) {
  int chip = static_cast<int>(getSetting("FAKE_CUDA_CHIP", 80));
  if (std::memcmp(image,
                  "\x7f"
                  "ELF",
                  4) == 0) {
    unsigned flags = 0;
    std::memcpy(&flags, image + 48, 4);
    int made = (image[8] < 8 ? flags : flags >> 8) & 0xff;
    // Code of an architecture runs on its later chips as well.
    bool fits = made / 10 == chip / 10 && made <= chip;
    return fits ? kInvalidImage : kNoBinaryForGpu;
  }
  int major = 0, minor = 0;
  // Comments may stand before it.
  const char *version = std::strstr(image, ".version ");
  if (!version || std::sscanf(version, ".version %d.%d", &major, &minor) != 2)
    return kInvalidImage;
  // PTX 8.x came with CUDA 12, 9.x with CUDA 13.
  if ((major + 4) * 1000 + minor * 10 > getSetting("FAKE_CUDA_VERSION", 12020))
    return kUnsupportedPtxVersion;
  // PTX of a chip runs on all later ones, unless a letter says that it is for that one alone.
  int made = 0;
  char letter = ' ';
  if (const char *target = std::strstr(image, ".target sm_");
      target && std::sscanf(target, ".target sm_%d%c", &made, &letter) >= 1 &&
      (std::isalpha(letter) ? made != chip : made > chip))
    return kNoBinaryForGpu;
  std::snprintf(log, logBytes, "ptxas fatal   : the fake has no assembler\n");
  return kInvalidPtx;
}

/// What a kernel of an image that is not the fake's does.
const Builtin kNothing = {"nothing", 0, [](const uint64_t *, int64_t, int64_t) { return 0; }};

} // namespace

extern "C" {

int cuInit(unsigned) {
  Call call("cuInit", Call::Nothing);
  if (call.code)
    return call.code;
  if (getSetting("FAKE_CUDA_DEVICES", 1) == 0)
    return kNoDevice;
  call.state.isInitialized = true;
  return kSuccess;
}

int cuDriverGetVersion(int *version) {
  Call call("cuDriverGetVersion", Call::Nothing);
  *version = static_cast<int>(getSetting("FAKE_CUDA_VERSION", 12020));
  return call.code;
}

int cuGetErrorName(int code, const char **text) {
  switch (code) {
#define NAME(number, name)                                                                         \
  case number:                                                                                     \
    *text = name;                                                                                  \
    return kSuccess;
    NAME(kInvalidValue, "CUDA_ERROR_INVALID_VALUE")
    NAME(kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY")
    NAME(kNoDevice, "CUDA_ERROR_NO_DEVICE")
    NAME(kInvalidImage, "CUDA_ERROR_INVALID_IMAGE")
    NAME(kNoBinaryForGpu, "CUDA_ERROR_NO_BINARY_FOR_GPU")
    NAME(kInvalidPtx, "CUDA_ERROR_INVALID_PTX")
    NAME(kUnsupportedPtxVersion, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION")
    NAME(kNotFound, "CUDA_ERROR_NOT_FOUND")
    NAME(kIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS")
    NAME(kLaunchOutOfResources, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES")
    NAME(kCaptureUnsupported, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED")
#undef NAME
  }
  *text = nullptr;
  return kInvalidValue;
}

int cuGetErrorString(int code, const char **text) {
  const char *name = nullptr;
  int result = cuGetErrorName(code, &name);
  *text = result == kSuccess ? "as the fake says" : nullptr;
  return result;
}

int cuDeviceGetCount(int *count) {
  Call call("cuDeviceGetCount", Call::Init);
  *count = static_cast<int>(getSetting("FAKE_CUDA_DEVICES", 1));
  return call.code;
}

int cuDeviceGet(int *device, int ordinal) {
  Call call("cuDeviceGet", Call::Init);
  *device = 7 + ordinal;
  return call.code;
}

int cuDeviceGetName(char *name, int capacity, int device) {
  Call call("cuDeviceGetName", Call::Init);
  std::snprintf(name, static_cast<size_t>(capacity), "Fake GPU %d", device - 7);
  return call.code;
}

int cuDeviceTotalMem_v2(size_t *bytes, int) {
  Call call("cuDeviceTotalMem_v2", Call::Init);
  *bytes = static_cast<size_t>(getSetting("FAKE_CUDA_MEMORY", 1 << 30));
  return call.code;
}

int cuDeviceGetAttribute(int *value, int attribute, int) {
  Call call("cuDeviceGetAttribute", Call::Init);
  int chip = static_cast<int>(getSetting("FAKE_CUDA_CHIP", 80));
  const std::map<int, int> values = {
      {16, 108}, {75, chip / 10}, {76, chip % 10}, {97, getSharedBytes()}, {38, 40 << 20}};
  auto found = values.find(attribute);
  if (found == values.end())
    return call.fail(kInvalidValue, "unknown attribute");
  *value = found->second;
  return call.code;
}

int cuDevicePrimaryCtxRetain(void **context, int) {
  Call call("cuDevicePrimaryCtxRetain", Call::Init);
  if (call.code)
    return call.code;
  ++call.state.retained;
  *context = &primary;
  return kSuccess;
}

int cuDevicePrimaryCtxRelease_v2(int) {
  Call call("cuDevicePrimaryCtxRelease_v2", Call::Init);
  if (--call.state.retained < 0)
    return call.fail(kInvalidContext, "more often than it was retained");
  // The real one takes everything along; here it must have been given back before.
  if (call.state.retained == 0 && call.state.countLive() > 0)
    return call.fail(kInvalidContext, "of a context with live objects");
  return kSuccess;
}

int cuCtxSetCurrent(void *context) {
  Call call("cuCtxSetCurrent", Call::Init);
  if (call.code)
    return call.code;
  if (context && (context != &primary || call.state.retained == 0))
    return call.fail(kInvalidContext, "no such context");
  current = context;
  return kSuccess;
}

int cuStreamCreate(Stream **stream, unsigned) {
  Call call("cuStreamCreate", Call::Context);
  if (call.code)
    return call.code;
  *stream = *call.state.streams.insert(new Stream()).first;
  return kSuccess;
}

int cuStreamDestroy_v2(Stream *stream) {
  Call call("cuStreamDestroy_v2", Call::Context);
  if (!call.state.streams.erase(stream))
    return call.fail(kInvalidHandle, "no such stream");
  if (!stream->queue.empty() || stream->isCapturing)
    call.state.violate("cuStreamDestroy of a stream with work in it");
  delete stream;
  return kSuccess;
}

int cuStreamSynchronize(Stream *stream) {
  Call call("cuStreamSynchronize", Call::Context);
  if (call.code)
    return call.code;
  if (!call.state.streams.count(stream))
    return call.fail(kInvalidHandle, "no such stream");
  if (stream->isCapturing)
    return call.fail(kCaptureUnsupported, "of a stream that is recorded");
  return drain(call.state, *stream);
}

int cuEventCreate(Event **event, unsigned) {
  Call call("cuEventCreate", Call::Context);
  if (call.code)
    return call.code;
  *event = *call.state.events.insert(new Event()).first;
  return kSuccess;
}

int cuEventDestroy_v2(Event *event) {
  Call call("cuEventDestroy_v2", Call::Context);
  if (!call.state.events.erase(event))
    return call.fail(kInvalidHandle, "no such event");
  delete event;
  return kSuccess;
}

int cuEventRecord(Event *event, Stream *stream) {
  Call call("cuEventRecord", Call::Context);
  if (call.code)
    return call.code;
  if (!call.state.events.count(event))
    return call.fail(kInvalidHandle, "no such event");
  Work work(Work::Mark);
  work.event = event;
  return put(call, stream, std::move(work));
}

int cuEventElapsedTime(float *milliseconds, Event *begin, Event *end) {
  Call call("cuEventElapsedTime", Call::Context);
  if (call.code)
    return call.code;
  for (Event *event : {begin, end})
    if (!call.state.events.count(event) || event->nanoseconds < 0)
      return call.fail(kInvalidHandle, "of what the stream did not come to");
  *milliseconds = static_cast<float>(end->nanoseconds - begin->nanoseconds) / 1e6f;
  return kSuccess;
}

int cuModuleLoadDataEx(Module **module, const void *image, unsigned count, int *options,
                       void **values) {
  Call call("cuModuleLoadDataEx", Call::Context);
  if (call.code)
    return call.code;
  if (isCapturing(call.state))
    return call.fail(kCaptureUnsupported, "while a stream is recorded");
  char *log = nullptr;
  size_t logBytes = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == 5)
      log = static_cast<char *>(values[i]);
    if (options[i] == 6)
      logBytes = reinterpret_cast<size_t>(values[i]);
  }
  std::istringstream lines(static_cast<const char *>(image));
  std::string word, chip;
  lines >> word;
  if (word != "FAKE") {
    int judged = judgeRealImage(static_cast<const char *>(image), log, logBytes);
    bool isSound = judged == kInvalidPtx || (judged == kInvalidImage && std::memcmp(image,
                                                                                    "\x7f"
                                                                                    "ELF",
                                                                                    4) == 0);
    if (!getSetting("FAKE_CUDA_REAL_IMAGES", 0) || !isSound)
      return judged;
    auto loaded = std::make_unique<Module>();
    loaded->isReal = true;
    *module = loaded.release();
    call.state.modules.insert(*module);
    return kSuccess;
  }
  lines >> chip;
  if (chip != "sm_" + std::to_string(getSetting("FAKE_CUDA_CHIP", 80)))
    return kNoBinaryForGpu;
  auto loaded = std::make_unique<Module>();
  for (std::string entry, builtin; lines >> entry >> builtin;)
    for (const Builtin &known : kBuiltins)
      if (builtin == known.name)
        loaded->functions[entry] = {&known};
  *module = loaded.release();
  call.state.modules.insert(*module);
  return kSuccess;
}

int cuModuleUnload(Module *module) {
  Call call("cuModuleUnload", Call::Context);
  if (!call.state.modules.erase(module))
    return call.fail(kInvalidHandle, "no such module");
  delete module;
  return kSuccess;
}

int cuModuleGetFunction(Function **function, Module *module, const char *name) {
  Call call("cuModuleGetFunction", Call::Context);
  if (call.code)
    return call.code;
  if (!call.state.modules.count(module))
    return call.fail(kInvalidHandle, "no such module");
  if (module->isReal)
    module->functions.try_emplace(name, Function{&kNothing});
  auto found = module->functions.find(name);
  if (found == module->functions.end())
    return kNotFound;
  *function = &found->second;
  return kSuccess;
}

int cuFuncSetAttribute(Function *function, int attribute, int value) {
  Call call("cuFuncSetAttribute", Call::Context);
  if (call.code)
    return call.code;
  if (attribute != 8 || value > getSharedBytes())
    return call.fail(kInvalidValue, "an attribute that cannot be set so");
  function->sharedBytes = value;
  return kSuccess;
}

int cuLaunchKernel(Function *function, unsigned gridX, unsigned gridY, unsigned gridZ,
                   unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                   Stream *stream, void **params, void **extra) {
  Call call("cuLaunchKernel", Call::Context);
  if (call.code)
    return call.code;
  bool isKnown = false;
  for (Module *module : call.state.modules)
    for (auto &entry : module->functions)
      isKnown |= &entry.second == function;
  if (!isKnown)
    return call.fail(kInvalidHandle, "no such function");
  if (gridX == 0 || gridY != 1 || gridZ != 1 || blockX % 32 != 0 || blockY != 1 || blockZ != 1 ||
      extra)
    return call.fail(kInvalidValue, "a grid that no kernel is made for");
  if (blockX > 1024)
    return kLaunchOutOfResources;
  if (sharedBytes > kFreeSharedBytes && static_cast<int>(sharedBytes) > function->sharedBytes)
    return call.fail(kInvalidValue, "more shared memory than was asked for");
  Work work(Work::Launch);
  work.builtin = function->builtin;
  work.grid = gridX;
  // Read now, as the real one does: the caller's memory may be gone later.
  for (int64_t i = 0; i < function->builtin->numParams; ++i)
    work.params.push_back(*static_cast<uint64_t *>(params[i]));
  return put(call, stream, std::move(work));
}

int cuStreamBeginCapture_v2(Stream *stream, int) {
  Call call("cuStreamBeginCapture_v2", Call::Context);
  if (call.code)
    return call.code;
  if (stream->isCapturing)
    return call.fail(kCaptureUnsupported, "of a stream that is recorded already");
  stream->isCapturing = true;
  stream->captured.clear();
  return kSuccess;
}

int cuStreamEndCapture(Stream *stream, Graph **graph) {
  Call call("cuStreamEndCapture", Call::Context);
  if (!stream->isCapturing)
    return call.fail(kInvalidValue, "of a stream that is not recorded");
  stream->isCapturing = false;
  if (call.code)
    return call.code;
  *graph = new Graph{stream->captured};
  call.state.graphs.insert(*graph);
  return kSuccess;
}

int cuGraphInstantiateWithFlags(Graph **exec, Graph *graph, uint64_t) {
  Call call("cuGraphInstantiateWithFlags", Call::Context);
  if (call.code)
    return call.code;
  *exec = new Graph{graph->work};
  call.state.execs.insert(*exec);
  return kSuccess;
}

int cuGraphLaunch(Graph *exec, Stream *stream) {
  Call call("cuGraphLaunch", Call::Context);
  if (call.code)
    return call.code;
  if (!call.state.execs.count(exec))
    return call.fail(kInvalidHandle, "no such graph");
  for (const Work &work : exec->work)
    if (int code = put(call, stream, work))
      return code;
  return kSuccess;
}

int cuGraphExecDestroy(Graph *exec) {
  Call call("cuGraphExecDestroy", Call::Context);
  if (!call.state.execs.erase(exec))
    return call.fail(kInvalidHandle, "no such graph");
  delete exec;
  return kSuccess;
}

int cuGraphDestroy(Graph *graph) {
  Call call("cuGraphDestroy", Call::Context);
  if (!call.state.graphs.erase(graph))
    return call.fail(kInvalidHandle, "no such graph");
  delete graph;
  return kSuccess;
}

void *fake_cuda_make_stream(void) {
  Call call("fake_cuda_make_stream", Call::Nothing);
  return *call.state.streams.insert(new Stream()).first;
}

void fake_cuda_destroy_stream(void *stream) {
  Call call("fake_cuda_destroy_stream", Call::Nothing);
  call.state.streams.erase(static_cast<Stream *>(stream));
  delete static_cast<Stream *>(stream);
}

} // extern "C"
