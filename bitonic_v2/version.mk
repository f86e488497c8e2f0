# g++ -O3 takes a minute for its unrolled networks, three times as long as -O1; no CPU time of a kernel is a result.
ifeq ($(BACKEND)$(SANITIZE)$(DEBUG),cpu00)
  $(B)/bitonic_v2/student_func.o: OPTIMIZE := -O1 -g1
endif
