#!/usr/bin/env bash
# The experiments of the report, in one table; scripts/reproduce.sh runs them, report/page/ shows them.
#   . scripts/experiments.sh; experiments BACKEND FULL     prints a line for each:
#   name|expected seconds|environment|what it says while it runs|options of compare
# BACKEND is cuda or cpu. A GPU gets the sizes of the reports. On the cpu backend a GPU's threads are a
# loop on a few cores, some 10^4 times slower, so kernels get smaller sizes there, and the line says
# which; versions that are CPU code on either backend go up to 100M. FULL=1 adds what takes long.
# The name is the record's file name: report/results/DEVICE/NAME.json. It ends in the number of
# threads where that is what differs (merge_cpu_tasks_08).

: "${compare:=./compare}"

# `compare --list` has a section of versions and one of inputs; a name is what follows two spaces.
listed_versions() { "$compare" --list | sed -n '/^$/q; s/^  \([a-z][a-z0-9_]*\) .*/\1/p'; }
listed_inputs() { "$compare" --list | sed -n '/^Inputs/,$ s/^  \([a-z][a-z0-9-]*\) .*/\1/p'; }

# Those of the names given that this build has (CUB needs a GPU, Highway may be missing).
present() {
  local all name
  all=" $(listed_versions | tr '\n' ' ') "
  for name in "$@"; do [[ $all == *" $name "* ]] && printf '%s ' "$name"; done
}

# Every version whose kernels run on the device; odd_even needs n^2 steps and is left out.
device_versions() { listed_versions | grep -vxE 'seq|merge_cpu|std_sort_ref|vqsort_ref|odd_even' | tr '\n' ' '; }

# All inputs, joined by commas; the two real ones only where scripts/real_inputs.js has been run.
inputs() {
  local name list=
  for name in $(listed_inputs); do
    case $name in scores | morton) [ -f "build/inputs/$name.npy" ] || continue ;; esac
    list+=,$name
  done
  echo "${list#,}"
}

# 2 4 8 .. up to the number of CPU threads, which itself ends the list.
thread_counts() {
  local threads count
  threads=$(env -u OMP_NUM_THREADS nproc)
  for ((count = 2; count < threads; count *= 2)); do echo "$count"; done
  echo "$threads"
}

