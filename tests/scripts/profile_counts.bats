# scripts/profile_counts.sh: with an ncu that prints a table, and the table beside what the cpu backend counts.
bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_DIRNAME/../.." || return
  unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES BACKEND V COUNT # of the make that runs the tests
  file=$BATS_TEST_TMPDIR/ncu.csv
}

@test "ncu's numbers, summed by kernel and metric; a version that cannot be profiled" {
  mkdir "$BATS_TEST_TMPDIR/bin"
  cat >"$BATS_TEST_TMPDIR/bin/ncu" <<'FAKE'
#!/bin/sh
case $* in *radix_v9*) echo "==ERROR== ERR_NVGPUCTRPERM"; exit 1 ;; esac
case $* in *--profile-from-start\ off*op_st.sum*--n\ 64\ --keys*) ;; *) exit 1 ;; esac
echo '==PROF== Connected'
echo '"ID","Kernel Name","Context","Metric Name","Metric Value","Metric Unit"'
echo '"0","void <unnamed>::scan_tiles<(bool)1, 4>(Pairs, gsort::Out)","1","l1tex__a.sum","1,200",""'
echo '"1","scatter(Pairs, Pairs, unsigned long)","1","l1tex__a.sum","2,000,100",""'
echo '"1","scatter(Pairs, Pairs, unsigned long)","1","l1tex__b.sum","7",""'
echo '"2","gsort::scatter(Pairs, Pairs, unsigned long)","1","l1tex__a.sum","100",""'
FAKE
  chmod +x "$BATS_TEST_TMPDIR/bin/ncu"
  PATH=$BATS_TEST_TMPDIR/bin:$PATH COMPARE=$(type -P true) SORTS=64:keys run -3 scripts/profile_counts.sh ncu "$file" radix_v9 radix_v1
  [[ $output == *'counted nothing for radix_v9'*ERR_NVGPUCTRPERM* ]]
  [ "$(<"$file")" = 'version,n,kind,kernel,launches,metric,sum
radix_v1,64,keys,scan_tiles,1,l1tex__a.sum,1200
radix_v1,64,keys,scatter,1,l1tex__b.sum,7
radix_v1,64,keys,scatter,2,l1tex__a.sum,2000200' ]
}

@test "beside what is counted here" {
  row() { echo "radix_v2,8192,pairs,$1,8,l1tex__t_$2.sum,$3"; }
  head=version,n,kind,kernel,launches,metric,sum
  {
    echo $head
    row take_digit requests_pipe_lsu_mem_global_op_ld 2048
    row take_digit sectors_pipe_lsu_mem_global_op_ld 8000
    row take_digit sectors_pipe_lsu_mem_global_op_st 8200
  } >"$file"
  # Without scatter, as if the kernel before it had launched it. That one loads 2,048 times, and scatter 10,240 times.
  for kernel in histogram scan_tiles add_sums rank_by_looking_back; do
    row $kernel requests_pipe_lsu_mem_global_op_ld 12288
  done | sed "1i$head" >"$file.2"
  run -0 scripts/profile_counts.sh table "$file" "$file.2"
  [[ $output == *'radix_v2,8192,pairs,take_digit,global load requests,2048,2048,+0.0%,'* ]]
  [[ $output == *'radix_v2,8192,pairs,take_digit,global load sectors,8000,8192,+2.4%,above the goal'* ]]
  [[ $output == *'radix_v2,8192,pairs,take_digit,global store sectors,8200,8192,-0.1%,'* ]]
  [[ $output == *'global load requests: of 5 kernels 2 are the same, 2 within 1%'* ]]
  [[ $output == *'global load sectors: of 1 kernels 0 are the same, 0 within 1%'* ]]
  [[ $output == *'rank_by_looking_back,global load requests,12288,12288,'* ]]
  [[ $output == *"radix_v2,8192,pairs: scatter is not among ncu's kernels; it is counted with rank_by_looking_back"* ]]
}

@test "what is refused" {
  run -2 scripts/profile_counts.sh ncu
  run -2 scripts/profile_counts.sh nsys "$file"
  COMPARE=$BATS_TEST_TMPDIR/none run -2 scripts/profile_counts.sh ncu "$file"
}
