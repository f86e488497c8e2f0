# The output of make: a line per file, V=1, -s, and a sentence for targets that cannot be built here.
bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_DIRNAME/../.." || return
  unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES BACKEND V # of the make that runs the tests
  cpu=(make BACKEND=cpu SANITIZE=0 OPENCV=0)
}

# From a copy of the Makefile with one small source, so that nothing of the real build is touched.
copy() {
  cp -r --parents Makefile cuda_cpu harness/harness.mk report/report.mk "$BATS_TEST_TMPDIR"
  cd "$BATS_TEST_TMPDIR" || return
  echo 'int one(void); int one(void) { return 1; }' >harness/one.c
  object=build/cpu-noopencv/harness/one.o
}

@test "one line per file" {
  copy
  run -0 "${cpu[@]}" "$object"
  [ "$output" = 'CC   harness/one.c' ]
  [ -f "$object" ]
}

@test "V=1 prints the command" {
  copy
  run -0 "${cpu[@]}" V=1 "$object"
  [[ $output == *'-c harness/one.c -o '* ]]
}

@test "-s prints nothing, also beside other options" {
  copy
  run -0 "${cpu[@]}" -s -j2 "$object"
  [ -z "$output" ]
}

@test "a version for GPUs only: one sentence and exit code 2" {
  run -2 "${cpu[@]}" cub_ref
  [ "${#lines[@]}" = 1 ]
  [[ $output == *'cub_ref cannot be built here: it needs a GPU (BACKEND=cuda).'* ]]
}

@test "a version whose library is missing: one sentence and exit code 2" {
  run -2 "${cpu[@]}" UNAVAILABLE=seq NEEDS_seq=libseq-dev seq
  [ "${#lines[@]}" = 1 ]
  [[ $output == *'seq cannot be built here: it needs libseq-dev; make setup installs it.'* ]]
}

@test "make report without its packages: one sentence and exit code 2" {
  copy
  run -2 "${cpu[@]}" report
  [ "${#lines[@]}" = 1 ]
  [[ $output == *'make report_setup installs the packages'* ]]
}

@test "options with another value than theirs are refused" {
  for option in BACKEND=gpu SANITIZE=yes OPENCV=2 CHECK=all,race; do
    run -2 make BACKEND=cpu "$option" help
    [[ $output == *"${option%%=*} is "*", not '${option#*=}'"* ]]
  done
  run -0 make BACKEND=cpu SANITIZE=' 1 ' OPENCV=auto help
}

@test "a version in a folder with a space in its name is refused with a sentence" {
  copy
  mkdir 'my sort'
  : >'my sort/student_func.cu'
  run "${cpu[@]}" 'my sort'
  [ "$status" -eq 2 ]
  [[ $output == *"has a space in its name"*"rename it"* ]]
  rm -r 'my sort'
  run -0 "${cpu[@]}" "$object"
}

@test "a version in a folder with the name of a target is refused before anything is removed" {
  copy
  for name in test HW4 build; do
    mkdir "$name"
    : >"$name/student_func.cu"
    run -2 "${cpu[@]}" clean
    [[ $output == *"'$name' has another meaning here; rename the folder $name/"* ]]
    rm -r "$name"
  done
}

@test "no target's name is left for a version" {
  names=$(sed -nE 's/^([a-z_-]+):.*## .*/\1/p' Makefile ./*/*.mk tests/fuzz/fuzz.mk)
  for name in $names $(sed -n 's/^\.PHONY: \([^$].*\)/\1/p' Makefile ./*/*.mk tests/fuzz/fuzz.mk); do
    grep -qE "^NO_VERSION :=.* $name( |\$)" Makefile
  done
}

@test "a version's folder and HW4 as targets: a sentence that says what to write" {
  copy
  mkdir mine
  : >mine/student_func.cu
  run -2 "${cpu[@]}" mine/
  [[ $output == *'without the slash: make mine.'* ]]
  : >HW4
  run -2 "${cpu[@]}" HW4
  [[ $output == *'make radix_v2.'* ]]
}

@test "the programs of a version whose folder is gone go too" {
  copy
  mkdir -p build/cpu-noopencv/gone
  : >build/cpu-noopencv/gone/HW4
  : >build/cpu-noopencv/gone/sorter
  "${cpu[@]}" all_versions
  [ -z "$(ls build/cpu-noopencv/gone)" ]
}

@test "a time for random sorts that is no number is refused" {
  [ -x "${HW4_DIR:-build/cpu}/random_sorts" ] || skip 'random_sorts is not built'
  for arguments in '--time abc' '--time' '--seed -1' '--times 3'; do
    # shellcheck disable=SC2086
    run -2 "${HW4_DIR:-build/cpu}/random_sorts" $arguments
    [ "${#lines[@]}" = 1 ]
  done
}

@test "gpu_check refuses steps that it does not have" {
  run -2 scripts/gpu_check.sh --only build,tests
  [ "$output" = "gpu_check: there is no step 'tests'" ]
  run -2 scripts/gpu_check.sh --only
}

@test "make -w: its lines do not get into the values that scripts read" {
  export MAKEFLAGS=w
  [ "$(make -s --no-print-directory BACKEND=cpu OPENCV=0 print-B)" = build/cpu-noopencv ]
  [ "$(python3 -c 'from labs.check.make import make_value; print(make_value("B", BACKEND="cpu", OPENCV="0"))')" = build/cpu-noopencv ]
  run -1 grep -rnE --include='*.sh' --include='*.bats' --exclude=make.bats 'make -s [^-].*print-' scripts tests
}
