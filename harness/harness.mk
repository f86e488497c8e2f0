# The programs HW4 and compare. harness/ itself is a library for all programs.
COMMON  := $(call objects,$(wildcard common/*.c)) $(cuda_cpu_objects)
HARNESS := $(call objects,$(foreach room,input verdict measure diagnose process versions,$(wildcard harness/$(room)/*.c harness/$(room)/*.cu)))
IMAGES  := $(call objects,$(addprefix harness/hw4/,image.c image_netpbm.c red_eye.c $(if $(filter 1,$(OPENCV)),image_opencv.cpp)))
HW4     := $(call objects,$(addprefix harness/hw4/,main.c options.c session.c))
# HW4 is two programs in one file: the judge, without CUDA and without the version, holds the sorter.
# What the judge takes of harness/ and common/:
JUDGE   := $(call objects,$(filter-out harness/judge/sorter_main.c,$(wildcard harness/judge/*.c)) \
  $(wildcard harness/diagnose/*.c) $(addprefix harness/process/,exit_guard.c message.c options.c parse.c read_file.c save_file.c) \
  $(addprefix harness/,verdict/trial.c versions/version_check.c) common/check.c common/knobs.c) \
  $(filter %/wait_policy.o,$(cuda_cpu_objects))
COMPARE := $(call objects,$(filter-out harness/compare/main.c,$(wildcard harness/compare/*.c)))

# Records name the commit that they are from.
COMMIT ?= $(shell git describe --always --dirty=+changes 2>/dev/null || echo unknown)
CPPFLAGS_conditions = -DCOMMIT='"$(COMMIT)"'
$(B)/harness/measure/conditions.o: $(wildcard .git/logs/HEAD)

# ---- HW4 --------------------------------------------------------------------------------------------
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

# ---- compare ----------------------------------------------------------------------------------------
.PHONY: compare compare_versions
$(B)/compare: $(B)/harness/compare/main.o $(COMPARE) $(HARNESS) $(COMMON)
	$(LINK_)$(LINK_EXPORTING) $^ $(LDLIBS) -ljansson -ldl -o $@
# compare --image runs it; a separate program, because compare knows no images.
$(B)/red_eye_scores: $(B)/harness/hw4/scores.o $(IMAGES) $(HARNESS) $(COMMON)
	$(LINK_)$(LINK) $^ $(LDLIBS) -o $@
# What compare --type runs: gsort and the libraries for a type of keys and 4 or 8 bytes of value, harness/typed
# compiled for each as $(B)/typed/TYPE_BYTES/NAME/version.so.
# Those whose folders are there: a copy of the tree may have a part of it.
TYPED  := $(foreach sort,$(if $(wildcard gsort/gsort.mk),gsort $(if $(wildcard thrust_ref),thrust) \
  $(if $(filter cuda,$(BACKEND)),$(if $(wildcard cub_ref),cub))),\
  $(addsuffix /$(sort),$(addprefix $(B)/typed/,i32_4 f32_4 u64_4 u64_8 i64_4 i64_8 f64_4 f64_8)))
c_type  = $(patsubst u%,uint%_t,$(patsubst i%,int%_t,$(patsubst f64,double,$(patsubst f32,float,$(1)))))
TYPED_DEFINES = -DTYPED_KEY=$(call c_type,$(firstword $(subst _, ,$*))) -DTYPED_VALUE=uint$(if $(findstring _8/,$*),64,32)_t
$(foreach sort,gsort thrust cub,$(eval $(filter %/$(sort)/sort.o,$(TYPED:=/sort.o)): harness/typed/$(sort).cu))
$(TYPED:=/sort.o): $(B)/typed/%/sort.o:
	@mkdir -p $(@D)
ifeq ($(BACKEND),cuda)
	$(NVCC_)$(NVCC) $(NVCCFLAGS) $(TYPED_DEFINES) -c $< -o $@
else
	$(CXX_)$(CXX) $(CPPFLAGS) $(CXXFLAGS) $(CXXFLAGS_thrust_ref) $(TYPED_DEFINES) -c -x c++ $< -o $@
endif
# gsort is large, so that they share it. The CUDA runtime is compare's. (nvcc would expand $ORIGIN and move the archive.)
TYPED_LINK = $(SO_)$(CXX) $(OPTIMIZE) -shared -Xlinker -Bsymbolic
$(B)/typed/libgsort.so: $(B)/gsort/libgsort.a
	@mkdir -p $(@D)
	$(TYPED_LINK) -Xlinker -soname -Xlinker $(@F) -Xlinker --whole-archive $< -Xlinker --no-whole-archive -o $@
$(TYPED:=/version.so): %/version.so: %/sort.o $(B)/typed/libgsort.so
	$(TYPED_LINK) $^ -Xlinker -rpath -Xlinker '$$ORIGIN/../..' $(LDLIBS_thrust_ref) -o $@
# Without what only --type needs.
compare_versions: $(B)/compare $(B)/red_eye_scores $(VERSIONS:%=$(B)/%/version.so)
	@rm -f $(call stale,version.so)
compare: compare_versions $(TYPED:=/version.so) ## builds ./compare: all versions side by side
	$(call short,LN,compare)ln -sf $(B)/compare compare
.PHONY: count
count: ## count V="mine [radix_v1]" [N=262144] [COUNT_EXPORT=FILE.json] [LINE=84 [PICTURE=1]]: sectors, bank conflicts, idle lanes, without a GPU
	@scripts/count.sh '$(V)' '$(or $(N),262144)' '$(COUNT_EXPORT)' '$(LINE)' '$(PICTURE)'
