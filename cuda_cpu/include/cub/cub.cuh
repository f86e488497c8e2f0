// Not CUB: a sentence in its place.
#error \
    "cuda_cpu cannot run CUB, which is made of a GPU's instructions. Thrust (thrust/sort.h, thrust/scan.h) runs here."
