# A folder with CS344's own, unchanged student_func.cu is a version. Built in a copy of the tree, which
# git does not know, and with the objects that the present build has.
bats_require_minimum_version 1.5.0

setup_file() {
  cd "$BATS_TEST_DIRNAME/../.." || return
  export tree=$BATS_FILE_TMPDIR/tree
  mkdir -p "$tree/build/cpu" "$tree/mine"
  cp -rp Makefile common cuda_cpu gsort harness scripts seq samples "$tree"
  cp -p --parents tests/tests.mk "$tree"
  for part in common cuda_cpu harness generated rewrite; do # none of them after make SANITIZE=1 alone
    [ ! -e "build/cpu/$part" ] || cp -rp "build/cpu/$part" "$tree/build/cpu"
  done
  cp tests/cs344/solution.cu "$tree/mine/student_func.cu"
  cp tests/cs344/solution.cu "$tree/tests_solution.cu"
}

setup() { cd "$tree" || return; }

version() { mkdir -p "$1" && cat >"$1/student_func.cu"; } # of standard input
hw4() { ./HW4 samples/portrait.ppm samples/template.ppm "$BATS_TEST_TMPDIR/out.ppm"; }

@test "it builds as it is, and sorts" {
  make -s BACKEND=cpu mine
  run -0 hw4
  [[ $output == *"mine, cpu backend"* ]]
  [[ $output == *"Your code ran in:"*"PASS"* ]]
}

@test "make test does not ask it for what CS344 does not promise" {
  run -0 make -s --no-print-directory BACKEND=cpu print-VERSION_TESTS
  [[ $output == *"/seq/test"* && $output != *"/mine/test"* ]]
}

@test "compare gives it pairs, and refuses bare keys with a sentence" {
  make -s BACKEND=cpu build/cpu/compare build/cpu/mine/version.so
  run -0 build/cpu/compare mine --n 1000 --pairs --baseline none
  [[ $output == *PASS* || $output == *mine* ]]
  run ! build/cpu/compare mine --n 1000 --keys --baseline none
  [[ $output == *"sorts pairs only"* ]]
}

@test "utils.h brings what the course's compilers did" {
  version old <<'END'
#include "utils.h"
#include <thrust/host_vector.h>
struct Pair { uint32_t key, position; };
bool operator<(const Pair &a, const Pair &b) { return a.key < b.key; }
void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos, const size_t n) {
  std::vector<unsigned int> keys(n, UINT_MAX), positions(n);
  std::vector<Pair> pairs(n);
  thrust::host_vector<unsigned int> same(thrust::device_ptr<unsigned int>(d_inputVals),
                                         thrust::device_ptr<unsigned int>(d_inputVals) + n);
  thrust::device_vector<unsigned int> again(same.begin(), same.end());  // the file does not include these
  thrust::sort(again.begin(), again.end());
  checkCudaErrors(cudaMemcpy(&keys[0], d_inputVals, 4 * n, cudaMemcpyDeviceToHost));
  checkCudaErrors(cudaMemcpy(&positions[0], d_inputPos, 4 * n, cudaMemcpyDeviceToHost));
  for (size_t i = 0; i < n; i++) pairs[i] = {keys[i], positions[i]};
  stable_sort(pairs.begin(), pairs.end());
  memset(&keys[0], 0, 4 * n);
  for (size_t i = 0; i < n; i++) { keys[i] = pairs[i].key; positions[i] = pairs[i].position; }
  printf("sorted\n");
  checkCudaErrors(cudaMemcpy(d_outputVals, &keys[0], 4 * n, cudaMemcpyHostToDevice));
  checkCudaErrors(cudaMemcpy(d_outputPos, &positions[0], 4 * n, cudaMemcpyHostToDevice));
}
END
  make -s BACKEND=cpu old
  run -0 hw4
  [[ $output == *PASS* ]]
}

@test "two consts, a line end of Windows, a main and a helper beside it build" {
  mkdir -p odd
  printf 'static int twice(int n) { return 2 * n; }\r\n' >odd/helper.h
  { printf '\357\273\277'
    cat tests_solution.cu
    cat <<'END'
#include "helper.h"
__global__ void look(const unsigned int const *a, unsigned int const *const b) {}
int main(int argc, char **argv) { return twice(argc); }
END
  } | sed 's/$/\r/' | version odd
  make -s BACKEND=cpu odd
  [ -x HW4 ]
}

