# Starters: each is made from the version that solves its lab.
bats_require_minimum_version 1.5.0

labs="seq radix_v1 radix_v2 radix_v3 radix_v4 bitonic merge_cpu merge_three_step merge_bottomup"

setup() {
  cd "$BATS_TEST_DIRNAME/../.." || return
  build=$(make -s --no-print-directory print-B)
}
teardown() { rm -rf bats_lab bats_solved; }

# The lines of a version's solution, without blanks, comments and lines that are mere braces or barriers.
solution_of() {
  awk '/\/\/ BEGIN SOLUTION/ { inside = 1; next } /\/\/ END SOLUTION/ { inside = 0 }
    inside && !/^ *\/\// { gsub(/[ \t]+/, ""); if (length($0) > 14 && $0 !~ /^(LAUNCH_CHECK|__syncthreads)/) print }' "$1/student_func.cu"
}

@test "every lab's starter contains no line of the solution" {
  for lab in $labs; do
    scripts/starter.sh "$lab" bats_lab
    [ "$(solution_of "$lab" | wc -l)" -ge 2 ]
    tr -d ' \t' <bats_lab/student_func.cu >"$BATS_TEST_TMPDIR/starter"
    run -1 grep -Fxf <(solution_of "$lab") "$BATS_TEST_TMPDIR/starter"
    run -1 grep -E 'SOLUTION|//[-+] ' bats_lab/student_func.cu
    run -1 grep -rl 'teacher/' bats_lab
    grep -q 'TODO 1' bats_lab/student_func.cu
    grep -q '  // stub$' bats_lab/student_func.cu
    [ "$(grep -F .source "$lab/student_func.cu")" = "$(grep -F .source bats_lab/student_func.cu)" ]
    rm -r bats_lab
  done
}

@test "every lab's starter compiles, and HW4 fails with a sentence that says what is next" {
  for lab in $labs; do
    scripts/starter.sh "$lab" bats_lab
    make -s "$build/bats_lab/HW4" samples 2>/dev/null
    run --separate-stderr -1 "$build/bats_lab/HW4" samples/portrait.ppm samples/template.ppm "$BATS_TEST_TMPDIR/out.ppm"
    [[ $output == *"FAIL: "* ]]
    # shellcheck disable=SC2154 # run --separate-stderr assigns it
    [[ $stderr == *"next: TODO 1"* ]]
    rm -r bats_lab "$build/bats_lab"
  done
}

@test "with the marked parts put back every starter passes, and all its steps are right" {
  for lab in $labs; do
    scripts/starter.sh --solved "$lab" bats_solved
    make -s "$build/bats_solved/HW4" "$build/bats_solved/version.so" "$build/labs/worker" "$build/labs/steps"
    "$build/bats_solved/HW4" samples/portrait.ppm samples/template.ppm "$BATS_TEST_TMPDIR/out.ppm"
    python3 - "$build" "$lab" <<'P'
import json, sys
from labs.grader.steps import compare_steps
build, lab = sys.argv[1:]
wanted = json.load(open(f"labs/{lab}/rubric.json"))["stages"]["arrays"]
for n in (6, 1000, 4097):
    steps, ended = compare_steps(build + "/labs", build + "/bats_solved/version.so", n)
    assert ended is None, ended
    assert all(text == "right" for _, text in steps), steps
shown = dict(steps)
assert all(name in shown for name in wanted if n >= 4097), (wanted, shown)
P
    rm -r bats_solved "$build/bats_solved"
  done
}

@test "every starter compiles for a GPU" {
  command -v nvcc || [ -x /usr/local/cuda/bin/nvcc ] || skip "no nvcc"
  PATH=$PATH:/usr/local/cuda/bin
  for lab in $labs; do
    scripts/starter.sh "$lab" bats_lab
    flags=()
    [ "$lab" != merge_bottomup ] || flags=(-rdc=true)
    nvcc -std=c++17 -arch=sm_90 "${flags[@]}" -Xcompiler=-iquote,.,-fPIC -c bats_lab/student_func.cu -o "$BATS_TEST_TMPDIR/starter.o" 2>/dev/null
    rm -r bats_lab
  done
}

@test "a TODO is read to its end, and a stub whose TODO is gone is found" {
  for lab in $labs; do
    scripts/starter.sh "$lab" bats_lab
    python3 - <<'P'
import re
from labs.grader.steps import stubs_left, todos
path = "bats_lab/student_func.cu"
assert stubs_left("bats_lab") == [], stubs_left("bats_lab")
assert all(text.rstrip().endswith((".", ":", "?", "]", ")")) for _, text in todos("bats_lab")), todos("bats_lab")
text = open(path, encoding="utf-8").read()
without = re.sub(r"(?m)^ *// (TODO .*|      +\S.*)\n", "", text)
open(path, "w", encoding="utf-8").write(without)
assert todos("bats_lab") == []
assert todos("radix_v2") == [], "a version that starters are made from has its TODOs done"
assert len(stubs_left("bats_lab")) == len(re.findall(r"// stub$", without, re.M)) > 0
P
    rm -r bats_lab
  done
}

@test "the copy for a class, as the teacher's notes make it, has no solution, and starter says so" {
  copy=$BATS_TEST_TMPDIR/copy
  mkdir "$copy"
  cp -r --parents labs scripts Makefile common tests ./*/student_func.cu "$copy"
  command=$(sed -n 's/^ *\(rm -rf .git .*\)/\1/p' labs/teacher/README.md)
  cd "$copy"
  bash -c "$command"
  run -1 grep -rl '// BEGIN SOLUTION' --include=student_func.cu .
  [ ! -e tests ]
  run -2 scripts/starter.sh seq mine
  [[ $output == "starter: the versions that starters are made from are not in this copy"* ]]
}

@test "what is wrong with a request" {
  run -2 scripts/starter.sh radix_v99
  [[ $output == *"there is no lab 'radix_v99'; the labs are: "* ]]
  run -2 scripts/starter.sh radix_v1 ../out
  [[ $output == *"'../out' is no name"* ]]
  run -2 scripts/starter.sh radix_v1 test
  [[ $output == *"'test' has a meaning of its own here"* ]]
  run -2 scripts/starter.sh radix_v1 radix_v2
  [[ $output == *"there is a radix_v2 already"* ]]
}
