#!/usr/bin/env bash
# clang-format, clang-tidy, cppcheck, shellcheck, flake8 and prettier over the sources that git knows, and notebooks
# without outputs. Exit code 1 on any finding, 2 where a tool is missing.
#   scripts/lint.sh             reports
#   scripts/lint.sh --format    rewrites the sources in the repository's format instead
set -u
cd "$(dirname "$0")/.." || exit 1
prettier=report/node_modules/.bin/prettier
sources() { git ls-files -- "$@" | while IFS= read -r file; do [ ! -f "$file" ] || echo "$file"; done; }
mapfile -t formatted < <(sources '*.c' '*.h' '*.cpp' '*.cu' '*.cuh')
# fuzz_rewrite.c includes a whole program, renamed.
mapfile -t c_files < <(sources '*.c' ':!tests/fuzz/fuzz_rewrite.c')
mapfile -t cpp_files < <(sources '*.cpp')
mapfile -t shell_files < <(sources '*.sh' .ci/run)
mapfile -t bats_files < <(sources '*.bats')
mapfile -t js_files < <(sources '*.js' '*.mjs')
mapfile -t python_files < <(sources '*.py')

need() { # PROGRAM WAY-TO-GET-IT
  command -v "$1" >/dev/null || { echo "lint: $1 is not installed ($2)" >&2; exit 2; }
}
packages='scripts/setup.sh clang-format clang-tidy cppcheck shellcheck flake8 jq installs it'
need clang-format "$packages"
need "$prettier" 'make report_setup'
if [ "${1-}" = --format ]; then
  clang-format -i "${formatted[@]}" && "$prettier" --log-level warn --write "${js_files[@]}"
  exit
fi
for tool in clang-tidy cppcheck shellcheck flake8 jq; do need "$tool" "$packages"; done

status=0
# A process for each file: clang-tidy 14 forgets va_start() when it reads several.
tidy() { # FLAG ...; the files are on stdin
  xargs -d '\n' -P "$(nproc)" -I '{}' clang-tidy --quiet --warnings-as-errors='*' '{}' -- "$@" \
    2> >(grep -v 'warnings\? generated\|Suppressed\|Use -header-filter' >&2) || status=1
}
clang-format --dry-run -Werror "${formatted[@]}" || status=1
cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
  --suppress=missingIncludeSystem --error-exitcode=1 -I. -Icuda_cpu/include "${c_files[@]}" || status=1
# multi/ includes mpi.h; without MPI its files are left out.
read -ra mpi < <(mpicc --showme:compile 2>/dev/null | sed 's/-I/-isystem /g')
[ ${#mpi[@]} -gt 0 ] || mapfile -t c_files < <(printf '%s\n' "${c_files[@]}" | grep -v '^multi/')
tidy -std=c17 -D_GNU_SOURCE -DHAVE_OPENCV=1 -DHAVE_NCCL=0 -DCS344_NAME='"mine"' -I. -Icuda_cpu/include -isystem gsort "${mpi[@]}" < <(printf '%s\n' "${c_files[@]}")
# -iquote: with -I the program ./compare is taken for the header <compare>.
tidy -std=c++17 -iquote . -Icuda_cpu/include -isystem /usr/include/opencv4 < <(printf '%s\n' "${cpp_files[@]}")
shellcheck --external-sources "${shell_files[@]}" || status=1
shellcheck --shell=bats --external-sources "${bats_files[@]}" || status=1
flake8 "${python_files[@]}" || status=1
"$prettier" --log-level warn --check "${js_files[@]}" || status=1
jq -e 'all(.cells[]; .cell_type != "code" or (.outputs == [] and .execution_count == null))' labs/notebook.ipynb >/dev/null ||
  { echo 'lint: labs/notebook.ipynb has outputs: jupyter nbconvert --clear-output --inplace' >&2; status=1; }
[ "$status" -eq 0 ] && echo "lint: clean"
exit "$status"
