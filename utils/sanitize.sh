#!/usr/bin/env bash
# Builds with sanitizers and runs what they can judge: the tests of fuse-opt and fuse-run and the unit
# tests under addresses and undefined behaviour, compiled programs in several threads under the
# thread sanitizer. Generated code is not instrumented; what compiles, loads and runs it is.
# usage: sanitize.sh [JOBS]; takes long, most of it to compile.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-$(nproc)}
# A finding has an exit status of its own: 1 is what bad input ends with. Too large an allocation is an
# error that programs handle. LLVM's allocators mark their memory for the sanitizer only where our
# code instantiates them; libMLIR, which is not instrumented, then uses what is marked as free.
export ASAN_OPTIONS=exitcode=99:allocator_may_return_null=1:allow_user_poisoning=0
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1:exitcode=99
export TSAN_OPTIONS=ignore_noninstrumented_modules=1:exitcode=99

cmake --preset sanitize >/dev/null
units=(FuseInterpreterTests FuseExecutionTests FuseCompiledTests FuseRuntimeTests FuseSupportTests
       FuseImportTests)
ninja -C build/sanitize -j "$jobs" fuse-opt fuse-run fuse-compile fuse-translate onnx-mutants fuzz-onnx-import \
  "${units[@]}"
"$(llvm-config-22 --prefix)/bin/lit" -j "$jobs" --succinct --verbose build/sanitize/test \
  --filter ':: (IR|Transforms|Report|Codegen|tools)/|errors'
for unit in "${units[@]}"; do
  find build/sanitize/test/unit -name "$unit" -type f -exec {} --gtest_brief=1 \;
done

# Damaged models: mutants, then what libFuzzer makes of the same ones, guided by what it covers.
fuzz=build/sanitize/test/fuzz
"$fuzz/onnx-mutants" "$fuzz/mutants" 2000
"$fuzz/onnx-mutants" --seeds "$fuzz/corpus"
"$fuzz/fuzz-onnx-import" -max_total_time=60 -timeout=20 -artifact_prefix="$fuzz/" "$fuzz/corpus"

cmake --preset sanitize-thread >/dev/null
ninja -C build/sanitize-thread -j "$jobs" FuseCompiledTests
build/sanitize-thread/test/unit/Execution/FuseCompiledTests --gtest_brief=1
