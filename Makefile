# The front door: `make help` lists what it opens.
#
# Everything is built under build/CONFIGURATION, and the configuration names all that changes an
# object file, so that switching backend, architecture or options never links stale objects.

.DEFAULT_GOAL := help
VERSIONS := $(sort $(patsubst %/student_func.cu,%,$(wildcard */student_func.cu)))

# ---- options ------------------------------------------------------------------------------------
BACKEND  ?= auto   # cuda | cpu | auto: cuda where nvcc and a GPU are present
ARCH     ?= native # the GPU to compile for, e.g. sm_90; `native` asks the one in this machine
OPENCV   ?= auto   # 1 | 0 | auto; without it HW4 reads and writes Netpbm images only
SANITIZE ?= 0      # 1: AddressSanitizer and UBSan (cpu backend); on a GPU: compute-sanitizer
CHECK    ?= 0      # race | init | mem | all: watches each access of kernels (cpu backend)
override BACKEND  := $(strip $(BACKEND))
override CHECK    := $(strip $(CHECK))
override ARCH     := $(strip $(ARCH))
override OPENCV   := $(strip $(OPENCV))
override SANITIZE := $(strip $(SANITIZE))

CUDA_HOME ?= $(patsubst %/bin/nvcc,%,$(firstword $(shell command -v nvcc) $(wildcard /usr/local/cuda/bin/nvcc)))
NVCC      ?= $(if $(CUDA_HOME),$(CUDA_HOME)/bin/nvcc)
ifeq ($(BACKEND),auto)
  override BACKEND := $(if $(and $(NVCC),$(shell nvidia-smi -L 2>/dev/null)),cuda,cpu)
endif
OPENCV_INCLUDE := $(firstword $(wildcard /usr/include/opencv4 /usr/local/include/opencv4))
ifeq ($(OPENCV),auto)
  override OPENCV := $(if $(wildcard $(OPENCV_INCLUDE)/opencv2/imgcodecs.hpp),1,0)
endif
ifeq ($(filter $(BACKEND),cpu cuda),)
  $(error BACKEND is cuda, cpu or auto, not '$(BACKEND)')
endif
ifeq ($(BACKEND)$(SANITIZE),cuda1)
  $(error SANITIZE=1 goes with BACKEND=cpu; on a GPU run scripts/gpu_check.sh, which uses compute-sanitizer)
endif

ifneq ($(CHECK),0)
  ifneq ($(BACKEND)$(SANITIZE),cpu0)
    $(error CHECK=$(CHECK) goes with BACKEND=cpu and without SANITIZE=1)
  endif
endif

B := build/$(BACKEND)$(if $(filter cuda,$(BACKEND)),-$(ARCH))$(if $(filter 0,$(OPENCV)),-noopencv)$(if $(filter 1,$(SANITIZE)),-sanitize)$(if $(filter-out 0,$(CHECK)),-$(CHECK))

# ---- flags --------------------------------------------------------------------------------------
WARNINGS  := -Wall -Wextra -Werror
ifeq ($(SANITIZE),1)
  OPTIMIZE := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
else
  OPTIMIZE := -O3 -g1
endif
# -ffp-contract=off: the same scores, and so the same picture, on every machine.
HOSTFLAGS := $(OPTIMIZE) $(WARNINGS) -fopenmp -fPIC -ffp-contract=off -MMD -MP
ifeq ($(BACKEND),cpu)
  include cuda_cpu/cuda_cpu.mk
  CPPFLAGS := $(cuda_cpu_cppflags)
else
  # -iquote, not -I: otherwise the program ./compare is taken for C++'s header <compare>.
  CPPFLAGS := -iquote . -isystem $(CUDA_HOME)/include
endif
CFLAGS    := -std=c17 -D_GNU_SOURCE $(HOSTFLAGS)
CXXFLAGS  := -std=c++17 $(HOSTFLAGS)
NVCCFLAGS := -std=c++17 -O3 -arch=$(ARCH) -lineinfo -Werror all-warnings -MMD -MP \
             -Xcompiler=-iquote,.,-fPIC,-Wall,-Wextra,-Werror,-fopenmp,-ffp-contract=off
LDLIBS    := -lm $(if $(filter 1,$(OPENCV)),-lopencv_imgcodecs -lopencv_core)
# What one version alone needs: NVCCFLAGS_name, CXXFLAGS_name, LDLIBS_name, GPU_ONLY += name,
# UNAVAILABLE += name (a library is missing here)
-include $(wildcard */version.mk)
VERSIONS := $(filter-out $(UNAVAILABLE) $(if $(filter cpu,$(BACKEND)),$(GPU_ONLY)),$(VERSIONS))

