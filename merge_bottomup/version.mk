# Kernels that launch kernels: relocatable device code, and the device's own runtime library.
ifeq ($(BACKEND),cuda)
  NVCCFLAGS_merge_bottomup := -rdc=true
  LDLIBS_merge_bottomup    := -lcudadevrt
endif
