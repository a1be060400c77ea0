//===- bundle-sizes.cpp - One bundle, called with sizes that fit and sizes that do not ----------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
//   bundle-sizes BUNDLE [COUNT [SEED]]
//
// Calls the bundle of Inputs/sizes.mlir with random vectors of sizes, ranks, types and pointers. What the program's conditions
// allow must be accepted, computed right, and written to the arrays only, which end where a page that nobody may touch
// begins; everything else must be refused with a text that says what was expected. Exits with 1 after a failure.
//
//===----------------------------------------------------------------------------------------===//

#include "SizesProgram.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <string>
#include <sys/mman.h>

using namespace fuse_sizes;

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
/// Sizes that no memory holds are asked for.
extern "C" const char *__asan_default_options() { return "allocator_may_return_null=1"; }
#endif
#endif

namespace {

/// Memory whose end is that of the last page that may be touched.
class Guarded {
public:
  explicit Guarded(int64_t bytes) : bytes(bytes) {
    constexpr size_t kPage = 4096;
    length = (static_cast<size_t>(bytes) + kPage - 1) / kPage * kPage + kPage;
    pages = static_cast<char *>(mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (pages == MAP_FAILED || mprotect(pages + length - kPage, kPage, PROT_NONE))
      std::abort();
    // What is not written shows.
    std::memset(pages, 0x5a, length - kPage);
  }
  Guarded(const Guarded &) = delete;
  Guarded &operator=(const Guarded &) = delete;
  ~Guarded() { munmap(pages, length); }
  void *getData() { return pages + length - 4096 - bytes; }

private:
  int64_t bytes;
  size_t length;
  char *pages;
};

/// A bundle's functions.
struct Library {
  decltype(&fuse_bundle_open) open;
  decltype(&fuse_bundle_close) close;
  decltype(&fuse_bundle_context_create) createContext;
  decltype(&fuse_bundle_context_destroy) destroyContext;
  decltype(&fuse_bundle_query) query;
  decltype(&fuse_bundle_run) run;
  decltype(&fuse_bundle_error) getError;
  fuse_bundle *bundle = nullptr;
  fuse_bundle_context *context = nullptr;

  explicit Library(const char *path) {
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      std::fprintf(stderr, "%s\n", dlerror());
      std::exit(2);
    }
    auto find = [&](auto &function, const char *name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
    };
    find(open, "fuse_bundle_open");
    find(close, "fuse_bundle_close");
    find(createContext, "fuse_bundle_context_create");
    find(destroyContext, "fuse_bundle_context_destroy");
    find(query, "fuse_bundle_query");
    find(run, "fuse_bundle_run");
    find(getError, "fuse_bundle_error");
    char error[256] = "";
    if (open(FUSE_ABI_VERSION, nullptr, &bundle, error, sizeof error) ||
        createContext(bundle, 1, &context, error, sizeof error)) {
      std::fprintf(stderr, "%s\n", error);
      std::exit(2);
    }
  }
  ~Library() {
    destroyContext(context);
    close(bundle);
  }
};

struct Tally {
  int64_t run = 0, refused = 0, large = 0, failed = 0;
  std::map<std::string, int64_t> texts; ///< of errors, without their numbers

  void note(std::string text) {
    std::string kind;
    for (char c : text)
      if (c < '0' || c > '9')
        kind += c;
      else if (kind.empty() || kind.back() != '#')
        kind += '#';
    ++texts[kind];
  }
};

} // namespace

static std::string describe(const Call &call) {
  std::string text;
  for (int d = 0; d < kNumDims; ++d)
    text += (d ? ", " : "") + std::string(kDimNames[d]) + " " + std::to_string(call.sizes[d]);
  return text + (call.damage == Damage::None ? "" : std::string("; ") + kDamageNames[static_cast<int>(call.damage)]);
}

/// An error's text says what was expected; of arrays that memory does not hold, how many bytes.
static bool isGoodText(const std::string &text) {
  for (const char *word : {"expected", "differ", "above its bound", "out of memory"})
    if (text.find(word) != std::string::npos)
      return true;
  return false;
}

