#!/usr/bin/env bash
# multi_sort under mpirun with two ranks: what make test has of its runs; test_multi.sh has the rest. The cpu backend;
# prints TAP.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
. tests/multi/mpi.sh

sorts '2 ranks' 8 2 --n 9000 --dist uniform,all-equal,zipf,sorted --keys --pairs
sorts 'directly' 8 2 --n 9000 --dist uniform,all-equal,zipf,sorted --keys --pairs --transport direct
sorts 'host arrays' 12 2 --host --device-memory 60K --n 0,2,9000 --dist uniform,all-equal --keys --pairs
fault 1:result:lost 'FAIL: elements: the pairs are not' 1 2 --n 3000 --dist few-distinct --pairs "${quick[@]}"
plan
