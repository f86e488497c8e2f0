#!/usr/bin/env bash
# multi_sort under mpirun: ranks, inputs, sizes, shards, arrays larger than the device, and wrong results, which the
# verdict must see. Two ranks: test_failures.sh. The cpu backend.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
. tests/multi/mpi.sh
inputs=$("$program" --list | grep -c '^  ')

# Every input, keys and pairs, more elements than a tile for some rank.
sorts 'all inputs on 3 ranks' $((2 * inputs)) 3 --n 9000 --dist all --keys --pairs --timeout 100
sorts 'all inputs on 4 ranks, in 7 chunks' "$inputs" 4 --n 3000 --dist all --pairs --chunks 7
direct=(--transport direct)
sorts 'directly, all inputs on 3 ranks' $((2 * inputs)) 3 --n 9000 --dist all --keys --pairs "${direct[@]}"
sorts 'directly in two phases, all inputs on 4 ranks' "$inputs" 4 --n 9000 --dist all --keys "${direct[@]}"
sorts 'directly in two phases, buckets in two parts' 1 4 --n 4400000 --dist uniform --keys "${direct[@]}"
sorts 'directly, 2 ranks, digits of 5 bits' 5 2 --n 20000 --dist uniform,zipf,sorted,hot-key,few-distinct --keys "${direct[@]}" --digits 5
sorts 'directly, unequal shards and few elements' 30 4 --n 0,1,3,17,7000 --dist uniform,all-equal,few-distinct --shards 3,0,2,1 --keys --pairs "${direct[@]}"
sorts 'directly, pairs in order of a digit' 16 3 --n 0,1,3,9000 --dist uniform,all-equal,staggered,hot-key --shards 2,0,3 --pairs "${direct[@]}" --digits 8
sorts 'directly, 8 ranks' 4 8 --n 6000 --dist uniform,zipf --keys --pairs "${direct[@]}" --digits 0
sorts '8 ranks' 6 8 --n 2000 --dist uniform,all-equal,zipf --keys --pairs
sorts 'one rank' 12 1 --n 0,1,5000 --dist uniform,all-equal --keys --pairs
sorts 'fewer elements than ranks' 42 4 --n 0,1,2,3,4,5,17 --dist uniform,all-equal,reverse --keys --pairs
sorts 'an empty shard and unequal ones' 8 3 --n 7000 --dist uniform,all-equal,sorted,few-distinct --shards 5,0,2 --keys --pairs
sorts 'everything on one rank' 2 4 --n 4000 --dist uniform,all-equal --shards 0,0,0,1 --pairs
# A rank with more elements than one block sorts, in one chunk per tile.
ranks 2 --n 17000 --dist staggered --pairs --chunks 3 --reps 1 --stages off --format csv
check 'baselines' grep -q '^radix_v9,cpu,.*,2,mpi,device,"staggered",pairs,17000,"PASS",1,' "$work/out"

# Larger than the device.
sorts 'host arrays, one rank' 18 1 --host --device-memory 100K --n 0,1,9000 --dist uniform,all-equal,zipf --keys --pairs
sorts 'host arrays, three ranks' 18 3 --host --device-memory 60K --n 0,2,9000 --dist uniform,all-equal,sorted --keys --pairs
sorts 'host arrays that ranks share' 18 3 --host --device-memory 60K --n 0,2,9000 --dist uniform,all-equal,sorted --keys --pairs "${direct[@]}"
sorts 'host arrays that ranks share, unequal shards' 1 3 --host --device-memory 60K --n 9000 --dist few-distinct --shards 0,1,3 --pairs "${direct[@]}"
sorts 'host arrays, unequal shards' 1 3 --host --device-memory 60K --n 9000 --dist few-distinct --shards 0,1,3 --pairs

# The verdict finds a wrong result on any rank.
wrong=(--n 3000 --dist few-distinct --pairs)
fault 0:result:order 'FAIL: order: at place' 1 3 "${wrong[@]}"
fault 1:result:lost 'FAIL: elements: the pairs are not' 1 3 "${wrong[@]}"
fault 2:result:pairing 'FAIL: elements: the pairs are not' 1 3 "${wrong[@]}"
fault 1:result:stability 'stability: at place' 1 3 "${wrong[@]}"
fault 1:result:lost 'FAIL: elements: the keys are not' 1 2 --host --n 3000 --keys
plan
