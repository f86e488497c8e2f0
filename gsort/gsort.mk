# gsort as a static library, for the programs here: $(B)/gsort/libgsort.a.
gsort_sources := $(wildcard gsort/*.c gsort/way/*.cu)
gsort_objects := $(patsubst %,$(B)/%.o,$(basename $(gsort_sources)))
$(B)/gsort/libgsort.a: $(gsort_objects)
	@rm -f $@
	$(call short,AR,$@)$(AR) rcs $@ $^
$(B)/gsort/tests/test_gsort: $(B)/gsort/tests/test_gsort.o $(B)/gsort/libgsort.a $(if $(filter cpu,$(BACKEND)),$(cuda_cpu_objects))
	$(LINK_)$(LINK) $^ $(if $(filter cpu,$(BACKEND)),$(cuda_cpu_ldlibs)) -o $@
