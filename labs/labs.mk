# The labs: starters, the check, trace, debugger and handouts.
.PHONY: starter student_copy gradescope check-lab trace debug handouts

LAB_TOOLS := $(B)/labs/worker $(B)/labs/worker_without_kernels $(B)/labs/steps
LAB_WORKER := $(call objects,labs/check/worker.c labs/check/host_copies.c labs/check/host_launches.cpp harness/versions/version_check.c harness/process/message.c) $(COMMON)
LAB_LIBS    = $(filter-out -lopencv%,$(LDLIBS)) $(if $(filter cpu,$(BACKEND)),-Xlinker --wrap=_ZN8cuda_cpu8run_gridERKNS_6LaunchERKNS_10KernelCallE)
$(B)/labs/worker: $(LAB_WORKER)
	$(LINK_)$(LINK_EXPORTING) $^ $(LAB_LIBS) -o $@
$(B)/labs/worker_without_kernels: $(B)/labs/check/no_kernels.o $(LAB_WORKER)
	$(LINK_)$(LINK_EXPORTING) -Xlinker --allow-multiple-definition $^ $(LAB_LIBS) -o $@
$(B)/labs/steps: $(B)/labs/check/steps.o
	$(LINK_)$(CC) $(OPTIMIZE) $^ -o $@
# Records the arrays after each kernel: the linker puts functions of trace.c in their place.
TRACED := cudaMalloc cudaFree cudaMemset cudaMemsetAsync cudaMemcpy cudaMemcpyAsync scratch_alloc scratch_free stage_start stage_stop lab_show_host \
  _ZN8cuda_cpu6launchERKNS_6LaunchESt10unique_ptrINS_10KernelCallESt14default_deleteIS4_EE _ZN8cuda_cpu22check_pointer_argumentEPKciPKv
TRACE_OBJECTS := $(call objects,labs/check/trace.c labs/check/trace_cpu.cpp harness/versions/version_check.c harness/process/message.c)
$(B)/%/trace: $(B)/%/student_func.o $(TRACE_OBJECTS) $(COMMON)
	$(LINK_)$(LINK) $^ $(TRACED:%=-Xlinker --wrap=%) $(filter-out -lopencv%,$(LDLIBS)) $(LDLIBS_$*) -ljansson -o $@
starter: ## starter LAB=radix_v1 [NAME=mine]: a folder of a lab to be solved
	@scripts/starter.sh $(LAB) $(NAME)
student_copy: ## student_copy DEST=../course LABS="radix_v1 radix_v2": a repository for students, without solutions
	@labs/teacher/student_copy.py '$(DEST)' $(LABS)
gradescope: ## gradescope LAB=radix_v1: autograder.zip for Gradescope, under build/gradescope
	@PYTHONDONTWRITEBYTECODE=1 labs/teacher/gradescope.py '$(LAB)'
check-lab: ## check-lab V=mine: where a lab stands, step by step
	@$(if $(TRACE),$(TRACE_),scripts/check_lab.sh '$(V)')
TRACE_ = scripts/check_lab.sh '$(V)' $(if $(JSON),--trace-json '$(JSON)',--trace) $(if $(filter all,$(TRACE)),--all) \
  $(if $(KEYS),--keys '$(KEYS)') $(SET:%=--set %)
trace: ## trace V=mine [KEYS="3 1 2"] [SET=nBits=2] [TRACE=all] [JSON=FILE]: arrays after each kernel, for the handout's example
	@$(TRACE_)
debug: ## debug V=mine [K=kernel] [X=5] [BLOCK=0]: gdb in thread X of a block of a kernel (labs/debugging.md)
	@scripts/debug.sh $(V) $(K:%=--kernel %) $(X:%=--thread %) $(BLOCK:%=--block %)
handouts: ## lab sheets and handouts as HTML and PDF, under build/handouts
	@scripts/handouts.sh
