#!/usr/bin/env bash
# Where a lab stands, step by step: the arrays that it shows (common/lab.h), its sort, HW4's verdict and the
# checking builds; the first thing to mend on top. Called by make check-lab V=NAME.
#   scripts/check_lab.sh NAME
#   scripts/check_lab.sh NAME --trace [--all] [--keys "3 1 2"] [--bare] [--set KNOB=VALUE]
#                             the arrays after each kernel, for the handout's worked example
#   scripts/check_lab.sh NAME --trace-json FILE [...]    the same, all steps also as JSON
# Exit code: 0 all right, 1 something to mend, 2 no such version.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ $# -eq 0 ] || [ -z "$1" ]; then echo "check-lab: usage: make check-lab V=NAME, or make trace V=NAME" >&2; exit 2; fi
command -v python3 >/dev/null || { echo "check-lab: python3 is not installed" >&2; exit 2; }
export PYTHONDONTWRITEBYTECODE=1
name=$1
shift
case ${1-} in
  '') exec python3 -m labs.grader.check "$name" ;;
  --trace) shift; exec python3 -m labs.check.trace "$name" "$@" ;;
  --trace-json) shift; exec python3 -m labs.check.trace "$name" --json "$@" ;;
  *) echo "check-lab: unknown option '$1'" >&2; exit 2 ;;
esac
