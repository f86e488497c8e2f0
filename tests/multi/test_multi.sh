#!/usr/bin/env bash
# multi_sort under mpirun: ranks, inputs, sizes, shards, files, wrong results, and runs that fail. The cpu
# backend; prints TAP. Skipped where MPI is missing.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
programs=("${HW4_DIR:-build/cpu}"/*/multi_sort)
program=${programs[0]}
if ! command -v mpirun >/dev/null || [ ! -x "$program" ]; then
  skip 'MPI is not installed, or multi_sort is not built'
  plan
  exit
fi

# As root, on any number of cores, without a network interface and without process_vm_readv, which
# containers forbid. Ranks that share cores must not spin; one OpenMP thread each.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
export OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_pml=ob1
export OMPI_MCA_plm=isolated OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_orte_tmpdir_base=$work
# Leaks of MPI itself are not ours.
export ASAN_OPTIONS=detect_leaks=0
# It talks to its processes through the loopback interface.
if ! timeout 60 mpirun -n 2 true >"$work/out" 2>&1; then
  skip 'mpirun cannot start processes here'
  plan
  exit
fi
quick=(--reps 1 --stages off --baselines off)

# run RANKS OPTION...: the output and exit code for `check`
run() {
  local ranks=$1
  shift
  timeout 240 mpirun -n "$ranks" --oversubscribe "$program" "$@" >"$work/out" 2>"$work/err"
  code=$?
}
passes() { # passes ROWS: so many rows, all right
  [ "$code" -eq 0 ] && [ "$(grep -c ' PASS$' "$work/out")" -eq "$1" ]
}
says() { # says CODE TEXT: the exit code, and the text anywhere in the output
  [ "$code" -eq "$1" ] && cat "$work/out" "$work/err" | grep -qF -- "$2"
}
inputs=$("$program" --list | grep -c '^  ')

# Every input, keys and pairs, more elements than a tile for some rank.
for ranks in 2 3; do
  run "$ranks" --n 9000 --dist all --keys --pairs "${quick[@]}" --timeout 100
  check "all inputs on $ranks ranks" passes $((2 * inputs))
done
run 4 --n 3000 --dist all --pairs --chunks 7 "${quick[@]}"
check 'all inputs on 4 ranks, in 7 chunks' passes "$inputs"
run 3 --n 5000 --dist all --keys --pairs --stretch on "${quick[@]}"
check 'all inputs, keys stretched' passes $((2 * inputs))
run 8 --n 2000 --dist uniform,all-equal,zipf --keys --pairs "${quick[@]}"
check '8 ranks' passes 6
run 1 --n 0,1,5000 --dist uniform,all-equal --keys --pairs "${quick[@]}"
check 'one rank' passes 12
run 4 --n 0,1,2,3,4,5,17 --dist uniform,all-equal,reverse --keys --pairs "${quick[@]}"
check 'fewer elements than ranks' passes 42
run 3 --n 7000 --dist uniform,all-equal,sorted,few-distinct --shards 5,0,2 --keys --pairs "${quick[@]}"
check 'an empty shard and unequal ones' passes 8
run 4 --n 4000 --dist uniform,all-equal --shards 0,0,0,1 --pairs "${quick[@]}"
check 'everything on one rank' passes 2
# A rank with more elements than one block sorts, in one chunk per tile.
run 2 --n 17000 --dist staggered --pairs --chunks 3 --reps 1 --format csv
check 'stages and baselines' grep -q '^radix_v7,cpu,.*,2,mpi,device,"staggered",pairs,17000,"PASS",1,' "$work/out"

# Larger than the device.
run 1 --host --device-memory 100K --n 0,1,9000 --dist uniform,all-equal,zipf --keys --pairs "${quick[@]}"
check 'host arrays, one rank' passes 18
run 3 --host --device-memory 60K --n 0,2,9000 --dist uniform,all-equal,sorted --keys --pairs "${quick[@]}"
check 'host arrays, three ranks' passes 18
run 3 --host --device-memory 60K --n 9000 --dist few-distinct --shards 0,1,3 --pairs "${quick[@]}"
check 'host arrays, unequal shards' passes 1

# The verdict sees what is wrong, on whichever rank.
fault() { # fault RANK:STEP:KIND TEXT CODE RANKS OPTION...
  local fault=$1 text=$2 expected=$3 ranks=$4
  shift 4
  MULTI_SORT_FAULT=$fault run "$ranks" "$@"
  check "fault $fault $text" says "$expected" "$text"
}
wrong=(--n 3000 --dist few-distinct --pairs "${quick[@]}")
fault 0:result:order 'FAIL: order: at place' 1 3 "${wrong[@]}"
fault 1:result:lost 'FAIL: elements: the pairs are not' 1 3 "${wrong[@]}"
fault 2:result:pairing 'FAIL: elements: the pairs are not' 1 3 "${wrong[@]}"
fault 1:result:stability 'stability: at place' 1 3 "${wrong[@]}"
fault 1:result:lost 'FAIL: elements: the keys are not' 1 2 --host --n 3000 --keys "${quick[@]}"

# Runs that fail end on all ranks, with a sentence and an exit code.
some=(--n 3000 --keys "${quick[@]}")
fault 2:create:memory 'rank 2: the device has too little memory' 3 3 "${some[@]}"
fault 1:create:memory 'rank 1: the host has too little memory' 3 2 "${some[@]}" --host
fault 0:sort:exit 'rank 0: fault on demand' 3 3 "${some[@]}"
fault 1:exchange:kill 'signal 9' 137 3 "${some[@]}"
fault 1:exchange:hang "no progress for 3 s in step 'exchange'" 3 2 "${some[@]}" --timeout 3
run 2 "${some[@]}" --transport nccl
check 'NCCL is missing' says 2 'built without NCCL'
run 2 "${some[@]}" --shards 1
check 'weights for other ranks' says 2 '--shards has 1 weights for 2 ranks'
run 2 --n 12x
check 'not a number' says 2 "'12x' is not a number"
run 2 "${some[@]}" --host --device-memory 100
check 'too little device memory allowed' says 2 '--device-memory must be at least'
timeout 60 mpirun --oversubscribe -n 1 "$program" --n 100 : -n 1 "$program" --n 101 >"$work/out" 2>"$work/err"
code=$?
check 'different arguments' says 2 'the ranks were started with different arguments'

# Files: what is written is the sorted input, byte for byte.
python3 - "$work" <<'PYTHON'
import random, struct, sys
random.seed(1)
keys = [random.choice((random.getrandbits(32), random.getrandbits(4))) for i in range(5001)]
order = sorted(range(len(keys)), key=lambda i: keys[i])
def write(name, values, header=b''):
    with open(sys.argv[1] + '/' + name, 'wb') as file:
        file.write(header + struct.pack('<%dI' % len(values), *values))
def npy(n):
    text = "{'descr': '<u4', 'fortran_order': False, 'shape': (%d,), }" % n
    return b'\x93NUMPY\x01\x00\x76\x00' + text.ljust(117).encode() + b'\n'
write('keys', keys)
write('keys.npy', keys, npy(5001))
write('cut.npy', keys[:5000], npy(5001))
write('sorted', [keys[i] for i in order])
write('sorted.npy', [keys[i] for i in order], npy(5001))
write('positions', order)
open(sys.argv[1] + '/odd', 'wb').write(b'12345')
PYTHON
run 3 --input "$work/keys" --output "$work/result" --output-positions "$work/result2" "${quick[@]}"
check 'raw file, pairs' cmp "$work/result" "$work/sorted"
check 'its positions' cmp "$work/result2" "$work/positions"
run 2 --input "$work/keys.npy" --keys --output "$work/result.npy" --host --device-memory 60K "${quick[@]}"
check '.npy file, host arrays' cmp "$work/result.npy" "$work/sorted.npy"
check 'no temporary file stays' not compgen -G "$work/*.part"
run 2 --input "$work/cut.npy" --keys "${quick[@]}"
check 'a .npy file that is cut off' says 2 'does not have the 5001 keys'
run 2 --input "$work/odd" --keys "${quick[@]}"
check 'not whole keys' says 2 '5 bytes are no whole number of 32-bit keys'
run 2 --input "$work/none" --keys "${quick[@]}"
check 'no such file' says 2 'cannot be opened'
run 2 "${some[@]}" --output "$work/none/x"
check 'an output that cannot be written' says 2 'cannot be written'
run 2 "${some[@]}" --export "json=$work/none/x"
check 'an export that cannot be written' says 2 'cannot be written'

run 2 --n 1000 --reps 2 --export "json=$work/record" --format csv
check 'a record' [ "$(jq -r '.ranks, .device.backend, .rows[0].verdict, .rows[0].repetitions' "$work/record" | tr '\n' ' ')" = '2 cpu PASS 2 ' ]
plan
