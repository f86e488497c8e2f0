# scripts/reproduce.sh with a compare that measures nothing: which experiments run, which files remain after an
# interruption, which messages appear. The last tests ask the real compare.
bats_require_minimum_version 1.5.0

# Two runs of all experiments, which many tests look at.
setup_file() {
  cd "$BATS_TEST_DIRNAME/../.." || return
  local backend
  for backend in cuda cpu; do
    mkdir "$BATS_FILE_TMPDIR/$backend"
    prepare "$BATS_FILE_TMPDIR/$backend"
    machine "$backend" 'driver 7'
    reproduce >"$work/output"
  done
}
# whole BACKEND: looks at one of them.
whole() {
  work=$BATS_FILE_TMPDIR/$1
  output=$(cat "$work/output")
}
setup() {
  cd "$BATS_TEST_DIRNAME/../.." || return
  prepare "$BATS_TEST_TMPDIR"
}
# prepare FOLDER: a compare that measures nothing.
prepare() {
  work=$1
  machine cpu 'driver 7'
  touch "$work/log" "$work/behaviour"
  echo c1 >"$work/commit"
  cat >"$work/compare" <<'FAKE'
#!/usr/bin/env bash
# Logs its arguments; the file `behaviour` decides how the experiment hw4_seq ends.
here=$(dirname "$0") backend=$(cat "$(dirname "$0")/backend")
if [ "$1" = --list ]; then
  printf 'Versions (%s backend); more\n' "$backend"
  for version in my_sort my_sort_v2 radix_v2 radix_v3 radix_v9 radix_v10 seq thrust_ref; do printf '  %s   a title\n             its source; stable%s\n' $version "$([ $version != radix_v3 ] || echo '; pairs only')"; done
  printf '  snail   slow\n             a source; stable; above 50000 slow: left out unless named\n\n'
  printf 'Inputs, for --dist:\n  uniform   words\n  zipf      more words\n  morton    a file\n'
  exit 0
fi
rows=
if [ "$*" = "--n 1000 --pairs --reps 1 --stages off --baseline none --format json" ]; then
  for version in my_sort my_sort_v2 radix_v2 radix_v3 radix_v9 radix_v10 seq snail thrust_ref; do
    rows+='   "version": "'$version'",'$'\n''   "cpu_code": '$([ $version = seq ] && echo true || echo false)$',\n'
  done
else
  echo "${OMP_NUM_THREADS-} $*" >>"$here/log"
fi
body='{
 "device": {
  "name": "NVIDIA Test 1",
  "backend": "'$backend'",
  "driver": "'$(cat "$here/driver")'"
 },
 "commit": "'$(cat "$here/commit")'",
'$rows' "interrupted": '
case $(cat "$here/behaviour")$* in
  slow*kBits*) printf '%s' "$body"; touch "$here/started"; sleep 20; exit 0 ;;
  interrupted*kBits*) printf '%strue\n}\n' "$body"; exit 130 ;;
  broken*kBits*) printf '%s' "$body"; exit 3 ;;
  wrong*kBits*) printf '%sfalse\n}\n' "$body"; exit 1 ;;
esac
printf '%sfalse\n}\n' "$body"
FAKE
  chmod +x "$work/compare"
}

machine() { echo "$1" >"$work/backend"; echo "$2" >"$work/driver"; }
behave() { echo "$1" >"$work/behaviour"; }
reproduce() { COMPARE=$work/compare OUT=$work/results scripts/reproduce.sh "$@" 2>&1; }
says() { grep -q -- "$1" <<<"$output"; }
asked() { grep -q -- "$1" "$work/log"; }
calls() { wc -l <"$work/log"; }
files() { find "$work/results" -name "$1" | wc -l; }

@test "a GPU: every experiment leaves a record in the device's folder, and nothing else; the sizes of the reports" {
  whole cuda
  [ -d "$work/results/Test_1" ]
  [ "$(files '*.json')" -gt 20 ]
  [ "$(files '*.json')" = "$(calls)" ]
  [ "$(find "$work/results" -type f | wc -l)" = "$(calls)" ]
  asked 'merge_bottomup --keys --n 100K,1M,10M,30M,60M,100M'
  asked 'mppsort thrust_ref --keys --n 1M,2M,4M,8M --reps 100 .*--noise 0'
  run -1 says 'scaled down'
}

@test "versions come from compare: by kind and keys, the newest radix versions for the largest sizes, slow ones alone" {
  whole cuda
  asked '^ my_sort my_sort_v2 radix_v2 radix_v3 radix_v9 radix_v10 thrust_ref  *--n 100M --pairs'
  asked '^ radix_v2 radix_v3 radix_v9 radix_v10  *thrust_ref  *--pairs --n 1K,.*,1G'
  asked '^ radix_v2 radix_v9 radix_v10  *thrust_ref  *--keys --n 1K,.*,1G' # radix_v3 sorts pairs only
  asked '^ snail --image'
  [ -f "$work/results/Test_1/hw4_snail.json" ]
  [ "$(grep -c 'snail' "$work/log")" = 1 ]
}

