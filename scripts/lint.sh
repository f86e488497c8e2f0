#!/usr/bin/env bash
# clang-format, clang-tidy and cppcheck over the sources that git knows. Exit code 1 on any finding.
set -u
status=0
mapfile -t all < <(git ls-files '*.c' '*.h' '*.cpp' '*.cu' '*.cuh')
mapfile -t c_files < <(git ls-files '*.c')
for tool in clang-format clang-tidy cppcheck; do
  command -v "$tool" >/dev/null || { echo "lint: $tool is not installed" >&2; exit 2; }
done
clang-format --dry-run -Werror "${all[@]}" || status=1
cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
  --suppress=missingIncludeSystem --error-exitcode=1 -I. -Icuda_cpu/include "${c_files[@]}" || status=1
clang-tidy --quiet --warnings-as-errors='*' "${c_files[@]}" -- -std=c17 -D_GNU_SOURCE -DHAVE_OPENCV=1 \
  -I. -Icuda_cpu/include 2> >(grep -v 'warnings generated\|Suppressed\|Use -header-filter' >&2) || status=1
[ "$status" -eq 0 ] && echo "lint: clean"
exit "$status"
