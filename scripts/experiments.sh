#!/usr/bin/env bash
# The experiments of the report, in one table; scripts/reproduce.sh runs them, report/page/ shows them.
#   . scripts/experiments.sh; experiments PROBE FULL     prints a line for each:
#   name|expected seconds|environment|text shown while it runs|options of compare
# PROBE is a JSON record of one small run of all versions: it names the backend, and the versions of this
# build with their kind. A GPU gets the sizes of the reports. On the cpu backend a CPU executes the kernels,
# some 10^4 times slower, so they get smaller sizes, and the text names them; CPU code goes up to 100M on
# either backend. FULL=1 adds the experiments that take long.
# The name is the record's file name: report/results/DEVICE/NAME.json. It ends in the number of
# threads where a series varies it (merge_cpu_tasks_08).
# group_of NAME prints the group that --only takes instead of a pattern; groups lists them all.

: "${compare:=./compare}"
# shellcheck disable=SC2034 # reproduce.sh lists them
groups='hw4 scaling inputs wide blocks mppsort second merges variants merge_cpu repeat full'
group_of() {
  case $1 in
    full_*) echo full ;;
    repeat_*) echo repeat ;;
    hw4* | worklog) echo hw4 ;;
    v2_blocks_*) echo blocks ;;
    merge_bottomup_*) echo merges ;;
    mppsort*) echo mppsort ;;
    variant_*) echo variants ;;
    second_*) echo second ;;
    scaling_*) echo scaling ;;
    inputs_*) echo inputs ;;
    wide_*) echo wide ;;
    merge_cpu_*) echo merge_cpu ;;
  esac
}
hw4_size=220480

listed_inputs() { "$compare" --list "$@" | sed -n '/^Inputs/,$ s/^  \([a-z][a-z0-9-]*\) .*/\1/p'; }

# Versions of the record PROBE whose cpu_code is true (CPU code) or false (kernels).
probed() { awk -F '"' -v wanted="$2" '/^ *"version":/ { name = $4 } /^ *"cpu_code":/ && $0 ~ wanted { print name }' "$1"; }

# Versions that `compare` leaves out of a comparison at HW4's size, because their sort_version.slow_n is below it.
slow_versions() {
  "$compare" --list | awk -v n="$hw4_size" '/^  [a-z]/ { name = $1 }
    match($0, /above [0-9]+ slow/) && substr($0, RSTART + 6) + 0 < n { print name }'
}

# Prints those of some versions, which stand between spaces, that sort KIND: keys or pairs.
#   that_sort KIND VERSIONS
that_sort() {
  local refused=
  [ "$1" = pairs ] || refused=$("$compare" --list | awk '/^  [a-z]/ { name = $1 } /; pairs only/ { print name }')
  tr -s ' ' '\n' <<<"$2" | grep -vxF "${refused:-none}" | tr '\n' ' '
}

# All inputs, with `--type TYPE` of that type, joined by commas; the two real ones only where scripts/real_inputs.js has
# been run.
inputs() {
  local name list=
  for name in $(listed_inputs "$@"); do
    case $name in scores | morton) [ -f "build/inputs/$name.npy" ] || continue ;; esac
    list+=,$name
  done
  echo "${list#,}"
}

# 2 4 8 .. and at the end the number of CPU threads.
thread_counts() {
  local threads count
  threads=$(env -u OMP_NUM_THREADS nproc)
  for ((count = 2; count < threads; count *= 2)); do echo "$count"; done
  echo "$threads"
}

# grep for which no line is no failure: few versions may be built.
matching() { grep "$@" || [ $? = 1 ]; }

