#!/usr/bin/env bash
# Installs the library into a temporary folder; checks what it exports; builds the examples with
# pkg-config's answers alone, and runs them. B and BACKEND as for make. Prints TAP.
set -u
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0
check() { # NAME COMMAND...: passes if the command does
  local name=$1
  shift
  number=$((number + 1))
  if "$@" >"$work/out" 2>&1; then echo "ok $number - $name"; return; fi
  echo "not ok $number - $name"
  sed 's/^/# /' "$work/out"
}
prints() { # TEXT COMMAND...: the command ends with 0 and prints TEXT alone
  local text=$1 got
  shift
  got=$("$@" 2>&1) && [ "$got" = "$text" ] && return
  echo "$got"
  return 1
}
not() { ! "$@"; }

unset MAKEFLAGS MFLAGS MAKELEVEL
export PKG_CONFIG_PATH=$work/usr/lib/pkgconfig LD_LIBRARY_PATH=$work/usr/lib
check "make install" make -s install PREFIX="$work/usr"
check "with DESTDIR" make -s install PREFIX="$work/usr" DESTDIR="$work/stage"
check "the same files with DESTDIR" diff -r "$work/usr" "$work/stage/$work/usr"
make -s uninstall PREFIX="$work/usr" DESTDIR="$work/stage"
check "make uninstall leaves none" not grep -q . < <(find "$work/stage" ! -type d)
check "pkg-config's version is the library's" prints "$(sed -n 's/^#define GSORT_VERSION .*\/\/ \([0-9.]*\):.*/\1/p' gsort.h)" \
  pkg-config --modversion gsort

for way in $(sed -n 's/.*const Way way_[a-z_]* = {"\([^"]*\)".*/\1/p' way/*.cu | tr ' ' _); do
  check "README.md has the way ${way//_/ }" grep -q "^| [^|]*\b${way//_/ }\b[^|]* |" README.md
done

# Symbols of the cpu backend's runtime are there, too; gsort's inside is not.
runtime='^$'
[ "$BACKEND" = cuda ] || runtime='^cuda[A-Z]\|cuda_cpu'
exported=$(nm -D --defined-only "$work/usr/lib/libgsort.so.1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' |
  grep -v "$runtime" | sort)
declared=$(grep -o '\bgsort_[a-z_]*(' gsort.h | tr -d '(' | sort -u)
check "exports what gsort.h declares, and no more" prints "$declared" echo "$exported"
check "SONAME" grep -q 'soname: \[libgsort.so.1\]' <(readelf -d "$work/usr/lib/libgsort.so")
check "less than 20 MB" [ "$(stat -L -c %s "$work/usr/lib/libgsort.so")" -lt 20000000 ]

# shellcheck disable=SC2207
flags=($(pkg-config --cflags --libs gsort))
cc=${CC:-cc} cxx=${CXX:-c++}
for language in c c++; do
  check "the header is $language without warnings" "$cc" -x $language -std=${language}17 -Wall -Wextra -Wpedantic -Werror \
    -fsyntax-only "$work/usr/include/gsort.h"
done
check "sort.c compiles" "$cc" examples/sort.c "${flags[@]}" -o "$work/sort"
check "and sorts" prints "1000000 numbers, 0 in a wrong place: 0 .. 4294961558" "$work/sort"
# shellcheck disable=SC2046
check "sort.c with the static library" "$cc" examples/sort.c $(pkg-config --cflags gsort) "$work/usr/lib/libgsort.a" \
  $(pkg-config --static --libs gsort | sed 's/-lgsort//') -o "$work/static"
check "which sorts, too" prints "$("$work/sort")" env LD_LIBRARY_PATH= "$work/static"
if [ "$BACKEND" = cuda ]; then
  check "thrust.cu compiles" nvcc -arch=native examples/thrust.cu "${flags[@]}" -o "$work/thrust"
else
  check "thrust.cu compiles" "$cxx" -x c++ examples/thrust.cu -x none "${flags[@]}" -o "$work/thrust"
fi
check "and sorts" prints "100000 scores, 0 in a wrong place: 11499.9 .. -1000" "$work/thrust"
modules=numpy
[ "$BACKEND" = cpu ] || modules='numpy cupy torch'
for module in $modules; do
  python=
  for candidate in python3 /usr/bin/python3; do
    if [ -z "$python" ] && "$candidate" -c "import numpy, $module" 2>/dev/null; then python=$candidate; fi
  done
  if [ -n "$python" ]; then
    check "argsort.py with $module" prints "100000 indices, 0 wrong: 72386 .. 14926" "$python" examples/argsort.py "$module"
  else
    number=$((number + 1))
    echo "ok $number - argsort.py with $module # skip no Python that has it"
  fi
done
echo "1..$number"
