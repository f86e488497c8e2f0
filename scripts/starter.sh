#!/usr/bin/env bash
# Makes a lab's starter from the version that solves it: labs/starters/LAB.patch takes the solution out
# and adds TODOs, stubs and the calls that show arrays; the lab's sheet becomes the README.
#   scripts/starter.sh LAB [NAME]            NAME: my_LAB
#   scripts/starter.sh --update LAB NAME     writes the patch anew, from the version and the starter in NAME
#   scripts/starter.sh --template LAB DIR    writes the starter of `the_lab` to DIR; in a copy for students (labs/teacher/student_copy.py)
#                                            it is labs/starters/LAB, and starters are made from it
# Exit code 2: no such lab, an invalid or taken name, or a patch that does not apply; then nothing was written.
set -euo pipefail
cd "$(dirname "$0")/.."
quit() { echo "starter: $1" >&2; exit 2; }
code() { sed -e '/^\/\//d' -e ':rest' -e 'n' -e 'b rest' "$1"; } # without the comment that the file begins with

update=0 template=''
if [ "${1-}" = --update ]; then update=1; shift; fi
if [ "${1-}" = --template ]; then template=$3; set -- "$2" the_lab; fi
if [ $# -lt 1 ] || [ $# -gt 2 ]; then quit 'usage: make starter LAB=radix_v1 [NAME=mine]'; fi
lab=$1 name=${2:-my_$1} version=$1/student_func.cu patch=labs/starters/$1.patch
if [ $update = 1 ]; then
  for file in "$version" "$name/student_func.cu"; do [ -f "$file" ] || quit "there is no $file"; done
  { sed '/^\/\//!Q' "$version"; code "$name/student_func.cu" | sed "s,#include \"$name/,#include \"$lab/,"; } |
    diff -d -U1 --suppress-blank-empty -I '^    \.\(name\|title\) = ' --label "$version" --label starter "$version" - >"$patch" || [ $? = 1 ]
  exit
fi
labs=$(find labs/starters -mindepth 1 -maxdepth 1 | sort | sed 's,.*/,,; s,[.]patch$,,' | tr '\n' ' ')
[[ " $labs " == *" $lab "* ]] || quit "there is no lab '$lab'; the labs are: $labs"
[[ $name =~ ^[a-z][a-z0-9_]*$ ]] || quit "'$name' is no name for a folder: small letters, digits and _"
! grep -qE "^NO_VERSION :=.* $name( |\$)" Makefile || quit "'$name' has another meaning here; choose another with NAME=..."
[ ! -e "$name" ] || quit "there is a $name already, and a folder holds one lab or one file of CS344; choose another with NAME=..."
sheet=$(grep -l "^<!-- lab:.* $lab\b.*-->" labs/[0-9]*.md | head -n 1)
[ -n "$sheet" ] || quit "no sheet in labs/ is for $lab"

part=$(mktemp -d .starter.XXXXXX)
trap 'rm -rf "$part"' EXIT
if [ -d "labs/starters/$lab" ]; then
  cp "labs/starters/$lab"/* "$part"
  sed -i "s/\bthe_lab\b/$name/g" "$part"/*
else
  patch -s -F0 -o "$part/patched" "$version" "$patch" || quit "$patch does not apply to $version"
  cat >"$part/student_func.cu" <<TXT
// $name: a lab. The sheet is $name/README.md; the parts to write are marked TODO.
// When a part is written, delete its TODO comment and the lines that end with // stub.
//
// Build:    make $name
// Check:    make check-lab V=$name
// Run:      ./HW4 samples/portrait.ppm samples/template.ppm
TXT
  code "$part/patched" |
    sed "s/\.name = \"$lab\"/.name = \"$name\"/; s/\.title = \".*\"/.title = \"lab: $lab\"/; s,#include \"$lab/,#include \"$name/," >>"$part/student_func.cu"
  rm "$part/patched"
  for file in "$lab"/*.cuh "$lab"/version.mk; do
    [ ! -f "$file" ] || sed "s/\b$lab\b/$name/g" "$file" >"$part/${file##*/}"
  done
  sed "s/\bmine\b/$name/g; s,](pictures/,](../labs/pictures/,g; s,](glossary\.md,](../labs/glossary.md,g" "$sheet" >"$part/README.md"
fi
chmod 755 "$part"
mv "$part" "${template:-$name}"
trap - EXIT
[ -z "$template" ] || exit 0
echo "starter: $name/ is the starter of $lab. Read $name/README.md, then"
echo "  make check-lab V=$name"
