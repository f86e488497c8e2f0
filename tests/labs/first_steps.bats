# One starter through the check, and one grader run: what make test has of the labs. The other files here have the rest.
bats_require_minimum_version 1.5.0

setup() { cd "$BATS_TEST_DIRNAME/../.." || return; }
teardown() { rm -rf bats_lab; }

@test "a starter: what to do next, and which steps are to do" {
  scripts/starter.sh radix_v1 bats_lab
  run -2 make -s check V=bats_lab
  [[ ${lines[0]} == "Next: TODO 1: "* ]]
  [[ ${lines[1]} == *"bats_lab/student_func.cu, line "* ]]
  [[ $output != *WRONG* ]]
}
@test "the grader: a right sort, and one whose output is the input" {
  command -v bwrap >/dev/null || skip "bubblewrap is not installed"
  bwrap --unshare-all --ro-bind / / true 2>/dev/null || skip "bubblewrap cannot make a sandbox here"
  run -0 scripts/grade.sh radix_v1 tests/submissions/{right/plain_cs344,wrong/unsorted}.cu --rubric tests/submissions/rubric.json \
    --out "$BATS_TEST_TMPDIR/out" --jobs 2
  python3 - "$BATS_TEST_TMPDIR/out/grades.csv" <<'P'
import csv, sys
right, wrong = csv.DictReader(open(sys.argv[1]))
assert float(right["total"]) >= 85 and right["diagnosis"] == "", right
assert float(wrong["total"]) == 5 and "the output is the input" in wrong["diagnosis"], wrong
P
}