ifeq ($(BACKEND),cuda)
  LINK = $(NVCC) -arch=$(ARCH) -Xcompiler=-fopenmp
  LINK_EXPORTING = $(LINK) -cudart shared -Xlinker=-rpath,$(CUDA_HOME)/lib64 -Xcompiler=-rdynamic
else
  LINK = $(CXX) $(OPTIMIZE)
  LINK_EXPORTING = $(LINK) -rdynamic
  LDLIBS += $(cuda_cpu_ldlibs)
endif

# ---- objects ------------------------------------------------------------------------------------
objects  = $(patsubst %,$(B)/%.o,$(basename $(1)))
# harness/ is a library for all programs; harness/hw4/ and harness/compare/ are the programs.
COMMON  := $(call objects,$(wildcard common/*.c)) $(cuda_cpu_objects)
HARNESS := $(call objects,$(wildcard harness/*.c harness/*.cu))
HW4     := $(call objects,$(filter-out harness/hw4/main.c,$(wildcard harness/hw4/*.c)) $(if $(filter 1,$(OPENCV)),harness/hw4/image_opencv.cpp))
COMPARE := $(call objects,$(filter-out harness/compare/main.c,$(wildcard harness/compare/*.c)))

.SECONDARY:
.DELETE_ON_ERROR:

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -DHAVE_OPENCV=$(OPENCV) $(CPPFLAGS_$(*F)) $(CFLAGS) -c $< -o $@
$(B)/%.o: %.cpp
	@mkdir -p $(@D)
	$(CXX) $(CPPFLAGS) $(if $(OPENCV_INCLUDE),-isystem $(OPENCV_INCLUDE)) $(CXXFLAGS) -c $< -o $@

ifeq ($(BACKEND),cuda)
$(B)/%.o: %.cu
	@mkdir -p $(@D)
	$(NVCC) $(NVCCFLAGS) $(NVCCFLAGS_$(firstword $(subst /, ,$*))) -c $< -o $@
endif
-include $(shell find $(B) -name '*.d' 2>/dev/null)

# Records name the commit that they are from.
COMMIT ?= $(shell git describe --always --dirty=+changes 2>/dev/null || echo unknown)
CPPFLAGS_conditions = -DCOMMIT='"$(COMMIT)"'
$(B)/harness/compare/conditions.o: $(wildcard .git/logs/HEAD)

# ---- versions -------------------------------------------------------------------------------------
# `make radix_v2` leaves ./HW4 linked with radix_v2.
.PHONY: $(VERSIONS)
$(VERSIONS): %: $(B)/%/HW4
	cp $(B)/$@/HW4 HW4
$(B)/%/HW4: $(B)/%/student_func.o $(B)/harness/hw4/main.o $(HW4) $(HARNESS) $(COMMON)
	$(LINK) $(NVCCFLAGS_$*) $^ $(LDLIBS) $(LDLIBS_$*) -o $@

# What is left of versions whose folder is gone: compare and the tests find versions by their files.
stale = $(filter-out $(VERSIONS:%=$(B)/%/$(1)),$(wildcard $(B)/*/$(1)))

# ./compare runs every version in one process: each is a shared object beside it.
$(B)/%/version.so: $(B)/%/student_func.o
	$(LINK) -shared $(if $(filter cuda,$(BACKEND)),-cudart shared) $(NVCCFLAGS_$*) $< $(LDLIBS_$*) -o $@
$(B)/compare: $(B)/harness/compare/main.o $(COMPARE) $(HW4) $(HARNESS) $(COMMON)
	$(LINK_EXPORTING) $^ $(LDLIBS) -ljansson -ldl -o $@
compare: $(B)/compare $(VERSIONS:%=$(B)/%/version.so) ## builds ./compare: all versions side by side
	@rm -f $(call stale,version.so)
	ln -sf $(B)/compare compare

# ---- tests ----------------------------------------------------------------------------------------
# Tests of cuda_cpu itself need no GPU and make no sense on one.
TEST_SOURCES := $(wildcard tests/*/test_*.c tests/*/test_*.cu $(if $(filter cpu,$(BACKEND)),cuda_cpu/tests/test_*.c cuda_cpu/tests/test_*.cu))
TESTS := $(patsubst %,$(B)/%,$(basename $(TEST_SOURCES)))
VERSION_TESTS := $(VERSIONS:%=$(B)/%/test)
# A sort that is wrong on purpose, to see HW4 say so.
$(B)/tests/sorts/wrong_sort/HW4: $(B)/tests/sorts/wrong_sort/student_func.o $(B)/harness/hw4/main.o $(HW4) $(HARNESS) $(COMMON)
	$(LINK) $^ $(LDLIBS) -o $@
