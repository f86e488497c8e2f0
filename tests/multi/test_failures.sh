#!/usr/bin/env bash
# multi_sort under mpirun, what make test has of it: two ranks, runs that fail, files, and records; test_multi.sh has the
# rest. The cpu backend.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
. tests/multi/mpi.sh

sorts '2 ranks' 8 2 --n 9000 --dist uniform,all-equal,zipf,sorted --keys --pairs
sorts 'directly' 8 2 --n 9000 --dist uniform,all-equal,zipf,sorted --keys --pairs --transport direct
sorts 'host arrays' 12 2 --host --device-memory 60K --n 0,2,9000 --dist uniform,all-equal --keys --pairs
fault 1:result:lost 'FAIL: elements: the pairs are not' 1 2 --n 3000 --dist few-distinct --pairs

# Runs that fail end on all ranks, with a sentence and an exit code.
some=(--n 3000 --keys)
fault 2:create:memory 'rank 2: the device has too little memory' 3 3 "${some[@]}"
fault 1:create:memory 'rank 1: the host has too little memory' 3 2 "${some[@]}" --host
fault 0:sort:exit 'rank 0: fault on demand' 3 3 "${some[@]}"
fault 1:exchange:kill 'signal 9' 137 3 "${some[@]}"
fault 1:exchange:hang "no progress for 3 s in step 'exchange'" 3 2 "${some[@]}" --timeout 3
fault 1:exchange:hang "no progress for 3 s in step 'exchange'" 3 2 "${some[@]}" --timeout 3 --transport direct
refuses 'NCCL is missing' 'built without NCCL' 2 "${some[@]}" --transport nccl
refuses 'weights for other ranks' '--shards has 1 weights for 2 ranks' 2 "${some[@]}" --shards 1
refuses 'not a number' "'12x' is not a number" 2 --n 12x
refuses 'too little device memory allowed' '--device-memory must be at least' 2 "${some[@]}" --host --device-memory 100
run timeout 60 mpirun --oversubscribe -n 1 "$program" --n 100 : -n 1 "$program" --n 101
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
ranks 3 --input "$work/keys" --output "$work/result" --output-positions "$work/result2" "${quick[@]}"
check 'raw file, pairs' cmp "$work/result" "$work/sorted"
check 'its positions' cmp "$work/result2" "$work/positions"
ranks 2 --input "$work/keys.npy" --keys --output "$work/result.npy" --host --device-memory 60K "${quick[@]}"
check '.npy file, host arrays' cmp "$work/result.npy" "$work/sorted.npy"
check 'no temporary file stays' not compgen -G "$work/*.part"
refuses 'a .npy file that is cut off' 'its header promises 5001 keys' 2 --input "$work/cut.npy" --keys
refuses 'not whole keys' '5 bytes are no whole number of 32-bit keys' 2 --input "$work/odd" --keys
refuses 'no such file' 'cannot be opened' 2 --input "$work/none" --keys
refuses 'an output that cannot be written' 'cannot be written' 2 "${some[@]}" --output "$work/none/x"
refuses 'an export that cannot be written' 'cannot be written' 2 "${some[@]}" --export "json=$work/none/x"
refuses 'two exports to one file' 'is named twice' 2 "${some[@]}" --export "json=$work/twice" --export "csv=$work/twice"

ranks 2 --n 1000 --reps 2 --export "json=$work/record" --format csv
check 'a record' [ "$(jq -r '.ranks, .device.backend, .rows[0].verdict, .rows[0].repetitions' "$work/record" | tr '\n' ' ')" = '2 cpu PASS 2 ' ]
plan
