# For the tests of multi_sort, to be sourced after tests/tap.sh: mpirun's settings, `run` and checks of its
# output. Where multi_sort cannot run, the test ends here: skipped, with the reason.
# shellcheck shell=bash disable=SC2034,SC2154
if [[ ${HW4_DIR:-} == *cuda* ]]; then
  skip 'more ranks than GPUs; multi/measure.sh verifies on GPUs'
  plan
  exit
fi
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
passes() { # passes ROWS: exit code 0 and this number of rows, all right
  [ "$code" -eq 0 ] && [ "$(grep -c ' PASS$' "$work/out")" -eq "$1" ]
}
says() { # says CODE TEXT: the exit code, and the text anywhere in the output
  [ "$code" -eq "$1" ] && cat "$work/out" "$work/err" | grep -qF -- "$2"
}
sorts() { # sorts NAME ROWS RANKS OPTION...: sorts quickly, and passes
  local name=$1 rows=$2
  shift 2
  run "$@" "${quick[@]}"
  check "$name" passes "$rows"
}
refuses() { # refuses NAME TEXT RANKS OPTION...: exit code 2 and the text
  local name=$1 text=$2
  shift 2
  run "$@"
  check "$name" says 2 "$text"
}
fault() { # fault RANK:STEP:KIND TEXT CODE RANKS OPTION...
  local fault=$1 text=$2 expected=$3 ranks=$4
  shift 4
  MULTI_SORT_FAULT=$fault run "$ranks" "$@"
  check "fault $fault $text" says "$expected" "$text"
}
