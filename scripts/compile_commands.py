#!/usr/bin/env python3
"""Writes compile_commands.json, from which clangd, and so an editor, knows how each source is compiled.

  scripts/compile_commands.py [cpu|cuda]

A .cu file is parsed by clang's CUDA mode with the headers of cuda_cpu, on a machine without a toolkit too. The backend
chooses the side of `#ifdef CUDA_CPU`. Called by make compile_commands. Not covered: cub_ref and cub_merge_ref, whose
library needs NVIDIA's own headers."""

import json
import os
import subprocess
import sys

from replace_file import replace_file

CUDA = ["-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib", "-std=c++17", "-Wno-unknown-cuda-version"]
SHIM = ["-include", "labs/editor/clangd_cuda.h"]
COMMON = ["-Wall", "-Wextra", "-iquote", ".", "-Icuda_cpu/include"]
C = ["-std=c17", "-D_GNU_SOURCE", "-DHAVE_OPENCV=1", '-DCOMMIT="unknown"', '-DCS344_NAME="mine"']
CPP = ["-std=c++17", "-isystem", "/usr/include/opencv4"]


def make_values(names):
    """The values of make's variables, a list of words each."""
    command = ["make", "-s", "--no-print-directory", "-j1", "BACKEND=cpu"] + [f"print-{name}" for name in names]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return {name: line.split() for name, line in zip(names, lines)}


def sources():
    """Files that git knows or would take, so that a student's new folder is among them."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.c", "*.cpp", "*.cu", "*.cuh"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 0:
        return [path for path in done.stdout.splitlines() if os.path.exists(path)]
    found = [os.path.join(folder, name)[2:] for folder, _, names in os.walk(".") for name in names]
    return [path for path in found if path.endswith((".c", ".cpp", ".cu", ".cuh")) and not path.startswith("build/")]


def main():
    backend = sys.argv[1] if len(sys.argv) > 1 else "cpu"
    if backend not in ("cpu", "cuda"):
        sys.exit("compile_commands: the backend is cpu or cuda")
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    paths = sources()
    kernels = [path for path in paths if path.endswith("/student_func.cu") and path.count("/") == 1]
    folders = sorted({path.split("/")[0] for path in kernels})
    known = make_values(["CS344", "GPU_ONLY"] + [f"CXXFLAGS_{folder}" for folder in folders])
    entries = []
    for path in sorted(paths):
        folder = path.split("/")[0]
        if folder in known["GPU_ONLY"]:
            continue
        compiler = "clang" if path.endswith(".c") else "clang++"
        if path.endswith(".c"):
            flags = C + COMMON
        elif path.endswith(".cpp"):
            flags = CPP + COMMON
        else:
            flags = CUDA + COMMON + ["-I" + os.path.dirname(path)] + known.get(f"CXXFLAGS_{folder}", [])
            flags += ["-Icommon/cs344"] if folder in known["CS344"] or path.startswith("tests/cs344/") else []
            flags += (["-DCLANGD_GPU"] if backend == "cuda" else []) + SHIM
        entries.append({"directory": os.getcwd(), "file": path, "arguments": [compiler, *flags, "-c", path]})
    with replace_file("compile_commands.json") as file:
        json.dump(entries, file, indent=1)
        file.write("\n")
    print(f"compile_commands.json: {len(entries)} files, {backend} backend")


if __name__ == "__main__":
    main()
