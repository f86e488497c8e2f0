# compile_commands.json: clangd accepts every version, and sees mistakes; the editor's files are valid.
bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_DIRNAME/../.." || return
  [ ! -e compile_commands.json ] || cp compile_commands.json "$BATS_TEST_TMPDIR/saved"
}
teardown() {
  rm -rf bats_editor compile_commands.json
  [ ! -e "$BATS_TEST_TMPDIR/saved" ] || cp "$BATS_TEST_TMPDIR/saved" compile_commands.json
}
need_clangd() { command -v clangd >/dev/null || skip "clangd is not installed"; }
# accepts FILE: clangd finds no error in it.
accepts() { clangd --check="$1" --check-lines=1-2 >"$BATS_TEST_TMPDIR/log" 2>&1 || { grep '^E' "$BATS_TEST_TMPDIR/log"; return 1; }; }

@test "clangd finds no error in any version" {
  need_clangd
  make -s BACKEND=cpu compile_commands
  for version in $(make -s --no-print-directory BACKEND=cpu print-VERSIONS); do
    accepts "$version/student_func.cu" || { echo "$version"; return 1; }
  done
}
@test "and none in the code for a GPU" {
  need_clangd
  scripts/compile_commands.py cuda
  grep -q CLANGD_GPU compile_commands.json
  for version in radix_v2 radix_v6 radix_v7; do
    accepts "$version/student_func.cu" || { echo "$version"; return 1; }
  done
}
@test "a student's new folder is known, and its mistakes are errors" {
  need_clangd
  tests/labs/solved.sh radix_v2 bats_editor
  make -s BACKEND=cpu compile_commands
  accepts bats_editor/student_func.cu
  cp bats_editor/student_func.cu "$BATS_TEST_TMPDIR/right"
  sed -i 's/rank\[i\] = equal;/rank[i] = equals;/' bats_editor/student_func.cu
  run accepts bats_editor/student_func.cu
  [[ $output == *"undeclared identifier 'equals'"* ]]
  # A kernel cannot call a function of the host.
  sed 's/rank\[i\] = equal;/rank[i] = knob("nBits");/' "$BATS_TEST_TMPDIR/right" >bats_editor/student_func.cu
  run accepts bats_editor/student_func.cu
  [[ $output == *"reference to __host__ function 'knob'"* || $output == *"no matching function for call to 'knob'"* ]]
}
@test "the files of .vscode are valid, and their tasks are targets" {
  python3 - <<'END'
import glob, json
for path in glob.glob(".vscode/*.json"):
    json.load(open(path))
commands = " ".join(task["command"] for task in json.load(open(".vscode/tasks.json"))["tasks"])
makefile = open("Makefile").read() + open("labs/labs.mk").read()
for target in ("check-lab", "trace", "compile_commands", "samples"):
    assert target in commands and f"\n{target}: " in makefile, target
END
  make -n BACKEND=cpu DEBUG=1 build/cpu-debug/radix_v1/trace >/dev/null
}
