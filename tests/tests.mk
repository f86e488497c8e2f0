# Tests: which programs they are, how they are linked, and how they run.

# Tests of cuda_cpu itself need no GPU and make no sense on one.
TEST_SOURCES := $(wildcard tests/*/test_*.c tests/*/test_*.cu $(if $(filter cpu,$(BACKEND)),cuda_cpu/tests/test_*.c cuda_cpu/tests/test_*.cu))
TESTS := $(patsubst %,$(B)/%,$(basename $(TEST_SOURCES)))
# They ask for more than CS344's own files promise: stages, and nothing wrong at n = 0.
VERSION_TESTS := $(patsubst %,$(B)/%/test,$(filter-out $(CS344),$(VERSIONS)))
JUDGE_TESTS := $(filter $(B)/tests/judge/%,$(TESTS))
CUDA_CPU_TESTS := $(filter $(B)/cuda_cpu/%,$(TESTS))
EXAMPLES := $(if $(CUDA_CPU_TESTS),$(patsubst %.cu,$(B)/%,$(wildcard cuda_cpu/examples/*.cu)))
$(filter-out $(JUDGE_TESTS) $(CUDA_CPU_TESTS),$(TESTS)): %: %.o $(HARNESS) $(COMMON)
	$(LINK_)$(LINK) $^ $(LDLIBS) -lcmocka -o $@
$(CUDA_CPU_TESTS) $(EXAMPLES): %: %.o $(cuda_cpu_objects)
	$(LINK_)$(LINK) $^ $(cuda_cpu_ldlibs) -lcmocka -o $@
# They run sorters from their files, in place of the one that a judge holds.
$(JUDGE_TESTS): %: %.o $(filter-out %/judge/program.o,$(JUDGE))
	$(LINK_)$(CXX) $(OPTIMIZE) -fopenmp $^ -lm -lcmocka -o $@
$(filter $(B)/tests/hw4/%,$(TESTS)): $(IMAGES)
$(B)/tests/compare/test_table: $(COMPARE)
$(B)/tests/compare/test_table: LDLIBS += -ljansson -ldl
$(B)/tests/harness/test_verdict $(B)/tests/harness/test_verdict_multiset: LDLIBS += -Xlinker --wrap=library_sort
$(B)/tests/harness/test_save_file: LDLIBS += -Xlinker --wrap=open
$(B)/%/test: $(B)/%/student_func.o $(B)/tests/versions/version.o $(HARNESS) $(COMMON)
	$(LINK_)$(LINK) $(NVCCFLAGS_$*) $^ $(WRAP) $(LDLIBS) $(LDLIBS_$*) -lcmocka -o $@

# What make test leaves to make test_all, and HW4 with any version but this one.
HW4_TESTED := radix_v2
REST_TESTS := $(filter-out %/sanitize.bats,$(wildcard tests/labs/*.bats tests/cheats/*.sh tests/cs344/*.bats tests/fuzz/test_*.sh)) \
  $(addprefix tests/,multi/test_multi.sh multi/test_failures.sh report/test_report.sh scripts/count.bats scripts/profile_counts.bats scripts/reproduce.bats scripts/test_arm64.sh scripts/test_removed_barriers.sh) \
  $(wildcard gsort/tests/test_*.sh) cuda_cpu/tests/test_standalone.sh $(addprefix $(B)/tests/,compare/test_typed hw4/test_cheats judge/test_battery) \
  $(addprefix $(B)/gsort/tests/test_,runs key_ways pair_ways streams) \
  $(addprefix $(B)/cuda_cpu/tests/test_,cluster curand graphs graph_memory nested textures)

# These change the tree, so they run in a copy of it: scripts/run_tests.sh says how.
COPY_TESTS := $(wildcard tests/labs/*.bats)
# In a second build, which watches each access of kernels; test_removed_barriers.sh and check_lab.bats link it too.
ifeq ($(BACKEND)$(SANITIZE)$(DEBUG)$(CHECK)$(COUNT),cpu0000)
  CHECKED_TESTS := $(addprefix $(B)-all/cuda_cpu/tests/test_,race race_silent order cluster) $(B)-count/cuda_cpu/tests/test_count
.PHONY: checked
build_all_tests: checked
checked:
	@$(MAKE) --no-print-directory CHECK=all $(filter $(B)-all/%,$(CHECKED_TESTS)) $(B)-all/compare
	@$(MAKE) --no-print-directory COUNT=1 $(filter $(B)-count/%,$(CHECKED_TESTS)) $(B)-count/compare $(B)-count/radix_v2/version.so
endif
HERE_TESTS := $(TESTS) $(gsort_tests) $(VERSION_TESTS) $(CHECKED_TESTS) \
  $(wildcard gsort/tests/test_standalone.sh cuda_cpu/tests/test_*.sh $(filter-out $(COPY_TESTS),$(wildcard tests/*/*.bats)) tests/*/test_*.sh)
LONG_TESTS := %/test_standalone.sh %/test_arm64.sh %/test_multi.sh %/test_report.sh %/reproduce.bats $(B)/tests/hw4/% $(B)/tests/judge/%
long_first  = $(filter $(LONG_TESTS),$(1)) $(filter-out $(LONG_TESTS),$(1))
# Most tests keep one core busy. More than two at once have not been tried. One on a GPU: tests fill its memory.
TEST_JOBS   ?= $(if $(filter cuda,$(BACKEND))$(filter 1,$(shell nproc)),1,2)
# $(call run_tests,LEFT_OUT)
run_tests    = HW4_DIR=$(B) REWRITE=$(B)/rewrite EXAMPLES=$(B)/cuda_cpu/examples scripts/run_tests.sh --jobs $(TEST_JOBS) \
  $(call long_first,$(filter-out $(1),$(HERE_TESTS))) --copy $(filter-out $(1),$(COPY_TESTS))

# Unless make was given a number of jobs.
all_cores = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

.PHONY: test test_all check check_all build_tests build_all_tests
test: setup ## sets up and passes the tests of a few minutes
	@$(MAKE) --no-print-directory $(all_cores) check
test_all: setup ## sets up and passes all tests
	@$(MAKE) --no-print-directory $(all_cores) check_all
ifneq ($(and $(V),$(wildcard $(V)/student_func.cu)),)
check: check-lab
else
check: build_tests ## the tests of make test without the set-up; with V=mine: make check-lab
	@HW4_TESTED=$(HW4_TESTED) $(call run_tests,$(REST_TESTS) $(CHECKED_TESTS))
endif
check_all: build_all_tests ## the tests of make test_all without the set-up
	@$(call run_tests)
sort_programs = $(patsubst %,$(B)/tests/sorts/%/$(1),$(2))
build_tests: $(filter-out $(REST_TESTS),$(TESTS) $(gsort_tests)) $(VERSION_TESTS) $(HW4_TESTED:%=$(B)/%/HW4) compare_versions samples $(LAB_TOOLS) $(EXAMPLES)
build_tests: $(call sort_programs,HW4,crash_sort wrong cheat) $(call sort_programs,version.so,crash_sort wrong)
build_all_tests: build_tests $(TESTS) $(gsort_tests) all_versions compare $(call sort_programs,version.so,cheat)
