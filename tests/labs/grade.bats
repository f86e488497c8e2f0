# The grader, graded: submissions that are right, wrong and hostile, each with its expected grade.
bats_require_minimum_version 1.5.0

setup_file() {
  cd "$BATS_TEST_DIRNAME/../.." || return
  command -v bwrap >/dev/null || skip "bubblewrap is not installed"
  bwrap --unshare-all --ro-bind / / true 2>/dev/null || skip "bubblewrap cannot make a sandbox here"
  export OUT=$BATS_FILE_TMPDIR/grades FOLDER=$BATS_FILE_TMPDIR/submissions
  mkdir "$FOLDER"
  cp tests/submissions/right/*.cu tests/submissions/wrong/*.cu "$FOLDER"
  awk -v folder="$FOLDER" -v base=tests/submissions/wrong/unsorted.cu '
    function finish(line) {
      if (!name) return
      while ((getline line <base) > 0) {
        if (line ~ /^__global__/) printf "%s", top >out
        if (line == "}" && begun) printf "%s", end >out
        begun = begun || line ~ /^void your_sort/
        print line >out
      }
      close(base); close(out); top = end = begun = ""
    }
    /^#( |$)/ || /^$/ { next }
    /^[a-z_]+: [A-Z]/ { finish(); name = substr($1, 1, length($1) - 1); out = folder "/" name ".cu"; next }
    /^ / { end = end $0 "\n"; next }
    { top = top $0 "\n" }
    END { finish() }' tests/submissions/wrong/endings.txt
  # The right one with one mistake.
  changed() { sed "$2" tests/submissions/right/plain_cs344.cu >"$FOLDER/$1.cu"; }
  changed no_bit_31 's/bit < 32/bit < 31/; s/d_inputVals, bytes/keys, bytes/; s/d_inputPos, bytes/positions, bytes/'
  changed inclusive 's/scan\[i\] - one/scan[i]/'
  changed not_stable 's/zeros + ones_before/n - 1 - ones_before/' # ones in reverse order: not sorted either
  # A solved starter, and one in which only the first steps are done.
  for name in bats_solved bats_first; do rm -rf "$name"; done
  tests/labs/solved.sh radix_v1 bats_solved
  mv bats_solved "$FOLDER/repository_style"
  tests/labs/solved.sh radix_v1 bats_first
  mv bats_first "$FOLDER/first_steps"
  sed -i 's/^ *exclusive_scan(/    inclusive_scan(/' "$FOLDER/first_steps/student_func.cu"
  # A student whose folder was called `mine` and who includes a file of it by that name.
  cp -r "$FOLDER/repository_style" "$FOLDER/split_in_two"
  sed -n '/^static __global__ void take_digit/,/^}/p' "$FOLDER/split_in_two/student_func.cu" >"$FOLDER/split_in_two/digit.cuh"
  sed -i '/^static __global__ void take_digit/,/^}/d; 0,/^static const/s//#include "mine\/digit.cuh"\n&/' "$FOLDER/split_in_two/student_func.cu"
  # Sorts on the host whose keys come from a kernel, in one piece and in several.
  behind() {
    sed -e 's/^__global__ void touch/__global__ void move(const unsigned int *in, unsigned int *out, size_t n) {\n  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = in[i];\n}\n\n&/' \
      -e 's/keys.data(), d_inputVals/keys.data(), d_outputVals/' \
      -e 's/^  std::vector<unsigned int> keys(numElems)/  if (numElems > 0) move<<<(numElems + 255) \/ 256, 256>>>(d_inputVals, d_outputVals, numElems);\n&/' "$FOLDER/$1.cu" >"$FOLDER/$2.cu"
  }
  # Right on the cpu backend, in most runs: what nvcc refuses, a CHECK=all build names, or the rewriter.
  # changed NAME DECLARATION SCRIPT: the plain file with a declaration in front of its first kernel.
  changed() { sed -e "s/^__global__ void flags(/$2\n&/" -e "$3" tests/submissions/right/plain_cs344.cu >"$FOLDER/$1.cu"; }
  changed host_function 'static unsigned int bit_of(unsigned int key, int bit) { return key >> bit \& 1; }' 's/keys\[i\] >> bit & 1;/bit_of(keys[i], bit);/'
  changed host_container '#include <map>' 's/^  if (i < n) flag/  std::map<int, int> counts;\n&/'
  changed two_faces '#ifdef CUDA_CPU\nstatic unsigned int bit_of(unsigned int key, int bit) { return key >> bit \& 1; }\n#else\n#define bit_of(key, bit) (key >> bit \& 1)\n#endif' 's/keys\[i\] >> bit & 1;/bit_of(keys[i], bit);/'
  changed leaves_error '' 's/cudaFree(b));/&\n  cudaFree(b);/'
  changed host_memory 'struct Host { unsigned int *zeros; };\n__global__ void count(const unsigned int *scan, size_t n, Host host) { *host.zeros = n - scan[n - 1]; }' \
    's/^    move<<</    unsigned int zeros = 0;\n    count<<<1, 1>>>(a, numElems, {\&zeros});\n&/'
  changed lost_additions '__device__ unsigned int all_zeros;\n__global__ void count(const unsigned int *keys, size_t n, int bit) {\n  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;\n  unsigned int zeros = __syncthreads_count(i < n \&\& !(keys[i] >> bit \& 1));\n  if (threadIdx.x == 0) all_zeros += zeros;\n}' \
    's/^  if (i < n) flag/  if (i == 0) all_zeros = 0;\n&/; s/n - scan\[n - 1\]/all_zeros/; s/^    move<<</    count<<<blocks, threads>>>(keys, numElems, bit);\n&/'
  # Sorts the first time, and gives that answer again for the same n.
  changed remembers 'static unsigned int *old[2];\nstatic size_t old_n;\n' \
    's/^  if (numElems == 0) return;/&\n  if (old_n == numElems) {\n    cudaMemcpy(d_outputVals, old[0], 4 * old_n, cudaMemcpyDeviceToDevice);\n    cudaMemcpy(d_outputPos, old[1], 4 * old_n, cudaMemcpyDeviceToDevice);\n    return;\n  }\n  old_n = numElems;/
     s/cudaFree(a)/cudaMemcpy(old[0] = a, d_outputVals, bytes, cudaMemcpyDeviceToDevice)/; s/cudaFree(b)/cudaMemcpy(old[1] = b, d_outputPos, bytes, cudaMemcpyDeviceToDevice)/'
  # Links to the work of others, names that the results have, and control characters for the teacher's terminal.
  ln -s repository_style "$FOLDER/link_to_another"
  ln -s repository_style/student_func.cu "$FOLDER/link_to_a_file.cu"
  mkdir "$FOLDER/grades.csv"
  printf '#error "\033[8mhidden\302\2338m"\n' >"$FOLDER/grades.csv/student_func.cu"
  # What is no source file, and names that become the same.
  mkdir "$FOLDER"/{a_pipe,a_folder,too_large,a:b,a_b}
  mkfifo "$FOLDER/a_pipe/student_func.cu"
  mkdir "$FOLDER/a_folder/student_func.cu"
  truncate -s 3G "$FOLDER/too_large/student_func.cu"
  echo '#error "of a and b"' >"$FOLDER/a:b/student_func.cu"
  echo '#error "of a_b"' >"$FOLDER/a_b/student_func.cu"
  iconv -t utf-16 tests/submissions/wrong/unsorted.cu >"$FOLDER/utf_16.cu"
  sed '$ s/^}/  fputs("check: \\033[8mhidden\\n", stderr);\n  exit(3);\n}/' tests/submissions/wrong/unsorted.cu >"$FOLDER/prints_control.cu"
  sed 's/1000/n/g' tests/submissions/wrong/host_pieces.cu >"$FOLDER/host_whole.cu"
  behind host_whole host_behind_copy
  behind host_pieces host_pieces_behind_copy
  sed 's/IN_ARGUMENTS 0/IN_ARGUMENTS 1/' tests/submissions/wrong/host_order.cu >"$FOLDER/host_order_arguments.cu"
  # Those that the grader would hold are run, so that the sandbox is tested.
  local held=close_output,constructor_exit,fill_disk,forged_answer,fork_bomb,kill_parent,late_thread,outlives,read_reference,takes_commands,write_results
  # nvcc's seconds for each that sorts are spent on one of them only, below.
  [[ $(make -s print-B) == build/cuda* ]] || export NVCC=
  scripts/grade.sh radix_v1 "$FOLDER" --rubric tests/submissions/rubric.json --out "$OUT" --jobs 2 --accept $held >"$BATS_FILE_TMPDIR/table" || [ $? -eq 4 ]
}

setup() { cd "$BATS_TEST_DIRNAME/../.." || return; }

@test "every submission has its expected grade and diagnosis" {
  cat "$BATS_FILE_TMPDIR/table"
  python3 - "$OUT/grades.csv" tests/submissions/expected.csv <<'P'
import csv, re, sys
grades = {row["student"]: row for row in csv.DictReader(open(sys.argv[1]))}
expected = list(csv.DictReader(open(sys.argv[2])))
wrong = [f"not expected: {name}" for name in grades if name not in {row["submission"] for row in expected}]
for row in expected:
    low, _, high = row["points"].partition("..")
    grade = grades[row["submission"]]
    if not re.search(row["look_at"] or "^$", grade["look_at"]):
        wrong.append(f"{row['submission']}: to look at: '{grade['look_at']}'; expected '{row['look_at'] or ''}'")
    if not float(low) <= float(grade["total"]) <= float(high or low) or not re.search(row["diagnosis"], grade["diagnosis"]):
        wrong.append(f"{row['submission']}: {grade['total']} points, '{grade['diagnosis']}'; expected {row['points']}, '{row['diagnosis']}'")
print("\n".join(wrong))
sys.exit(bool(wrong))
P
}

@test "a kernel that calls a host function is to be looked at where nvcc is installed" {
  [ -n "$(env -u NVCC make -s print-NVCC)" ] || skip "nvcc is not installed"
  run -4 env -u NVCC scripts/grade.sh radix_v1 "$FOLDER/host_function.cu" --rubric tests/submissions/rubric.json --out "$BATS_TEST_TMPDIR/out"
  grep -q '^host_function,.*does not compile for a GPU: .*calling a __host__ function(""bit_of.*does not compile' "$BATS_TEST_TMPDIR/out/grades.csv"
}

@test "no control character of a submission reaches the table" {
  grep -q 'hidden' "$BATS_FILE_TMPDIR/table"
  run -1 grep -P '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' "$BATS_FILE_TMPDIR/table"
  run -1 grep -P '[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]' "$OUT/grades.csv"
}

@test "what could take the grader's place is held, and cannot be missed" {
  cd "$FOLDER"
  local root=$BATS_TEST_DIRNAME/../..
  run -4 "$root/scripts/grade.sh" radix_v1 {constructor_exit,late_thread,unsorted}.cu \
    --rubric "$root/tests/submissions/rubric.json" --out "$BATS_TEST_TMPDIR/out" --jobs 2
  [[ $output == *"LOOK AT 2 of them before you give a grade: constructor_exit, late_thread"* ]]
  python3 - "$BATS_TEST_TMPDIR/out/grades.csv" <<'P'
import csv, sys
reach = {"constructor_exit": "before the sort is called", "late_thread": "starts threads", "unsorted": ""}
for row in csv.DictReader(open(sys.argv[1])):
    held = reach[row["student"]]
    assert float(row["total"]) == 5, row
    assert bool(held) == row["look_at"].startswith("held: it ") and held in row["look_at"], row
P
  run -2 "$root/scripts/grade.sh" radix_v1 unsorted.cu --rubric "$root/tests/submissions/rubric.json" --out "$BATS_TEST_TMPDIR/out" --accept somebody
}

@test "in a container, without bubblewrap: hostile submissions get no point more and reach nobody else" {
  [ "$(id -u)" -eq 0 ] || skip "needs root"
  local hostile=forged_answer,fork_bomb,kill_parent,outlives,read_reference,write_results out=$BATS_TEST_TMPDIR/out
  mkdir "$BATS_TEST_TMPDIR/bin" # where bubblewrap fails
  ln -s /bin/false "$BATS_TEST_TMPDIR/bin/bwrap"
  PATH=$BATS_TEST_TMPDIR/bin:$PATH run -0 scripts/grade.sh radix_v1 "$FOLDER"/{plain_cs344,forged_answer,fork_bomb,kill_parent,outlives,read_reference,write_results}.cu \
    --accept $hostile --rubric tests/submissions/rubric.json --out "$out" --jobs 2 --container
  [[ $output == *"this container is the sandbox. Submissions run as users without rights (setpriv)"* ]]
  [ "$(jq -r '.output' "$out/plain_cs344/results.json")" = "All right." ]
  [ "$(jq -s '[.[] | .score] | sort | .[6] > 80 and .[0:6] == [5, 5, 5, 5, 5, 5]' "$out"/*/results.json)" = true ]
  # Killed processes take a moment to end.
  for _ in {1..100}; do
    grep -qE '^ *60[0-9]{3}$' <(ps -eo uid=) || break
    sleep 0.1
  done
  run -1 grep -E '^ *60[0-9]{3}$' <(ps -eo uid=)
}

