#!/usr/bin/env bash
# Grades submissions of a lab, each in a sandbox: folders, bare student_func.cu files (also CS344's own), or a
# folder of them. Prints a table; writes grades.csv and, per student, results.json (Gradescope) and index.html.
#   scripts/grade.sh LAB FILES...|DIR [--out DIR] [--jobs N] [--again] [--accept NAME,NAME] [--due TIME] [--similar [FILE..]]
#                    [--roster FILE --export canvas=FILE|moodle=FILE] [--container]       --help explains them
# Rules: labs/LAB/rubric.json. Exit code: 0 graded, 1 usage, a broken rubric or results that cannot be written, 3 no sandbox here,
# 4 graded, but somebody must look at submissions that are held or doubtful (column look_at; --accept NAME,NAME) or not in the roster.
set -euo pipefail
command -v python3 >/dev/null || { echo "grade: python3 is not installed" >&2; exit 1; }
repository=$(cd "$(dirname "$0")/.." && pwd)
# Paths on the command line are relative to where it was typed.
arguments=()
option=
for argument in "$@"; do
  path=$argument
  case $option$argument in
    --accept* | --jobs* | --due* | --grace* | --late-percent*) ;;
    canvas=* | moodle=* | --export* | --out=* | --rubric=* | --roster=*) case $argument in *=*) path=${argument%%=*}=$(realpath -ms "${argument#*=}") ;; esac ;;
    *) if [ "$option" = --out ] || { [ ${#arguments[@]} -gt 0 ] && { [ -e "$argument" ] || [ -L "$argument" ]; }; }; then path=$(realpath -ms "$argument"); fi ;;
  esac
  arguments+=("$path")
  option=
  case $argument in --accept | --jobs | --due | --grace | --late-percent | --out | --export) option=$argument ;; esac
done
cd "$repository"
PYTHONDONTWRITEBYTECODE=1 exec python3 -m labs.grader.grade "${arguments[@]}"
