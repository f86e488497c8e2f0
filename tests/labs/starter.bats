# Starters: each is its version, changed by a patch.
bats_require_minimum_version 1.5.0

setup_file() {
  cd "$BATS_TEST_DIRNAME/../.." || return
  build=$(make -s --no-print-directory print-B)
  labs=$(basename -s .patch labs/starters/*.patch | tr '\n' ' ')
  export build labs
  for lab in $labs; do
    scripts/starter.sh "$lab" "bats_$lab"
    tests/labs/solved.sh "$lab" "bats_solved_$lab"
  done
}
setup() { cd "$BATS_TEST_DIRNAME/../.." || return; }
teardown_file() {
  for lab in $labs; do rm -rf "bats_$lab" "bats_solved_$lab" "$build/bats_$lab" "$build/bats_solved_$lab"; done
}

# Changes to a copy of what make starter reads.
copy() {
  mkdir "$BATS_TEST_TMPDIR/copy"
  cp -r --parents labs scripts Makefile common tests ./*/student_func.cu ./*/version.mk ./*/*.cuh "$BATS_TEST_TMPDIR/copy"
  cd "$BATS_TEST_TMPDIR/copy" || return
  rm -rf bats_*
}

@test "every lab's starter has its TODOs and stubs, and no line of the solution" {
  for lab in $labs; do
    # Without blanks, comments and lines that are mere braces or barriers.
    sed -n '/^---/d; s/^-//p' "labs/starters/$lab.patch" | tr -d ' \t' | grep -vE '^//|^.{0,14}$|^(LAUNCH_CHECK|__syncthreads)' >"$BATS_TEST_TMPDIR/solution"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/solution")" -ge 2 ]
    tr -d ' \t' <"bats_$lab/student_func.cu" >"$BATS_TEST_TMPDIR/starter"
    run -1 grep -Fxf "$BATS_TEST_TMPDIR/solution" "$BATS_TEST_TMPDIR/starter"
    run -1 grep -rl 'teacher/' "bats_$lab"
    grep -q 'TODO 1' "bats_$lab/student_func.cu"
    grep -q '  // stub$' "bats_$lab/student_func.cu"
    run -1 grep -E 'TODO|// stub' "$lab/student_func.cu"
    [ "$(grep -F .source "$lab/student_func.cu")" = "$(grep -F .source "bats_$lab/student_func.cu")" ]
  done
}

@test "--update writes each patch as it is; a starter that was changed comes back changed" {
  copy
  for lab in $labs; do
    scripts/starter.sh "$lab" mine
    scripts/starter.sh --update "$lab" mine
    diff <(grep -v '^@@' "labs/starters/$lab.patch") <(grep -v '^@@' "$BATS_TEST_DIRNAME/../../labs/starters/$lab.patch")
    rm -r mine
  done
  scripts/starter.sh radix_v1 mine
  sed -i 's/TODO 4: launch rank_digits[.]/TODO 4: launch it./' mine/student_func.cu
  scripts/starter.sh --update radix_v1 mine
  scripts/starter.sh radix_v1 again
  grep -q 'TODO 4: launch it[.]' again/student_func.cu
  diff <(sed 's/\bmine\b/again/g' mine/student_func.cu) again/student_func.cu
}

@test "a patch that does not fit its version is named, and nothing is written" {
  copy
  sed -i 's/atomicAdd/atomicSub/' radix_v1/student_func.cu
  run -2 scripts/starter.sh radix_v1 mine
  [[ $output == *"starter: labs/starters/radix_v1.patch does not apply to radix_v1/student_func.cu" ]]
  run -1 compgen -G '.starter*'
  [ ! -e mine ]
}

@test "every lab's starter compiles, and HW4 fails with a sentence that says what is next" {
  # shellcheck disable=SC2046,SC2086 # lists
  make -s -j2 $(printf "$build/bats_%s/HW4 " $labs) samples 2>/dev/null
  for lab in $labs; do
    run --separate-stderr -1 "$build/bats_$lab/HW4" samples/portrait.ppm samples/template.ppm "$BATS_TEST_TMPDIR/out.ppm"
    [[ $output == *"FAIL: "* ]]
    # shellcheck disable=SC2154 # run --separate-stderr assigns it
    [[ $stderr == *"next: TODO 1"* ]]
  done
}

@test "with its parts written every starter sorts, and all its steps are right" {
  # shellcheck disable=SC2046,SC2086 # lists
  make -s -j2 $(printf "$build/bats_solved_%s/version.so " $labs) "$build/labs/worker" "$build/labs/steps"
  # shellcheck disable=SC2086 # a list
  python3 - "$build" $labs <<'P'
import json, sys
from labs.grader.steps import compare_steps
build = sys.argv[1]
for lab in sys.argv[2:]:
    rules = json.load(open(f"labs/{lab}/rubric.json"))["stages"]
    for n, knobs in ((6, ""), (4097, ""), (rules["n"], rules.get("set", ""))):  # the last as the grader does
        steps, ended = compare_steps(build + "/labs", f"{build}/bats_solved_{lab}/version.so", n, knobs=knobs)
        assert ended is None, (lab, ended)
        assert all(text == "right" for _, text in steps), (lab, steps)
    shown = dict(steps)
    assert all(name in shown for name in rules["arrays"]), (lab, rules, shown)
P
}

@test "every starter compiles for a GPU" {
  command -v nvcc || [ -x /usr/local/cuda/bin/nvcc ] || skip "no nvcc"
  PATH=$PATH:/usr/local/cuda/bin
  for lab in $labs; do
    flags=()
    [ "$lab" != merge_bottomup ] || flags=(-rdc=true)
    # Its host code is compiled above.
    nvcc -std=c++17 -arch=sm_90 "${flags[@]}" -Xcompiler=-iquote,. -ptx "bats_$lab/student_func.cu" -o "$BATS_TEST_TMPDIR/starter.ptx" 2>/dev/null
  done
}

@test "a TODO is read to its end, and a stub whose TODO is gone is found" {
  # shellcheck disable=SC2086 # a list
  python3 - "$BATS_TEST_TMPDIR" $labs <<'P'
import re, sys
from labs.grader.steps import stubs_left, todos
without_todos = sys.argv[1]
for folder in ("bats_" + lab for lab in sys.argv[2:]):
    assert stubs_left(folder) == [], stubs_left(folder)
    assert all(text.rstrip().endswith((".", ":", "?", "]", ")")) for _, text in todos(folder)), todos(folder)
    with open(f"{folder}/student_func.cu", encoding="utf-8") as file:
        text = re.sub(r"(?m)^ *// (TODO .*|      +\S.*)\n", "", file.read())
    with open(f"{without_todos}/student_func.cu", "w", encoding="utf-8") as file:
        file.write(text)
    assert todos(without_todos) == []
    assert len(stubs_left(without_todos)) == len(re.findall(r"// stub$", text, re.M)) > 0
P
}

@test "what is wrong with a request" {
  run -2 scripts/starter.sh radix_v99
  [[ $output == *"there is no lab 'radix_v99'; the labs are: "* ]]
  run -2 scripts/starter.sh radix_v1 ../out
  [[ $output == *"'../out' is no name"* ]]
  run -2 scripts/starter.sh radix_v1 test
  [[ $output == *"'test' has another meaning here"* ]]
  run -2 scripts/starter.sh radix_v1 radix_v2
  [[ $output == *"there is a radix_v2 already"* ]]
}
