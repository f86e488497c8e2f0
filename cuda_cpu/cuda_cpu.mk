# Compiles CUDA C++ for the CPU. In another project's Makefile:
#
#   B := build
#   include path/to/cuda_cpu/cuda_cpu.mk
#   program: $(B)/program.o $(cuda_cpu_objects)
#   	$(CXX) $(CXXFLAGS) $^ $(cuda_cpu_ldlibs) -o $@
#
# Rules: $(B)/FILE.o from FILE.cu, with CXX, CPPFLAGS, CXXFLAGS and CXXFLAGS_FOLDER, where FOLDER is
# the first part of the file's path.
# Variables: cuda_cpu_objects, cuda_cpu_ldlibs, and cuda_cpu_cppflags for host code of the project
# that includes CUDA's headers. A program that loads CUDA code from shared objects is linked with
# $(cuda_cpu_exporting) too.
# If the project defines a function cuda_cpu_step(TOOL,FILE), it is put before each command, for
# example to print a short line: cuda_cpu_step = @echo $(1) $(2);
#
# The names are lower-case because make passes variables of its command line on to programs, and
# CUDA_CPU_* are settings of the programs.

cuda_cpu_default_goal := $(.DEFAULT_GOAL)

cuda_cpu := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
B        ?= build
CXXFLAGS ?= -O3 -g1
HOSTCC   ?= $(CC)# for the translator, which runs while others compile

