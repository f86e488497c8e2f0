# labs/notebook.ipynb: its cells run on the cpu backend, and it is committed without outputs.
bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_DIRNAME/../.." || return
  saved=()
  for file in HW4 HW4_output.ppm; do # the notebook makes its own
    if [ -e "$file" ]; then mv "$file" "$BATS_TEST_TMPDIR/$file"; saved+=("$file"); fi
  done
}
teardown() {
  rm -rf notebook_lab build/*/notebook_lab HW4 HW4_output.ppm
  for file in "${saved[@]}"; do mv "$BATS_TEST_TMPDIR/$file" "$file"; done
}
# The Python of the installed kernel; Debian's packages belong to Debian's own.
kernel_python() { sed -n 's/^ *"\(\/[^"]*python[^"]*\)",*$/\1/p' /usr/share/jupyter/kernels/python3/kernel.json 2>/dev/null | head -n 1; }

@test "its cells run, in the repository, on the cpu backend" {
  command -v jupyter-nbconvert >/dev/null || skip "nbconvert is not installed (jupyter-nbconvert python3-nbconvert)"
  python=$(kernel_python)
  [ -n "$python" ] || skip "no kernel for Python is installed (python3-ipykernel)"
  "$python" -c 'import matplotlib' 2>/dev/null || skip "matplotlib is not installed (python3-matplotlib)"
  [ ! -e notebook_lab ] || skip "there is a notebook_lab here"
  BACKEND=cpu MPLCONFIGDIR="$BATS_TEST_TMPDIR" IPYTHONDIR="$BATS_TEST_TMPDIR" JUPYTER_RUNTIME_DIR="$BATS_TEST_TMPDIR" JUPYTER_CONFIG_DIR="$BATS_TEST_TMPDIR" \
    jupyter-nbconvert --to notebook --execute labs/notebook.ipynb --output-dir "$BATS_TEST_TMPDIR" --ExecutePreprocessor.timeout=400
  python3 - "$BATS_TEST_TMPDIR/notebook.ipynb" <<'END'
import json, sys
cells = json.load(open(sys.argv[1]))["cells"]
outputs = [output for cell in cells for output in cell.get("outputs", [])]
text = "".join("".join(output.get("text", "")) for output in outputs)
kinds = [kind for output in outputs for kind in output.get("data", {})]
for part in ("backend: cpu", "\nPASS\n", "radix_v1     n =    10,000", "Next: TODO 1: ", "digit       right", "Next: TODO 2: ", "take_digit<<<1, 256>>>"):
    assert part in text, part
assert kinds.count("image/png") == 2 and kinds.count("image/svg+xml") == 1, kinds
END
}
@test "it is committed without outputs" {
  jq -e 'all(.cells[]; .cell_type != "code" or (.outputs == [] and .execution_count == null))' labs/notebook.ipynb
}