/// Arrays of a call that is small enough to be run.
static const char *runCall(Library &library, const Call &call, Random &random) {
  Guarded a(4 * countElements(call, 0)), b(4 * countElements(call, 1)), image(4 * countElements(call, 2)),
      left(4 * countElements(call, 3)), right(4 * countElements(call, 4)), ids(8 * countElements(call, 5));
  Arrays arrays = {static_cast<float *>(a.getData()), static_cast<float *>(b.getData()),
                   static_cast<float *>(image.getData()), static_cast<float *>(left.getData()),
                   static_cast<float *>(right.getData()), static_cast<int64_t *>(ids.getData())};
  fillInputs(call, arrays, random);
  Buffers buffers(call);
  void *inputs[] = {arrays.a, arrays.b, arrays.image, arrays.left, arrays.right, arrays.ids};
  for (int i = 0; i < kNumInputs; ++i)
    buffers.ins[i].data = countElements(call, i) == 0 && random.below(2) ? nullptr : inputs[i];
  if (library.query(library.context, buffers.ins, buffers.outs))
    return "refused";
  Outputs wanted = computeOutputs(call, arrays);
  std::vector<std::unique_ptr<Guarded>> memory;
  for (int i = 0; i < kNumOutputs; ++i) {
    int64_t count = 1;
    for (int d = 0; d < buffers.outs[i].rank; ++d)
      count *= buffers.outs[i].sizes[d];
    if (count != static_cast<int64_t>(wanted[i].size()))
      return "an output has another size";
    memory.push_back(std::make_unique<Guarded>(4 * count));
    buffers.outs[i].data = count == 0 && random.below(2) ? nullptr : memory.back()->getData();
  }
  if (library.run(library.context, buffers.ins, buffers.outs))
    return "the run was refused, not the query";
  for (int i = 0; i < kNumOutputs; ++i)
    for (size_t at = 0; at < wanted[i].size(); ++at)
      if (!isClose(static_cast<float *>(memory[i]->getData())[at], wanted[i][at]))
        return "a wrong result";
  return nullptr;
}

/// A call that is not run: whether it is accepted is all there is to see.
static const char *queryCall(Library &library, const Call &call, Verdict verdict, Tally &tally, Random &random) {
  Buffers buffers(call);
  int32_t status = library.query(library.context, buffers.ins, buffers.outs);
  if (verdict == Verdict::Refused && !status)
    return "not refused";
  if (status) {
    std::string text = library.getError(library.context);
    tally.note(text);
    if (!isGoodText(text))
      return "an error without a text that says what was expected";
  }
  // A run asks for the same, and in no case for what is not there.
  if (!library.run(library.context, buffers.ins, buffers.outs))
    return "a run without arrays";
  return nullptr;
}

int main(int argc, char **argv) {
  if (argc < 2 || argc > 4) {
    std::fprintf(stderr, "usage: bundle-sizes BUNDLE [COUNT [SEED]]\n");
    return 2;
  }
  int64_t count = argc > 2 ? std::atoll(argv[2]) : 1000;
  Library library(argv[1]);
  Random random{argc > 3 ? static_cast<uint64_t>(std::atoll(argv[3])) : 1};
  Tally tally;
  for (int64_t i = 0; i < count; ++i) {
    Call call = drawCall(random);
    Verdict verdict = judge(call);
    const char *failure = verdict == Verdict::Runs ? runCall(library, call, random)
                                                   : queryCall(library, call, verdict, tally, random);
    ++(verdict == Verdict::Runs ? tally.run : verdict == Verdict::Refused ? tally.refused : tally.large);
    if (!failure)
      continue;
    if (++tally.failed <= 10)
      std::printf("FAILED call %lld: %s: %s; last error: %s\n", static_cast<long long>(i), describe(call).c_str(),
                  failure, library.getError(library.context));
  }
  for (const auto &[text, times] : tally.texts)
    std::printf("%6lld × %s\n", static_cast<long long>(times), text.c_str());
  std::printf("calls: %lld run, %lld refused, %lld too large to be run, %lld failed\n",
              static_cast<long long>(tally.run), static_cast<long long>(tally.refused),
              static_cast<long long>(tally.large), static_cast<long long>(tally.failed));
  return tally.failed != 0;
}
