#!/usr/bin/env bash
# The picture of a program's kernels as a PNG, from the page that fuse-run --graph writes:
#   utils/make-picture.sh PROGRAM OUT.png [WIDTHxHEIGHT] [options of fuse-run, such as --inputs F.npz or --time 20]
# Needs Chromium (utils/setup.sh --with-browser) and a built fuse-run. docs/images was made with it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[ $# -ge 2 ] || { sed -n '2,5s/^# //p' "${BASH_SOURCE[0]}" >&2; exit 2; }
program=$1 out=$2
shift 2
size=1280x800
if [[ "${1-}" =~ ^[0-9]+x[0-9]+$ ]]; then size=$1; shift; fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
build/release/bin/fuse-run "$program" --graph "$folder/page.html" "$@" >/dev/null
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
"$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars \
  --user-data-dir="$folder/profile" --window-size="${size/x/,}" --virtual-time-budget=5000 \
  --screenshot="$folder/page.png" "file://$folder/page.html" >/dev/null 2>&1
mkdir -p "$(dirname "$out")"
mv "$folder/page.png" "$out"
