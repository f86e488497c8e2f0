# scripts/new_version.sh in a copy of the folders that it reads.
bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_DIRNAME/../.." || return
  several=$(find . -path './radix_v*/*.cuh' | sort -V | cut -d / -f 2 | tail -n 1) # the newest with more than one file
  cp -r scripts Makefile radix_v2 "$several" "$BATS_TEST_TMPDIR"
  mkdir "$BATS_TEST_TMPDIR/tests"
  cp -r tests/fuzz "$BATS_TEST_TMPDIR/tests"
  cp -r tests/versions tests/tap.sh "$BATS_TEST_TMPDIR/tests"
  cd "$BATS_TEST_TMPDIR" || return
}

# copies NAME FROM: all code files are there, under the new name.
copies() {
  scripts/new_version.sh "$1" "$2"
  [ "$(cd "$1" && ls ./*.cu*)" = "$(cd "$2" && ls ./*.cu*)" ]
  grep -q "^    \"$1\",$\|[.]name = \"$1\"" "$1/student_func.cu"
  run -1 grep "\"$2\|include \"$2/\|${2^^}_" "$1"/*.cu*
  grep -q "^# $1: " "$1/README.md" # the report reads the title and the idea
  grep -q '^## The idea$' "$1/README.md"
}

# refuses SENTENCE ARGUMENT ...: exit code 2, the sentence, and no new file.
refuses() {
  local sentence=$1 before
  shift
  before=$(find . | sort)
  run -2 scripts/new_version.sh "$@"
  [[ $output == *"$sentence"* ]]
  [ "$before" = "$(find . | sort)" ]
}

@test "a version of one file" { copies my_sort radix_v2; }
@test "a version of several files" { copies my_sweep "$several"; }
@test "its handout follows the template" {
  scripts/new_version.sh my_sort radix_v2
  tests/versions/test_handouts.sh | grep -q "^ok [0-9]* - handout of my_sort$"
}
@test "a name that is taken" { refuses 'there is a radix_v2 already' radix_v2; }
@test "a name that is none" { refuses "'My-Sort' is no name" My-Sort; }
@test "a name that leaves the folder" { refuses "'../my' is no name" ../my; }
@test "a version that is not there" { refuses 'there is no version radix_v99' other radix_v99; }
@test "names of targets and folders" {
  for name in clean help all common harness compare setup run check lint report samples test fuzz cuda_cpu build; do
    refuses "'$name'" "$name"
  done
}
@test "no name at all" { refuses 'usage: '; }
