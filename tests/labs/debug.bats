# make debug: gdb in a kernel on the cpu backend, and the session in labs/debugging.md.
bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_DIRNAME/../.." || return
  export PYTHONDONTWRITEBYTECODE=1
  command -v gdb >/dev/null || skip "gdb is not installed"
  [ "$(gdb -nx -batch -ex 'python print(1)' 2>/dev/null)" = 1 ] || skip "gdb has no Python"
  gdb -nx -batch -ex 'set startup-with-shell off' -ex run /bin/true 2>&1 | grep -q 'exited normally' || skip "gdb may not run programs here"
}
teardown() { rm -rf bats_debug; }

@test "the session of the page is what gdb prints, but for addresses and line numbers" {
  sed 's/256>>>, block/128>>>, block/' labs/debugging.md >"$BATS_TEST_TMPDIR/page"
  run -0 python3 - "$BATS_TEST_TMPDIR/page" <<'P'
import sys
from labs.check import transcript
changed_page, sys.argv = sys.argv[1], [""]
run_gdb, printed = transcript.session, []
def session_once(*typed):
    printed.extend([] if printed else [run_gdb(*typed)])
    return printed[0]
transcript.session = session_once
assert transcript.main() == 0
transcript.PAGE = changed_page
assert transcript.main() == 1
P
  [[ $output == *"-kernel rank_by_looking_back<<<1, 128>>>"* ]]
}
@test "a student's folder: every kernel or one, the thread that was asked for, nothing of the backend in bt" {
  tests/labs/solved.sh radix_v1 bats_debug
  run -0 make -s debug V=bats_debug X=3 </dev/null
  [[ $output == *"Breakpoint 2, take_digit ("* ]]
  [[ $output != *"is the kernel launched"* ]]
  run -0 scripts/debug.sh bats_debug --kernel rank_digits --thread 3 -batch -ex bt -ex 'print threadIdx.x + 100' -ex 'cuda thread' -ex 'up' -ex 'info locals'
  [[ $output == *"#0  rank_digits<<<1, 256>>> (digit="*"at bats_debug/student_func.cu:"*"#1  launched by your_sort () at bats_debug/student_func.cu:"*"= 103"*"thread (3,0,0), warp 0, lane 3"* ]]
  [[ $output != *"cuda_cpu::"*"= 103"* ]]
}
@test "a thread that there is not, and kernels that are not launched yet: a sentence" {
  scripts/starter.sh radix_v1 bats_debug
  run -0 make -s debug V=bats_debug </dev/null
  [[ $output == *"without thread 5 of block 0 in take_digit histogram rank_digits scatter: is the kernel launched"* ]]
  run -0 make -s debug V=radix_v2 K=rank_by_looking_back X=999 </dev/null
  [[ $output == *"without thread 999 of block 0 in rank_by_looking_back: is the kernel launched"* ]]
}
@test "outside a kernel the commands say so" {
  run gdb -nx -batch -ex 'source labs/check/cuda_gdb.py' -ex 'cuda threads' -ex 'cuda nonsense'
  [[ $output == *"not in a kernel"*"cuda thread, cuda thread N or cuda threads"* ]]
}
@test "what cannot be debugged is named" {
  run -2 scripts/debug.sh bats_none
  run -2 scripts/debug.sh radix_v1 --kernel nothing
  [[ $output == "debug: there is no kernel 'nothing'; the kernels of radix_v1 are: take_digit histogram rank_digits scatter" ]]
  run -2 scripts/debug.sh seq
  [[ $output == *"seq has no kernel; name one"* ]]
}
