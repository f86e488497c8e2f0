#!/usr/bin/env bash
# The folder works without the repository around it: a copy builds and passes its tests, and another
# project uses it with the Makefile of the examples. Prints TAP.
set -u
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL BACKEND SANITIZE B REWRITE EXAMPLES
mkdir "$work/cuda_cpu"
tar -cf - --exclude=./build . | tar -xf - -C "$work/cuda_cpu"
# What the repository around it has compiled serves here, too, but for one file.
case ${HW4_DIR-} in
  build/cpu | build/cpu-noopencv)
    mkdir "$work/cuda_cpu/build"
    tar -C "../$HW4_DIR" -cf - --exclude='*.d' cuda_cpu/src rewrite | tar -xf - -C "$work/cuda_cpu/build"
    rm "$work/cuda_cpu/build/cuda_cpu/src/launch/launch.o" ;;
esac

echo "1..2"
# Little optimised, and three tests (one in C, one of kernels, one of graphs): it has to show that everything is
# there. Not -O0: there the runtime and kernels share templates, which src/launch/preempt.cpp takes for a kernel of
# the user.
if make -s -j2 -C "$work/cuda_cpu" CXXFLAGS="-O1 -g1 -Wall -Wextra -Werror" TESTS="$(echo build/tests/test_{rewrite,launch,graphs})" test >"$work/log" 2>&1; then
  echo "ok 1 - a copy passes its tests: $(tail -n 1 "$work/log")"
else
  echo "not ok 1 - a copy passes its tests"
  sed 's/^/# /' "$work/log" | tail -n 40
fi
mkdir -p "$work/project" && cp "$work/cuda_cpu/examples/add.cu" "$work/project/"
sed 's|\.\./cuda_cpu.mk|../cuda_cpu/cuda_cpu.mk|' "$work/cuda_cpu/examples/Makefile" >"$work/project/Makefile"
# It links the copy's objects.
if make -s -C "$work/project" B="$work/cuda_cpu/build" CXXFLAGS=-O0 >"$work/log" 2>&1 && "$work/cuda_cpu/build/add" >>"$work/log" 2>&1; then
  echo "ok 2 - another project builds with it"
else
  echo "not ok 2 - another project builds with it"
  sed 's/^/# /' "$work/log" | tail -n 40
fi
