# Builds, tests and measures everything; `make help` lists the targets.
#
# Everything is built under build/CONFIGURATION, and the configuration names all that changes an
# object file, so that switching backend, architecture or options never links stale objects.

.DEFAULT_GOAL := help
VERSIONS := $(sort $(patsubst %/student_func.cu,%,$(wildcard */student_func.cu)))
# make splits such a name into words, none of which is a folder.
ifneq ($(filter-out $(wildcard $(VERSIONS:=/student_func.cu)),$(VERSIONS:=/student_func.cu)),)
  $(error a folder with a student_func.cu has a space in its name, which make cannot read; rename it.)
endif
# No version may have these names: targets, what `make clean` removes, folders with another use.
NO_VERSION := HW4 all all_versions bench bench_cpu build build_tests check check-lab clean common compare compile_commands cpu cuda cuda_cpu debug format fuzz fuzz_parsers fuzz_setup fuzz_sorts handouts harness help labs lint multi multi_sort node_modules print prototypes report report_setup reproduce run samples scripts setup soak starter test tests trace version
$(foreach name,$(filter $(NO_VERSION),$(VERSIONS)),$(error '$(name)' has a meaning of its own here; rename the folder $(name)/))

# ---- options ------------------------------------------------------------------------------------
BACKEND  ?= auto   # cuda | cpu | auto: cuda where nvcc and a GPU are present
ARCH     ?= native # the GPU to compile for, e.g. sm_90; `native` asks the one in this machine
OPENCV   ?= auto   # 1 | 0 | auto; without it HW4 reads and writes Netpbm images only
SANITIZE ?= 0      # 1: AddressSanitizer and UBSan (cpu backend); on a GPU: compute-sanitizer
DEBUG    ?= 0      # 1: without optimisation, for gdb (cpu backend); make debug uses it
CHECK    ?= 0      # race | init | mem | all: watches each access of kernels (cpu backend)
override BACKEND  := $(strip $(BACKEND))
override CHECK    := $(strip $(CHECK))
override ARCH     := $(strip $(ARCH))
override OPENCV   := $(strip $(OPENCV))
override SANITIZE := $(strip $(SANITIZE))
override DEBUG    := $(strip $(DEBUG))

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
ifeq ($(filter $(OPENCV),0 1),)
  $(error OPENCV is 0, 1 or auto, not '$(OPENCV)')
endif
ifeq ($(filter $(SANITIZE),0 1),)
  $(error SANITIZE is 0 or 1, not '$(SANITIZE)')
endif
ifeq ($(BACKEND)$(SANITIZE),cuda1)
  $(error SANITIZE=1 goes with BACKEND=cpu; on a GPU run scripts/gpu_check.sh, which uses compute-sanitizer)
endif

ifneq ($(filter cuda1,$(BACKEND)$(DEBUG)),)
  $(error DEBUG=1 goes with BACKEND=cpu; on a GPU use cuda-gdb)
endif
ifneq ($(CHECK),0)
  ifneq ($(BACKEND)$(SANITIZE),cpu0)
    $(error CHECK=$(CHECK) goes with BACKEND=cpu and without SANITIZE=1)
  endif
endif

# Before the set-up there may be no compiler. These goals need none, or name what they need.
NEEDS_NO_CXX := help setup run test starter handouts lint format report report_setup clean print-%
ifneq ($(filter-out $(NEEDS_NO_CXX),$(MAKECMDGOALS)),)
  ifeq ($(shell command -v $(firstword $(CXX))),)
    $(error $(CXX) is not installed here; make setup installs it and the libraries, on Debian and Ubuntu)
  endif