experiments() {
  local probe=$1 full=$2 image='--image samples/portrait.ppm,samples/template.ppm --pairs'
  local backend slow device host libraries fast others version what block threads slowest=
  backend=$(sed -n 's/^ *"backend": "\(.*\)",\{0,1\}$/\1/p' "$probe")
  slow=$(slow_versions | matching -vxF "$(probed "$probe" true)")  # of those with kernels
  device=$(probed "$probe" false | matching -vxF "${slow:-none}" | tr '\n' ' ')
  host=$(probed "$probe" true | matching -vxF "$(slow_versions)" | tr '\n' ' ')
  libraries=$(tr ' ' '\n' <<<"$device" | matching '_ref$' | tr '\n' ' ')
  # The newest steps of the radix path, and the libraries that they have to beat.
  fast="$(tr ' ' '\n' <<<"$device" | matching '^radix_v[0-9]' | sort -V | tail -n 4 | tr '\n' ' ') $libraries"
  # Beside them on skewed inputs: the sorts that are no radix sorts.
  others=$(tr ' ' '\n' <<<"$device" | matching -v '^radix_v\|_ref$\|^radix_level' | tr '\n' ' ')
  # The better of CUB's two index types is what a version has to beat.
  local cub=
  [[ " $device" != *" cub_ref "* ]] || cub='--sweep cub_ref.wideIndex=0,1'

  if [ "$backend" = cuda ]; then
    local hw4='--reps 50 --time-limit 0.5' blocks='--reps 100 --time-limit 0.2' blocks_seconds=2 hw4_seconds=4
    local merge_sizes=100K,1M,10M,30M,60M,100M merge_seconds=70 task_sizes=100K,1M,10M,100M task_seconds=25 tasks_seconds=17
    local merge_limits='--reps 5 --time-limit 5' turn_sizes=1M,10M turns_seconds=40 one_sizes=100K,1M slow_seconds=13 odd_seconds=17
    local bottom_up='--n 100K,1M,10M,30M,60M,100M --reps 11 --time-limit 1' parents='--n 60M --reps 5 --time-limit 1'
    local mpp='--n 1M,2M,4M,8M --reps 100 --time-limit 5'
    local small_scale='--n 1K,16K,256K,4M,64M --reps 40 --time-limit 0.3'
    local skewed='--n 8M --reps 25 --time-limit 0.25' skewed_seconds=12
    local bottom_seconds=4 parents_seconds=16 mpp_seconds=3 scale_seconds=13 note=''
    local variants="$image $hw4" variants_large='--n 8M --pairs --reps 25 --time-limit 0.5' variants_seconds=2
    local article_bitonic='--n 16K,256K,2^23,2^26 --reps 25 --time-limit 0.5' article_merge='--n 8M --reps 25 --time-limit 0.5'
    local article_odd_even='--n 1K,5K,20K,50K --reps 9 --time-limit 2' article_seconds=3
    local second_sizes='--n 1K,4096,16K,64K,220480,1M,8M,2^24,100M,2^28 --reps 25 --time-limit 0.25' second_seconds=30
    local wide='gsort cub --n 10K,100K,1M,8M,2^25,2^27,2^28 --reps 9 --time-limit 0.3' wide_seconds=130
  else
    local hw4='--reps 3 --time-limit 2' blocks='--n 8192 --reps 5 --time-limit 0.2' blocks_seconds=6 hw4_seconds=32
    local merge_sizes=100K,1M,10M,100M merge_seconds=60 task_sizes=100K,1M,10M,100M task_seconds=45 tasks_seconds=45
    local merge_limits='--reps 5 --time-limit 10' turn_sizes=1M,4M turns_seconds=25 one_sizes=100K odd_seconds=15
    local bottom_up='--n 100K,1M,10M --reps 3 --time-limit 4' parents='--n 100K --reps 3 --time-limit 1'
    local mpp='--n 16K,32K,64K,128K --reps 20 --time-limit 5'
    local small_scale='--n 1K,4K,16K,64K --reps 3 --time-limit 0.8'
    local skewed='--n 8192 --reps 3 --time-limit 0.2' skewed_seconds=25
    local bottom_seconds=25 parents_seconds=3 mpp_seconds=4 scale_seconds=15 note='; n is scaled down'
    local variants='--n 4096 --pairs --reps 3 --time-limit 2' variants_large='--n 16K --pairs --reps 3 --time-limit 2' variants_seconds=8
    local article_bitonic='--n 1K,2^14 --reps 3 --time-limit 1' article_merge='--n 16K --reps 3 --time-limit 0.5'
    local article_odd_even='--n 1K,5K --reps 3 --time-limit 0.5' article_seconds=5
    local second_sizes='--n 1K,4096,16K --reps 3 --time-limit 0.3' second_seconds=15
    local wide='gsort thrust --n 8192 --reps 3 --time-limit 0.2' wide_seconds=15
  fi

  # In the order of their value for the page: a run that ends early lacks the last ones.
  # 1. The homework's size, 100M pairs, all sizes, skewed inputs: the newest versions beside the libraries
  local headline="hw4|$hw4_seconds||all versions on the homework's image|$image $hw4"
  [ "$backend" != cuda ] || headline+=$'\n'"worklog|15||all GPU versions, 100M pairs|$device $cub --n 100M --pairs --reps 9 --time-limit 1"
  for what in keys pairs; do
    if [ "$backend" = cuda ]; then
      headline+=$'\n'"scaling_$what|10||the fast versions, 1K to 10^9 $what|$(that_sort $what "$fast") $cub --$what \
--n 1K,4K,16K,64K,256K,1M,4M,16M,64M,256M,1G --reps 20 --time-limit 0.5"
    else
      headline+=$'\n'"scaling_$what|5||CPU code, 1K to 1M $what|$host thrust_ref --$what \
--n 1K,4K,16K,64K,256K,1M --reps 5 --time-limit 0.5"
    fi
  done
  echo "$headline"
  for what in keys pairs; do
    echo "inputs_$what|$skewed_seconds||all inputs$note, $what|$(that_sort $what "$fast $others") $cub --$what --dist $(inputs) $skewed --stages off"
  done
  # gsort's wide keys beside CUB (gsort/WIDE.md): a record for each type of keys and of values
  local type values
  for type in u64 f64; do
    for values in 0 4 8; do
      echo "wide_${type}_$values|$wide_seconds||$type keys, values of $values bytes, all inputs$note|$wide --type $type \
--values $values --dist $(inputs --type "$type") --stages off"
    done
  done
  # 2. What is short: seq's digits, radix_v2's block sizes (216 settings, the report's fifteen among them), MPPSort with
  # exactly as many runs as the report has, both ways of ranking, 1,024 threads in MPPSort's sort
  echo "hw4_seq|3||seq with 1, 4 and 8 bits a digit|seq $image $hw4 --sweep seq.kBits=1,4,8 --baseline none"
  for block in 0032 0064 0128 0256 0512 1024; do
    echo "v2_blocks_$block|$blocks_seconds||radix_v2's block sizes, blockDigit $((10#$block))$note|radix_v2 $image $blocks \
--set blockDigit=$((10#$block)) --sweep blockSize=32..1024 --sweep blockScan=32..1024 --stages off --baseline none"
  done
  echo "mppsort|$mpp_seconds||MPPSort$note|mppsort thrust_ref --keys $mpp --noise 0"
  echo "variant_mppsort_1024|$mpp_seconds||MPPSort, 1,024 threads in its sort$note|mppsort thrust_ref --keys $mpp --noise 0 --set mppsort.blockSort=1024"
  echo "variant_rank_way|2||radix_v2's two ways of ranking$note|radix_v2 $variants --sweep radix_v2.rankWay=1,2 --baseline none"
  echo "variant_rank_way_large|3||the same, more pairs$note|radix_v2 $variants_large --sweep radix_v2.rankWay=1,2 --baseline none"
  # 3. Versions that continue another one, beside it and the libraries: merge_v2, merge_three_step, ..
  local second='' old
  for version in $(tr ' ' '\n' <<<"$device" | grep '_v2$' | grep -v '^radix_'); do
    old=${version%_v2}
    if [ "$old" = merge ]; then old=merge_three_step; fi
    second+="$version $old "
  done
  for what in keys pairs; do
    [ -z "$second" ] || echo "second_$what|$second_seconds||versions beside those that they continue$note, $what|$second$libraries\
--$what $second_sizes $cub"
  done
  # 4. Bottom-up merge sort
  echo "merge_bottomup_test1|$bottom_seconds||bottom-up merge, blocks of 32 and 1024$note|merge_bottomup --keys $bottom_up \
--set parentBlock=32 --set childBlock=1024 --baseline none"
  echo "merge_bottomup_test2|$bottom_seconds||bottom-up merge, blocks of 16 and 256$note|merge_bottomup --keys $bottom_up \
--set parentBlock=16 --set childBlock=256 --baseline none"
  echo "merge_bottomup_parents|$parents_seconds||bottom-up merge, parent blocks of 4 to 128$note|merge_bottomup --keys --pairs $parents \
--sweep parentBlock=4..128 --sweep childFrom=512,32768 --baseline none"
  # 5. All digit lengths; the parallel sorting article's own forms beside ours
  local bits=1,2,3,4,5,6,7,8 tiles=
  for version in radix_v2 radix_v3 radix_v4 radix_level1 radix_level2; do
    [[ " $device " != *" $version "* ]] || tiles+="$version "
  done
  for version in $tiles; do
    echo "variant_bits_$version|$variants_seconds||$version with 1 to 8 bits a digit$note|$version $variants --sweep $version.nBits=$bits --baseline none"
    echo "variant_bits_large_$version|$variants_seconds||the same, more pairs$note|$version $variants_large --sweep $version.nBits=$bits --baseline none"
  done
  [[ " $device " != *" bitonic "* ]] ||
    echo "variant_bitonic|$article_seconds||bitonic: the article's form, and steps per visit$note|bitonic --keys $article_bitonic \
--sweep bitonic.textbook=0,1 --sweep bitonic.steps=1,3 --baseline none"
  if [[ " $device " == *" merge_three_step "* ]]; then
    echo "variant_merge_serial|$article_seconds||merge_three_step: a block of one thread per merge$note|merge_three_step --keys $article_merge \
--sweep merge_three_step.blockSerial=1,32,256 --sweep merge_three_step.copyBack=0,1 --baseline none"
    echo "variant_merge_until|$article_seconds||merge_three_step: where its steps end$note|merge_three_step --keys $article_merge \
--sweep merge_three_step.serialUntil=1,4,16,64,256 --sweep merge_three_step.blockUntil=2,256,2048,4096 --baseline none"
  fi
  [[ " $slow " != *odd_even* ]] ||
    echo "variant_odd_even|$odd_seconds||odd-even sort on the device and on one CPU thread$note|odd_even odd_even_cpu --keys $article_odd_even \
--sweep odd_even.stepsPerLaunch=1,32 --baseline none"
  # 6. All versions at all sizes, and those that are too slow to stand beside the others
  for what in keys pairs; do
    echo "scaling_all_$what|$scale_seconds||all device versions$note, $what|$(that_sort $what "$device") --$what $small_scale"
  done
  if [ "$backend" = cuda ]; then
    for version in $slow; do
      echo "hw4_$version|$slow_seconds||$version on the homework's image|$version $image --reps 2 --time-limit 1 --baseline none"
    done
  fi
  # Two more runs of the headline experiments: the drift between runs is larger than the noise within one.
  local run repeats=
  if [ "$backend" = cuda ] || [ "$full" = 1 ]; then repeats='2 3'; fi
  for run in $repeats; do sed -n "s/^hw4|/repeat_${run}_&/p" <<<"$headline"; done
  # 7. CPU code beside each other; then merge sort on the CPU, which takes longest. A row (warm-up and at least one run) of
  # more than ten time limits is stopped.
  [ "$backend" != cuda ] ||
    echo "scaling_host|12||CPU code|$host --keys --n 220480,1M,8M --reps 9 --time-limit 1 --baseline none"
  local merge="--keys --stages off --baseline none $merge_limits"
  echo "merge_cpu_sequential|$merge_seconds||merge sort on one CPU thread|merge_cpu --set mode=1 --n $merge_sizes $merge"
  echo "merge_cpu_sections|$task_seconds||OpenMP sections|merge_cpu --set mode=2 --n $task_sizes $merge"
  merge_cpu_tasks() { # THREADS; only all threads together sort the slides' largest size in less than a minute
    local extra=0 sizes=$task_sizes
    if [ "$backend" = cuda ] && [ "$1" = "$slowest" ]; then sizes+=,500M extra=25; fi
    echo "merge_cpu_tasks_$(printf %02d "$1")|$((tasks_seconds + extra))|OMP_NUM_THREADS=$1|OpenMP tasks, $1 threads|\
merge_cpu --set mode=3 --n $sizes $merge"
  }
  slowest=$(thread_counts | tail -n 1)
  merge_cpu_tasks "$slowest"
  # All its modes in turn, the sequential sort twice, so that the record shows the drift.
  echo "merge_cpu_turns|$turns_seconds||merge sort on the CPU, all modes in turn$note|merge_cpu --n $turn_sizes $merge \
--sweep merge_cpu.mode=1,2,3 --sweep merge_cpu.levels=1,3"
  # Each mode has another merge in the machine code: all on one thread.
  echo "merge_cpu_one|10|OMP_THREAD_LIMIT=1|merge sort on the CPU, all modes on one thread$note|merge_cpu --n $one_sizes $merge \
--sweep merge_cpu.mode=1,2,3"
  for run in $repeats; do sed -n "s/^worklog|/repeat_${run}_&/p" <<<"$headline"; done
  if [ "$full" = 1 ]; then
    for run in $repeats; do sed -n "s/^scaling_/repeat_${run}_&/p" <<<"$headline"; done
  fi
  # 8. What else a speed-up by threads needs
  echo "merge_cpu_nested|$tasks_seconds||OpenMP sections, 3 nested levels|merge_cpu --set mode=2 --set levels=3 --n $task_sizes $merge"
  for threads in $(thread_counts | sort -nr); do
    [ "$threads" = "$slowest" ] || merge_cpu_tasks "$threads"
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
