# A course from hand-out to grades, as labs/teacher/README.md tells it: a copy for students, a good, a slow, a wrong and a
# copied submission, Canvas's and Moodle's files, and a bare Debian in which Gradescope's and GitHub Classroom's steps run.
bats_require_minimum_version 1.5.0

setup_file() {
  cd "$BATS_TEST_DIRNAME/../.." || return
  export GIT_AUTHOR_NAME=teacher GIT_AUTHOR_EMAIL=t@localhost GIT_COMMITTER_NAME=teacher GIT_COMMITTER_EMAIL=t@localhost
  export WORK=$BATS_FILE_TMPDIR ROOT=$BATS_FILE_TMPDIR/root
  export CLASS=$WORK/class COURSE=$WORK/course
  make -s student_copy DEST="$COURSE" LABS=radix_v1
  mkdir "$CLASS"
  rm -rf bats_course
  tests/labs/solved.sh radix_v1 bats_course
  mv bats_course "$CLASS/Anna Müller"
  for name in 'Anna Möller' Omar_77_9_student_func 'Zoë_501_assignsubmission_file_'; do cp -r "$CLASS/Anna Müller" "$CLASS/$name"; done
  # Copied, with other names and comments.
  sed -i 's/\bdigit\b/zahl/g; s/\brank\b/rang/g; s/\bhist\b/haeufig/g; s/\bbit\b/stelle/g; s,//.*,// my own,' "$CLASS/Anna Möller/student_func.cu"
  # Slow: it sorts three times, so that it moves three times the bytes.
  sed -i 's/^  for (int bit = 0; bit < KEY_BITS; bit++)/  for (int turn = 0; turn < 3; turn++)\n&/' "$CLASS/Omar_77_9_student_func/student_func.cu"
  sed -i 's/^    exclusive_scan(/    inclusive_scan(/' "$CLASS/Zoë_501_assignsubmission_file_/student_func.cu"
  touch -d '2026-11-20 12:00' "$CLASS"/*/*
  touch -d '2026-11-22 13:00' "$CLASS/Anna Möller"/*
  cat >"$WORK/canvas.csv" <<'C'
Student,ID,SIS User ID,SIS Login ID,Section,Lab 1 (4),"Lab 2: scan, and one bit per pass (5)",Current Score
    Points Possible,,,,,100,100,(read only)
"Müller, Anna",12,s12,amueller,A,90,,90
"Möller, Anna",13,s13,amoeller,A,80,,80
"Ben Ali, Omar",77,s77,obenali,B,70,,70
"Nobody, Nora",78,s78,nnobody,B,70,,70
C
  cat >"$WORK/moodle.csv" <<'C'
Identifier,Full name,Email address,Status,Grade,Maximum grade,Grade can be changed,Last modified (grade),Feedback comments
Participant 500,Anna Müller,amueller@example.org,Submitted,,10.00,Yes,-,
Participant 501,Zoë Wrong,zoe@example.org,Submitted,,"10,00",Yes,-,
C
}
setup() { cd "$BATS_TEST_DIRNAME/../.." || return; }
# Minutes each, as everything is built twice: not part of make test_all.
bare_root() {
  [ "${BARE_ROOT:-0}" = 1 ] || skip "BARE_ROOT=1 bats tests/labs/course.bats runs it"
  [ "$(id -u)" -eq 0 ] || skip "needs root"
  command -v mmdebstrap >/dev/null || skip "mmdebstrap is not installed"
  unshare --mount --pid --fork true 2>/dev/null || skip "no namespaces here"
}

@test "grades, lateness, similar pairs, Canvas and Moodle" {
  command -v sim_c >/dev/null || skip "similarity-tester is not installed"
  local common=(radix_v1 "$CLASS" --out "$WORK/grades" --due '2026-11-21 12:00' --grace 30)
  run -4 scripts/grade.sh "${common[@]}" --similar --roster "$WORK/canvas.csv" --export canvas="$WORK/canvas_out.csv"
  [[ $output == *"NOT IN THE ROSTER, or in several of its rows: Zoë_501_assignsubmission_file_;"* ]]
  [[ $output == *"2 days late: 20 % of "*" points are lost"* ]]
  run -4 scripts/grade.sh "${common[@]}" --roster "$WORK/moodle.csv" --export moodle="$WORK/moodle_out.csv"
  [[ $output == *", 0 graded now"* ]]
  python3 - "$WORK" <<'P'
import csv, sys
rows = lambda name: list(csv.DictReader(open(f"{sys.argv[1]}/{name}", encoding="utf-8")))
points = {row["student"]: float(row["total"]) for row in rows("grades/grades.csv")}
good, copied, slow, wrong = (points[name] for name in ("Anna Müller", "Anna Möller", "Omar_77_9_student_func", "Zoë_501_assignsubmission_file_"))
assert 85 <= good <= 100 and 68 <= copied <= 80 and 85 < slow < 95 and wrong == 13, points
alike = [(row["one"], row["other"]) for row in rows("grades/similar.csv")]
assert {"Anna Müller", "Anna Möller"} in map(set, alike), alike
canvas = rows("canvas_out.csv")
column = "Lab 2: scan, and one bit per pass (5)"
assert list(canvas[0]) == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", column], canvas[0]
assert [(row["Student"], row["ID"]) for row in canvas[1:]] == [("Müller, Anna", "12"), ("Möller, Anna", "13"), ("Ben Ali, Omar", "77"), ("Nobody, Nora", "78")]
assert [row[column] for row in canvas] == ["100", str(good), str(copied), str(slow), ""], canvas
moodle = rows("moodle_out.csv")
assert [(row["Identifier"], float(row["Grade"])) for row in moodle] == [("Participant 500", round(good / 10, 2)), ("Participant 501", 1.3)], moodle
assert moodle[1]["Feedback comments"].startswith("ones wrong"), moodle
P
}

@test "a roster or a request that is none is one sentence" {
  run -2 scripts/grade.sh radix_v1 "$CLASS" --roster "$WORK/moodle.csv" --export canvas="$WORK/none.csv"
  [[ $output == *"moodle.csv has no column Student or ID: is it the file that Canvas exports?"* ]]
  run -2 scripts/grade.sh radix_v1 "$CLASS" --roster "$WORK/none" --export moodle="$WORK/none.csv"
  [[ $output == *"none cannot be read as a roster"* ]]
  run -2 scripts/grade.sh radix_v1 "$CLASS" --export excel="$WORK/none.csv"
  [[ $output == *"--export is canvas=FILE or moodle=FILE, with --roster"* ]]
  run -2 scripts/grade.sh radix_v1 "$CLASS" --roster "$WORK/canvas.csv"
  [[ $output == *"neither goes without the other"* ]]
  printf 'Student,ID\nAnna,12,more\n' >"$WORK/long.csv"
  run -2 scripts/grade.sh radix_v1 "$CLASS" --roster "$WORK/long.csv" --export canvas="$WORK/none.csv"
  [[ $output == *"long.csv: a row has more cells than the first one"* ]]
  [ ! -e "$WORK/none.csv" ]
}

@test "a clone of the course is a submission; a commit's time counts, not that of the file" {
  git init -q "$BATS_TEST_TMPDIR/repository"
  cd "$BATS_TEST_TMPDIR/repository"
  mkdir mine
  cp "$CLASS/Anna Müller/student_func.cu" mine
  git add .
  GIT_COMMITTER_DATE='2026-11-22T13:00:00+0000' git commit -q -m lab
  cd "$BATS_TEST_DIRNAME/../.."
  python3 - "$BATS_TEST_TMPDIR/repository/mine" <<'P'
import datetime, os, sys
from labs.grader.lateness import handed_in
from labs.grader.submissions import find
clone = os.path.dirname(sys.argv[1])
found = find([os.path.dirname(clone)], "radix_v1")
assert found["repository"] == sys.argv[1], found
assert handed_in(sys.argv[1]) == datetime.datetime.fromisoformat("2026-11-22T13:00:00+00:00").timestamp(), handed_in(sys.argv[1])
P
}

@test "what zip programs leave is no submission, other files are named, and so is what a folder holds instead" {
  cd "$BATS_TEST_TMPDIR"
  mkdir -p class/__MACOSX class/.git "class/$(printf 'J\366rg')" class/Eva
  touch "class/$(printf 'J\366rg')/student_func.cu" class/Eva/lab.zip class/Omar.zip
  run -0 python3 - <<P
import sys
sys.path.insert(0, "$BATS_TEST_DIRNAME/../..")
from labs.grader.submissions import find, why_unreadable
print(list(find(["class"], "radix_v1")), why_unreadable("class/Eva/student_func.cu"))
P
  [[ $output == "grade: 'class/Omar.zip' is no folder and no .cu file: not graded"* ]]
  [[ $output == *"['Eva', 'Jörg'] there is no student_func.cu; there is lab.zip" ]]
}

@test "Gradescope's autograder in a bare Debian, with the folders that its documentation names" {
  bare_root
  run -2 make -s gradescope LAB=none
  make -s gradescope LAB=radix_v1
  tests/labs/bare_root.sh "$ROOT" mkdir -p /autograder/source /autograder/submission /autograder/results
  python3 -m zipfile -e build/gradescope/radix_v1/autograder.zip "$ROOT/autograder/source"
  [ -z "$(find "$ROOT/autograder/source" -name .git)" ]
  chmod +x "$ROOT"/autograder/source/{setup.sh,run_autograder} "$ROOT"/autograder/source/course/scripts/*
  cp "$ROOT/autograder/source/run_autograder" "$ROOT/autograder/"
  tests/labs/bare_root.sh "$ROOT" /autograder/source/setup.sh
  for name in 'Anna Müller' Omar_77_9_student_func 'Zoë_501_assignsubmission_file_'; do
    cp "$CLASS/$name/student_func.cu" "$ROOT/autograder/submission/"
    tests/labs/bare_root.sh "$ROOT" /autograder/run_autograder
    cp "$ROOT/autograder/results/results.json" "$WORK/$name.json"
    jq -e '([.tests[].score] | add) - .score | fabs < 0.01' "$WORK/$name.json"
    jq -e 'all(.tests[]; .visibility == "visible" and .score <= .max_score and (.output | length) > 0)' "$WORK/$name.json"
  done
  jq -e '.score == 100 and .output == "All right."' "$WORK/Anna Müller.json"
  jq -e '.score > 85 and .score < 95' "$WORK/Omar_77_9_student_func.json"
  jq -e '.score == 13 and (.tests[] | select(.name == "Step: the array ones") | .output | test("an inclusive scan"))' "$WORK/Zoë_501_assignsubmission_file_.json"
  rm "$ROOT/autograder/submission/student_func.cu"
  tests/labs/bare_root.sh "$ROOT" /autograder/run_autograder
  jq -e '.score == 0 and (.output | test("no submission"))' "$ROOT/autograder/results/results.json"
}

@test "GitHub Classroom's and the devcontainer's steps in a bare Debian" {
  bare_root
  tests/labs/bare_root.sh "$ROOT" mkdir -p /repository
  git clone -q "$COURSE" "$WORK/clone"
  cp -r "$CLASS/Zoë_501_assignsubmission_file_" "$WORK/clone/mine"
  sed -i 's/"bats_course"/"mine"/' "$WORK/clone/mine/student_func.cu"
  cp -r "$WORK/clone/." "$ROOT/repository"
  jq -r .onCreateCommand "$COURSE/.devcontainer/devcontainer.json" >"$WORK/steps"
  sed -n 's/^ *- run: //p' "$COURSE/.github/workflows/classroom.yml" >>"$WORK/steps"
  [ "$(wc -l <"$WORK/steps")" -eq 4 ]
  run -1 tests/labs/bare_root.sh "$ROOT" env GITHUB_STEP_SUMMARY=/summary bash -e -c "cd /repository; $(tr '\n' ';' <"$WORK/steps")"
  grep -q '^## mine: 13 of 100 points' "$ROOT/summary"
  grep -q '^| Step: the array digit | 4 of 4 |' "$ROOT/summary"
  run -0 tests/labs/bare_root.sh "$ROOT" bash -c 'cd /repository; make run'
  [[ $output == *PASS* ]]
}