@test "CUB is refused with a sentence" {
  { echo '#include <cub/cub.cuh>'; cat tests_solution.cu; } | version with_cub
  run ! make -s BACKEND=cpu with_cub
  [[ $output == *"cuda_cpu cannot run CUB"*"Thrust"* ]]
  [ "$(grep -c 'error:' <<<"$output")" -eq 1 ]
  rm -r with_cub
}

@test "the file of another problem set is named" {
  version f_ps1 <<'END'
#include "reference_calc.cpp"
#include "utils.h"
__global__ void rgba_to_greyscale(const uchar4 *const rgba, unsigned char *const grey, int rows, int cols) {}
void your_rgba_to_greyscale(const uchar4 *const h_rgbaImage, uchar4 *const d_rgbaImage,
                            unsigned char *const d_greyImage, size_t numRows, size_t numCols) {
  rgba_to_greyscale<<<1, 1>>>(d_rgbaImage, d_greyImage, numRows, numCols);
}
END
  run ! make -s BACKEND=cpu f_ps1
  [[ $output == *"f_ps1/student_func.cu defines no your_sort() with the parameters of CS344's Problem Set 4"* ]]
  [[ $output != *"undefined reference"* && ! -e HW4 ]]
  rm -r f_ps1
}

@test "a crash is reported with its cause" {
  { sed 's/your_sort/sound_sort/' tests_solution.cu
    cat <<'END'
#include <assert.h>
#include <stdlib.h>
__global__ void skip(const unsigned int *count, unsigned int *out) {
  if (count[0] != 0) out[(size_t)count[0] << 30] = 1;
}
__global__ void fill(unsigned int *flags) { flags[threadIdx.x] = 0; }
__global__ void check(const unsigned int *flags) { assert(flags[threadIdx.x] == 0); }
__global__ void part(void) {
  if (threadIdx.x < 16)
    __syncthreads();
  else
    __syncthreads();
}
__global__ void write_behind(unsigned int *out, size_t n) { out[n] = 1; }
void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos, const size_t n) {
  const char *const way = getenv("WAY");
  unsigned int *memory = NULL;
  checkCudaErrors(cudaMalloc(&memory, 2000 * sizeof *memory));
  if (strcmp(way, "unwritten") == 0) skip<<<1, 1>>>(memory, d_outputVals);
  if (strcmp(way, "barriers") == 0) part<<<1, 64>>>();
  if (strcmp(way, "checked") == 0) {
    fill<<<0, 32>>>(memory);
    checkCudaErrors(cudaGetLastError());
  }
  if (strcmp(way, "launch") == 0) {
    fill<<<1, 2000>>>(memory);
    check<<<1, 32>>>(memory);
  }
  checkCudaErrors(cudaFree(memory));
  sound_sort(d_inputVals, d_inputPos, d_outputVals, d_outputPos, n);
  if (strcmp(way, "behind") == 0) write_behind<<<1, 1>>>(d_outputVals, n);
}
END
  } | version crashes
  make -s BACKEND=cpu crashes
  WAY=unwritten run -3 hw4
  [[ $output == *"in kernel skip"*"; with zeros in new memory it is right"*"cudaMemset() is missing"* ]]
  WAY=launch run -3 hw4
  [[ $output == *"Assertion"*"; before, the launch of kernel fill<<<1, 2000>>>, more than 1024 threads"* ]]
  [[ $output != *"with zeros"* ]]
  WAY=barriers run -3 hw4
  [[ $output == *"HW4: "*"different barriers: 16 at __syncthreads, "*"the first is thread (0,0,0); 48 at __syncthreads, "* ]]
  WAY=checked run -3 hw4
  [[ $output == *"cudaGetLastError(): invalid argument (kernel fill<<<0, 32>>>, no blocks, "*"crashes/student_func.cu:"* ]]
  WAY=behind run -3 hw4
  [[ $output == *"HW4: "*"one of the sort's four arrays"*"beyond its end"* ]]
}

@test "a build that fails leaves no HW4 of an earlier one" {
  make -s BACKEND=cpu seq
  [ -x HW4 ]
  echo 'void your_sort(' | version broken
  run ! make -s BACKEND=cpu broken
  [ ! -e HW4 ]
  rm -r broken
}
