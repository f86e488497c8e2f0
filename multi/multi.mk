# The sort across processes: `make multi` leaves ./multi_sort. Included by the Makefile.
MULTI_VERSION ?= radix_v9 # the version that sorts on each device
NCCL          ?= auto     # 1 | 0 | auto: exchange between GPUs; auto: if its header is here
override MULTI_VERSION := $(strip $(MULTI_VERSION))
override NCCL := $(strip $(NCCL))
MPICC ?= $(shell command -v mpicc)

NCCL_HEADER := $(firstword $(wildcard $(CUDA_HOME)/include/nccl.h /usr/include/nccl.h))
ifeq ($(NCCL),auto)
  override NCCL := $(if $(and $(filter cuda,$(BACKEND)),$(NCCL_HEADER)),1,0)
endif
ifeq ($(NCCL)$(BACKEND),1cpu)
  $(error NCCL=1 goes with BACKEND=cuda)
endif

# -isystem: warnings in MPI's header are not ours.
MULTI_CPPFLAGS := $(if $(MPICC),$(patsubst -I%,-isystem %,$(shell $(MPICC) --showme:compile 2>/dev/null))) -DHAVE_NCCL=$(NCCL)
MULTI_LDLIBS   := $(if $(MPICC),$(shell $(MPICC) --showme:link 2>/dev/null)) -ljansson -ldl -lpthread
ifeq ($(NCCL),1)
  MULTI_CPPFLAGS += -isystem $(dir $(NCCL_HEADER))
  MULTI_LDLIBS   += $(if $(filter $(CUDA_HOME)/%,$(NCCL_HEADER)),-L$(CUDA_HOME)/lib64 -Xlinker -rpath=$(CUDA_HOME)/lib64) -lnccl
endif
comma := ,
# nvcc has other options in place of -pthread and -Wl.
MULTI_LDLIBS := $(patsubst -Wl$(comma)%,-Xlinker %,$(filter-out -pthread,$(MULTI_LDLIBS)))

MULTI := $(call objects,$(wildcard multi/*.c multi/*.cu multi/*/*.c multi/*/*.cu))
$(call objects,$(wildcard multi/*.c multi/*/*.c)): CPPFLAGS += $(MULTI_CPPFLAGS)
ifeq ($(NCCL),1)
  $(B)/multi/sample_sort.o: NVCCFLAGS += -DHAVE_NCCL=1
endif
$(B)/$(MULTI_VERSION)/multi_sort: $(MULTI) $(B)/$(MULTI_VERSION)/student_func.o $(HARNESS) $(COMMON)
	$(LINK_)$(LINK) $(NVCCFLAGS_$(MULTI_VERSION)) $^ $(LDLIBS) $(LDLIBS_$(MULTI_VERSION)) $(MULTI_LDLIBS) -o $@

.PHONY: multi
ifneq ($(MPICC),)
multi: $(B)/$(MULTI_VERSION)/multi_sort ## builds ./multi_sort: sorts across processes, GPUs and machines (MPI, NCCL)
	$(call short,LN,multi_sort)ln -sf $< multi_sort
# Without MPI the tests of multi/ are skipped.
build_tests: multi
else
multi:
	$(error multi_sort cannot be built here: it needs MPI (mpicc); make setup installs it)
endif

# These parts need no MPI.
$(B)/tests/multi/test_splitters: $(B)/multi/split/splitters.o
$(B)/tests/multi/test_sorted_cut: $(call objects,$(addprefix multi/split/,sorted_cut.c splitters.c))
$(B)/tests/multi/test_partition: $(call objects,multi/move/partition.cu multi/split/count.cu)
$(B)/tests/multi/test_scatter: $(call objects,multi/move/scatter.cu multi/split/splitters.c multi/device/bucket_finish.cu)
$(B)/tests/multi/test_pairs: $(call objects,$(addprefix multi/,move/scatter.cu move/pair_move.cu split/splitters.c device/pair_finish.cu))