$(TESTS): %: %.o $(HARNESS) $(COMMON)
	$(LINK) $^ $(LDLIBS) -lcmocka -o $@
$(filter $(B)/tests/hw4/%,$(TESTS)): $(HW4)
$(B)/tests/compare/test_parse: $(B)/harness/compare/parse.o
$(B)/tests/harness/test_verdict: LDLIBS += -Xlinker --wrap=library_sort
# It counts the device memory that a version takes.
WRAP := -Xlinker --wrap=cudaMalloc -Xlinker --wrap=cudaFree
$(B)/%/test: $(B)/%/student_func.o $(call objects,$(wildcard tests/versions/version*.c)) $(HARNESS) $(COMMON)
	$(LINK) $(NVCCFLAGS_$*) $^ $(WRAP) $(LDLIBS) $(LDLIBS_$*) -lcmocka -o $@

.PHONY: help compare setup run samples test check build_tests all_versions lint format bench bench_cpu report report_setup reproduce clean
help: ## this list
	@echo "make VERSION        builds a version and leaves ./HW4 linked with it; the versions are"
	@echo "$(VERSIONS)" | fold -s -w 80 | sed 's/^/                    /'
	@awk -F ':.*## ' '/^[a-z_]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
	@echo "Options: BACKEND=auto|cuda|cpu ARCH=native|sm_90|... OPENCV=auto|0|1 SANITIZE=0|1 CHECK=0|race|init|mem|all"
setup: ## installs what is missing
	@scripts/setup.sh
run: setup ## sets up, builds radix_v2 and runs ./HW4 on the sample image
	@$(MAKE) --no-print-directory radix_v2 samples
	./HW4 samples/portrait.ppm samples/template.ppm
test: setup ## sets up and passes all tests
	@$(MAKE) --no-print-directory check
check: build_tests ## the tests without the set-up
	@HW4_DIR=$(B) REWRITE=$(B)/rewrite scripts/run_tests.sh $(TESTS) $(wildcard tests/*/test_*.sh cuda_cpu/tests/test_*.sh) $(VERSION_TESTS)
build_tests: $(TESTS) $(VERSION_TESTS) $(B)/tests/sorts/wrong_sort/HW4 all_versions samples
build_tests: compare $(B)/tests/sorts/crash_sort/version.so
all_versions: $(VERSIONS:%=$(B)/%/HW4) ## builds HW4 with every version, under build/
	@rm -f $(call stale,HW4)
samples: samples/portrait.ppm ## draws samples/portrait.ppm and samples/template.ppm
samples/portrait.ppm: scripts/make_samples.c
	@mkdir -p samples build
	$(CC) -std=c17 -O2 $(WARNINGS) $< -o build/make_samples -lm
	build/make_samples samples
lint: ## clang-format, clang-tidy and cppcheck
	@scripts/lint.sh
format: ## rewrites the sources in the house's format
	clang-format -i $$(git ls-files '*.c' '*.h' '*.cpp' '*.cu' '*.cuh')
bench: compare ## the standard comparison; its record goes to report/results/DEVICE.json
	scripts/bench.sh
report: ## builds report/index.html from report/published and report/results; pictures by gnuplot
	@[ -d report/node_modules ] || { echo "report: 'make report_setup' installs what it needs" >&2; exit 2; }
	@node report/build.js
	@if command -v gnuplot >/dev/null; then node report/plots.js; else echo "report: no gnuplot, the SVG pictures stay as they are"; fi
report_setup: ## installs what `make report` and the page's tests need: node modules, gnuplot, Chromium
	@scripts/setup.sh $(if $(shell command -v npm),,nodejs npm) $(if $(shell command -v chromium),,chromium) gnuplot-nox
	cd report && npm ci --no-audit --no-fund
reproduce: compare samples ## the experiments of the report on this machine, resumable; 10 minutes; REPRODUCE=--full: more
	@scripts/reproduce.sh $(REPRODUCE)
bench_cpu: $(B)/cuda_cpu/bench/bench.o $(COMMON) ## measures what the cpu backend's threads cost
	$(LINK) $^ $(LDLIBS) -o bench_cpu
	./bench_cpu
clean: ## removes all that was built
	rm -rf build samples HW4 compare bench_cpu
print-%: # for scripts: the value of a variable
	@echo $($*)
