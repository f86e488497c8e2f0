# make trace: the arrays after each kernel, for the worked example of the handout. On the cpu backend.
bats_require_minimum_version 1.5.0

setup() { cd "$BATS_TEST_DIRNAME/../.." || return; }
teardown() { rm -rf bats_trace; }

@test "the examples are those of the handouts" {
  python3 - <<'END'
import json, os, re
examples = json.load(open("labs/check/examples.json"))
present = {name: example for name, example in examples.items() if os.path.exists(name)}
assert len(present) > 15
for name, example in present.items():
    text = open(f"{name}/README.md").read()
    hand = re.search(r"^## By hand\n(.*?)^## ", text, re.M | re.S)[1]
    digits = " ".join(re.findall(r"\d+", hand))
    keys = " ".join(map(str, example["keys"]))
    assert f" {keys} " in f" {digits} ", (name, keys)
END
}
@test "radix_v1: the rows of its handout" {
  run -0 scripts/check_lab.sh radix_v1 --trace
  [[ $output == *"By hand (radix_v1/README.md):"*"exScan  [0 1 2 3 3 3 (3)]"* ]]
  [[ $output == *"  3  hist     histogram<<<1, 256>>>(digit = d_digit, hist = d_hist + 1)
       d_hist                 [0 3 3]"* ]]
  [[ $output == *"scan_tiles<<<1, 512>>>(in = d_digit, out = d_ex_scan + 1, sums = sums)
       d_ex_scan              [0 1 2 3 3 3 3]"* ]]
  [[ $output == *"d_rank                 [0 1 2 0 1 2]"*"d_outputVals           [2 6 4 1 3 5]"* ]]
  [[ $output == *"Here the keys are sorted; 205 more steps follow"* ]]
}
@test "long arrays are cut to their changed runs, CS344's own files are traced too" {
  run -0 scripts/check_lab.sh radix_v1 --trace --keys "$(seq 60 -1 1 | tr '\n' ' ')"
  [[ $output == *"d_digit[0..59]         [0 1 0 1 "*" ...]"* ]]
  [[ $output == *"d_hist                 [0 30 30]"* ]]
  mkdir bats_trace
  cp tests/cs344/solution.cu bats_trace/student_func.cu
  run -0 scripts/check_lab.sh bats_trace --trace
  [[ $output == *"predicate<<<1, 256>>>(d_in = d_inputVals, "*"d_outputVals           [1 2 3 4 5 6]"* ]]
}
@test "odd_even: each step of its handout" {
  run -0 make -s trace V=odd_even
  for row in '4 5 2 3 1' '4 2 5 1 3' '2 4 1 5 3' '2 1 4 3 5' '1 2 3 4 5'; do
    [[ $output == *"d_outputVals           [$row]"* ]]
  done
}
@test "other keys and knobs; a wrong knob is named" {
  run -0 make -s check V=radix_v2 TRACE=1 KEYS="9 8 7" SET=nBits=8
  [[ $output == *"n = 3, nBits=8."*"d_outputVals           [7 8 9]"* ]]
  run -2 scripts/check_lab.sh radix_v2 --trace --set nBits=99
  [[ $output == "trace: "*nBits* ]]
  run -2 scripts/check_lab.sh radix_v2 --trace --keys "1 two"
  [[ $output == "trace: --keys takes"* ]]
  run -2 scripts/check_lab.sh bats_none --trace
  run -2 scripts/check_lab.sh cub_ref --trace
  [ "$output" = "trace: cub_ref cannot be built for the cpu backend here, and the trace needs that backend" ]
}
@test "every version that is built here sorts its example in a trace" {
  versions=$(make -s --no-print-directory BACKEND=cpu print-VERSIONS)
  # shellcheck disable=SC2046,SC2086 # lists
  make -s BACKEND=cpu -j2 $(printf 'build/cpu/%s/trace ' $versions)
  for version in $versions; do
    scripts/check_lab.sh "$version" --trace >"$BATS_TEST_TMPDIR/text" || { echo "$version"; cat "$BATS_TEST_TMPDIR/text"; return 1; }
    ! grep -q 'wrong\|ended early' "$BATS_TEST_TMPDIR/text"
  done
}
@test "as JSON: every step with the arrays after it" {
  run -0 scripts/check_lab.sh radix_v1 --trace-json "$BATS_TEST_TMPDIR/trace.json"
  python3 - "$BATS_TEST_TMPDIR/trace.json" <<'END'
import json, sys
trace = json.load(open(sys.argv[1]))
assert trace["keys"] == [1, 3, 5, 2, 6, 4] and trace["sorted"] and trace["backend"] == "cpu"
assert trace["steps"][3]["name"] == "histogram" and trace["steps"][3]["block"] == [256, 1, 1]
assert trace["steps"][3]["arguments"][1] == {"parameter": "hist", "array": "d_hist", "offset": 1, "text": "d_hist + 1"}
assert trace["steps"][3]["changed"] == [{"array": "d_hist", "values": [0, 3, 3], "runs": [[1, 2]]}]
state = {}
for step in trace["steps"]:
    state.update({change["array"]: change["values"] for change in step["changed"]})
assert state["d_outputVals"] == [1, 2, 3, 4, 5, 6] and len(trace["steps"]) > 200
assert {array["name"] for array in trace["arrays"]} >= {"d_hist", "d_digit", "d_ex_scan", "d_rank"}
END
}
@test "a student's folder: the lab's example; a wrong result and the next TODO are named" {
  scripts/starter.sh radix_v1 bats_trace
  run -1 scripts/check_lab.sh bats_trace --trace
  [[ $output == *"By hand (bats_trace/README.md)"*"d_inputVals            [1 3 5 2 6 4]"* ]]
  [[ $output == *"next: TODO 1: "*"The result is wrong: d_outputVals should be [1 2 3 4 5 6]." ]]
}
@test "a sort that crashes: the trace up to there" {
  tests/labs/solved.sh radix_v1 bats_trace
  sed -i 's/if (i < n) rank\[i\] = /if (i < n) ((unsigned int *)NULL)[i] = /' bats_trace/student_func.cu
  run -1 scripts/check_lab.sh bats_trace --trace
  [[ $output == *"scan_tiles<<<"*"The sort ended early: "* ]]
  [[ $output != *"rank_digits<<<"* ]]
}
