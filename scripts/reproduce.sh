#!/usr/bin/env bash
# Runs the report's experiments (scripts/experiments.sh) on this machine, GPU or not, and adds the
# machine to the page report/data.html.
#   scripts/reproduce.sh [--only GLOB] [--again | --stale] [--within SECONDS] [--full] [--as DEVICE] [--list]
#     --only    experiments of the groups, or whose names match: --only hw4,scaling or --only 'v2_*'
#     --again   measure again, also where a record exists
#     --stale   measure again where the record is of another commit than ./compare
#     --within  start no experiment that would not end in this time, as far as its expected seconds are right; the
#               experiments come in the order of their value, and finished records are kept
#     --full    also the sizes that take more than a minute a run
#     --as      the folder's name, where two machines have the same device
#     --list    print the experiments that would run, and the expected seconds of each group, and stop
# A record for each: report/results/DEVICE/NAME.json, complete or not there. An existing record is not measured again, so after Ctrl-C
# the same command continues. Needs ./compare (make compare), bash, coreutils, sed, grep and awk.
# COMPARE and OUT name another program and another folder than ./compare and report/results.
# Exit code: 0 success, 1 a record has a wrong result, a crash or a stopped row, 2 usage,
# 3 an experiment failed, 130 after Ctrl-C.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/experiments.sh
. scripts/replace_file.sh
compare=${COMPARE:-./compare}
OUT=${OUT:-report/results}
only='*' again=0 stale=0 within='' full=0 device='' list=0

quit() { echo "reproduce: $2" >&2; exit "$1"; }
while [ $# -gt 0 ]; do
  case $1 in
    --only | --as | --within)
      [ $# -ge 2 ] || quit 2 "$1 needs a value"
      case $1 in --only) only=$2 ;; --as) device=$2 ;; *) within=$2 ;; esac
      shift ;;
    --again) again=1 ;;
    --stale) stale=1 ;;
    --full) full=1 ;;
    --list) list=1 ;;
    *) quit 2 "unknown option '$1'" ;;
  esac
  shift
done
# Is an experiment in the list of groups and patterns that --only gave?
wanted() {
  local one IFS=,
  set -f # no file names
  for one in $only; do
    # shellcheck disable=SC2053 # a pattern
    if [[ $1 == $one || $(group_of "$1") == "$one" ]]; then return 0; fi
  done
  return 1
}
[ -x "$compare" ] || quit 2 "there is no program $compare; make compare builds it"
case $within in *[!0-9]*) quit 2 "--within: '$within' is no number of seconds" ;; esac
case $device in */* | .*) quit 2 "--as: '$device' is no name for a folder" ;; esac

# The value of a field that occurs once in a record, without the quotes.
field() { sed -n 's/^ *"'"$1"'": "\{0,1\}\([^",]*\).*/\1/p' "$2" | head -n 1; }
minutes() { if [ "$1" -lt 60 ]; then echo "$1 s"; else echo "$((($1 + 30) / 60)) min"; fi; }

# ---- the device and the versions: fields of a record ------------------------------------------------------------
probe=$(mktemp) part=$(mktemp)
trap 'rm -f "$probe" "$part"' EXIT
trap 'echo >&2; quit 130 "interrupted; finished experiments are kept, the same command continues"' INT TERM
# A version that fails here fails in its experiments too, which record it.
"$compare" --n 1000 --pairs --reps 1 --stages off --baseline none --format json >"$probe" || [ $? = 1 ] || quit 3 "$compare does not run"
backend=$(field backend "$probe")
machine="$(field name "$probe"), driver $(field driver "$probe")"
commit=$(field commit "$probe")
# Is there a record that need not be measured again?
kept() {
  [ "$again" = 0 ] && [ -f "$1" ] && { [ "$stale" = 0 ] || [ "$(field commit "$1")" = "$commit" ]; }
}
name=$(field name "$probe" | sed 's/NVIDIA //; s/[^A-Za-z0-9]\{1,\}/_/g; s/_$//')
[ "$backend" = cuda ] || name=cpu_$name
folder=$OUT/${device:-$name}
mkdir -p "$folder"