endif
# make takes a file or a folder without a rule for a goal that is up to date.
$(if $(filter HW4,$(MAKECMDGOALS)),$(error HW4 is built by the name of a version: make radix_v2))
$(foreach name,$(VERSIONS),$(if $(filter $(name)/,$(MAKECMDGOALS)),$(error without the slash: make $(name))))
NOT_VERSIONS := $(filter-out $(VERSIONS) multi report samples,$(patsubst %/.,%,$(wildcard $(addsuffix /.,$(MAKECMDGOALS)))))
$(if $(NOT_VERSIONS),$(error there is no $(firstword $(NOT_VERSIONS))/student_func.cu))

B := build/$(BACKEND)$(if $(filter cuda,$(BACKEND)),-$(ARCH))$(if $(filter 0,$(OPENCV)),-noopencv)$(if $(filter 1,$(SANITIZE)),-sanitize)$(if $(filter 1,$(DEBUG)),-debug)$(if $(filter-out 0,$(CHECK)),-$(CHECK))

# A folder whose student_func.cu defines no sort_version holds CS344's own file (common/cs344).
CS344 := $(patsubst %/student_func.cu,%,$(shell grep -L 'SortVersion sort_version' $(VERSIONS:%=%/student_func.cu)))
# Warnings are errors in folders that git knows. A version that is not tracked yet may be half-written.
UNTRACKED := $(filter-out $(patsubst %/student_func.cu,%,$(shell git ls-files '*/student_func.cu' 2>/dev/null)),$(VERSIONS))

# ---- flags --------------------------------------------------------------------------------------
WARNINGS  := -Wall -Wextra
version_of = $(firstword $(subst /, ,$(patsubst $(B)/%,%,$@)))
lenient    = $(filter $(UNTRACKED),$(version_of))
WERROR     = $(if $(lenient),,-Werror)
ifeq ($(SANITIZE),1)
  # Not enum: values that CUDA does not know are errors, which the runtime reports.
  OPTIMIZE := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize=enum -fno-sanitize-recover=all
else ifeq ($(DEBUG),1)
  OPTIMIZE := -O0 -g
else
  OPTIMIZE := -O3 -g1
  # Versions' kernels a second time, in their tests: these take longer to compile than to run.
  $(B)/tests/versions/%.o: OPTIMIZE := -O1 -g1
endif
# -ffp-contract=off: the same scores, and so the same picture, on every machine.
# A version's symbols and those of harness/ do not meet in ./compare: harness/ exports none, and a
# version binds to its own first.
visibility = $(if $(filter $(B)/harness/%,$@),-fvisibility=hidden)
HOSTFLAGS = $(OPTIMIZE) $(WARNINGS) $(WERROR) $(visibility) -fopenmp -fPIC -ffp-contract=off -MMD -MP
ifeq ($(BACKEND),cpu)
  include cuda_cpu/cuda_cpu.mk
  CPPFLAGS := $(cuda_cpu_cppflags)
else
  # -iquote, not -I: otherwise the program ./compare is taken for C++'s header <compare>.
  CPPFLAGS := -iquote . -isystem $(CUDA_HOME)/include
endif
CFLAGS    = -std=c17 -D_GNU_SOURCE $(HOSTFLAGS)
CXXFLAGS  = -std=c++17 $(HOSTFLAGS)
NVCCFLAGS = -std=c++17 -O3 -arch=$(ARCH) -lineinfo $(if $(lenient),,-Werror all-warnings -Xcompiler=-Werror) -MMD -MP \
            $(addprefix -Xcompiler=,$(visibility)) -Xcompiler=-iquote,.,-fPIC,-Wall,-Wextra,-fopenmp,-ffp-contract=off