experiments() {
  local backend=$1 full=$2 image='--image samples/portrait.ppm,samples/template.ppm --pairs'
  local what block threads slowest=
  local compared='radix_v7 radix_v6 radix_v5 radix_v4 radix_v2 mppsort bitonic merge_three_step cub_ref thrust_ref'
  # The better of CUB's two index types is what a version has to beat.
  local cub=
  [ -z "$(present cub_ref)" ] || cub='--sweep cub_ref.wideIndex=0,1'

  if [ "$backend" = cuda ]; then
    local hw4='--reps 50 --time-limit 0.5' blocks='--reps 100 --time-limit 0.2' blocks_seconds=2 hw4_seconds=5
    local merge_sizes=100K,1M,10M,30M,60M,100M merge_seconds=90 task_sizes=100K,1M,10M,100M task_seconds=30
    local bottom_up='--n 100K,1M,10M,30M,60M,100M --reps 11 --time-limit 1' parents='--n 60M --reps 5 --time-limit 1'
    local mpp='--n 1M,2M,4M,8M --reps 100 --time-limit 5'
    local small_scale='--n 1K,16K,256K,4M,64M --reps 9 --time-limit 0.5'
    local skewed='--n 8M --reps 15 --time-limit 0.25' skewed_seconds=5
    local bottom_seconds=4 parents_seconds=20 mpp_seconds=3 scale_seconds=10 note=''
  else
    local hw4='--reps 3 --time-limit 2' blocks='--n 8192 --reps 5 --time-limit 0.2' blocks_seconds=6 hw4_seconds=32
    local merge_sizes=100K,1M,10M,100M merge_seconds=60 task_sizes=100K,1M,10M,100M task_seconds=45
    local bottom_up='--n 100K,1M,10M --reps 3 --time-limit 4' parents='--n 100K --reps 3 --time-limit 1'
    local mpp='--n 16K,32K,64K,128K --reps 20 --time-limit 5'
    local small_scale='--n 1K,4K,16K,64K --reps 3 --time-limit 0.8'
    local skewed='--n 8192 --reps 3 --time-limit 0.2' skewed_seconds=10
    local bottom_seconds=25 parents_seconds=3 mpp_seconds=4 scale_seconds=15 note='; n is scaled down'
  fi

  # 1. HW4's stage times, at its own size on either backend
  echo "hw4|$hw4_seconds||all versions on the homework's image|$image $hw4"
  echo "hw4_seq|3||seq with 1, 4 and 8 bits a digit|seq $image $hw4 --sweep seq.kBits=1,4,8 --baseline none"
  if [ "$backend" = cuda ]; then
    echo "hw4_odd_even|6||odd_even on the homework's image|odd_even $image --reps 2 --time-limit 1 --baseline none"
    # odd_even and the CPU's versions would take minutes at this size.
    echo "worklog|15||all GPU versions, 100M pairs|$(device_versions) $cub --n 100M --pairs --reps 9 --time-limit 0.5"
  fi
  # 2. radix_v2's block sizes: 216 settings, the report's fifteen among them
  for block in 0032 0064 0128 0256 0512 1024; do
    echo "v2_blocks_$block|$blocks_seconds||radix_v2's block sizes, blockDigit $((10#$block))$note|radix_v2 $image $blocks \
--set blockDigit=$((10#$block)) --sweep blockSize=32..1024 --sweep blockScan=32..1024 --stages off --baseline none"
  done
  # 4. bottom-up merge sort
  echo "merge_bottomup_test1|$bottom_seconds||bottom-up merge, blocks of 32 and 1024$note|merge_bottomup --keys $bottom_up \
--set parentBlock=32 --set childBlock=1024 --baseline none"
  echo "merge_bottomup_test2|$bottom_seconds||bottom-up merge, blocks of 16 and 256$note|merge_bottomup --keys $bottom_up \
--set parentBlock=16 --set childBlock=256 --baseline none"
  echo "merge_bottomup_parents|$parents_seconds||bottom-up merge, parent blocks of 4 to 128$note|merge_bottomup --keys --pairs $parents \
--sweep parentBlock=4..128 --sweep childFrom=512,32768 --baseline none"
  # 5. MPPSort: exactly as many runs as the report has
  echo "mppsort|$mpp_seconds||MPPSort$note|mppsort thrust_ref --keys $mpp --noise 0"
  # scaling, and skewed inputs
  for what in keys pairs; do
    if [ "$backend" = cuda ]; then
      echo "scaling_$what|$scale_seconds||the fast versions, 1K to 10^9 $what|$(present radix_v7 radix_v6 radix_v5 cub_ref thrust_ref) $cub --$what \
--n 1K,4K,16K,64K,256K,1M,4M,16M,64M,256M,1G --reps 20 --time-limit 0.5"
    else
      echo "scaling_$what|5||CPU code, 1K to 1M $what|$(present seq merge_cpu std_sort_ref vqsort_ref thrust_ref) --$what \
--n 1K,4K,16K,64K,256K,1M --reps 5 --time-limit 0.5"
    fi
    echo "scaling_all_$what|$scale_seconds||all device versions$note, $what|$(device_versions) --$what $small_scale"
    # shellcheck disable=SC2086 # the names have no spaces
    echo "inputs_$what|$skewed_seconds||all inputs$note, $what|$(present $compared) $cub --$what --dist $(inputs) $skewed --stages off"
  done
  # 3. merge sort on the CPU, last because it takes longest. A row (warm-up and at least one run) of more
  # than 100 s is stopped.
  local merge='--keys --reps 3 --time-limit 10 --stages off --baseline none'
  echo "merge_cpu_sequential|$merge_seconds||merge sort on one CPU thread|merge_cpu --set mode=1 --n $merge_sizes $merge"
  echo "merge_cpu_sections|$task_seconds||OpenMP sections|merge_cpu --set mode=2 --n $task_sizes $merge"
  echo "merge_cpu_nested|$task_seconds||OpenMP sections, 3 nested levels|merge_cpu --set mode=2 --set levels=3 --n $task_sizes $merge"
  for threads in $(thread_counts); do
    slowest=$threads
    # Only all threads together sort the slides' largest size in less than a minute.
    if [ "$backend" = cuda ] && [ "$threads" = "$(thread_counts | tail -n 1)" ]; then task_sizes+=,500M task_seconds=60; fi
    echo "merge_cpu_tasks_$(printf %02d "$threads")|$task_seconds|OMP_NUM_THREADS=$threads|OpenMP tasks, $threads threads|\
merge_cpu --set mode=3 --n $task_sizes $merge"
  done
  if [ "$full" = 1 ]; then
    # The slides' largest sizes: a run of them takes a minute or more. A row may take half an hour.
    merge='--n 100M,500M --keys --reps 1 --time-limit 3m --stages off --baseline none'
    echo "full_merge_cpu_sequential|500||100M and 500M on one CPU thread|merge_cpu --set mode=1 $merge"
    echo "full_merge_cpu_sections|300||100M and 500M, OpenMP sections|merge_cpu --set mode=2 $merge"
    echo "full_merge_cpu_tasks_$(printf %02d "$slowest")|200|OMP_NUM_THREADS=$slowest|100M and 500M, OpenMP tasks|\
merge_cpu --set mode=3 $merge"
  fi
}
