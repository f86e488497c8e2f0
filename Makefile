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
override BACKEND  := $(strip $(BACKEND))
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

B := build/$(BACKEND)$(if $(filter cuda,$(BACKEND)),-$(ARCH))$(if $(filter 0,$(OPENCV)),-noopencv)$(if $(filter 1,$(SANITIZE)),-sanitize)

# ---- flags --------------------------------------------------------------------------------------
WARNINGS  := -Wall -Wextra -Werror
ifeq ($(SANITIZE),1)
  OPTIMIZE := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
else
  OPTIMIZE := -O3 -g1
endif
# -ffp-contract=off: the same scores, and so the same picture, on every machine.
HOSTFLAGS := $(OPTIMIZE) $(WARNINGS) -fopenmp -fPIC -ffp-contract=off -MMD -MP
CPPFLAGS  := -I$(B)/generated -I. $(if $(filter cpu,$(BACKEND)),-Icommon/cpu/include,-isystem $(CUDA_HOME)/include)
CFLAGS    := -std=c17 -D_GNU_SOURCE $(HOSTFLAGS)
CXXFLAGS  := -std=c++17 $(HOSTFLAGS)
NVCCFLAGS := -std=c++17 -O3 -arch=$(ARCH) -lineinfo -I. -Werror all-warnings -MMD -MP \
             -Xcompiler=-fPIC,-Wall,-Wextra,-Werror,-fopenmp,-ffp-contract=off
LDLIBS    := -lm $(if $(filter 1,$(OPENCV)),-lopencv_imgcodecs -lopencv_core)
-include $(wildcard */version.mk)   # what one version alone needs: NVCCFLAGS_name, CXXFLAGS_name, LDLIBS_name

ifeq ($(BACKEND),cuda)
  LINK = $(NVCC) -arch=$(ARCH) -Xcompiler=-fopenmp
else
  LINK = $(CXX) $(OPTIMIZE) -fopenmp
  LDLIBS += -lboost_context
endif

# ---- objects ------------------------------------------------------------------------------------
objects  = $(patsubst %,$(B)/%.o,$(basename $(1)))
MAINS   := harness/HW4.c harness/compare.c
COMMON  := $(call objects,$(wildcard common/*.c) $(if $(filter cpu,$(BACKEND)),$(filter-out common/cpu/bench.cu,$(wildcard common/cpu/*.cpp))))
HARNESS := $(call objects,$(filter-out $(MAINS),$(wildcard harness/*.c harness/*.cu)) $(if $(filter 1,$(OPENCV)),harness/image_opencv.cpp))
HEADERS := $(patsubst %,$(B)/generated/%,$(wildcard */*.cuh */*/*.cuh))

.SECONDARY:
.DELETE_ON_ERROR:

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -DHAVE_OPENCV=$(OPENCV) $(CFLAGS) -c $< -o $@
$(B)/%.o: %.cpp
	@mkdir -p $(@D)
	$(CXX) $(CPPFLAGS) $(if $(OPENCV_INCLUDE),-isystem $(OPENCV_INCLUDE)) $(CXXFLAGS) -c $< -o $@

version_of = $(firstword $(subst /, ,$(patsubst $(B)/%,%,$@)))
ifeq ($(BACKEND),cuda)
$(B)/%.o: %.cu
	@mkdir -p $(@D)
	$(NVCC) $(NVCCFLAGS) $(NVCCFLAGS_$(version_of)) -c $< -o $@
else
$(B)/rewrite: common/cpu/rewrite.c
	@mkdir -p $(@D)
	$(CC) -std=c17 -O2 $(WARNINGS) $< -o $@
$(B)/generated/%.cuh: %.cuh $(B)/rewrite
	@mkdir -p $(@D)
	$(B)/rewrite $< > $@
$(B)/generated/%.cpp: %.cu $(B)/rewrite
	@mkdir -p $(@D)
	$(B)/rewrite $< > $@
$(B)/%.o: $(B)/generated/%.cpp | $(HEADERS)
	@mkdir -p $(@D)
	$(CXX) $(CPPFLAGS) -I$(*D) $(CXXFLAGS) $(CXXFLAGS_$(version_of)) -c $< -o $@
endif
-include $(shell find $(B) -name '*.d' 2>/dev/null)

# ---- versions -------------------------------------------------------------------------------------
# `make radix_v2` leaves ./HW4 linked with radix_v2.
.PHONY: $(VERSIONS)
$(VERSIONS): %: $(B)/%/HW4
	cp $(B)/$@/HW4 HW4
$(B)/%/HW4: $(B)/%/student_func.o $(B)/harness/HW4.o $(HARNESS) $(COMMON)
	$(LINK) $(NVCCFLAGS_$*) $^ $(LDLIBS) $(LDLIBS_$*) -o $@

# ---- tests ----------------------------------------------------------------------------------------
TESTS := $(patsubst tests/%,$(B)/tests/%,$(basename $(wildcard tests/test_*.c) $(if $(filter cpu,$(BACKEND)),$(wildcard tests/test_*.cu))))
VERSION_TESTS := $(VERSIONS:%=$(B)/%/test)
$(B)/tests/test_%: $(B)/tests/test_%.o $(HARNESS) $(COMMON)
	$(LINK) $^ $(LDLIBS) -lcmocka -o $@
$(B)/%/test: $(B)/%/student_func.o $(B)/tests/version.o $(HARNESS) $(COMMON)
	$(LINK) $(NVCCFLAGS_$*) $^ $(LDLIBS) $(LDLIBS_$*) -lcmocka -o $@

.PHONY: help setup run samples test check build_tests all_versions lint format bench_cpu clean
help: ## this list
	@echo "make VERSION    builds a version and leaves ./HW4 linked with it; the versions are"
	@echo "                $(VERSIONS)" | fold -s -w 90 | sed '2,$$s/^/                /'
	@sed -n 's/^\([a-z_]*\):.*## /\1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 16 | sed 's/^/make /' | sed 's/^make \([a-z_]*\) \{5\}/make \1/'
	@echo "Options: BACKEND=auto|cuda|cpu ARCH=native|sm_90|... OPENCV=auto|0|1 SANITIZE=0|1"
setup: ## installs what is missing
	@scripts/setup.sh
run: setup ## sets up, builds radix_v2 and runs ./HW4 on the sample image
	@$(MAKE) --no-print-directory radix_v2 samples
	./HW4 samples/portrait.ppm samples/template.ppm
test: setup ## sets up and passes all tests
	@$(MAKE) --no-print-directory check
check: build_tests ## the tests without the set-up
	@scripts/run_tests.sh $(TESTS) $(VERSION_TESTS)
build_tests: $(TESTS) $(VERSION_TESTS) all_versions samples
all_versions: $(VERSIONS:%=$(B)/%/HW4) ## builds HW4 with every version, under build/
samples: samples/portrait.ppm ## draws samples/portrait.ppm and samples/template.ppm
samples/portrait.ppm: scripts/make_samples.c
	@mkdir -p samples build
	$(CC) -std=c17 -O2 $(WARNINGS) $< -o build/make_samples -lm
	build/make_samples samples
lint: ## clang-format, clang-tidy and cppcheck
	@scripts/lint.sh
format: ## rewrites the sources in the house's format
	clang-format -i $$(git ls-files '*.c' '*.h' '*.cpp' '*.cu' '*.cuh')
bench_cpu: $(B)/common/cpu/bench.o $(COMMON) ## measures what the cpu backend's threads cost
	$(LINK) $^ $(LDLIBS) -o bench_cpu
	./bench_cpu
clean: ## removes all that was built
	rm -rf build samples HW4 bench_cpu
