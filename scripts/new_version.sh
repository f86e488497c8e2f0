#!/usr/bin/env bash
# Begins a new version as a copy of one that is there: its own folder, its own name, an empty handout.
#   scripts/new_version.sh NAME [FROM]          (FROM: radix_v2)
# From then on make NAME builds it, and the tests, compare and the report find it by its folder.
# Exit code 2: a name that does not do, or a version that is not there; nothing was written then.
set -euo pipefail
cd "$(dirname "$0")/.."
quit() { echo "new_version: $1" >&2; exit 2; }
if [ $# -lt 1 ] || [ $# -gt 2 ]; then quit "usage: scripts/new_version.sh NAME [FROM]"; fi
name=$1 from=${2:-radix_v2}
[[ $name =~ ^[a-z][a-z0-9_]*$ ]] || quit "'$name' is no name for a version: small letters, digits and _"
[ ! -e "$name" ] || quit "there is a $name already"
[ -f "$from/student_func.cu" ] || quit "there is no version $from"

part=$(mktemp -d .new_version.XXXXXX)
trap 'rm -rf "$part"' EXIT
for file in "$from"/*.cu "$from"/*.cuh "$from"/version.mk; do
  [ -f "$file" ] || continue
  sed "s/\b$from\b/$name/g; s/\b${from^^}_/${name^^}_/g" "$file" >"$part/${file##*/}"
done
cat >"$part/README.md" <<TXT
# $name: what it changes

## The idea
What $from does that costs time, and what is done instead.

## By hand
A tiny array, step by step.

## Where the data is

| kernel | stage | what |
|---|---|---|

## The floor
Bytes over the measured copy rate; instructions over the issue rate. What you expect, before you measure.

## The log

| step | predicted | measured |
|---|---|---|

## Measured
<!-- measured: filled in from report/results by scripts -->
<!-- /measured -->

## Questions
TXT
chmod 755 "$part"
mv "$part" "$name"
trap - EXIT
echo "new_version: $name/ is a copy of $from/; give it a title of its own in $name/student_func.cu, then"
echo "  make $name && ./HW4 samples/portrait.ppm samples/template.ppm"
