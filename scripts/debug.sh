#!/usr/bin/env bash
# Opens gdb on a version's kernels, on the cpu backend without optimisation, at one thread of one block. It sorts the
# worked example of the handout. Called by make debug V=NAME [K=KERNEL] [X=5] [BLOCK=0]; see labs/debugging.md.
#   scripts/debug.sh NAME [--kernel KERNEL] [--thread X] [--block B] [gdb's options, for example --batch -ex bt]
# KERNEL: if left out, every kernel of the version. Exit code: gdb's; 2: usage, no gdb, or no build.
set -euo pipefail
cd "$(dirname "$0")/.."
quit() { echo "debug: $1" >&2; exit 2; }
version=${1-} kernel='' thread=5 block=0
[ -n "$version" ] || quit 'usage: make debug V=NAME [K=KERNEL] [X=5] [BLOCK=0]'
shift
while [ $# -gt 0 ]; do
  case $1 in
    --kernel) kernel=$2; shift 2 ;;
    --thread) thread=$2; shift 2 ;;
    --block) block=$2; shift 2 ;;
    *) break ;;
  esac
done
[ -f "$version/student_func.cu" ] || quit "there is no $version/student_func.cu"
[[ $thread$block =~ ^[0-9]+$ ]] || quit 'X and BLOCK are numbers'
command -v gdb >/dev/null || quit 'gdb is not installed; scripts/setup.sh gdb installs it'

kernels_of() { # the kernels of the files, in the order in which they are written
  cat "$@" 2>/dev/null | tr '\n' ' ' |
    grep -oP '__global__\s+(void\s+)?(__launch_bounds__\s*\([^)]*\)\s*)?(void\s+)?\K\w+(?=\s*\()'
}
mapfile -t kernels < <(kernels_of "$version"/student_func.cu "$version"/*.cuh)
[ -n "$kernel" ] || [ ${#kernels[@]} -gt 0 ] || quit "$version has no kernel; name one with K=..."
[ -z "$kernel" ] || kernels_of "$version"/* radix_*/*.cuh common/*.cuh | grep -x "$kernel" >/dev/null ||
  quit "there is no kernel '$kernel'; the kernels of $version are: ${kernels[*]}"
[ -z "$kernel" ] || kernels=("$kernel")
# V=: this version, for make debug, would mean verbose here.
program=$(make -s --no-print-directory BACKEND=cpu DEBUG=1 print-B)/$version/trace
make -s V= BACKEND=cpu DEBUG=1 "$program" || quit 'the build failed'
mapfile -t arguments < <(PYTHONDONTWRITEBYTECODE=1 python3 -m labs.check.trace "$version" --arguments)
breakpoints=()
symbols=$(nm -C "$program")
never="debug: the sort has ended without thread $thread of block $block in ${kernels[*]}: is the kernel launched, with that many threads?"
for kernel in "${kernels[@]}"; do # those that the program contains
  if grep -q " ${kernel}[<(]" <<<"$symbols"; then
    breakpoints+=(-ex "break $kernel if threadIdx.x == $thread && blockIdx.x == $block")
  fi
done
# One thread of the operating system, so that all CUDA threads belong to one gdb thread.
OMP_NUM_THREADS=1 exec gdb -q -nx \
  -iex 'set pagination off' -iex 'set debuginfod enabled off' -iex 'set print thread-events off' \
  -ex 'source labs/check/cuda_gdb.py' \
  -ex 'set breakpoint pending off' -ex 'tbreak your_sort' -ex run \
  "${breakpoints[@]}" -ex continue \
  -ex "python if gdb.selected_inferior().pid == 0: print('$never')" \
  "$@" --args "$program" "${arguments[@]}"
