# The copy for a class: labs/teacher/README.md promises that it works and holds no solution.
bats_require_minimum_version 1.5.0

setup_file() {
  cd "$BATS_TEST_DIRNAME/../.." || return
  export GIT_AUTHOR_NAME=teacher GIT_AUTHOR_EMAIL=t@localhost GIT_COMMITTER_NAME=teacher GIT_COMMITTER_EMAIL=t@localhost
  export COURSE=$BATS_FILE_TMPDIR/course
  make -s student_copy DEST="$COURSE" LABS="radix_v1 radix_v2"
}
setup() { cd "$COURSE" || return; }

# Lines that a lab's starter lacks, without blanks, comments and lines that say nothing of a solution.
solution_of() {
  sed -n '/^---/d; s/^-//p' "$BATS_TEST_DIRNAME/../../labs/starters/$1.patch" | tr -d ' \t' | grep -vE '^//|^.{0,24}$|^(LAUNCH_CHECK|__syncthreads|#include)'
}

@test "one commit, without a solution in files, history and links" {
  [ "$(git rev-list --count --all)" -eq 1 ]
  for lab in seq radix_v1 radix_v2 radix_v3 radix_v4; do
    [ ! -e "$lab" ]
    solution_of "$lab" >"$BATS_TEST_TMPDIR/solution"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/solution")" -ge 2 ]
    run -1 grep -Fx -f "$BATS_TEST_TMPDIR/solution" <(git log -p --format= | sed 's/^+//' | tr -d ' \t')
  done
  [ ! -e common/count_tile.cuh ]
  [ ! -e labs/teacher ]
  [ ! -e labs/1_seq.md ]
  [ -z "$(find . -path ./.git -prune -o -type l -print)" ]
}

@test "no link of a page leads nowhere" {
  make -s starter LAB=radix_v1 NAME=linked >/dev/null
  python3 - <<'P'
import os, re, sys
dead = []
for folder, _, names in os.walk("."):
    for name in names:
        if name.endswith(".md") and "/labs/starters/" not in folder + "/":
            text = open(os.path.join(folder, name), encoding="utf-8").read()
            for link in re.findall(r"\]\(([^)\s]+)\)", text):
                if not re.match(r"\w+:|#", link) and not os.path.exists(os.path.join(folder, link.split("#")[0])):
                    dead.append(f"{folder}/{name}: {link}")
sys.exit("\n".join(dead) or 0)
P
  rm -r linked
  grep -q '2_radix_v1.md' labs/README.md
  run -1 grep -q '1_seq' labs/README.md
}

@test "make run and every target of make help work there, as far as make knows before it runs them" {
  run -0 make -s run
  [[ $output == *PASS* ]]
  for target in $(make help | sed -n 's/^make \([a-z_-]*\) .*/\1/p'); do
    run -0 make -n "$target" V=std_sort_ref LAB=radix_v1
    # shellcheck disable=SC2013 # words
    for script in $(grep -oE '(^|[ @])scripts/[a-z_]+\.(sh|py)' <<<"$output"); do [ -x "$script" ]; done
  done
}

@test "make starter and make check-lab say the same as in the full repository" {
  make -s starter LAB=radix_v1 NAME=bats_copy
  run -2 make -s check-lab V=bats_copy
  there=$output
  cd "$BATS_TEST_DIRNAME/../.."
  rm -rf bats_copy
  make -s starter LAB=radix_v1 NAME=bats_copy
  run -2 make -s check-lab V=bats_copy
  diff -r bats_copy "$COURSE/bats_copy"
  rm -rf bats_copy build/*/bats_copy "$COURSE/bats_copy"
  [ "${output%make*}" = "${there%make*}" ] # the line of the Makefile may differ
}

@test "a later lab is one more commit, and what students changed stays" {
  git clone -q "$COURSE" "$BATS_TEST_TMPDIR/class"
  cd "$BATS_TEST_TMPDIR/class"
  make -s starter LAB=radix_v1 NAME=mine
  echo '// by a student' >>common/scratch.h
  echo '// by a student' >>labs/starters/radix_v1/student_func.cu
  git rm -q labs/debugging.md
  git add -A
  git commit -q -m mine
  cp -r mine "$BATS_TEST_TMPDIR/mine"
  cd "$BATS_TEST_DIRNAME/../.."
  make -s student_copy DEST="$BATS_TEST_TMPDIR/class" LABS=radix_v3
  cd "$BATS_TEST_TMPDIR/class"
  [ -z "$(git status --porcelain)" ]
  diff -r mine "$BATS_TEST_TMPDIR/mine"
  grep -q 'by a student' common/scratch.h
  grep -q 'by a student' labs/starters/radix_v1/student_func.cu
  [ ! -e labs/debugging.md ]
  make -s starter LAB=radix_v3 NAME=later
  grep -q 'count_tile' later/student_func.cu common/count_tile.cuh
  [ "$(git log --format=%s --grep '^Labs: ')" = $'Labs: radix_v1 radix_v2 radix_v3\nLabs: radix_v1 radix_v2' ]
}

@test "what is wrong with a request leaves nothing" {
  cd "$BATS_TEST_DIRNAME/../.."
  for arguments in "DEST=$BATS_TEST_TMPDIR/new" "DEST=$BATS_TEST_TMPDIR/new LABS=radix_v99" "LABS=radix_v1" "DEST=$BATS_TEST_TMPDIR/none/new LABS=radix_v1"; do
    # shellcheck disable=SC2086 # two arguments
    run -2 make -s student_copy $arguments
    [[ ${lines[0]} == "student_copy: "* ]]
    [[ $output != *Traceback* ]]
    [ -z "$(ls -A "$BATS_TEST_TMPDIR")" ]
  done
  mkdir "$BATS_TEST_TMPDIR/full"
  touch "$BATS_TEST_TMPDIR/full/file"
  run -2 make -s student_copy DEST="$BATS_TEST_TMPDIR/full" LABS=radix_v1
  [[ $output == *"is there already and is no git repository"* ]]
  echo >>"$COURSE/README.md"
  run -2 make -s student_copy DEST="$COURSE" LABS=radix_v3
  [[ $output == *"has changes that are not committed"* ]]
  git -C "$COURSE" checkout -q README.md
}
