"""argsort() for arrays of numpy, CuPy and PyTorch: the indices that sort an array of uint32, int32 or
float32 of one dimension; equal keys keep their order. As a program it sorts an array and checks:

    LD_LIBRARY_PATH=/usr/local/lib python3 argsort.py [numpy|cupy|torch]
"""
import ctypes
import sys

import numpy

library = ctypes.CDLL("libgsort.so.1")
library.gsort_error_string.restype = ctypes.c_char_p
library.gsort_set.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int64]
library.gsort_workspace.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p]
library.gsort_run.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, *4 * [ctypes.c_void_p],
                              ctypes.c_uint64, ctypes.c_void_p]
library.gsort_destroy.argtypes = [ctypes.c_void_p]
KEY_TYPES = {"<u4": 1, "<i4": 2, "<f4": 3}  # GSORT_U32, GSORT_I32, GSORT_F32
INDEX32, DESCENDING = 4, 1  # GSORT_INDEX32, GSORT_DESCENDING


def check(error):
    if error != 0:
        raise RuntimeError("gsort: " + library.gsort_error_string(error).decode())


def argsort(keys, empty, descending=False, stream=None):
    """keys: an array on the device. empty(n): makes an array of n bytes there. The result is one of 4 n bytes."""
    about = keys.__cuda_array_interface__
    if about.get("strides") is not None or len(about["shape"]) != 1 or about["typestr"] not in KEY_TYPES:
        raise ValueError("argsort: not a contiguous array of numbers of 32 bits in one dimension")
    n = about["shape"][0]
    sort, needed = ctypes.c_void_p(), ctypes.c_size_t()
    check(library.gsort_create(ctypes.byref(sort), KEY_TYPES[about["typestr"]], INDEX32))
    try:
        check(library.gsort_set(sort, DESCENDING, int(descending)))
        check(library.gsort_workspace(sort, n, ctypes.byref(needed)))
        workspace, keys_out, order = empty(needed.value + 256), empty(4 * n), empty(4 * n)
        address = [array.__cuda_array_interface__["data"][0] for array in (workspace, keys, keys_out, order)]
        aligned = (address[0] + 255) // 256 * 256
        check(library.gsort_run(sort, aligned, needed, address[1], address[2], None, address[3], n, stream))
    finally:
        library.gsort_destroy(sort)
    return order


class DeviceBytes:
    """Device memory for numpy, which has none. The cpu backend's library contains the CUDA runtime."""
    runtime = library if hasattr(library, "cudaMalloc") else ctypes.CDLL("libcudart.so")

    def __init__(self, count, typestr="|u1", size=1):
        self.memory = ctypes.c_void_p()
        if self.runtime.cudaMalloc(ctypes.byref(self.memory), ctypes.c_size_t(count * size)) != 0:
            raise MemoryError(f"no {count * size} bytes on the device")
        self.__cuda_array_interface__ = {"data": (self.memory.value, False), "shape": (count,), "typestr": typestr}

    def __del__(self):
        self.runtime.cudaFree(self.memory)


def argsort_numpy(keys, descending=False):
    keys = numpy.ascontiguousarray(keys)
    to_host, to_device = 2, 1  # cudaMemcpyDeviceToHost, cudaMemcpyHostToDevice
    device = DeviceBytes(len(keys), keys.dtype.str, keys.itemsize)
    order = numpy.empty(len(keys), numpy.uint32)
    size = ctypes.c_size_t(keys.nbytes)
    DeviceBytes.runtime.cudaMemcpy(device.memory, ctypes.c_void_p(keys.ctypes.data), size, to_device)
    sorted_on_device = argsort(device, DeviceBytes, descending)
    DeviceBytes.runtime.cudaMemcpy(ctypes.c_void_p(order.ctypes.data), sorted_on_device.memory, size, to_host)
    return order


def main():
    keys = numpy.random.RandomState(1).randn(100000).astype(numpy.float32)
    module = sys.argv[1] if len(sys.argv) > 1 else "numpy"
    if module == "cupy":
        import cupy
        stream = cupy.cuda.get_current_stream().ptr
        order = argsort(cupy.asarray(keys), lambda n: cupy.empty(n, cupy.uint8), stream=stream)
        order = order.get().view(numpy.uint32)
    elif module == "torch":
        import torch
        stream = torch.cuda.current_stream().cuda_stream
        on_device = torch.from_numpy(keys).cuda()
        order = argsort(on_device, lambda n: torch.empty(n, dtype=torch.uint8, device="cuda"), stream=stream)
        order = order.cpu().numpy().view(numpy.uint32)
    else:
        order = argsort_numpy(keys)
    wrong = int((order != numpy.argsort(keys, kind="stable")).sum())
    print(f"{len(order)} indices, {wrong} wrong: {order[0]} .. {order[-1]}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
