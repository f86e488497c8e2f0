#!/usr/bin/env bash
# The cpu backend on arm64, as in a container on an Apple machine: cross-compiled, and run under qemu-user. Tests of
# cuda_cpu, and a sort whose steps are compared.
#   tests/scripts/test_arm64.sh          build/arm64 keeps what was compiled
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
for program in mmdebstrap qemu-aarch64-static aarch64-linux-gnu-g++; do
  command -v $program >/dev/null || skip_all "$program is not installed (scripts/setup.sh mmdebstrap qemu-user-static g++-aarch64-linux-gnu)"
done
unset MAKEFLAGS MFLAGS MAKELEVEL BACKEND SANITIZE B REWRITE EXAMPLES
build=build/arm64
tools=$PWD/$build/tools
if [ ! -f "$tools/lib/libboost_context.a" ]; then
  mkdir -p "$tools"/{bin,lib,include}
  mmdebstrap --quiet --variant=extract --arch=arm64 --include=libboost-context-dev,libcmocka-dev bookworm "$work/debian" >"$work/out" 2>"$work/err" ||
    skip_all "no packages for arm64: $(tail -n 1 "$work/err")"
  cp -r "$work/debian/usr/include"/{boost,cmocka*} "$tools/include/"
  cp -a "$work/debian/usr/lib/aarch64-linux-gnu"/{libcmocka*,libboost_context.a} "$tools/lib/"
  for program in objcopy objdump ar; do ln -sf "$(command -v aarch64-linux-gnu-$program)" "$tools/bin/$program"; done
fi
cross=(env PATH="$tools/bin:$PATH" make -s -j2 BACKEND=cpu OPENCV=0 "B=$build" HOSTCC=gcc)
cross+=("CC=aarch64-linux-gnu-gcc -isystem $tools/include -L$tools/lib" "CXX=aarch64-linux-gnu-g++ -isystem $tools/include -L$tools/lib")
cat >"$work/run" <<SH
#!/bin/sh
exec qemu-aarch64-static -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH=$tools/lib:/usr/aarch64-linux-gnu/lib "\$@"
SH
chmod +x "$work/run"

tests=(launch memory shared warp)
run "${cross[@]}" "${tests[@]/#/$build/cuda_cpu/tests/test_}" $build/labs/worker $build/radix_v1/version.so $build/radix_v2/version.so
check "cuda_cpu, the labs' worker and two sorts compile" is "$code" 0
for name in "${tests[@]}"; do
  run "$work/run" "$build/cuda_cpu/tests/test_$name"
  check "cuda_cpu/tests/test_$name" is "$code" 0
done
make -s build/cpu/labs/steps
mkdir "$work/labs"
cp build/cpu/labs/steps "$work/labs/"
printf '#!/bin/sh\nexec %s %s "$@"\n' "$work/run" "$PWD/$build/labs/worker" >"$work/labs/worker"
chmod +x "$work/labs/worker"
for version in radix_v1 radix_v2; do
  python3 - "$work/labs" "$build/$version/version.so" >"$work/out" 2>"$work/err" <<'P'
import sys
from labs.grader import judge, worker
process = worker.Worker(sys.argv[1], sys.argv[2], 4097, {"seconds": 60, "memory_mb": 0, "output_kb": 64}, isolated=False)
for kind in ("uniform", "few-distinct"):
    keys, positions = judge.make_keys(kind, 4097, 0)
    _, _, *outputs = process.sort(keys, positions)
    wrong = judge.fault(keys, positions, judge.right_answer(keys, positions), *outputs, True)
    assert not wrong, wrong
P
  check "$version sorts" is $? 0
done
plan
