#!/usr/bin/env bash
# The standard comparison: all versions, keys and pairs, five sizes, at least five inputs. Its record
# goes to report/results/DEVICE.json.
#   scripts/bench.sh [--n SIZES] [--dist INPUTS] [--append] [--compare PATH] [-- OPTIONS OF compare]
# --append adds the rows to the record that is there (of the same device), so that a long run can be
# made in parts; it needs jq. OUT names another folder than report/results. On the cpu backend the
# sizes are a thousandth to a ten-thousandth, because a CPU executes the kernels; the record names the
# backend.
# After Ctrl-C the measured rows go into a new record, or with --append into the old one. An existing
# record is not replaced then.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/replace_file.sh
OUT=${OUT:-report/results}
compare=./compare sizes='' inputs='' append=0

quit() { # CODE SENTENCE
  echo "bench: $2" >&2
  exit "$1"
}

while [ $# -gt 0 ]; do
  case $1 in
    --n | --dist | --compare) [ $# -gt 1 ] || quit 2 "$1 needs a value" ;;&
    --n) sizes=$2; shift 2 ;;
    --dist) inputs=$2; shift 2 ;;
    --append) append=1; shift ;;
    --compare) compare=$2; shift 2 ;;
    --) shift; break ;;
    *) quit 2 "unknown option '$1'" ;;
  esac
done
[ "$append" = 0 ] || command -v jq >/dev/null || quit 2 "--append needs jq, which is not installed"
if [ -z "$inputs" ]; then
  inputs=uniform,entropy3,gaussian,zipf,sorted,all-equal
  for real in scores morton; do # real inputs, where scripts/real_inputs.js has been run
    if [ -f "build/inputs/$real.npy" ]; then inputs+=,$real; fi
  done
fi
if [ -z "$sizes" ]; then
  case $("$compare" --list | head -n 1) in
    *'cuda backend'*) sizes=220480,1M,8M,100M,2^28 ;;
    *) sizes=256,1024,4096,16384
       echo "bench: cpu backend: n is scaled down to $sizes" >&2 ;;
  esac
fi

mkdir -p "$OUT"
record=$(mktemp)
trap 'rm -f "$record" "$record.all"' EXIT
trap : INT # Ctrl-C reaches compare too, which then ends its record
code=0
"$compare" --n "$sizes" --dist "$inputs" --keys --pairs --reps 30 --time-limit 1 --format json "$@" >"$record" || code=$?
[ -s "$record" ] || exit "$code"
[ "$(tail -n 1 "$record")" = '}' ] || quit "$((code == 0 ? 3 : code))" "the record is incomplete and was dropped"

# The value of the record's first member of that name. Rows come after the device.
member() { sed -n "s/^ *\"$1\": \"\(.*\)\",\{0,1\}$/\1/p;T;q" "$record"; }
name=$(member name)
[ "$(member backend)" != cpu ] || name="cpu $name"
place=$OUT/$(sed 's/NVIDIA //; s/[^A-Za-z0-9]\+/_/g; s/_$//' <<<"$name").json
if [ -f "$place" ]; then
  if [ "$append" = 1 ]; then
    jq --indent 1 -s '.[1] as $new | .[0] | .rows += $new.rows | .left_out += $new.left_out |
           .interrupted = (.interrupted or $new.interrupted)' "$place" "$record" >"$record.all"
    mv "$record.all" "$record"
  elif [ "$code" -gt 128 ]; then
    quit "$code" "interrupted; $place is unchanged"
  fi
fi
replace_file "$place" <"$record"
echo "bench: $place, $(sed -n '/^ *"status": /p' "$place" | wc -l) rows" >&2
exit "$code"
