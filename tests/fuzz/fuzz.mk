# make fuzz: the parsers and the rewriter under libFuzzer (clang, libclang-rt-dev), then random sorts.
# FUZZ_SECONDS is the time of each; FUZZ_SEED repeats a run. A crash stays in build/fuzz/ as
# crash-*; put it into tests/fuzz/crashes/TARGET/, where `make test_all` runs it from then on.
FUZZ_SECONDS ?= 12
FUZZ_SEED    ?= $(shell od -An -N4 -tu4 /dev/urandom | tr -d ' ')
FUZZ_TARGETS := netpbm npy rewrite
FUZZ_FLAGS   := -g -O1 -std=gnu17 -D_GNU_SOURCE -DHAVE_OPENCV=0 -iquote . -Icuda_cpu/include -Wall -Wextra -Werror

build/fuzz/netpbm: tests/fuzz/fuzz_netpbm.c harness/hw4/image_netpbm.c harness/process/message.c
build/fuzz/npy: tests/fuzz/fuzz_npy.c harness/input/input_file.c harness/process/read_file.c harness/process/save_file.c harness/process/message.c
build/fuzz/rewrite: tests/fuzz/fuzz_rewrite.c $(wildcard cuda_cpu/rewrite/*)
build/fuzz/%:
	@mkdir -p $(@D)
	$(call short,FUZZ,$@)clang $(FUZZ_FLAGS) -Icuda_cpu/rewrite -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
	  $(if $(filter %rewrite,$@),$<,$(filter %.c,$^)) -lm -o $@

.PHONY: fuzz fuzz_setup fuzz_parsers fuzz_sorts
build_all_tests: $(B)/random_sorts
fuzz_setup:
	@command -v clang >/dev/null || scripts/setup.sh clang libclang-rt-dev
$(FUZZ_TARGETS:%=build/fuzz/%): | fuzz_setup
fuzz: fuzz_parsers fuzz_sorts ## random inputs for a minute: parsers, rewriter, sorts; FUZZ_SECONDS each, FUZZ_SEED
fuzz_parsers: $(FUZZ_TARGETS:%=build/fuzz/%)
	@FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_SEED=$(FUZZ_SEED) tests/fuzz/fuzz.sh $(FUZZ_TARGETS)
fuzz_sorts: $(B)/random_sorts $(VERSIONS:%=$(B)/%/version.so)
	@$(B)/random_sorts --time $(FUZZ_SECONDS) --seed $(FUZZ_SEED)
$(B)/random_sorts: $(B)/tests/fuzz/random_sorts.o $(HARNESS) $(COMMON)
	$(LINK_)$(LINK_EXPORTING) $^ $(LDLIBS) -ldl -o $@