cuda_cpu_rewrite  := $(B)/rewrite
# Rooms of src/ that are linked only with programs that use them, as an archive.
cuda_cpu_rare     := textures graphs pools clusters curand math
cuda_cpu_of       = $(patsubst $(cuda_cpu)/src/%.cpp,$(B)/cuda_cpu/src/%.o,$(wildcard $(1)))
cuda_cpu_rooms    := $(call cuda_cpu_of,$(cuda_cpu_rare:%=$(cuda_cpu)/src/%/*.cpp))
cuda_cpu_archive  := $(B)/cuda_cpu/rooms.a
cuda_cpu_objects  := $(filter-out $(cuda_cpu_rooms),$(call cuda_cpu_of,$(cuda_cpu)/src/*/*.cpp)) $(cuda_cpu_archive)
cuda_cpu_check := $(filter-out 0,$(CHECK))
ifneq ($(filter-out 0,$(COUNT)),)
  ifneq ($(COUNT)$(cuda_cpu_check),1)
    $(error COUNT is 0 or 1 and goes without CHECK)
  endif
  # count/README.md: they are counted.
  cuda_cpu_check   := count
  cuda_cpu_objects += $(patsubst $(cuda_cpu)/count/%.cpp,$(B)/cuda_cpu/count/%.o,$(wildcard $(cuda_cpu)/count/*.cpp))
  # An int4 is accessed as a whole, not member by member, and no instruction stands in the code twice for different
  # lanes. Alignment is not checked, since a call for it in a loop keeps loads in the loop that a GPU does not repeat.
  # Less optimised, the compiler takes more variables for uninitialised.
  cuda_cpu_special := -fno-tree-sra -fno-thread-jumps -Wno-maybe-uninitialized
else
  cuda_cpu_special := -fsanitize=alignment -fsanitize-recover=alignment
endif
ifneq ($(cuda_cpu_check),)
  # check/README.md: the compiler calls a function of ours for every load and store of CUDA code.
  ifeq ($(filter $(cuda_cpu_check),race init mem all count),)
    $(error CHECK is race, init, mem or all, not '$(CHECK)')
  endif
  cuda_cpu_objects += $(patsubst $(cuda_cpu)/check/%.cpp,$(B)/cuda_cpu/check/%.o,$(wildcard $(cuda_cpu)/check/*.cpp))
  cuda_cpu_watched := -O2 -g -fsanitize=thread $(cuda_cpu_special) --param tsan-distinguish-volatile=1 \
                      --param tsan-instrument-func-entry-exit=0 -Wno-tsan -fno-optimize-sibling-calls \
                      -fno-builtin-memcpy -fno-builtin-memmove -fno-builtin-memset -DCUDA_CPU_CHECK='"$(cuda_cpu_check)"'
  # Calls of them go to functions of check/hooks.cpp and host_memory.cpp. _Zn... is operator new, _Zd... delete.
  cuda_cpu_redirect := && objcopy $(foreach f,memcpy memmove memset malloc calloc realloc free \
                       _Znwm _Znam _ZdlPv _ZdaPv _ZdlPvm _ZdaPvm,--redefine-sym $f=cuda_cpu_watched_$f)
  cuda_cpu_define  := -DCUDA_CPU_CHECK='"$(cuda_cpu_check)"'
endif
# -iquote, not -I: a program called `compare` would otherwise be taken for C++'s header <compare>.
cuda_cpu_cppflags := -iquote . -I$(cuda_cpu)/include
# initial-exec: thread-local variables at the cost of a plain load, also from a shared object.
# stack-clash-protection: a large local array touches the guard page below its thread's stack.
cuda_cpu_cxxflags := -std=c++17 -fopenmp -ftls-model=initial-exec -fstack-clash-protection

# GCC's OpenMP runtime as a static library, so that src/launch/wait_policy.cpp runs before it starts; whole,
# so that shared objects with OpenMP code find all of it in the program.
cuda_cpu_libgomp := $(filter /%,$(if $(findstring clang,$(shell $(CXX) --version 2>/dev/null)),,$(shell $(CXX) -print-file-name=libgomp.a 2>/dev/null)))
ifeq ($(cuda_cpu_libgomp),)
  cuda_cpu_openmp := -fopenmp
else
  cuda_cpu_openmp := -Wl,--whole-archive $(cuda_cpu_libgomp) -Wl,--no-whole-archive
endif
cuda_cpu_exporting := -rdynamic -Wl,--whole-archive $(cuda_cpu_archive) -Wl,--no-whole-archive
# The archive once more, for objects that stand behind it.
cuda_cpu_ldlibs := $(cuda_cpu_archive) -lboost_context $(cuda_cpu_openmp) $(if $(filter count,$(cuda_cpu_check)),-ljansson) -ldl -lpthread

.DELETE_ON_ERROR:
.PRECIOUS: $(B)/generated/%.ii

$(cuda_cpu_rewrite): $(wildcard $(cuda_cpu)/rewrite/*)
	@mkdir -p $(@D)
	$(call cuda_cpu_step,CC,rewrite)$(HOSTCC) -std=c17 -D_GNU_SOURCE -O2 -Wall -Wextra $(filter %.c,$^) -o $@

# __CUDA_ARCH__ is not defined, because files with #ifdef __CUDA_ARCH__ distinguish host code from device code by it. A
# file that compares its value without such a test can only mean the device.
cuda_cpu_arch = $$(grep -Eq '^[[:blank:]]*\#[[:blank:]]*if[[:blank:](]+__CUDA_ARCH__' $(1) && echo -D__CUDA_ARCH__=900)

# The preprocessor defines what nvcc defines for a .cu file and not for a .cpp file, and what makes
# cuda_runtime.h leave the rewriter's words.
cuda_cpu_nvcc := -D__CUDACC__ -D__NVCC__ -D__CUDACC_VER_MAJOR__=12 -D__CUDACC_VER_MINOR__=0 -D__CUDACC_VER_BUILD__=0 -DCUDA_CPU_REWRITE

# Preprocessed, then rewritten, then compiled. The dependencies are the first step's.
# -fno-sanitize=null: Thrust's headers bind null references, which UBSan would stop at; AddressSanitizer
# finds accesses through null. -Wno-ignored-attributes: an aligned __shared__ array is named as a template's argument.
cuda_cpu_flags = $(cuda_cpu_cppflags) $(CPPFLAGS) -I$(*D) $(cuda_cpu_cxxflags) $(CXXFLAGS) -fno-sanitize=null -Wno-unknown-pragmas -Wno-ignored-attributes \
                 $(cuda_cpu_watched) $(CXXFLAGS_$(firstword $(subst /, ,$*)))
$(B)/generated/%.ii: %.cu $(cuda_cpu_rewrite)
	@mkdir -p $(@D) $(dir $(B)/$*)
	$(call cuda_cpu_step,CUDA,$<)$(CXX) $(cuda_cpu_flags) $(call cuda_cpu_arch,$<) $(cuda_cpu_nvcc) -include cuda_runtime.h -MMD -MP -MF $(B)/$*.d -MT $@ \
	  -E -x c++ $< -o $@.unrewritten
	$(call cuda_cpu_step,CUDA,$<)$(cuda_cpu_rewrite) $@.unrewritten > $@.rewritten && mv $@.rewritten $@ && rm $@.unrewritten
$(B)/%.o: $(B)/generated/%.ii
	@mkdir -p $(@D)
	$(call cuda_cpu_step,CXX,$*.cu)$(CXX) $(cuda_cpu_flags) -MMD -MF /dev/null -fpreprocessed -c $< -o $@ $(if $(cuda_cpu_redirect),$(cuda_cpu_redirect) $@)
# A section by which src/launch/preempt.cpp tells these functions from kernels.
$(B)/cuda_cpu/%.o: $(cuda_cpu)/%.cpp
	@mkdir -p $(@D)
	$(call cuda_cpu_step,CXX,$<)$(CXX) $(cuda_cpu_cppflags) $(cuda_cpu_define) $(CPPFLAGS) $(cuda_cpu_cxxflags) $(CXXFLAGS) -MMD -MP -c $< -o $@ \
	  && objcopy $$(objdump -h $@ | awk '$$2 ~ /^\.text/ { print "--rename-section " $$2 "=cuda_cpu_text" }') $@

$(cuda_cpu_archive): $(cuda_cpu_rooms)
	$(call cuda_cpu_step,AR,$@)rm -f $@ && $(AR) rcs $@ $^

-include $(patsubst %.o,%.d,$(filter %.o,$(cuda_cpu_objects)) $(cuda_cpu_rooms))

# The project's first rule remains its default goal.
.DEFAULT_GOAL := $(cuda_cpu_default_goal)