# A series must not mix two machines with the same device.
for record in "$folder"/*.json; do
  kept "$record" || continue
  there="$(field name "$record"), driver $(field driver "$record")"
  [ "$there" = "$machine" ] || quit 2 "$folder has records of $there, and this is $machine;
--again measures everything again, --as DEVICE uses another folder"
done

# ---- the missing experiments --------------------------------------------------------------------------------
lines=() done_before=0 left=0
while IFS= read -r line; do
  IFS='|' read -r name seconds _ <<<"$line"
  wanted "$name" || continue
  if kept "$folder/$name.json"; then
    done_before=$((done_before + 1))
    continue
  fi
  lines+=("$line") left=$((left + seconds))
done < <(experiments "$probe" "$full")
[ $((${#lines[@]} + done_before)) -gt 0 ] || quit 2 "no experiment matches '$only'"
echo "reproduce: $machine, $backend backend; records go to $folder/"
if [ "$backend" = cpu ]; then
  echo "reproduce: without a GPU kernels run some 10^4 times slower: they get smaller sizes than in the reports"
fi
[ "$done_before" = 0 ] || echo "reproduce: $done_before experiments have been measured before (--again repeats them)"
echo "reproduce: ${#lines[@]} experiments, about $(minutes "$left")"
if [ "$list" = 1 ]; then
  for line in "${lines[@]}"; do
    IFS='|' read -r name _ environment _ arguments <<<"$line"
    echo "$name: ${environment:+$environment }$compare $arguments"
  done
  for group in $groups; do
    expected=0
    for line in "${lines[@]}"; do
      IFS='|' read -r name seconds _ <<<"$line"
      [ "$(group_of "$name")" != "$group" ] || expected=$((expected + seconds))
    done
    [ "$expected" = 0 ] || echo "# --only $group: about $expected s"
  done
  exit 0
fi

# ---- measure ---------------------------------------------------------------------------------------
code=0 number=0 start=$SECONDS unstarted=()
for line in ${lines[@]+"${lines[@]}"}; do
  IFS='|' read -r name seconds environment what arguments <<<"$line"
  number=$((number + 1)) begun=$SECONDS result=0
  if [ -n "$within" ] && [ $((SECONDS + seconds)) -gt "$within" ]; then
    unstarted+=("$name") left=$((left - seconds))
    continue
  fi
  printf '[%2d/%d] %-24s %s; about %s left\n' "$number" "${#lines[@]}" "$name" "$what" "$(minutes "$left")"
  # shellcheck disable=SC2086 # environment and arguments are lists
  env $environment "$compare" $arguments --format json >"$part" || result=$?
  [ "$result" != 130 ] || quit 130 "interrupted; finished experiments are kept, the same command continues"
  # A wrong result or a lack of memory is a row of the record and belongs in the report.
  if grep -q '"interrupted": false' "$part" && [ "$(tail -n 1 "$part")" = '}' ]; then
    replace_file "$folder/$name.json" <"$part"
    [ "$result" = 0 ] || echo "reproduce: $name: $compare ended with exit code $result; the record has the reason" >&2
    [ "$result" != 1 ] || [ "$code" != 0 ] || code=1
  else
    echo "reproduce: $name: no record, $compare ended with exit code $result" >&2
    code=3
  fi
  left=$((left - seconds))
  [ $((SECONDS - begun)) -le $((2 * seconds + 10)) ] || echo "        took $((SECONDS - begun)) s, $seconds s were expected"
done
echo "reproduce: $((number - ${#unstarted[@]})) experiments in $(minutes $((SECONDS - start)))"
[ ${#unstarted[@]} = 0 ] || echo "reproduce: no time for ${unstarted[*]}; --stale instead of --again continues"

# ---- the page -------------------------------------------------------------------------------------
if [ "$OUT" = report/results ] && [ -f report/build.js ]; then
  if command -v node >/dev/null && [ -d report/node_modules ]; then
    node report/build.js || code=3
  else
    echo "reproduce: 'make report' adds this machine to report/data.html (needs node and npm)"
  fi
fi
exit "$code"
