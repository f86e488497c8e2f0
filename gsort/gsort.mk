# gsort as a static library, $(B)/gsort/libgsort.a, and its tests, $(gsort_tests), for gsort/Makefile and for
# that of the repository around it. These define B, BACKEND, LINK and the rules for objects.
gsort         := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
gsort_objects := $(patsubst $(gsort)/%,$(B)/gsort/%.o,$(basename $(wildcard $(gsort)/*.c $(gsort)/way/*.cu)))
gsort_tests   := $(patsubst $(gsort)/%,$(B)/gsort/%,$(basename $(wildcard $(gsort)/tests/test_*.c $(gsort)/tests/test_*.cu)))
ifeq ($(BACKEND),cuda)
  gsort_runtime := $(CUDA_HOME)/lib64/libcudart_static.a -ldl -lrt -lpthread
else
  gsort_runtime := $(cuda_cpu_objects) $(cuda_cpu_ldlibs)
endif

$(B)/gsort/libgsort.a: $(gsort_objects)
	@rm -f $@
	$(call short,AR,$@)$(AR) rcs $@ $^
$(gsort_tests): %: %.o $(B)/gsort/libgsort.a $(cuda_cpu_objects)
	$(LINK_)$(LINK) $(filter-out $(cuda_cpu_objects),$^) $(gsort_runtime) -lcmocka -lpthread -o $@
