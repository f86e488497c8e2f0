#!/usr/bin/env bash
# Reads every #include "..." of the repository, or of the folder FOLDER, and fails on one that does
# not run downward, and on a ring.
#   scripts/check_includes.sh [FOLDER]
#   - A file includes its room and the rooms below it, by `rooms`. So hw4, compare and multi never
#     include each other.
#   - gsort includes nothing but its files; what includes common may include gsort.
#   - A version includes its folder, common, gsort, and the version that it builds on, if a line
#     "// Builds on: radix_v6" in its student_func.cu names it. A file of multi includes the version
#     that such a line in it names.
#   - tests, scripts, labs and report may include everything; nothing else includes them.
#   - No ring of files anywhere. foo.c and foo.h count as one, so that no two parts call each other.
# Exit code: 0, 1 with a line on stderr for each finding, 2 usage.
set -u
# Rooms from the lowest one up. A file includes its room, the rooms that a list names before it, and what
# these may include.
rooms='gsort common harness/typed
cuda_cpu common harness/process harness/input harness/verdict harness/measure harness/diagnose harness/judge
cuda_cpu cuda_cpu/src/diagnosis cuda_cpu/src/streams cuda_cpu/src/memory cuda_cpu/src/launch cuda_cpu/src/warp
cuda_cpu/src/launch cuda_cpu/src/crash
cuda_cpu/src/launch cuda_cpu/src/clusters cuda_cpu/count cuda_cpu/check
cuda_cpu/src/launch cuda_cpu/src/graphs cuda_cpu/src/pools
cuda_cpu/src/memory cuda_cpu/src/textures
cuda_cpu cuda_cpu/src/curand cuda_cpu/src/math
harness/process harness/versions harness/verdict
harness/judge harness/hw4
harness/judge harness/compare
harness/judge multi/world multi/split multi/move multi/device multi
multi/move multi/host multi'
root=${1:-$(dirname "$0")/..}
if [ $# -gt 1 ] || ! cd "$root"; then
  echo "usage: scripts/check_includes.sh [FOLDER]" >&2
  exit 2
fi

# "FILE INCLUDED" for each include of a file that is there: beside the including file, or from the
# root. Others, such as headers that the build generates, are not checked.
edges() {
  find . \( -name build -o -name node_modules -o -name '.?*' \) -prune -o -type f \
    \( -name '*.c' -o -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) -print |
    sed 's|^\./||' | LC_ALL=C sort >"$files"
  xargs -r -d '\n' grep -H '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' <"$files" /dev/null |
    sed 's|^\([^:]*\):[^"]*"\([^"]*\)".*|\1 \2|' |
    awk -v files="$files" '
      function normal(path) { while (sub(/[^\/]+\/\.\.\//, "", path)); gsub(/\.\//, "", path); return path }
      BEGIN { while ((getline line < files) > 0) there[line] = 1 }
      {
        folder = $1; sub(/[^\/]*$/, "", folder)
        near = normal(folder $2); far = normal($2)
        if (near in there) print $1, near
        else if (far in there) print $1, far
      }'
}

# "VERSION OTHER", or "FILE OTHER" in multi, for each line that names a version to build on.
builds_on() {
  grep -rH '^// Builds on:' -- */student_func.cu multi 2>/dev/null |
    sed -n 's|^\([^:]*\):// Builds on:[[:space:]]*\([a-z0-9_]*\).*|\1 \2|p' | sed 's|/student_func\.cu | |'
}

upward() {
  awk -v rooms="${rooms//$'\n'/,}" '
    BEGIN {
      for (lists = split(rooms, list, ","); lists > 0; lists--)
        for (i = split(list[lists], names, " "); i > 0; i--) {
          is_room[names[i]] = 1
          if (i > 1) below[names[i], names[i - 1]] = 1
        }
      # What is below a lower room is below, too (the algorithm of Warshall).
      for (b in is_room) for (a in is_room) for (c in is_room)
        if (((a, b) in below) && ((b, c) in below)) below[a, c] = 1
    }
    FILENAME == ARGV[1] { version[$1] = 1; next }
    FILENAME == ARGV[2] { builds[$1 " " $2] = 1; next }
    # The room, version or other folder that a file belongs to.
    function part(path,  top) {
      top = path ~ /\// ? path : "."
      sub(/\/.*/, "", top)
      while (sub(/\/[^\/]*$/, "", path)) if (path in is_room) return path
      return top
    }
    {
      from = part($1); to = part($2)
      if (from == to) next
      if (from in version) good = to == "common" || to == "gsort" || builds[from " " to]
      else if (to in version) good = !(from in is_room) || builds[$1 " " to]
      else good = !(from in is_room) || ((from, to) in below)
      if (!good) print $1 " includes " $2 ": " from " may not include " to
    }' "$versions" "$bases" "$all"
}

# Rings of files without their suffix: tsort names the members of each. A ring begins with the first by name.
rings() {
  awk '$1 == $2 { print $1 " includes itself" }' "$all"
  sed 's/\.[a-z]*\( \|$\)/\1/g' "$all" | awk '$1 != $2' | tsort 2>&1 >/dev/null | awk '
    function report(  first, i, ring) {
      for (i = first = 1; i <= count; i++) if (name[i] < name[first]) first = i
      for (i = 0; i <= count && count > 0; i++) ring = ring " -> " name[(first - 1 + i) % count + 1]
      if (count > 0) print "a ring: " substr(ring, 5)
      count = 0
    }
    /contains a loop:$/ { report(); next }
    { name[++count] = $2 }
    END { report() }' | sort -u
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
files=$work/files all=$work/all versions=$work/versions bases=$work/bases
edges >"$all"
for folder in */student_func.cu; do [ ! -f "$folder" ] || echo "${folder%/*}"; done >"$versions"
builds_on >"$bases"
{ upward && rings; } >"$work/findings" || exit 2
if [ -s "$work/findings" ]; then
  sed 's/^/check_includes: /' "$work/findings" >&2
  exit 1
fi
echo "check_includes: $(wc -l <"$all") includes, all downward, no ring"