@test "names of students keep their letters, and each name that must change gets its own" {
  python3 - <<'P'
from labs.grader.submissions import _named
names = ["Anna Müller", "Anna Möller", "Anna Mu\u0308ller", "=cmd", "a:b", "a_b", "../up"]
found = list(_named([(name, name) for name in names]))
assert found == ["Anna Müller", "Anna Möller", "Anna Müller_2", "_cmd", "a_b_2", "a_b", "_up"], found
P
}

@test "a link to another's folder, a renamed file, long names, and a repository whose settings name a program" {
  mkdir -p "$BATS_TEST_TMPDIR/class/anna/mine"
  echo '.title = "lab: radix_v1"' >"$BATS_TEST_TMPDIR/class/anna/mine/student_func.cu"
  ln -s anna "$BATS_TEST_TMPDIR/class/eve"
  mkdir "$BATS_TEST_TMPDIR/class/$(printf 'x%.0s' {1..250})"
  local anna="git -C $BATS_TEST_TMPDIR/class/anna" signed
  $anna -c init.defaultBranch=main init -q
  $anna add mine
  $anna -c user.name=a -c user.email=a@b commit -q -m handed
  # A signed commit, and settings that name the program which looks at signatures.
  signed=$($anna cat-file commit HEAD | sed '/^committer/a gpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END PGP SIGNATURE-----' |
    $anna hash-object -t commit -w --stdin)
  $anna update-ref refs/heads/main "$signed"
  printf '#!/bin/sh\ntouch /lab/ran\nsleep 60\n' >"$BATS_TEST_TMPDIR/class/anna/program"
  chmod +x "$BATS_TEST_TMPDIR/class/anna/program"
  $anna config log.showSignature true
  $anna config gpg.program /lab/program
  python3 - "$BATS_TEST_TMPDIR/class" <<'EOF'
import os, sys, time
from labs.grader import lateness, submissions
found = submissions.find([sys.argv[1]], "radix_v1")
assert found["eve"].endswith("/eve") and not submissions.source_files(found["eve"]), found
assert found["anna"].endswith("/anna/mine") and max(map(len, found)) == 100, found
before = submissions.fingerprint("", "", found["anna"])
os.rename(found["anna"] + "/student_func.cu", found["anna"] + "/hw4.cu")
assert submissions.fingerprint("", "", found["anna"]) != before
begin = time.monotonic()
assert time.time() - lateness.handed_in(found["anna"]) < 100
assert time.monotonic() - begin < 30
assert not os.path.exists(sys.argv[1] + "/anna/ran")
EOF
}

