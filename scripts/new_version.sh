#!/usr/bin/env bash
# Starts a new version as a copy of an existing one, with a new folder and name, an empty handout and an empty log.
#   scripts/new_version.sh NAME [FROM]          (FROM: radix_v2)
# From then on make NAME builds it, and the tests, compare and the report find it by its folder.
# Exit code 2: an invalid name, or no such version to copy; then nothing was written.
set -euo pipefail
cd "$(dirname "$0")/.."
quit() { echo "new_version: $1" >&2; exit 2; }
if [ $# -lt 1 ] || [ $# -gt 2 ]; then quit "usage: scripts/new_version.sh NAME [FROM]"; fi
name=$1 from=${2:-radix_v2}
[[ $name =~ ^[a-z][a-z0-9_]{0,59}$ ]] || quit "'$name' is no name for a version: up to 60 small letters, digits and _"
! grep -qE "^NO_VERSION :=.* $name( |\$)" Makefile || quit "'$name' has another meaning here; choose another name"
[ ! -e "$name" ] || quit "there is a $name already"
[ -f "$from/student_func.cu" ] || quit "there is no version $from"

part=$(mktemp -d .new_version.XXXXXX)
trap 'rm -rf "$part"' EXIT
for file in "$from"/*.cu "$from"/*.cuh "$from"/version.mk; do
  [ -f "$file" ] || continue
  sed "s/\b$from\b/$name/g; s/\b${from^^}_/${name^^}_/g" "$file" >"$part/${file##*/}"
done
# The template of all handouts; tests/versions/test_handouts.sh checks it.
cat >"$part/README.md" <<TXT
# $name: its title

The idea in one sentence.

## New here

Compared with $from: the change, and the cost that it removes.

## The idea

How it works, and why the result is sorted.

## By hand

A tiny array, step by step.

## Data layout

The arrays in device memory and in shared memory.

## Kernels

| kernel | stage | blocks x threads | what it does |
|---|---|---|---|

## Knobs

| knob | default | range | meaning |
|---|---|---|---|

## The floor

Bytes over the measured copy rate; instructions over the issue rate.

## Measured

<!-- measured: filled in from report/results by scripts -->
<!-- /measured -->

## What limits it

The stage that takes most of the time, and the reason.

## Questions

1. A question that a reader can answer by an experiment.

## Sources

- The paper or report that the idea is from.
TXT
cat >"$part/LOG.md" <<TXT
# $name: the log

What was expected, tried and measured. [README.md](README.md) explains the sort.

## Predictions

The times that you expect, written down before you measure.

## The log

| step | predicted | measured |
|---|---|---|
TXT
chmod 755 "$part"
mv "$part" "$name"
trap - EXIT
echo "new_version: $name/ is a copy of $from/; give it a title in $name/student_func.cu, then"
echo "  make $name && ./HW4 samples/portrait.ppm samples/template.ppm"
