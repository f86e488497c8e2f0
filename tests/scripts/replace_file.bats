# scripts/replace_file.sh, .js and .py, and the scripts that write with them: a file appears complete or not at
# all.
bats_require_minimum_version 1.5.0

setup() {
  root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  cd "$BATS_TEST_TMPDIR" || return
  mkdir folder
}
in_bash() { bash -c ". '$root/scripts/replace_file.sh'; umask 022; printf '%s' \"\$2\" | replace_file \"\$1\"" - "$@"; }
in_node() { node -e "require('$root/scripts/replace_file.js').replaceFile(process.argv[1], process.argv[2])" "$@"; }
in_python() { PYTHONPATH=$root/scripts PYTHONDONTWRITEBYTECODE=1 python3 -c 'import os, sys, replace_file
os.umask(0o022)
with replace_file.replace_file(sys.argv[1]) as file: file.write(sys.argv[2])' "$@"; }
alone() { [ "$(find folder -mindepth 1 -printf '%f\n' | sort | tr '\n' ' ')" = "$1 " ]; }

# replaces WITH: the common behaviour of all.
replaces() {
  "$1" folder/file one
  [ "$(cat folder/file)$(stat -c %a folder/file)" = one644 ]
  "$1" folder/file two
  [ "$(cat folder/file)" = two ]
  run -1 "$1" missing/file five
  # A limit on the file's size fails like a full disk, in the middle of the content.
  (ulimit -f 1; trap '' XFSZ; ! "$1" folder/file "$(head -c 5000 /dev/zero | tr '\0' x)" 2>/dev/null)
  [ "$(cat folder/file)" = two ]
  alone file
}

@test "replace_file.sh" { replaces in_bash; }
@test "replace_file.js" {
  command -v node >/dev/null || skip 'no node'
  replaces in_node
}

@test "replace_file.py" {
  command -v python3 >/dev/null || skip 'no python3'
  replaces in_python
}

@test "a script that is ended while it writes leaves the old file alone" {
  echo old >folder/file
  set -m # a separate process group, as a shell on a terminal gives it
  bash -c ". '$root/scripts/replace_file.sh'; (echo new; sleep 20) | replace_file folder/file" &
  set +m
  sleep 0.5
  [ "$(find folder -name '*.part' | wc -l)" = 1 ] # it is being written
  kill -TERM -- "-$!"
  wait "$!" || true
  sleep 0.3
  alone file
  [ "$(cat folder/file)" = old ]
}

@test "readme_table.sh and handout_tables.sh write what stands there: the tables agree with the records" {
  command -v jq >/dev/null || skip 'no jq'
  compgen -G "$root/report/results/*/worklog.json" >/dev/null || skip 'no records'
  mkdir -p tree/report/results tree/radix_v2
  cp -r "$root/scripts" "$root/README.md" tree
  cp "$root/radix_v2/README.md" tree/radix_v2
  for record in "$root"/report/results/*/; do ln -s "$record" tree/report/results/; done
  tree/scripts/handout_tables.sh
  tree/scripts/readme_table.sh
  cmp tree/README.md "$root/README.md"
  cmp tree/radix_v2/README.md "$root/radix_v2/README.md"
  [ "$(find tree -mindepth 1 -maxdepth 2 -type f ! -path 'tree/scripts/*' | wc -l)" = 2 ]
}