@test "an order that may be either of two is called both" {
  python3 - <<'P'
from array import array
from labs.grader.judge import fault, right_answer
def why(keys, out):
    keys = array("I", keys)
    return fault(keys, None, right_answer(keys, None), array("I", out), None, True)
assert why([0, 2**32 - 1, 0], [2**32 - 1, 0, 0]).startswith("in descending order, which here is also the order of signed numbers")
assert why([1, 2**31, 3], [2**31, 1, 3]).startswith("in the order of signed numbers")
assert why([1, 4, 3], [4, 3, 1]).startswith("in descending order (")
P
}

@test "an array that a crash kept from being shown is not called forgotten" {
  python3 - <<'P'
from types import SimpleNamespace
from labs.grader import grader
it = grader.Grader.__new__(grader.Grader)
it.builder = SimpleNamespace(on_gpu=False, tools="")
it.rubric = {"points": {"stages": 20}, "limits": {}, "stages": {"n": 4097, "arrays": ["digit", "hist"]}}
for ended, why in ((None, "hist is not shown (lab_show)"), ("crashed", "hist was not reached (crashed)")):
    grader.compare_steps = lambda *_: ([("digit", "right")], ended)
    record = {"right": False, "groups": {}, "diagnoses": []}
    it._stages("", "", record, 0)
    assert record["groups"]["stages"] == {"score": 10.0, "max": 20, "why": why}, record
P
}

