#!/usr/bin/env bash
# Compiles every version with nvcc for each GPU architecture, at low priority; nothing is run.
#   scripts/check_archs.sh                       all versions, sm_75 to sm_120; half an hour on two cores
#   ARCHS="sm_75 sm_90" scripts/check_archs.sh radix_v6 radix_v7
# Exit code: 0 all compile, 1 some do not (their messages are printed) or an architecture is unknown, 2 no nvcc.
set -euo pipefail
cd "$(dirname "$0")/.."
read -r -a archs <<<"${ARCHS:-sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120}"
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null) || { echo "check_archs: nvcc is not installed" >&2; exit 2; }
versions=("$@")
if [ $# -eq 0 ]; then
  for file in */student_func.cu; do versions+=("${file%%/*}"); done
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$nvcc" --version | grep -o 'release [0-9.]*' | sed 's/^/nvcc /'
status=0
for arch in "${archs[@]}"; do
  if ! "$nvcc" --list-gpu-code | grep -x "$arch" >/dev/null; then
    echo "$arch: this nvcc does not know it"
    status=1
    continue
  fi
  failed=()
  for version in "${versions[@]}"; do
    # The object of the version alone: the rest of the program does not depend on the architecture.
    if ! nice -n 19 make -s BACKEND=cuda ARCH="$arch" "build/cuda-$arch/$version/student_func.o" >"$log" 2>&1; then
      failed+=("$version")
      tail -n 20 "$log" >&2
    fi
  done
  if [ ${#failed[@]} -eq 0 ]; then
    echo "$arch: ${#versions[@]} of ${#versions[@]} versions compile"
  else
    echo "$arch: $((${#versions[@]} - ${#failed[@]})) of ${#versions[@]} versions compile, not ${failed[*]}"
    status=1
  fi
done
exit "$status"
