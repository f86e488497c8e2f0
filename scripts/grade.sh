#!/usr/bin/env bash
# Grades submissions of a lab, each in a sandbox: folders, bare student_func.cu files (also CS344's own), or a
# folder of them. Prints a table; writes grades.csv and, per student, results.json (Gradescope) and index.html.
#   scripts/grade.sh LAB FILES...|DIR [--out DIR] [--jobs N] [--again] [--accept NAME,NAME] [--due TIME] [--similar [FILE..]]
#                    [--roster FILE --export canvas=FILE|moodle=FILE] [--container]       --help explains them
# Rules: labs/rubric.json and labs/LAB/rubric.json. Exit code: 0 graded, 2 usage, a broken rubric or results that cannot be written, 3 no sandbox here,
# 4 graded, but somebody must look at submissions that are held or doubtful (column look_at; --accept NAME,NAME) or not in the roster.
set -euo pipefail
command -v python3 >/dev/null || { echo "grade: python3 is not installed" >&2; exit 2; }
repository=$(cd "$(dirname "$0")/.." && pwd)
export GRADE_FROM=$PWD # paths on the command line are relative to where it was typed
cd "$repository"
PYTHONDONTWRITEBYTECODE=1 exec python3 -m labs.grader.grade "$@"
