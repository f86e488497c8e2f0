# CS344's own student_func.cu as a version.
# CS344's own files: the headers that they expect, and an adapter that makes a version of them; both
# in one object, as if it had been compiled from one file. A main() that a solution still has is not HW4's.
$(CS344:%=$(B)/%/student_func.o): $(B)/%/student_func.o: $(B)/%/solution.o $(B)/%/adapter.o
	$(LINK_)ld -r $^ -o $@ && objcopy --redefine-sym main=cs344_main $@
	@! nm -u $@ | grep -q your_sort || { echo "$*/student_func.cu defines no your_sort() with the parameters of CS344's Problem Set 4, which is not extern \"C\": is it another problem set's file?" >&2; exit 1; }
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
