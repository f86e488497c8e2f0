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
NO_VERSION := HW4 all all_versions build build_all_tests build_tests check check-lab check_all checked clean common compare compare_versions compile_commands count cpu cuda cuda_cpu debug format fuzz fuzz_parsers fuzz_setup fuzz_sorts gradescope gsort handouts harness help install_gsort labs lint multi multi_sort node_modules print prototypes report report_setup reproduce run samples scripts setup starter student_copy test test_all tests trace uninstall_gsort version
$(foreach name,$(filter $(NO_VERSION),$(VERSIONS)),$(error '$(name)' has another meaning here; rename the folder $(name)/))

# ---- options ------------------------------------------------------------------------------------
BACKEND  ?= auto   # cuda | cpu | auto: cuda where nvcc and a GPU are present
ARCH     ?= native # the GPU to compile for, e.g. sm_90; `native` asks the one in this machine
OPENCV   ?= auto   # 1 | 0 | auto; without it HW4 reads and writes Netpbm images only
SANITIZE ?= 0      # 1: AddressSanitizer and UBSan (cpu backend); on a GPU: compute-sanitizer
DEBUG    ?= 0      # 1: without optimisation, for gdb (cpu backend); make debug uses it
CHECK    ?= 0      # race | init | mem | all: watches each access of kernels (cpu backend)
COUNT    ?= 0      # 1: counts what kernels ask of memory (cpu backend); make count uses it
$(foreach o,BACKEND ARCH OPENCV SANITIZE DEBUG CHECK COUNT,$(eval override $o := $(strip $($o))))

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
ifneq ($(CHECK)$(COUNT),00)
  ifneq ($(BACKEND)$(SANITIZE),cpu0)
    $(error $(if $(filter 0,$(CHECK)),COUNT=$(COUNT),CHECK=$(CHECK)) goes with BACKEND=cpu and without SANITIZE=1)
  endif
endif

# Before the set-up there may be no compiler. These goals need none, or name what they need.
NEEDS_NO_CXX := help setup run test test_all starter student_copy gradescope handouts lint format report report_setup clean print-%
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

B := build/$(BACKEND)$(if $(filter cuda,$(BACKEND)),-$(ARCH))$(if $(filter 0,$(OPENCV)),-noopencv)$(if $(filter 1,$(SANITIZE)),-sanitize)$(if $(filter 1,$(DEBUG)),-debug)$(if $(filter-out 0,$(CHECK)),-$(CHECK))$(if $(filter 1,$(COUNT)),-count)

# A folder whose student_func.cu defines no sort_version holds CS344's own file (common/cs344).
CS344 := $(patsubst %/student_func.cu,%,$(shell grep -L 'SortVersion sort_version' $(VERSIONS:%=%/student_func.cu)))
# Warnings are errors in folders that git knows. A version that is not tracked yet, or a lab, may be half-written.
UNFINISHED := $(filter-out $(patsubst %/student_func.cu,%,$(shell git ls-files '*/student_func.cu' 2>/dev/null)),$(VERSIONS)) \
  $(patsubst %/student_func.cu,%,$(shell grep -l '\.title = "lab: ' $(VERSIONS:%=%/student_func.cu)))

# ---- flags --------------------------------------------------------------------------------------
WARNINGS  := -Wall -Wextra
version_of = $(firstword $(subst /, ,$(patsubst generated/%,%,$(patsubst $(B)/%,%,$@))))
lenient    = $(filter $(UNFINISHED),$(version_of))
WERROR     = $(if $(lenient),,-Werror)
ifeq ($(SANITIZE),1)
  # Not enum: values that CUDA does not know are errors, which the runtime reports.
  OPTIMIZE := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize=enum -fno-sanitize-recover=all
else ifeq ($(DEBUG),1)
  OPTIMIZE := -O0 -g
  $(B)/cuda_cpu/src/%.o: OPTIMIZE := -O1 -g  # cuda_cpu/tests/test_standalone.sh says why
else ifneq ($(CHECK)$(COUNT),00)
  OPTIMIZE := -O1 -g1  # but for what is watched (cuda_cpu.mk)
else
  OPTIMIZE := -O3 -g1
  # Kernels in many shapes or types, and tests, take longer to compile than to run. No CPU time of a kernel is a result.
  $(foreach part,gsort multi typed tests cuda_cpu/tests bitonic_v2 merge_v2 mppsort_v2 radix_v6 radix_v7 radix_v8,$(B)/$(part)/%.o): OPTIMIZE := -O1 -g1
