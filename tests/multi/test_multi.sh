#!/usr/bin/env bash
# multi_sort under mpirun: ranks, inputs, sizes, shards, arrays larger than the device, and wrong results, which the
# verdict must see. Two ranks: test_two_ranks.sh. The cpu backend; prints TAP.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
. tests/multi/mpi.sh
inputs=$("$program" --list | grep -c '^  ')

# Every input, keys and pairs, more elements than a tile for some rank.
run 3 --n 9000 --dist all --keys --pairs "${quick[@]}" --timeout 100
check 'all inputs on 3 ranks' passes $((2 * inputs))
run 4 --n 3000 --dist all --pairs --chunks 7 "${quick[@]}"
check 'all inputs on 4 ranks, in 7 chunks' passes "$inputs"
direct=(--transport direct)
run 3 --n 9000 --dist all --keys --pairs "${direct[@]}" "${quick[@]}"
check 'directly, all inputs on 3 ranks' passes $((2 * inputs))
run 4 --n 9000 --dist all --keys "${direct[@]}" "${quick[@]}"
check 'directly in two phases, all inputs on 4 ranks' passes "$inputs"
run 4 --n 4400000 --dist uniform --keys "${direct[@]}" "${quick[@]}"
check 'directly in two phases, buckets in two parts' passes 1
run 2 --n 20000 --dist uniform,zipf,sorted,hot-key,few-distinct --keys "${direct[@]}" --digits 5 "${quick[@]}"
check 'directly, 2 ranks, digits of 5 bits' passes 5
run 4 --n 0,1,3,17,7000 --dist uniform,all-equal,few-distinct --shards 3,0,2,1 --keys --pairs "${direct[@]}" "${quick[@]}"
check 'directly, unequal shards and few elements' passes 30
run 3 --n 0,1,3,9000 --dist uniform,all-equal,staggered,hot-key --shards 2,0,3 --pairs "${direct[@]}" --digits 8 "${quick[@]}"
check 'directly, pairs in order of a digit' passes 16
run 8 --n 6000 --dist uniform,zipf --keys --pairs "${direct[@]}" --digits 0 "${quick[@]}"
check 'directly, 8 ranks' passes 4
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
run 2 --n 17000 --dist staggered --pairs --chunks 3 --reps 1 --stages off --format csv
check 'baselines' grep -q '^radix_v9,cpu,.*,2,mpi,device,"staggered",pairs,17000,"PASS",1,' "$work/out"

# Larger than the device.
run 1 --host --device-memory 100K --n 0,1,9000 --dist uniform,all-equal,zipf --keys --pairs "${quick[@]}"
check 'host arrays, one rank' passes 18
run 3 --host --device-memory 60K --n 0,2,9000 --dist uniform,all-equal,sorted --keys --pairs "${quick[@]}"
check 'host arrays, three ranks' passes 18
run 3 --host --device-memory 60K --n 0,2,9000 --dist uniform,all-equal,sorted --keys --pairs "${direct[@]}" "${quick[@]}"
check 'host arrays that ranks share' passes 18
run 3 --host --device-memory 60K --n 9000 --dist few-distinct --shards 0,1,3 --pairs "${direct[@]}" "${quick[@]}"
check 'host arrays that ranks share, unequal shards' passes 1
run 3 --host --device-memory 60K --n 9000 --dist few-distinct --shards 0,1,3 --pairs "${quick[@]}"
check 'host arrays, unequal shards' passes 1

# The verdict finds a wrong result on any rank.
wrong=(--n 3000 --dist few-distinct --pairs "${quick[@]}")
fault 0:result:order 'FAIL: order: at place' 1 3 "${wrong[@]}"
fault 1:result:lost 'FAIL: elements: the pairs are not' 1 3 "${wrong[@]}"
fault 2:result:pairing 'FAIL: elements: the pairs are not' 1 3 "${wrong[@]}"
fault 1:result:stability 'stability: at place' 1 3 "${wrong[@]}"
fault 1:result:lost 'FAIL: elements: the keys are not' 1 2 --host --n 3000 --keys "${quick[@]}"
plan
