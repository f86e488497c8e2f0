# A folder with CS344's own, unchanged student_func.cu is a version. Built in a copy of the tree, which
# git does not know, and with the objects that the present build has.
bats_require_minimum_version 1.5.0

setup_file() {
  cd "$BATS_TEST_DIRNAME/../.." || return
  export tree=$BATS_FILE_TMPDIR/tree
  mkdir -p "$tree/build/cpu" "$tree/mine"
  cp -rp Makefile common cuda_cpu harness seq samples "$tree"
  cp -rp build/cpu/common build/cpu/cuda_cpu build/cpu/harness build/cpu/generated build/cpu/rewrite "$tree/build/cpu"
  cp tests/cs344/solution.cu "$tree/mine/student_func.cu"
}

setup() { cd "$tree" || return; }

hw4() { ./HW4 samples/portrait.ppm samples/template.ppm "$BATS_TEST_TMPDIR/out.ppm"; }

@test "it builds as it is, and sorts" {
  make -s BACKEND=cpu mine
  run -0 hw4
  [[ $output == *"mine, cpu backend"* ]]
  [[ $output == *"Your code ran in:"*"PASS"* ]]
}

@test "compare gives it pairs, and refuses bare keys with a sentence" {
  make -s BACKEND=cpu VERSIONS="mine seq" compare
  run -0 ./compare mine --n 1000 --pairs --baseline none
  [[ $output == *PASS* || $output == *mine* ]]
  run ./compare mine --n 1000 --keys --baseline none
  [ "$status" -ne 0 ]
  [[ $output == *"sorts pairs only"* ]]
}

@test "a build that fails leaves no HW4 of an earlier one" {
  make -s BACKEND=cpu seq
  [ -x HW4 ]
  mkdir -p broken
  echo 'void your_sort(' >broken/student_func.cu
  run make -s BACKEND=cpu broken
  [ "$status" -ne 0 ]
  [ ! -e HW4 ]
  rm -r broken
}
