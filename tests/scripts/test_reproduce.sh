#!/usr/bin/env bash
# scripts/reproduce.sh with a compare that measures nothing: which experiments run, what is left after
# an interruption, what is said. Prints TAP, as scripts/run_tests.sh counts it.
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A fake compare. It logs its arguments; $work/behaviour says what to do with the next experiment.
cat >"$work/compare" <<'FAKE'
#!/usr/bin/env bash
here=$(dirname "$0") backend=$(cat "$(dirname "$0")/backend")
if [ "$1" = --list ]; then
  printf 'Versions (%s backend); more\n  radix_v2   two\n             its source\n  thrust_ref   the library\n\n' "$backend"
  printf 'Inputs, for --dist:\n  uniform   words\n  zipf      more words\n  morton    a file\n'
  exit 0
fi
[ "$*" = "seq --n 1000 --reps 1 --baseline none --format json" ] || echo "${OMP_NUM_THREADS-} $*" >>"$here/log"
body='{
 "schema": 1,
 "device": {
  "name": "NVIDIA Test 1",
  "backend": "'$backend'",
  "driver": "'$(cat "$here/driver")'"
 },
 "interrupted": '
case $(cat "$here/behaviour" 2>/dev/null)$* in
  slow*kBits*) printf '%s' "$body"; touch "$here/started"; sleep 20; exit 0 ;;
  interrupted*kBits*) printf '%strue\n}\n' "$body"; exit 130 ;;
  broken*kBits*) printf '%s' "$body"; exit 3 ;;
  wrong*kBits*) printf '%sfalse\n}\n' "$body"; exit 1 ;;
esac
printf '%sfalse\n}\n' "$body"
FAKE
chmod +x "$work/compare"

number=0
check() { # check NAME CONDITION ...: the condition's exit code decides
  local name=$1
  shift
  number=$((number + 1))
  if "$@"; then echo "ok $number - $name"; else echo "not ok $number - $name"; echo "# the output was:"; sed 's/^/# /' "$work/out"; fi
}
fresh() { # fresh BACKEND: nothing measured yet
  rm -rf "$work/results" "$work/log" "$work/behaviour" "$work/started"
  touch "$work/log"
  echo "$1" >"$work/backend"
  echo "driver 7" >"$work/driver"
}
reproduce() { COMPARE=$work/compare OUT=$work/results scripts/reproduce.sh "$@" >"$work/out" 2>&1; code=$?; }
behave() { echo "$1" >"$work/behaviour"; }
says() { grep -q -- "$1" "$work/out"; }
asked() { grep -q -- "$1" "$work/log"; }
is() { [ "$1" = "$2" ]; }
records() { find "$work/results" -type f | wc -l; }
not() { ! "$@"; }
code=0

fresh cuda
reproduce
all=$(records)
check "a GPU: exit code 0" is "$code" 0
check "a GPU: the folder has the device's name" test -d "$work/results/Test_1"
check "every experiment leaves a record and nothing else" is "$(find "$work/results/Test_1" -name '*.json' | wc -l)" "$(wc -l <"$work/log")"
check "a GPU gets the sizes of the slides" asked 'merge_bottomup --keys --n 100K,1M,10M,30M,60M,100M'
check "MPPSort: exactly 100 runs" asked 'mppsort thrust_ref --keys --n 1M,2M,4M,8M --reps 100 .*--noise 0'
check "a GPU is not told of scaled sizes" not says 'scaled down'
check "the tasks run with as many threads as their name says" asked '^2 merge_cpu --set mode=3\|^1 merge_cpu --set mode=3'
inputs=uniform,zipf # and morton, where somebody has run scripts/real_inputs.js
[ ! -f build/inputs/morton.npy ] || inputs+=,morton
check "inputs come from the list, those without a file left out" asked "--dist $inputs "
: >"$work/log"
reproduce
check "a second call measures nothing" is "$(wc -l <"$work/log")" 0
check "and says so" says "$all experiments have been measured before"
rm "$work/results/Test_1/mppsort.json"
reproduce
check "what is missing is measured, and only that" is "$(grep -c . "$work/log")$(grep -c 'mppsort thrust_ref' "$work/log")" 11
reproduce --only 'hw4*' --again
check "--again measures what --only names" is "$(grep -c -- '--image' "$work/log")" 3
echo "driver 8" >"$work/driver"
reproduce
check "another driver's records: exit code 2" is "$code" 2
check "and a sentence" says 'has records of NVIDIA Test 1, driver driver 7'
reproduce --as other --only mppsort
check "--as keeps the machines apart" test -f "$work/results/other/mppsort.json"

fresh cpu
reproduce
check "the cpu backend has a folder of its own" test -d "$work/results/cpu_Test_1"
check "it says that sizes are scaled down" says 'n is scaled down'
check "HW4 keeps its size" asked '--image samples/portrait.ppm,samples/template.ppm --pairs --reps'
check "bottom-up merge does not" asked 'merge_bottomup --keys --n 100K,1M,10M --reps 3'

fresh cpu
behave interrupted
reproduce
check "Ctrl-C in compare: exit code 130" is "$code" 130
check "the unfinished experiment leaves nothing" not test -e "$(echo "$work"/results/*/hw4_seq.json)"
check "no half-written file is left" is "$(find "$work/results" -name '.part' | wc -l)" 0
check "the finished one is kept" test -f "$(echo "$work"/results/*/hw4.json)"
behave ''
: >"$work/log"
reproduce
check "the next call goes on to the end" is "$code" 0
check "with the experiment that was interrupted" asked 'seq --image'
check "and without the finished one" not asked '^ --image'

# Ends reproduce.sh and its compare by a signal in the middle of the second experiment.
end_by() {
  fresh cpu
  behave slow
  COMPARE=$work/compare OUT=$work/results setsid scripts/reproduce.sh --only 'hw4*' >"$work/out" 2>&1 &
  local running=$!
  for _ in $(seq 200); do [ -e "$work/started" ] && break; sleep 0.1; done
  kill -"$1" -- "-$running"
  wait "$running" 2>/dev/null
  code=$?
}
end_by TERM
check "ended in the middle: exit code 130" is "$code" 130
check "ended in the middle: no record of that experiment" is "$(find "$work/results" -name '*.json' | wc -l)" 1
check "nor a half-written file" is "$(find "$work/results" -name '.part' | wc -l)" 0
end_by KILL
check "even a kill that nobody can catch leaves no half-written record" is "$(find "$work/results" -name '*.json' | wc -l)" 1

fresh cpu
behave broken
reproduce --only 'hw4*'
check "an experiment without a record: exit code 3" is "$code" 3
check "and a sentence" says 'hw4_seq: no record'
behave wrong
reproduce --only 'hw4*'
check "a wrong result: exit code 1" is "$code" 1
check "its record is kept" test -f "$(echo "$work"/results/*/hw4_seq.json)"

reproduce --only nothing
check "no such experiment: exit code 2" is "$code" 2
reproduce --frobnicate
check "unknown option: exit code 2" is "$code" 2
reproduce --as ../up
check "a folder elsewhere: exit code 2" is "$code" 2
COMPARE=$work/none scripts/reproduce.sh >"$work/out" 2>&1
check "no compare: exit code 2" is $? 2
check "and a sentence" says 'make compare builds it'
echo "1..$number"
