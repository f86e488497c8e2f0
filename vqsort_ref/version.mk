# Highway's sort comes with libhwy-dev; where it is missing, so is this version.
LDLIBS_vqsort_ref := -lhwy_contrib -lhwy
ifeq ($(wildcard /usr/include/hwy/contrib/sort/vqsort.h /usr/local/include/hwy/contrib/sort/vqsort.h),)
  UNAVAILABLE += vqsort_ref
  NEEDS_vqsort_ref := libhwy-dev
endif
