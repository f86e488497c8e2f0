# For the tests of multi_sort, to be sourced after tests/tap.sh: mpirun's settings, and checks of runs and their
# output. Where multi_sort cannot run, the test ends here: skipped, with the reason.
# shellcheck shell=bash disable=SC2034,SC2154
if [[ ${HW4_DIR:-} == *cuda* ]]; then
  skip_all 'more ranks than GPUs; multi/measure.sh verifies on GPUs'
fi
programs=("${HW4_DIR:-build/cpu}"/*/multi_sort)
program=${programs[0]}
if ! command -v mpirun >/dev/null || [ ! -x "$program" ]; then
  skip_all 'MPI is not installed, or multi_sort is not built'
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
  skip_all 'mpirun cannot start processes here'
fi
quick=(--reps 1 --stages off --baselines off)

ranks() { run timeout 240 mpirun -n "$1" --oversubscribe "$program" "${@:2}"; } # ranks RANKS OPTION...
sorts() { # sorts NAME ROWS RANKS OPTION...: exit code 0 and this number of rows, all right
  ranks "${@:3}" "${quick[@]}"
  check "$1" is "$code $(grep -c ' PASS$' "$work/out")" "0 $2"
}
says() { # says CODE TEXT: the exit code, and the text anywhere in the output
  [ "$code" -eq "$1" ] && cat "$work/out" "$work/err" | grep -qF -- "$2"
}
refuses() { # refuses NAME TEXT RANKS OPTION...
  ranks "${@:3}" "${quick[@]}"
  check "$1" says 2 "$2"
}
fault() { # fault RANK:STEP:KIND TEXT CODE RANKS OPTION...
  MULTI_SORT_FAULT=$1 ranks "${@:4}" "${quick[@]}"
  check "fault $1 $2" says "$3" "$2"
}