@test "settings that the reports compare: both ways of ranking, 1 to 8 bits, 1,024 threads in MPPSort's sort" {
  machine cuda 'driver 7'
  run -0 reproduce --only 'variant_*'
  asked 'radix_v2 --image .* --sweep radix_v2.rankWay=1,2'
  asked 'radix_v3 --n 8M --pairs .* --sweep radix_v3.nBits=1,2,3,4,5,6,7,8'
  asked 'mppsort thrust_ref --keys --n 1M,.* --set mppsort.blockSort=1024'
  run -1 asked 'radix_level1' # a version that this build lacks
}

@test "--full repeats the runs that headlines are from, twice, with the same options" {
  machine cuda 'driver 7'
  run -0 reproduce --full --only '*hw4'
  [ "$(calls)" = 3 ]
  [ "$(sort -u "$work/log" | wc -l)" = 1 ]
  [ -f "$work/results/Test_1/repeat_3_hw4.json" ]
}

@test "wide keys: a record for each type of keys and values, with the inputs of that type" {
  machine cuda 'driver 7'
  run -0 reproduce --only wide
  [ "$(calls)" = 6 ]
  asked '^ gsort cub --n 10K,100K,1M,8M,2^25,2^27,2^28 .* --type f64 --values 8 --dist uniform,zipf'
  [ -f "$work/results/Test_1/wide_u64_4.json" ]
}

@test "CPU code: the versions whose rows say so; tasks run with the number of threads in their name" {
  whole cpu
  asked '^ seq thrust_ref --keys --n 1K,4K,16K,64K,256K,1M'
  asked '^2 merge_cpu --set mode=3\|^1 merge_cpu --set mode=3'
}

@test "inputs come from the list, those without a file left out" {
  local inputs=uniform,zipf # and morton, where scripts/real_inputs.js has been run
  [ ! -f build/inputs/morton.npy ] || inputs+=,morton
  whole cpu
  asked "--dist $inputs "
}

@test "a second call measures nothing, and says so; then what is missing; --again what --only names" {
  reproduce --only 'hw4*,mppsort'
  local all
  all=$(calls)
  run -0 reproduce --only 'hw4*,mppsort'
  [ "$(calls)" = "$all" ]
  says "$all experiments have been measured before"
  rm "$work"/results/*/mppsort.json
  : >"$work/log"
  run -0 reproduce --only 'hw4*,mppsort'
  [ "$(calls)" = 1 ]
  asked 'mppsort thrust_ref'
  : >"$work/log"
  run -0 reproduce --only 'hw4*' --again
  [ "$(calls)" = 2 ]
  [ "$(grep -c -- '--image' "$work/log")" = 2 ]
}

@test "--stale measures what is of another commit than compare, and what is missing" {
  reproduce --only 'hw4*,mppsort'
  echo c2 >"$work/commit"
  reproduce --only hw4 --again
  rm "$work"/results/*/hw4_seq.json
  : >"$work/log"
  run -0 reproduce --only 'hw4*,mppsort' --stale
  [ "$(calls)" = 2 ]
  asked 'seq --image'
  asked 'mppsort thrust_ref'
  run -0 reproduce --only 'hw4*,mppsort' --stale
  [ "$(calls)" = 2 ]
}

@test "--within: the first experiments that fit; what there is no time for keeps its record and is named" {
  machine cuda 'driver 7'
  cp -r "$BATS_FILE_TMPDIR/cuda/results" "$work"
  echo c2 >"$work/commit"
  run -0 reproduce --again --within 40
  says 'no time for .*merge_cpu_sequential'
  grep -q '"commit": "c2"' "$work/results/Test_1/hw4.json"
  grep -q '"commit": "c1"' "$work/results/Test_1/merge_cpu_sequential.json"
  [ "$(calls)" -gt 3 ]
  run -0 reproduce --stale --only '*hw4'
  run -2 reproduce --within soon
}

@test "the order is that of value: the headline, then what is short, CPU code last" {
  whole cuda
  [ "$(sed -n 2p "$work/log" | grep -c -- '--n 100M --pairs')" = 1 ]
  [ "$(grep -n 'mppsort thrust_ref' "$work/log" | head -n 1 | cut -d : -f 1)" -lt "$(grep -n 'nBits' "$work/log" | head -n 1 | cut -d : -f 1)" ]
  [ "$(grep -n 'merge_cpu' "$work/log" | head -n 1 | cut -d : -f 1)" -gt "$(grep -n 'nBits' "$work/log" | tail -n 1 | cut -d : -f 1)" ]
}

@test "--only takes groups; together they are the whole set" {
  machine cuda 'driver 7'
  run -0 reproduce --only merges,mppsort
  asked 'merge_bottomup --keys .*parentBlock=16'
  asked 'mppsort thrust_ref'
  run -1 asked 'merge_cpu'
  . scripts/experiments.sh
  run -0 reproduce --only "$(tr ' ' , <<<"${groups% full}")"
  run -0 reproduce
  says ': 0 experiments, about 0 s'
}