@test "a result that is right a little later is called late; after one that stays wrong none is waited for" {
  python3 - <<'P'
from array import array
from types import SimpleNamespace
from labs.grader import cases
class Process:
    def __init__(self, later):  # whether each result is right a little later
        self.later, self.fetched = later, 0
    def sort(self, keys, *_):
        self.right = array("I", sorted(keys))
        return 0, "d", self.right[::-1], None
    def fetch_again(self, *_):
        self.fetched += 1
        return (self.right if self.later[self.fetched - 1] else self.right[::-1]), None
    def close(self):
        pass
for later, wanted in (([True, True, True], 3), ([True, False], 2), ([False], 1)):
    run = cases.Run(SimpleNamespace(seconds_for=lambda n: 1), "", {"stable": True}, 0, ())
    run._process = process = Process(later)
    assert run.run([("uniform", 300, False)] * 3) == 0
    assert process.fetched == wanted, (later, process.fetched)
    assert sum("only after your_sort had returned" in why for why in run.whys) == sum(later), run.whys
P
}

@test "no version of the repository is held" {
  build=$(make -s --no-print-directory print-B)
  for version in */student_func.cu; do
    file=$build/${version%%/*}/version.so
    [ ! -f "$file" ] || python3 -c 'import sys; from labs.grader.reach import reaches; sys.exit("; ".join(reaches(sys.argv[1])) or 0)' "$file"
  done
}

@test "results.json is in Gradescope's format, and the page explains each point lost" {
  for student in plain_cs344 unsorted first_steps crash; do
    jq -e '(.score | type) == "number" and (.tests | length) >= 7 and all(.tests[]; .score <= .max_score and (.output | length) > 0)
      and ([.tests[].score] | add) - .score < 0.01 and .score - ([.tests[].score] | add) < 0.01' "$OUT/$student/results.json"
    lost=$(jq '[.extra_data.groups[] | select(.score < .max)] | length' "$OUT/$student/results.json")
    [ "$(grep -o ' lost: ' "$OUT/$student/index.html" | wc -l)" -eq "$lost" ]
  done
  run -1 grep -l crash "$OUT/unsorted/index.html" # nothing of others
}

@test "only what changed is graded again" {
  run scripts/grade.sh radix_v1 "$FOLDER/unsorted.cu" --rubric tests/submissions/rubric.json --out "$OUT"
  [[ $output == *"1 submissions, 0 graded now"* ]]
  echo "// changed" >>"$FOLDER/unsorted.cu"
  run scripts/grade.sh radix_v1 "$FOLDER/unsorted.cu" --rubric tests/submissions/rubric.json --out "$OUT"
  [[ $output == *"1 submissions, 1 graded now"* ]]
}

@test "results that cannot be written are one sentence" {
  mkdir "$BATS_TEST_TMPDIR/taken"
  touch "$BATS_TEST_TMPDIR/file"
  mkdir -p "$BATS_TEST_TMPDIR/taken/grades.csv"
  for out in file file/below taken; do
    run -2 scripts/grade.sh radix_v1 "$FOLDER/does_not_compile.cu" --rubric tests/submissions/rubric.json --out "$BATS_TEST_TMPDIR/$out"
    [[ ${lines[-1]} == "grade: cannot write $BATS_TEST_TMPDIR/$out"*": "* ]]
    [[ $output != *Traceback* ]]
  done
}

@test "a rubric that is none, and options that mean nothing, are one sentence" {
  python3 - labs/radix_v1/rubric.json <<'P'
import json, sys
from labs.grader.grade import check_rubric
whole = {**json.load(open("labs/rubric.json")), **json.load(open(sys.argv[1]))}
check_rubric(whole)
for change, sentence in (
    ({"points": [1]}, "points is missing, or not an object"),
    ({"points": {"sizes": "20"}}, "sizes is missing, or not a number"),
    ({"points": {"sites": 20}}, "there is no group sites"),
    ({"limits": {}}, "seconds is missing, or not a whole number"),
    ({"stages": None}, "stages is missing, or not an object"),
    ({"forbidden": {"(": ""}}, "missing )"),
):
    try:
        check_rubric({**whole, **change})
        sys.exit(f"taken: {change}")
    except Exception as error:
        assert sentence in str(error), (change, error)
P
  echo '{}' >"$BATS_TEST_TMPDIR/rubric.json"
  run -2 scripts/grade.sh radix_v1 "$FOLDER/unsorted.cu" --rubric "$BATS_TEST_TMPDIR/rubric.json"
  [[ $output == "grade: $BATS_TEST_TMPDIR/rubric.json: title is missing, or not a text" ]]
  touch "$BATS_TEST_TMPDIR/all.zip"
  run -2 scripts/grade.sh radix_v1 "$BATS_TEST_TMPDIR/all.zip"
  [[ $output == "grade: $BATS_TEST_TMPDIR/all.zip is no folder and no .cu file" ]]
  run -2 scripts/grade.sh radix_v1 "$FOLDER/unsorted.cu" --late-percent -5
  run -2 scripts/grade.sh --nonsense
}

@test "a grader that is ended leaves no folder and no process" {
  tmp=$(mktemp -d)
  chmod 711 "$tmp" # root's submissions run as another user
  for signal in TERM INT; do
    TMPDIR=$tmp python3 - $signal scripts/grade.sh radix_v1 "$FOLDER/hang.cu" --out "$BATS_TEST_TMPDIR/out" --again <<'P'
import glob, os, signal, subprocess, sys, time
grader = subprocess.Popen(sys.argv[2:], start_new_session=True)
def below(process):
    children = [int(child) for file in glob.glob(f"/proc/{process}/task/*/children") for child in open(file).read().split()]
    return sum(map(below, children), children)
def alive(process):
    try:
        return open(f"/proc/{process}/stat").read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
def wait_for(condition):
    begin = time.monotonic()
    while not condition():
        assert time.monotonic() - begin < 60, os.listdir(os.environ["TMPDIR"])
        time.sleep(0.1)
wait_for(lambda: glob.glob(os.environ["TMPDIR"] + "/grade.*/*/submission"))
children = below(grader.pid)
grader.send_signal(getattr(signal, "SIG" + sys.argv[1]))
assert grader.wait() < 0
wait_for(lambda: not os.listdir(os.environ["TMPDIR"]) and not any(map(alive, children)))
P
  done
  chmod 700 "$tmp"
  [ "$(id -u)" -ne 0 ] || TMPDIR=$tmp run -2 scripts/grade.sh radix_v1 "$FOLDER/hang.cu" --out "$BATS_TEST_TMPDIR/out"
  [[ $(id -u) -ne 0 || ${lines[-1]} == "grade: the reference does not run from $tmp/grade."* ]]
  rmdir "$tmp"
}

@test "the sandbox has no memory without a limit" {
  python3 - <<'P'
import subprocess
from labs.grader import sandbox
script = "for folder in / /dev /etc; do ! touch $folder/file || exit 1; done; ! head -c 2M /dev/zero >/dev/shm/file && echo >/tmp/file"
assert subprocess.run(sandbox.command_line(["sh", "-c", script], {}, {}, {}, {"file_mb": 1})).returncode == 0
P
}

@test "without a sandbox nothing is run" {
  mkdir "$BATS_TEST_TMPDIR/bin"
  for tool in bash dirname realpath env; do ln -s "$(command -v $tool)" "$BATS_TEST_TMPDIR/bin/"; done
  ln -s "$(python3 -c 'import sys; print(sys.executable)')" "$BATS_TEST_TMPDIR/bin/python3"
  PATH=$BATS_TEST_TMPDIR/bin run -3 scripts/grade.sh radix_v1 "$FOLDER/unsorted.cu" --out "$BATS_TEST_TMPDIR/out"
  [[ $output == *"install bubblewrap"* ]]
  [ ! -e "$BATS_TEST_TMPDIR/out" ]
}

@test "the sandbox binds the device nodes of a GPU, and only those" {
  # Any node that bubblewrap's own /dev does not have stands in for a GPU's.
  for node in /dev/fuse /dev/kvm /dev/loop-control /dev/tty0 /dev/kmsg none; do [ ! -c "$node" ] || break; done
  [ "$node" != none ] || skip "no device node to bind"
  python3 - "$node" <<'P'
import subprocess, sys
from labs.grader import sandbox
limits = {"file_mb": 1}
def runs(*command):
    return subprocess.run(sandbox.command_line(list(command), {}, {}, {}, limits)).returncode == 0
node = sys.argv[1]
sandbox.DEVICES = node + "-none"
assert not runs("/usr/bin/test", "-e", node)
sandbox.DEVICES = node[:-1] + "*"
assert runs("/usr/bin/test", "-c", node)
assert not runs("/usr/bin/test", "-e", "/dev/mem")
P
}

@test "the open lab: a version that builds on others, and a library's sort under another name" {
  folder=$BATS_TEST_TMPDIR/open
  mkdir -p "$folder/continued"
  cp radix_v5/student_func.cu "$folder/continued/"
  sed 's/thrust::/t::/g; s/^static const char.*stages/namespace t = thrust;\n&/' thrust_ref/student_func.cu >"$folder/renamed.cu"
  jq '.homework.n = 3000 | .inputs.n = 1000' labs/open/rubric.json >"$BATS_TEST_TMPDIR/rubric.json"
  run -0 scripts/grade.sh open "$folder" --rubric "$BATS_TEST_TMPDIR/rubric.json" --out "$BATS_TEST_TMPDIR/out" --jobs 2
  [[ $output == *"speed is not graded on the cpu backend"* ]] || [[ $(make -s --no-print-directory print-B) == build/cuda* ]]
  [ "$(jq '.extra_data.groups | [.homework, .sizes, .inputs] | all(.score == .max)' "$BATS_TEST_TMPDIR/out/continued/results.json")" = true ]
  [[ $output == *"renamed "*"calls the sort of Thrust or CUB"* ]]
}

