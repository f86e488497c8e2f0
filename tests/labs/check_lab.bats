# make check-lab tells what is to do in a starter, and names typical mistakes: each is put into a solved starter.
# shellcheck disable=SC2030,SC2031 # `run` sets $lines in each test
bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_DIRNAME/../.." || return
}
teardown() { rm -rf bats_lab build/*/bats_lab; }

@test "a starter: what to do next" {
  scripts/starter.sh radix_v1 bats_lab
  run -2 make -s check V=bats_lab
  [[ ${lines[0]} == "Next: TODO 1: "* ]]
  [[ ${lines[1]} == *"bats_lab/student_func.cu, line "* ]]
  [[ $output != *WRONG* ]]
}

# mistake LAB SED PATTERN: the check's first line has the pattern.
mistake() {
  rm -rf bats_lab
  tests/labs/solved.sh "$1" bats_lab
  cp bats_lab/student_func.cu "$BATS_TEST_TMPDIR/before"
  sed -i "$2" bats_lab/student_func.cu
  run -1 cmp -s bats_lab/student_func.cu "$BATS_TEST_TMPDIR/before"
  run -1 scripts/check_lab.sh bats_lab
  echo "${lines[0]}"
  [[ ${lines[0]} == "To mend first: "* ]]
  grep -E -- "$3" <<<"${lines[0]}"
}

at='bats_lab/student_func\.cu:[0-9]+' after='.*; after'
@test "a digit that is not masked" { mistake radix_v1 's/keys\[i\] >> bit & 1u/keys[i] >> bit/' 'digit: in pass 0 at index 1: 3, expected 1 \(no mask\?\) '"$after take_digit, $at"; }
@test "a digit that is not shifted down" { mistake radix_v1 's/keys\[i\] >> bit & 1u/keys[i] \& 1u << bit/' '\(masked, but not shifted down\?\)'"$after take_digit, $at"; }
@test "counters that are not cleared" { mistake radix_v1 '/cudaMemsetAsync(d_hist/d' 'counted: cleared before the pass\?\)'"$after histogram, $at"; }
@test "counts at the wrong address" { mistake radix_v1 's/(d_digit, d_hist + 1, n)/(d_digit, d_hist, n)/' '\(each count one place too early: is it the right address\?\)'"$after histogram, $at"; }
@test "outputs that are not written" { mistake radix_v1 's/^    scatter<<<.*/    (void)block_scatter;/' 'sorted: .*\(0xa5a5a5a5: is it written\?\)'"$after rank_digits, $at"; }
@test "an inclusive scan" { mistake radix_v1 's/^    exclusive_scan(/    inclusive_scan(/' 'ones: in pass 0 at index 0: 1, expected 0 \(an inclusive scan\?\)'"$after inclusive_scan, $at"; }
@test "an element that counts itself" { mistake radix_v2 's/j < threadIdx.x; j++) equal/j <= threadIdx.x; j++) equal/' '\(one too many everywhere: does it count itself\?\)'"$after rank_by_looking_back or rank_by_counting, $at"; }
@test "a table block by block" { mistake radix_v2 's/count_tile(i < n ? digit\[i\] : NO_DIGIT, tile_hist, hist, bins);/for (unsigned int b = threadIdx.x; b < bins; b += blockDim.x) tile_hist[b] = 0; __syncthreads(); if (i < n) atomicAdd(\&tile_hist[digit[i]], 1u); __syncthreads(); for (unsigned int b = threadIdx.x; b < bins; b += blockDim.x) hist[blockIdx.x * bins + b] = tile_hist[b];/' '\(block by block\? the table has a row per bin\)'"$after histogram, $at"; }
@test "buffers that are not exchanged" { mistake radix_v1 '/^    swap_pairs/d' 'keys: in pass 1 at index 0: 1, expected 2 \(the input again: are the buffers exchanged\?\) .*'"$at"; }
@test "scratch memory that is not returned" { mistake radix_v1 '/^  scratch_free(d_rank)/d' "a scratch_free is missing \(d_rank, $at"; }
@test "a barrier that not all threads reach" { mistake radix_v2 's/if (i < n) tile\[threadIdx.x\] = digit\[i\];/if (threadIdx.x < 40) __syncthreads(); &/' "synccheck: kernel rank_by_looking_back, .*: its threads wait at different barriers; 40 at __syncthreads, $at"; }
@test "a syntax error" { mistake radix_v1 's/^void your_sort(/void your_sort[/' 'build: bats_lab/student_func\.cu:'; }
@test "keys that lose their positions" { mistake radix_v1 's/move_pair(to, start\[digit\[i\]\] + rank\[i\], from, i)/to.keys[start[digit[i]] + rank[i]] = from.keys[i]/' "a position no longer belongs to its key .*; after scatter, $at"; }

@test "a bit that is masked only, while TODO 6 is open" { mistake radix_v1 's/keys\[i\] >> bit & 1u/keys[i] \& 1u << bit/; s/^    swap_pairs.*/    \/\/ TODO 6: exchange./' "digit: .*masked, but not shifted down.*$after take_digit, $at"; }
@test "a grid of no blocks" { mistake radix_v1 's/take_digit<<<blocks_for(n, block_digit)/take_digit<<<n \/ block_digit/' "$at: kernel launch: invalid argument: take_digit is launched with 0 blocks"; }
@test "no i < n where the digit is taken" { mistake radix_v1 's/if (i < n) digit\[i\] =/digit[i] =/' "memcheck: error: (read|write) .*at $at .*outside its array.*in kernel take_digit"; }
@test "additions without atomicAdd" { mistake radix_v1 's/atomicAdd(&hist\[digit\[i\]\], 1u)/hist[digit[i]]++/' "racecheck: error: .*at $at .*in kernel histogram"; }
@test "a missing barrier in a merge" { mistake merge_three_step '/^  __syncthreads();/d' "racecheck: error: .*at $at .*in kernel merge_by_blocks"; }
@test "half of the shared memory" { mistake merge_three_step 's/threads, 2 \* width \* sizeof(unsigned int)>>>/threads, width * sizeof(unsigned int)>>>/' "memcheck: error: .*at $at .*outside its array.*in kernel merge_by_blocks"; }
@test "ties on both sides" { mistake merge_three_step 's/rights, left\[own\], false)/rights, left[own], true)/' "at [a-z_/]+\.cuh?:[0-9]+, in kernel merge_pieces.*right without equal keys: do both sides agree"; }
@test "splitters that are rounded down" { mistake merge_three_step 's/ + (other % distance != 0)//' "racecheck: error: write at $at .* and write at $at .*in kernel cut_at_splitters; do these two compute the same place"; }
@test "mirror images in every visit" { mistake bitonic 's/left - STEPS, left == stage)/left - STEPS, true)/' "far: at index .*$after do_far_steps, $at"; }
@test "a loop without end" { mistake radix_v1 's/if (i < n) digit\[i\] =/for (volatile int k = 0; i < n; k = k + 1) digit[i] =/' "sort: (still running after [0-9]+ s .* at $at, in kernel take_digit|.*kernel take_digit, .*loops that cannot end; [0-9]+ in a loop at $at)"; }
@test "a place that is taken for the key and again for its position" { mistake seq 's/to.positions\[place\]/to.positions[start[from.keys[i] >> shift \& mask]++]/' "memcheck: AddressSanitizer: heap-buffer-overflow, an access outside its array, at $at"; }

@test "a rank that is not written yet is to do, also where the example's ranks are all zero" {
  scripts/starter.sh radix_v2 bats_lab
  run -1 scripts/check_lab.sh bats_lab
  [[ $output == *"  digit       right"*"  rank        to do"* ]]
}
@test "a solved starter: all right, on one screen" {
  tests/labs/solved.sh radix_v2 bats_lab
  run -0 scripts/check_lab.sh bats_lab
  [ "${lines[0]}" = "bats_lab: all right. Hand it in." ]
  [[ $output == *"HW4         right  PASS"* ]]
  [ ${#lines[@]} -le 20 ]
}
@test "no such folder" {
  run -2 scripts/check_lab.sh bats_none
  [[ $output == *"make starter LAB=radix_v1 NAME=bats_none"* ]]
}
@test "nonsense in every TODO is seen (NONSENSE='seq radix_v1 ..': in those starters)" {
  for lab in ${NONSENSE:-bitonic}; do tests/labs/nonsense.py "$lab"; done
}