LDLIBS    := -lm $(if $(filter 1,$(OPENCV)),-lopencv_imgcodecs -lopencv_core)
# A version's own needs: NVCCFLAGS_name, CXXFLAGS_name, LDLIBS_name, GPU_ONLY += name,
# UNAVAILABLE += name (a library is missing here; NEEDS_name is its package)
-include $(wildcard */version.mk)
NOT_HERE := $(UNAVAILABLE) $(if $(filter cpu,$(BACKEND)),$(GPU_ONLY))
VERSIONS := $(filter-out $(NOT_HERE),$(VERSIONS))

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
IMAGES  := $(call objects,$(addprefix harness/hw4/,image.c image_netpbm.c image_size.c red_eye.c score_progress.c $(if $(filter 1,$(OPENCV)),image_opencv.cpp)))
HW4     := $(call objects,$(addprefix harness/hw4/,main.c options.c run.c session.c timed_sort.c version_view.c))
# HW4 is two programs in one file: the judge, without CUDA and without the version, holds the sorter.
# What the judge takes of harness/ and common/:
JUDGE   := $(call objects,$(filter-out harness/judge/sorter_main.c,$(wildcard harness/judge/*.c)) \
  $(addprefix harness/,battery.c descendants.c device_backend.c diagnosis.c diagnosis_elements.c diagnosis_orders.c diagnosis_rerun.c diagnosis_shape.c diagnosis_sizes.c exit_guard.c knob_option.c message.c printable.c save_file.c trial.c version_check.c) common/check.c common/knobs.c) \
  $(filter %/wait_policy.o,$(cuda_cpu_objects))
COMPARE := $(call objects,$(filter-out harness/compare/main.c,$(wildcard harness/compare/*.c)))

# A recipe that starts with $(CC_) prints "CC file" instead of its command. V=1 prints the command, -s nothing.
short = $(if $(V),,@$(if $(findstring s,$(firstword -$(MAKEFLAGS))),,printf '%-4s %s\n' $(1) $(2);))
CC_   = $(call short,CC,$<)
CXX_  = $(call short,CXX,$(patsubst $(B)/generated/%.ii,%.cu,$<))
NVCC_ = $(call short,NVCC,$<)
LINK_ = $(call short,LINK,$@)
cuda_cpu_step = $(if $(V),,$(if $(filter CUDA,$(1)),@,$(call short,$(1),$(2))))
SO_   = $(call short,SO,$@)

.SECONDARY:
.DELETE_ON_ERROR:

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(CC_)$(CC) $(CPPFLAGS) -DHAVE_OPENCV=$(OPENCV) $(CPPFLAGS_$(*F)) $(CFLAGS) -c $< -o $@
$(B)/%.o: %.cpp
	@mkdir -p $(@D)
	$(CXX_)$(CXX) $(CPPFLAGS) $(if $(OPENCV_INCLUDE),-isystem $(OPENCV_INCLUDE)) $(CXXFLAGS) -c $< -o $@

ifeq ($(BACKEND),cuda)
$(B)/%.o: %.cu
	@mkdir -p $(@D)
	$(NVCC_)$(NVCC) $(NVCCFLAGS) $(NVCCFLAGS_$(version_of)) -c $< -o $@
endif

# CS344's own files: the headers that they expect, and an adapter that makes a version of them; both
# in one object, as if it had been compiled from one file. A main() that a solution still has is not HW4's.
$(CS344:%=$(B)/%/student_func.o): $(B)/%/student_func.o: $(B)/%/solution.o $(B)/%/adapter.o
	$(LINK_)ld -r $^ -o $@ && objcopy --redefine-sym main=cs344_main $@
$(CS344:%=$(B)/%/adapter.o): $(B)/%/adapter.o: common/cs344/adapter.c
	@mkdir -p $(@D)
	$(CC_)$(CC) $(CPPFLAGS) -DCS344_NAME='"$*"' $(CFLAGS) -c $< -o $@
ifeq ($(BACKEND),cuda)
$(B)/%/solution.o: %/student_func.cu
	@mkdir -p $(@D)
	$(NVCC_)$(NVCC) $(NVCCFLAGS) --extended-lambda -Icommon/cs344 $$(scripts/thrust_headers.sh $<) $(NVCCFLAGS_$*) -c $< -o $@
else
$(CS344:%=$(B)/generated/%/student_func.ii): CPPFLAGS += -Icommon/cs344
$(foreach v,$(filter $(VERSIONS),$(CS344)),$(eval $(B)/generated/$v/student_func.ii: CPPFLAGS += $(shell scripts/thrust_headers.sh $v/student_func.cu)))
$(B)/%/solution.o: $(B)/generated/%/student_func.ii
	@mkdir -p $(@D)
	$(CXX_)$(CXX) $(CXXFLAGS) $(CXXFLAGS_$*) $(cuda_cpu_cxxflags) $(cuda_cpu_watched) -fno-sanitize=null -Wno-unknown-pragmas -MMD -MF /dev/null -fpreprocessed -c $< -o $@ $(if $(cuda_cpu_redirect),$(cuda_cpu_redirect) $@)
endif
-include $(shell find $(B) -name '*.d' 2>/dev/null)

# Records name the commit that they are from.
COMMIT ?= $(shell git describe --always --dirty=+changes 2>/dev/null || echo unknown)
CPPFLAGS_conditions = -DCOMMIT='"$(COMMIT)"'
$(B)/harness/conditions.o: $(wildcard .git/logs/HEAD)

# ---- versions -------------------------------------------------------------------------------------
# `make radix_v2` leaves ./HW4 linked with radix_v2. If that fails there is no HW4, so that an earlier version's PASS is not taken for this one's.
$(if $(filter $(VERSIONS),$(MAKECMDGOALS)),$(shell rm -f HW4))
.PHONY: $(VERSIONS)
$(VERSIONS): %: $(B)/%/HW4
	$(call short,CP,HW4)cp $(B)/$@/HW4 HW4
# The sorter and the tests count the device memory that a version allocates.
WRAP := -Xlinker --wrap=cudaMalloc -Xlinker --wrap=cudaFree
$(B)/%/sorter: $(B)/%/student_func.o $(B)/harness/judge/sorter_main.o $(HARNESS) $(COMMON)
	$(LINK_)$(LINK) $(NVCCFLAGS_$*) $^ $(WRAP) $(filter-out -lopencv%,$(LDLIBS)) $(LDLIBS_$*) -o $@
$(B)/%/sorter_image.o: harness/judge/sorter_image.S $(B)/%/sorter
	@$(CC) -DSORTER='"$(B)/$*/sorter"' -c $< -o $@
$(B)/%/HW4: $(B)/%/sorter_image.o $(HW4) $(IMAGES) $(JUDGE)
	$(LINK_)$(CXX) $(OPTIMIZE) -fopenmp $^ $(filter-out -lboost%,$(LDLIBS)) -o $@
	@scripts/check_name.sh $@ $(notdir $*)

.PHONY: $(NOT_HERE)
$(NOT_HERE):
	$(error $@ cannot be built here: it needs $(if $(filter $@,$(UNAVAILABLE)),$(or $(NEEDS_$@),a library); make setup installs it,a GPU (BACKEND=cuda)))

# Files of versions whose folder is gone: compare and the tests find versions by their files.
stale = $(filter-out $(VERSIONS:%=$(B)/%/$(1)),$(wildcard $(B)/*/$(1)))

# ./compare runs every version in one process: each is a shared object beside it.
$(B)/%/version.so: $(B)/%/student_func.o
	$(SO_)$(LINK) -shared -Xlinker -Bsymbolic $(if $(filter cuda,$(BACKEND)),-cudart shared) $(NVCCFLAGS_$*) $< $(LDLIBS_$*) -o $@
$(B)/compare: $(B)/harness/compare/main.o $(COMPARE) $(HARNESS) $(COMMON)
	$(LINK_)$(LINK_EXPORTING) $^ $(LDLIBS) -ljansson -ldl -o $@
# compare --image runs it; a program of its own, because compare knows no images.
$(B)/red_eye_scores: $(B)/harness/hw4/scores.o $(IMAGES) $(HARNESS) $(COMMON)
	$(LINK_)$(LINK) $^ $(LDLIBS) -o $@
compare: $(B)/compare $(B)/red_eye_scores $(VERSIONS:%=$(B)/%/version.so) ## builds ./compare: all versions side by side
	@rm -f $(call stale,version.so)
	$(call short,LN,compare)ln -sf $(B)/compare compare

# ---- tests ----------------------------------------------------------------------------------------
# Tests of cuda_cpu itself need no GPU and make no sense on one.
TEST_SOURCES := $(wildcard tests/*/test_*.c tests/*/test_*.cu $(if $(filter cpu,$(BACKEND)),cuda_cpu/tests/test_*.c cuda_cpu/tests/test_*.cu))
TESTS := $(patsubst %,$(B)/%,$(basename $(TEST_SOURCES)))
# They ask for more than CS344's own files promise: stages, and nothing wrong at n = 0.
VERSION_TESTS := $(patsubst %,$(B)/%/test,$(filter-out $(CS344),$(VERSIONS)))
JUDGE_TESTS := $(filter $(B)/tests/judge/%,$(TESTS))
$(filter-out $(JUDGE_TESTS),$(TESTS)): %: %.o $(HARNESS) $(COMMON)
	$(LINK_)$(LINK) $^ $(LDLIBS) -lcmocka -o $@
# They run sorters from their files, in place of the one that a judge holds.
$(JUDGE_TESTS): %: %.o $(filter-out %/judge/program.o,$(JUDGE))
	$(LINK_)$(CXX) $(OPTIMIZE) -fopenmp $^ -lm -lcmocka -o $@
$(filter $(B)/tests/hw4/%,$(TESTS)): $(IMAGES)
$(B)/tests/compare/test_number_text: $(B)/harness/compare/number_text.o
$(B)/tests/compare/test_table: $(COMPARE)
$(B)/tests/compare/test_table: LDLIBS += -ljansson -ldl
$(B)/tests/harness/test_verdict $(B)/tests/harness/test_verdict_multiset: LDLIBS += -Xlinker --wrap=library_sort
$(B)/tests/harness/test_save_file: LDLIBS += -Xlinker --wrap=open
$(B)/%/test: $(B)/%/student_func.o $(call objects,$(wildcard tests/versions/version*.c)) $(HARNESS) $(COMMON)
	$(LINK_)$(LINK) $(NVCCFLAGS_$*) $^ $(WRAP) $(LDLIBS) $(LDLIBS_$*) -lcmocka -o $@

# What may run beside what: scripts/run_tests.sh says it. A test in none of these lists is one of ALONE_TESTS. The
# longest of a list come first, so that none of them is left over at the end; but check_lab builds on two cores, which
# it has to itself when it is the last.
TREE_TESTS  := $(wildcard tests/labs/*.bats)
TREE_TESTS  := $(filter-out %/check_lab.bats,$(TREE_TESTS)) $(filter %/check_lab.bats,$(TREE_TESTS))
APART_TESTS := $(wildcard cuda_cpu/tests/test_*.sh tests/multi/test_multi.sh tests/scripts/test_removed_barriers.sh) \
  $(filter $(B)/tests/versions/%,$(TESTS)) $(VERSION_TESTS)
ALONE_TESTS := $(filter-out $(TREE_TESTS) $(APART_TESTS),$(TESTS) $(wildcard tests/*/*.bats tests/*/test_*.sh))
LONG_TESTS  := %/test_standalone.sh %/test_multi.sh %/test_report.sh %/reproduce.bats $(B)/tests/hw4/% $(B)/tests/judge/%
long_first   = $(filter $(LONG_TESTS),$(1)) $(filter-out $(LONG_TESTS),$(1))
# Most tests keep one core busy. More than two at once have not been tried. One on a GPU: tests fill its memory.
TEST_JOBS   ?= $(if $(filter cuda,$(BACKEND))$(filter 1,$(shell nproc)),1,2)

.PHONY: help starter check-lab trace debug compile_commands handouts compare setup run samples test check build_tests all_versions lint format bench bench_cpu report report_setup reproduce clean
help: ## this list
	@echo "make VERSION        builds a version and leaves ./HW4 linked with it; the versions are"
	@echo "$(VERSIONS)" | fold -s -w 80 | sed 's/^/                    /'
	@awk -F ':.*## ' '/^[a-z_]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST)) $(wildcard tests/fuzz/fuzz.mk multi/multi.mk)
	@echo "Options: BACKEND=auto|cuda|cpu ARCH=native|sm_90|... OPENCV=auto|0|1 SANITIZE=0|1 DEBUG=0|1 CHECK=0|race|init|mem|all"
setup: ## installs what is missing
	@scripts/setup.sh
run: setup ## sets up, builds radix_v2 and runs ./HW4 on the sample image
	@$(MAKE) --no-print-directory radix_v2 samples
	./HW4 samples/portrait.ppm samples/template.ppm
test: setup ## sets up and passes all tests
	@$(MAKE) --no-print-directory check
ifneq ($(and $(V),$(wildcard $(V)/student_func.cu)),)
check: check-lab
else
check: build_tests ## the tests without the set-up; with V=mine: make check-lab
	@HW4_DIR=$(B) REWRITE=$(B)/rewrite scripts/run_tests.sh --jobs $(TEST_JOBS) $(call long_first,$(ALONE_TESTS)) \
	  --tree $(TREE_TESTS) --apart $(call long_first,$(APART_TESTS))
endif
# ---- labs ---------------------------------------------------------------------------------------
LAB_TOOLS := $(B)/labs/worker $(B)/labs/worker_without_kernels $(B)/labs/steps
$(B)/labs/worker: $(B)/labs/check/worker.o $(B)/labs/check/host_copies.o $(COMMON)
	$(LINK_)$(LINK_EXPORTING) $^ $(filter-out -lopencv%,$(LDLIBS)) -o $@
$(B)/labs/worker_without_kernels: $(B)/labs/check/no_kernels.o $(B)/labs/check/worker.o $(B)/labs/check/host_copies.o $(COMMON)
	$(LINK_)$(LINK_EXPORTING) -Xlinker --allow-multiple-definition $^ $(filter-out -lopencv%,$(LDLIBS)) -o $@
$(B)/labs/steps: $(B)/labs/check/steps.o $(B)/labs/check/reference.o
	$(LINK_)$(CC) $(OPTIMIZE) $^ -o $@
# Records the arrays after each kernel: the linker puts functions of trace.c in the place of these.
TRACED := cudaMalloc cudaFree cudaMemset cudaMemsetAsync cudaMemcpy cudaMemcpyAsync scratch_alloc scratch_free stage_start stage_stop lab_show_host \
  _ZN8cuda_cpu6launchERKNS_6LaunchESt10unique_ptrINS_10KernelCallESt14default_deleteIS4_EE _ZN8cuda_cpu22check_pointer_argumentEPKciPKv
TRACE_OBJECTS := $(call objects,labs/check/trace.c labs/check/trace_arrays.c labs/check/trace_cpu.cpp harness/knob_option.c harness/message.c harness/printable.c)
$(B)/%/trace: $(B)/%/student_func.o $(TRACE_OBJECTS) $(COMMON)
	$(LINK_)$(LINK) $^ $(TRACED:%=-Xlinker --wrap=%) $(filter-out -lopencv%,$(LDLIBS)) $(LDLIBS_$*) -ljansson -o $@
starter: ## starter LAB=radix_v1 [NAME=mine]: a folder of a lab to be solved
	@scripts/starter.sh $(LAB) $(NAME)
check-lab: ## check-lab V=mine: where a lab stands, step by step
	@$(if $(TRACE),$(TRACE_),scripts/check_lab.sh '$(V)')
TRACE_ = scripts/check_lab.sh '$(V)' $(if $(JSON),--trace-json '$(JSON)',--trace) $(if $(filter all,$(TRACE)),--all) \
  $(if $(KEYS),--keys '$(KEYS)') $(SET:%=--set %)
trace: ## trace V=mine [KEYS="3 1 2"] [SET=nBits=2] [TRACE=all] [JSON=FILE]: arrays after each kernel, for the handout's example
	@$(TRACE_)
debug: ## debug V=mine [K=kernel] [X=5] [BLOCK=0]: gdb in thread X of a block of a kernel (labs/debugging.md)
	@scripts/debug.sh $(V) $(K:%=--kernel %) $(X:%=--thread %) $(BLOCK:%=--block %)
compile_commands: ## compile_commands.json, for clangd and editors (labs/editor.md)
	@scripts/compile_commands.py $(BACKEND)
handouts: ## lab sheets and handouts as HTML and PDF, under build/handouts
	@command -v python3 >/dev/null || { echo "handouts: python3 is not installed; scripts/setup.sh python3 pandoc chromium installs all that is needed" >&2; exit 2; }
	@scripts/lab_pictures.py
	@scripts/handouts.sh
build_tests: $(LAB_TOOLS)
build_tests: $(TESTS) $(VERSION_TESTS) $(B)/tests/sorts/wrong_sort/HW4 all_versions samples
build_tests: $(B)/tests/sorts/wrong/HW4 $(B)/tests/sorts/cheat/HW4 $(B)/tests/sorts/attack/HW4 $(B)/tests/sorts/forger/HW4
build_tests: compare $(patsubst %,$(B)/tests/sorts/%/version.so,crash_sort stray_sort exit_sort cheat attack wrong)
all_versions: $(VERSIONS:%=$(B)/%/HW4) ## builds HW4 with every version, under build/
	@rm -f $(call stale,HW4) $(call stale,sorter)
samples: samples/portrait.ppm ## draws samples/portrait.ppm and samples/template.ppm
samples/portrait.ppm: scripts/make_samples.c scripts/canvas.c scripts/canvas.h harness/save_file.c harness/message.c harness/printable.c
	@mkdir -p samples build
	$(CC_)$(CC) -std=c17 -D_GNU_SOURCE -O2 -iquote . -Icuda_cpu/include $(WARNINGS) -Werror $(filter %.c,$^) -o build/make_samples -lm
	@build/make_samples samples
-include tests/fuzz/fuzz.mk
-include multi/multi.mk
lint: ## clang-format, clang-tidy, cppcheck, shellcheck and prettier
	@scripts/lint.sh
format: ## formats the sources: clang-format and prettier
	@scripts/lint.sh --format
bench: compare ## the standard comparison; its record goes to report/results/DEVICE.json
	scripts/bench.sh
report: ## builds report/index.html and report/svg from report/published and report/results
	$(if $(wildcard report/node_modules/papaparse),,$(error report: make report_setup installs the packages that it needs))
	@node report/build.js && node report/plots.js
report_setup: REPORT_PACKAGES = $(strip $(if $(shell command -v npm),,nodejs npm) $(if $(shell command -v chromium || command -v chromium-browser || command -v google-chrome),,chromium))
report_setup: ## installs what `make report` and the page's tests need: node modules, Chromium
	$(if $(REPORT_PACKAGES),@scripts/setup.sh $(REPORT_PACKAGES))
	cd report && npm ci --no-audit --no-fund
reproduce: compare samples ## the report's experiments on this machine, resumable; 10 minutes; REPRODUCE=--full: more
	@scripts/reproduce.sh $(REPRODUCE)
bench_cpu: $(B)/cuda_cpu/bench/bench.o $(COMMON) ## measures the cost of the cpu backend's threads
	$(LINK_)$(LINK) $^ $(LDLIBS) -o bench_cpu
	./bench_cpu
clean: ## removes everything that was built
	rm -rf build samples HW4 compare bench_cpu multi_sort
print-%: # for scripts: the value of a variable
	@echo $($*)
