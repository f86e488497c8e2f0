"""Calls make. Only this module knows the names of the repository's tools and how they are built."""

import re
import subprocess

CHECKING, COUNTING = "CHECK=all", "COUNT=1"  # options for builds that watch each access of kernels


def make(goals, **options):
    command = ["make", "-s", "--no-print-directory", "-j2"] + [f"{name}={value}" for name, value in options.items()] + goals
    return subprocess.run(command, capture_output=True, text=True)


def make_value(name, **options):
    """The value of a variable of the Makefile."""
    return make([f"print-{name}"], **options).stdout.strip()


def first_error(done):
    """The first line of a failed build that names an error."""
    return (re.findall(r"(?m)^.*\berror\b.*", done.stderr) or done.stderr.splitlines() or ["the build failed"])[0]


def is_gpu_build(build):
    return build.startswith("build/cuda")


def variables_of(build):
    """The options of make that lead to this build folder again."""
    variables = ["BACKEND=" + ("cuda" if is_gpu_build(build) else "cpu"), "OPENCV=" + ("0" if "-noopencv" in build else "1")]
    match = re.match(r"build/cuda-([a-z0-9_]+?)(-|$)", build)
    return variables + ([f"ARCH={match[1]}"] if match else [])


def nvcc_command(nvcc):
    """nvcc's front end, which refuses what no GPU runs, without code for a GPU: some seconds."""
    options = ["-std=c++17", "-arch=sm_90", "-rdc=true", "--extended-lambda", "-w", "-allow-unsupported-compiler", "-Icommon/cs344", "-Xcompiler=-iquote,."]
    return [nvcc, "-ptx", *options, "submission/student_func.cu", "-o", "student_func.ptx"]
