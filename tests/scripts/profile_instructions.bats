# scripts/profile_instructions.sh with an ncu that prints a table: the sums per kernel, and an ncu that refuses.
bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_DIRNAME/../.." || return
  mkdir -p "$BATS_TEST_TMPDIR/bin" "$BATS_TEST_TMPDIR/out"
  cat >"$BATS_TEST_TMPDIR/bin/ncu" <<'FAKE'
#!/bin/sh
[ ! -e "$BATS_TEST_TMPDIR/crash" ] || { rm "$BATS_TEST_TMPDIR/crash"; kill -SEGV $$; }
case $* in *radix_v9*) echo "==ERROR== ERR_NVGPUCTRPERM"; exit 1 ;; esac
echo '==PROF== Connected'
echo '"ID","Kernel Name","Context","Metric Name","Metric Value","Metric Unit"'
for run in 1 2 3; do
  echo '"0","void scan_tiles<(bool)1, 4>(Pairs, unsigned long)","1","smsp__inst_executed.sum","1,200","inst"'
  echo '"1","scatter(Pairs, Pairs, unsigned long)","1","smsp__inst_executed.sum","2,000,100","inst"'
  echo '"2","scatter(Pairs, Pairs, unsigned long)","1","smsp__inst_executed.sum","100","inst"'
done
FAKE
  chmod +x "$BATS_TEST_TMPDIR/bin/ncu"
  PATH=$BATS_TEST_TMPDIR/bin:$PATH
}
profile() { COMPARE=$(type -P true) N=1000 scripts/profile_instructions.sh "$@" 2>&1; }

@test "sums of one sort for each kernel: a row of compare sorts three times" {
  run -0 profile "$BATS_TEST_TMPDIR/out" radix_v1
  run -0 cat "$BATS_TEST_TMPDIR/out/instructions.csv"
  [ "$output" = 'version,n,kernel,launches,warp_instructions
radix_v1,1000,scan_tiles,1,1200
radix_v1,1000,scatter,2,2000200' ]
}
@test "a version that cannot be profiled: exit code 3, and ncu's reason; the others are kept" {
  run -3 profile "$BATS_TEST_TMPDIR/out" radix_v9 radix_v1
  [[ $output == *"counted nothing for radix_v9"*ERR_NVGPUCTRPERM* ]]
  [ "$(grep -c '^radix_v1' "$BATS_TEST_TMPDIR/out/instructions.csv")" = 2 ]
}
@test "ncu crashes once: another try" {
  touch "$BATS_TEST_TMPDIR/crash"
  run -0 profile "$BATS_TEST_TMPDIR/out" radix_v1
  [ ! -e "$BATS_TEST_TMPDIR/crash" ]
  [ "$(grep -c '^radix_v1' "$BATS_TEST_TMPDIR/out/instructions.csv")" = 2 ]
}
@test "lines of versions that are not counted now stay, also where nothing is counted at all" {
  run -0 profile "$BATS_TEST_TMPDIR/out" radix_v1
  run -3 profile "$BATS_TEST_TMPDIR/out" radix_v2 radix_v9
  run -3 profile "$BATS_TEST_TMPDIR/out" radix_v9
  run -0 cut -d , -f 1,3 "$BATS_TEST_TMPDIR/out/instructions.csv"
  [ "$output" = 'version,kernel
radix_v1,scan_tiles
radix_v1,scatter
radix_v2,scan_tiles
radix_v2,scatter' ]
}
@test "no folder: exit code 2" {
  run -2 profile "$BATS_TEST_TMPDIR/none"
}
