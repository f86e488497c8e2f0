"""The checking builds of a version: on the cpu backend memcheck (ASan), accesses (CHECK=all) and racecheck
(threads in another order); on a GPU the tools of compute-sanitizer."""

import os
import re
import subprocess
import tempfile

from labs.check import sanitize

from .make import is_gpu_build, make, make_value

SECONDS = 300  # for a run under a tool
SMALL = ["samples/small.ppm", "samples/small_template.ppm"]


def sanitizers(version, build):
    """Named results: (name, right, text), on a GPU with a state where a tool did not run."""
    if is_gpu_build(build):
        with open(f"{version}/student_func.cu", encoding="utf-8") as file:
            pairs_only = "sort_version" not in file.read()
        yield from sanitize.results(version, build, make, pairs_only)
        return
    if not os.path.exists("samples/portrait.ppm"):
        return
    make_small(SMALL)
    for name, options, environment in (
        ("memcheck", {"SANITIZE": 1}, {}),
        ("accesses", {"CHECK": "all"}, {}),
        ("racecheck", {}, {"CUDA_CPU_RACECHECK": "1"}),  # the threads of a block in another order
    ):
        if "CHECK" in options and not has_checking_build():
            continue
        folder = make_value("B", **options)
        if make([f"{folder}/{version}/HW4"], **options).returncode != 0:
            yield name, False, "cannot be built"
            continue
        yield run_hw4(name, [f"{folder}/{version}/HW4"], environment)


def run_hw4(name, command, environment):
    """(name, right, text) of HW4 on a corner of the sample image."""
    with tempfile.TemporaryDirectory() as output:
        try:
            command = command + [*SMALL, output + "/out.ppm"]
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, env={**os.environ, **environment})
        except subprocess.TimeoutExpired:
            return name, False, f"did not end within {SECONDS} s"
    if done.returncode == 0:
        return name, True, "nothing found"
    texts = [line for line in (done.stderr + done.stdout).splitlines() if re.search("[Ee]rror|ERROR|check|race|FAIL", line)]
    return name, False, (texts or ["failed"])[0][:600]  # a race names two accesses


def has_checking_build():
    """Does the Makefile know CHECK=all, which watches each access of the kernels?"""
    with open("Makefile", encoding="utf-8") as file:
        return re.search(r"^CHECK +[?]=", file.read(), re.M) is not None


def make_small(paths):
    """A corner of the sample image, so that a slow build of the sort ends soon."""
    if all(os.path.exists(path) for path in paths):
        return
    for source, path, width, height in (("portrait", paths[0], 96, 64), ("template", paths[1], 0, 0)):
        with open(f"samples/{source}.ppm", "rb") as file:
            data = file.read()
        match = re.match(rb"P6\s+(?:#.*\s+)*(\d+)\s+(\d+)\s+255\s", data)
        columns, rows = int(match[1]), int(match[2])
        width, height = min(width or columns, columns), min(height or rows, rows)
        pixels = data[match.end() :]
        part = b"".join(pixels[3 * columns * y : 3 * (columns * y + width)] for y in range(height))
        with open(path, "wb") as file:
            file.write(b"P6\n%d %d\n255\n" % (width, height) + part)
