#!/usr/bin/env bash
# On a machine with GPUs: verifies multi_sort on all of them, then measures, and writes records as JSON.
#   multi/measure.sh [--only verify,scaling,digits,chunks,inputs,host] [--quick]
# Records go to $OUT (default: multi/results), one for each experiment and number of ranks. make's options
# (ARCH=sm_90, NCCL=0) may come from the environment. --quick: smaller n, to try the script out; MULTI_RANKS
# sets the number of ranks, and BACKEND=cpu lets it run without a GPU. Exit code 1 if anything failed.
set -u
cd "$(dirname "$0")/.." || exit 1
OUT=${OUT:-multi/results}
BACKEND=${BACKEND:-cuda}
only=verify,scaling,digits,chunks,inputs,host quick=
while [ $# -gt 0 ]; do
  case $1 in
    --only) only=$2; shift 2 ;;
    --quick) quick=1; shift ;;
    *) echo "measure: unknown option '$1'" >&2; exit 2 ;;
  esac
done
step() { case ",$only," in *",$1,"*) echo "== $1"; return 0 ;; *) return 1 ;; esac }
failures=0
most=${MULTI_RANKS:-$(nvidia-smi -L 2>/dev/null | wc -l)}
[ "$most" -gt 0 ] || { echo "measure: no GPU" >&2; exit 3; }
make -s BACKEND="$BACKEND" multi || exit 1
mkdir -p "$OUT"
[ "$BACKEND" = cpu ] || nvidia-smi topo -m >"$OUT/topology.txt"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1

# measure NAME RANKS OPTION...: the table on standard output, the record in $OUT/NAME_RANKS.json
measure() {
  local name=$1 ranks=$2
  shift 2
  echo "-- $name, $ranks ranks: $*"
  mpirun -n "$ranks" --bind-to none ./multi_sort "$@" --timeout 300 --export "json=$OUT/${name}_$ranks.json" ||
    { failures=$((failures + 1)); echo "FAILED: $name, $ranks ranks"; }
}
# Sizes for one GPU.
sizes=(268435456 1000000000) odd=12345677
if [ -n "$quick" ]; then sizes=(4000 20000) odd=4321; fi
counts=() # 1, 2, 4, .. and all
for ((ranks = 1; ranks < most; ranks *= 2)); do counts+=("$ranks"); done
counts+=("$most")
messages=mpi # the fastest way but the direct one
[ "$BACKEND" = cpu ] || messages=nccl

if step verify; then
  small=(--reps 1 --stages off --baselines off)
  measure verify "$most" --n "0,1,$most,1000,$odd" --dist all --keys --pairs "${small[@]}"
  measure verify_messages "$most" --n "$odd" --dist all --keys --pairs --transport "$messages" "${small[@]}"
  measure verify_mpi "$most" --n "$odd" --dist all --keys --pairs --transport mpi "${small[@]}"
  measure verify_chunks "$most" --n "$odd" --dist all --pairs --transport "$messages" --chunks 7 "${small[@]}"
  shards=$((most == 1)) # 0,1,2,..: the first shard is empty
  for ((r = 1; r < most; r++)); do shards+=,$r; done
  measure verify_shards "$most" --n "$odd" --dist all --pairs --shards "$shards" "${small[@]}"
  measure verify_host "$most" --host --device-memory "$((quick ? 100000 : 100000000))" --n "$odd" --dist all --pairs "${small[@]}"
  echo "-- a rank that dies, and one that hangs: both must end with a code other than 0"
  for kind in kill hang; do
    ! MULTI_SORT_FAULT=0:exchange:$kind mpirun -n "$most" ./multi_sort --n "$odd" --keys --timeout 5 ||
      [ "$most" -eq 1 ] || { failures=$((failures + 1)); echo "FAILED: $kind"; }
  done
fi
if step scaling; then
  for ranks in "${counts[@]}"; do
    measure weak28 "$ranks" --n "$((ranks * sizes[0]))" --keys --pairs
    measure weak1e9 "$ranks" --n "$((ranks * sizes[1]))" --keys --pairs
    measure share30 "$ranks" --n "$((4 * ranks * sizes[0]))" --keys
    measure strong "$ranks" --n "$((2 * sizes[0]))" --keys --pairs
    measure strong31 "$ranks" --n "$((8 * sizes[0]))" --keys
  done
fi
if step digits; then
  for bits in 0 4 6; do
    measure "digits_$bits" "$most" --n "$((most * sizes[0])),$((most * sizes[1]))" --keys --digits "$bits" --baselines off
  done
  measure pairs_0 "$most" --n "$((most * sizes[0])),$((most * sizes[1]))" --pairs --digits 0 --baselines off
fi
if step chunks; then
  for chunks in 1 4 8; do
    measure "${messages}_$chunks" "$most" --n "$((most * sizes[0]))" --keys --pairs --transport "$messages" --chunks "$chunks" --baselines off
  done
fi
if step inputs; then
  measure inputs "$most" --n "$((most * sizes[0]))" --dist uniform,zipf,few-distinct,all-equal,hot-key,sorted,staggered --keys --pairs
fi
if step host; then
  limit=8G elements=$((8 * sizes[0]))
  if [ -n "$quick" ]; then limit=100K; fi
  for ranks in "${counts[@]}"; do
    measure host_keys "$ranks" --host --device-memory "$limit" --n "$elements" --keys --reps 9
    measure host_pairs "$ranks" --host --device-memory "$limit" --n "$((elements / 2))" --pairs --reps 9
  done
fi
echo "$failures failed; records in $OUT"
[ "$failures" -eq 0 ]