endif
# -ffp-contract=off: the same scores, and so the same picture, on every machine.
# Symbols of a version and of harness/ do not meet in ./compare: harness/ exports none, and a
# version binds to its own first. gsort exports what gsort.h declares.
visibility = $(if $(filter $(B)/harness/% $(B)/gsort/%,$@),-fvisibility=hidden)
HOSTFLAGS = $(OPTIMIZE) $(WARNINGS) $(WERROR) $(visibility) -fopenmp -fPIC -ffp-contract=off -MMD -MP
ifeq ($(BACKEND),cpu)
  include cuda_cpu/cuda_cpu.mk
  CPPFLAGS := $(cuda_cpu_cppflags) $(cuda_cpu_define)
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
  LINK_EXPORTING = $(LINK) $(cuda_cpu_exporting)
  LDLIBS += $(cuda_cpu_ldlibs)
endif

# ---- objects ------------------------------------------------------------------------------------
objects  = $(patsubst %,$(B)/%.o,$(basename $(1)))
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

-include $(shell find $(B) -name '*.d' 2>/dev/null)

# ---- versions -------------------------------------------------------------------------------------
# `make radix_v2` leaves ./HW4 linked with radix_v2. If that fails there is no HW4, so that an earlier version's PASS is not taken for this one's.
$(if $(filter $(VERSIONS),$(MAKECMDGOALS)),$(shell rm -f HW4))
.PHONY: $(VERSIONS)
$(VERSIONS): %: $(B)/%/HW4
	$(call short,CP,HW4)cp $(B)/$@/HW4 HW4
# ./compare runs every version in one process: each is a shared object beside it.
$(B)/%/version.so: $(B)/%/student_func.o
	$(SO_)$(LINK) -shared -Xlinker -Bsymbolic $(if $(filter cuda,$(BACKEND)),-cudart shared) $(NVCCFLAGS_$*) $< $(LDLIBS_$*) -o $@
# Files of versions whose folder is gone: compare and the tests find versions by their files.
stale = $(filter-out $(VERSIONS:%=$(B)/%/$(1)),$(wildcard $(B)/*/$(1)))

# What each folder builds: the programs, tests, labs and the report.
-include common/cs344/cs344.mk gsort/gsort.mk harness/harness.mk labs/labs.mk tests/tests.mk tests/fuzz/fuzz.mk multi/multi.mk report/report.mk

.PHONY: help setup run samples all_versions install_gsort uninstall_gsort lint format compile_commands clean
help: ## this list
	@echo "make VERSION        builds a version and leaves ./HW4 linked with it; the versions are"
	@echo "$(VERSIONS)" | fold -s -w 80 | sed 's/^/                    /'
	@awk -F ':.*## ' '/^[a-z_-]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' $(filter %Makefile %.mk,$(MAKEFILE_LIST))
	@echo "Options: BACKEND=auto|cuda|cpu ARCH=native|sm_90|... OPENCV=auto|0|1 SANITIZE=0|1 DEBUG=0|1 CHECK=0|race|init|mem|all COUNT=0|1"
setup: ## installs what is missing
	@scripts/setup.sh
run: setup ## sets up, builds radix_v2 and runs ./HW4 on the sample image
	@$(MAKE) --no-print-directory $(firstword $(filter radix_v2 std_sort_ref,$(VERSIONS))) samples
	./HW4 samples/portrait.ppm samples/template.ppm
all_versions: $(VERSIONS:%=$(B)/%/HW4) ## builds HW4 with every version, under build/
	@rm -f $(call stale,HW4) $(call stale,sorter)
samples: samples/portrait.ppm ## samples/portrait.ppm and samples/template.ppm
samples/portrait.ppm: scripts/samples.py report/images/before.png report/images/template.png
	@scripts/samples.py
install_gsort: ## installs gsort/, the sort as a C library; PREFIX=/usr/local DESTDIR=
uninstall_gsort: ## removes it
install_gsort uninstall_gsort:
	@$(MAKE) --no-print-directory -C gsort $(@:_gsort=) BACKEND=$(BACKEND)
compile_commands: ## compile_commands.json, for clangd and editors (labs/editor.md)
	@scripts/compile_commands.py $(BACKEND)
lint: ## clang-format, clang-tidy, cppcheck, shellcheck, flake8 and prettier
	@scripts/lint.sh
format: ## formats the sources: clang-format and prettier
	@scripts/lint.sh --format
clean: ## removes everything that was built
	rm -rf build samples HW4 compare multi_sort
print-%: # for scripts: the value of a variable
	@echo $($*)