@test "a bare machine: bash, coreutils, sed, grep and awk are enough" {
  machine cuda 'driver 7'
  mkdir "$work/bin"
  for tool in bash env sed grep awk mktemp dirname basename tr sort tail head mv rm cat nproc mkdir chmod readlink; do
    ln -s "$(type -P "$tool")" "$work/bin"
  done
  run env -i PATH="$work/bin" COMPARE="$work/compare" OUT="$work/results" bash scripts/reproduce.sh --only hw4
  [ "$status" = 0 ]
  [ "$(files "*.json")" = 4 ]
}

@test "--list: the expected seconds of each group" {
  machine cuda 'driver 7'
  run -0 reproduce --list
  says '# --only merge_cpu: about [0-9]* s'
  [ ! -s "$work/log" ]
}

@test "another machine with the same device is refused; --as keeps the two apart" {
  reproduce --only mppsort
  machine cpu 'driver 8'
  run -2 reproduce
  says '--as DEVICE uses another folder'
  run -0 reproduce --as other --only mppsort
  [ -f "$work/results/other/mppsort.json" ]
}

@test "the cpu backend: a separate folder and smaller sizes, but HW4's size" {
  whole cpu
  [ -d "$work/results/cpu_Test_1" ]
  says 'n is scaled down'
  asked '--image samples/portrait.ppm,samples/template.ppm --pairs --reps'
  asked 'merge_bottomup --keys --n 100K,1M,10M --reps 3'
}

@test "Ctrl-C in compare: exit code 130, finished experiments are kept, no half-written file; the next call continues" {
  behave interrupted
  run -130 reproduce
  [ -f "$work/results/cpu_Test_1/hw4.json" ]
  [ ! -e "$work/results/cpu_Test_1/hw4_seq.json" ]
  [ "$(files '.part')" = 0 ]
  behave ''
  : >"$work/log"
  run -0 reproduce
  asked 'seq --image'
  run -1 asked '^ --image'
}

# Ends reproduce.sh and its compare by a signal in the middle of the second experiment; prints the exit code.
end_by() {
  local code=0
  behave slow
  set -m
  COMPARE=$work/compare OUT=$work/results scripts/reproduce.sh --only 'hw4*' >"$work/text" 2>&1 &
  set +m
  for _ in $(seq 200); do [ -e "$work/started" ] && break; sleep 0.1; done
  kill -"$1" -- "-$!"
  wait "$!" 2>/dev/null || code=$?
  echo "$code"
}

@test "ended in the middle, also by SIGKILL, which no trap catches: no record and no half-written file of that experiment" {
  [ "$(end_by TERM)" = 130 ]
  [ "$(files '*.json')" = 1 ]
  [ "$(files '.part')" = 0 ]
  rm "$work/started"
  [ "$(end_by KILL)" = 137 ]
  [ "$(files '*.json')" = 1 ]
}

@test "an experiment without a record: exit code 3 and a sentence; a wrong result: exit code 1, and its record is kept" {
  behave broken
  run -3 reproduce --only 'hw4*'
  says 'hw4_seq: no record'
  behave wrong
  run -1 reproduce --only 'hw4*'
  [ -f "$work/results/cpu_Test_1/hw4_seq.json" ]
}

@test "mistakes: exit code 2" {
  run -2 reproduce --only nothing
  run -2 reproduce --frobnicate
  run -2 reproduce --as ../up
  says 'no name for a folder'
  run -2 env COMPARE="$work/none" scripts/reproduce.sh
  says 'make compare builds it'
}

@test "the real compare: its versions are sorted into kinds as its records and its list say" {
  . scripts/experiments.sh
  compare=${HW4_DIR:-build/cpu}/compare
  "$compare" --n 1000 --pairs --reps 1 --stages off --baseline none --format json >"$work/probe"
  [ "$(probed "$work/probe" true | grep -cx 'merge_cpu\|seq\|std_sort_ref')" = 3 ]
  [ "$(probed "$work/probe" false | grep -cx 'odd_even\|radix_v1\|thrust_ref')" = 3 ]
  [ "$(cat <(probed "$work/probe" true) <(probed "$work/probe" false) | wc -l)" = "$("$compare" --list | sed '/^$/q' | grep -c '^  [a-z]')" ]
  [ "$(slow_versions | xargs)" = 'odd_even odd_even_cpu' ]
  experiments "$work/probe" 0 >"$work/lines"
  grep '^scaling_all_keys|.*|.* radix_v1 .*thrust_ref ' "$work/lines"
  for name in bitonic merge_serial merge_until odd_even; do grep "^variant_$name|" "$work/lines"; done
  while IFS='|' read -r name _; do [[ " $groups " == *" $(group_of "$name") "* ]]; done <"$work/lines"
  run -1 grep '^\(scaling_all\|inputs\).*\(odd_even\|seq \)' "$work/lines"
}
