#!/usr/bin/env bash
# Makes a lab's starter from the version that solves it: the parts between // BEGIN SOLUTION and
# // END SOLUTION become their TODO, and the lab's sheet becomes the README.
#   scripts/starter.sh LAB [NAME]             LAB: a version with marked parts; NAME: my_LAB
#   scripts/starter.sh --solved LAB NAME      the same folder with the marked parts put back, for tests
# Exit code 2: no such lab, or an invalid or taken name; then nothing was written.
#
# Marks in student_func.cu, each alone on its line:
#   // BEGIN SOLUTION, // END SOLUTION   around code that the starter leaves out
#   // TODO .., then lines that begin with // and at least 7 blanks   right behind BEGIN: stay in the starter
#   //- CODE   inside: stands in the starter only, in place of the solution, and is marked "// stub" there
#   //+ CODE   anywhere else: code of the lab that the version itself does not need
set -euo pipefail
cd "$(dirname "$0")/.."
quit() { echo "starter: $1" >&2; exit 2; }

solved=0
if [ "${1-}" = --solved ]; then solved=1; shift; fi
if [ $# -lt 1 ] || [ $# -gt 2 ]; then quit 'usage: make starter LAB=radix_v1 [NAME=mine]'; fi
lab=$1 name=${2:-my_$1}
labs=$({ grep -ls '// BEGIN SOLUTION' -- */student_func.cu || true; } | sed 's,/.*,,' | tr '\n' ' ')
[ -n "$labs" ] || quit "the versions that starters are made from are not in this copy of the repository"
[[ " $labs " == *" $lab "* ]] || quit "there is no lab '$lab'; the labs are: $labs"
[[ $name =~ ^[a-z][a-z0-9_]*$ ]] || quit "'$name' is no name for a folder: small letters, digits and _"
! grep -qE "^NO_VERSION :=.* $name( |\$)" Makefile || quit "'$name' has a meaning of its own here; choose another with NAME=..."
[ ! -e "$name" ] || quit "there is a $name already; choose another with NAME=..."
sheet=$(grep -l "^<!-- lab:.* $lab\b.*-->" labs/[0-9]*.md | head -n 1)
[ -n "$sheet" ] || quit "no sheet in labs/ is for $lab"

part=$(mktemp -d .starter.XXXXXX)
trap 'rm -rf "$part"' EXIT
awk -v solved=$solved -v lab="$lab" -v name="$name" '
  # The file begins with a comment about the solution; the starter has its own.
  !body && /^\/\// { next }
  !body {
    body = 1
    printf "// %s: a lab. The sheet is %s/README.md; the parts to write are marked TODO.\n", name, name
    print "// When a part is written, delete its TODO comment and the lines that end with // stub.\n//"
    printf "// Build:    make %s\n// Check:    make check-lab V=%s\n", name, name
    print "// Run:      ./HW4 samples/portrait.ppm samples/template.ppm"
  }
  /^ *\/\/ BEGIN SOLUTION$/ { inside = 1; text = 1; next }
  /^ *\/\/ END SOLUTION$/ { inside = 0; next }
  inside && /^ *\/\/- / { if (!solved) { sub(/\/\/- /, ""); print $0 "  // stub" } next }
  inside && text && (/^ *\/\/ TODO / || /^ *\/\/       /) { if (!solved) print; next }
  inside { text = 0; if (solved) print; next }
  /^ *\/\/\+ / { sub(/\/\/\+ /, "") }
  { print }' "$lab/student_func.cu" |
  sed "s/\.name = \"$lab\"/.name = \"$name\"/; s/\.title = \".*\"/.title = \"lab: $lab\"/; s,#include \"$lab/,#include \"$name/," >"$part/student_func.cu"
for file in "$lab"/*.cuh "$lab"/version.mk; do
  [ ! -f "$file" ] || sed "s/\b$lab\b/$name/g" "$file" >"$part/${file##*/}"
done
sed "s/\bmine\b/$name/g; s,](pictures/,](../labs/pictures/,g; s,](glossary\.md,](../labs/glossary.md,g" "$sheet" >"$part/README.md"
chmod 755 "$part"
mv "$part" "$name"
trap - EXIT
echo "starter: $name/ is the starter of $lab. Read $name/README.md, then"
echo "  make check-lab V=$name"
