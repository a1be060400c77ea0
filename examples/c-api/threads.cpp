// One program called by several threads, each with a context of its own:
//   c++ -std=c++17 threads.cpp -lfuse-compiler -pthread -o threads && ./threads
#include "fuse/CAPI/Compile.h"

#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

static const char text[] = R"(
func.func @squares(%x: tensor<1024xf32>) -> tensor<f32> {
  %0 = fuse.binary mul %x, %x : tensor<1024xf32>
  %1 = fuse.reduce sum %0 dimensions = [0] : tensor<1024xf32> -> tensor<f32>
  return %1 : tensor<f32>
}
)";

namespace {
template <auto function>
struct Call {
  template <typename T>
  void operator()(T *pointer) const {
    function(pointer);
  }
};
using Compilation = std::unique_ptr<fuse_compilation, Call<fuse_compilation_destroy>>;
using Context = std::unique_ptr<fuse_program_context, Call<fuse_program_context_destroy>>;
} // namespace

static Compilation compile() {
  fuse_source source = {};
  source.struct_bytes = sizeof source;
  source.data = text;
  source.bytes = std::strlen(text);
  fuse_compilation *made = nullptr;
  fuse_compile(&source, nullptr, &made);
  return Compilation(made);
}

static void work(fuse_program *program, float value, float &sum) {
  char error[1024];
  fuse_program_context *made = nullptr;
  if (fuse_program_context_create(program, 1, &made, error, sizeof error)) {
    std::fprintf(stderr, "%s\n", error);
    return;
  }
  Context context(made);
  std::vector<float> x(1024, value);
  fuse_buffer in = {x.data(), nullptr, nullptr, 1, FUSE_F32},
              out = {&sum, nullptr, nullptr, 0, FUSE_F32};
  for (int i = 0; i < 1000; ++i)
    if (fuse_program_run(context.get(), &in, &out)) {
      std::fprintf(stderr, "%s\n", fuse_program_error(context.get()));
      return;
    }
}

int main() {
  Compilation compilation = compile();
  fuse_program *program = compilation ? fuse_compilation_program(compilation.get()) : nullptr;
  if (!program) {
    std::fputs(compilation ? fuse_compilation_text(compilation.get(), FUSE_TEXT_MESSAGES)
                           : "no memory\n",
               stderr);
    return 1;
  }
  std::vector<float> sums(4);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < sums.size(); ++i)
    threads.emplace_back(work, program, static_cast<float>(i), std::ref(sums[i]));
  for (std::thread &thread : threads)
    thread.join();
  for (float sum : sums)
    std::printf("%.0f\n", sum);
  return 0;
}
