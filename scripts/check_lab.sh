#!/usr/bin/env bash
# Where a lab stands, step by step: the arrays that it shows (common/lab.h), its sort, HW4's verdict and the
# checking builds; the first thing to mend on top. Called by make check-lab V=NAME.
# Exit code: 0 all right, 1 something to mend, 2 no such version.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ $# -ne 1 ] || [ -z "$1" ]; then echo "usage: make check-lab V=NAME" >&2; exit 2; fi
command -v python3 >/dev/null || { echo "check-lab: python3 is not installed" >&2; exit 2; }
PYTHONDONTWRITEBYTECODE=1 exec python3 -m labs.grader.check "$1"
