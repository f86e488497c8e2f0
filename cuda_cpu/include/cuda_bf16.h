// Not supported. All parts of CUB include it too.
#error \
    "cuda_cpu has no bfloat16, and cannot run CUB, which includes it. Thrust (thrust/sort.h, thrust/scan.h) runs here."
