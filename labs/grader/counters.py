"""What the kernels of a sort ask of memory, beside the bounds of a rubric: its entry "counters". Counted on the cpu
backend (cuda_cpu/count), where a time says nothing of a GPU."""

import json
import os
import re

from labs.check.make import COUNTING, make
from labs.check.names import read

from . import judge, worker
from .builder import symbols
from .steps import LIMITS

SECTOR = 32  # bytes
HIDES = r"cuda(Profiler|CreateTexture|CreateSurface)"
ATTRIBUTES = 1  # no_sanitize, in cuda_cpu/include/cuda_cpu/atomics.h
MOST_BY_HOST = 8  # bytes for each pair: tables of counts may be added up there
LEAST = 16  # bytes for each pair: a sort reads both of its words and writes them
OPERATIONS = ("load", "store", "atomic")
WHAT = {
    "bytes": "bytes for each pair",
    "launch_bytes": "bytes for each pair and launch",
    "sectors": "sectors for each load of a warp",
    "conflicts": "bank conflicts for each request of shared memory",
    "atomics": "atomics of a warp at one address",
}


class Unbelievable(Exception):
    """No sort by kernels has such counts; the message says why."""


def count(tools, build, folder, rules, limits, isolated=False, slot=0):
    """The counts of one right sort of uniform pairs by build/folder/version.so. Raises worker.Ended or Unbelievable."""
    n, version = rules["n"], f"{build}/{folder}/version.so"
    hiding = [name for name in symbols(version, "--undefined-only") if re.match(HIDES, name)]
    if hiding:
        raise Unbelievable(f"calls {hiding[0]}, which hides accesses from the counters")
    if read(f"{build}/generated/{folder}/student_func.ii").count("no_sanitize") > ATTRIBUTES:
        raise Unbelievable("keeps the compiler from watching its accesses: no_sanitize")
    case = judge.Case("uniform", n, True, os.urandom(8).hex())
    # The build's shadow of all memory takes address space, so that the memory is not limited.
    with worker.Worker(tools, version, n, limits, isolated, slot=slot, on_gpu=True, counts=True) as process:
        _, _, *outputs = process.sort(case.keys, case.positions, "while its accesses were counted")
    wrong = case.fault(*outputs, False)
    if wrong:
        raise Unbelievable(f"wrong while its accesses were counted: {wrong}")
    try:
        counts = json.loads(process.counts)
        total, by_host = _bytes(counts) / n, counts["host_copied_bytes"] / n
    except (ValueError, KeyError, TypeError):
        raise Unbelievable("its counts cannot be read") from None
    if total < LEAST:
        raise Unbelievable(f"{total:.1f} bytes for each pair were counted; a sort moves at least {LEAST}, so it hides its accesses")
    if by_host > MOST_BY_HOST:
        raise Unbelievable(f"{by_host:.1f} bytes for each pair go through the host, at most {MOST_BY_HOST}: its memory is many times slower than the device's")
    return counts


def _sum(kernel, space, unit):
    return sum(kernel[f"{space}_{operation}_{unit}"] for operation in OPERATIONS)


def _bytes(counts):
    """Of the whole sort. Thrust runs in host code, so that its warps are not known: a sector for each access."""
    sectors = counts["host_accesses"] + sum(_sum(kernel, "global", "sectors") for kernel in counts["kernels"])
    return counts["copied_bytes"] + SECTOR * sectors


def _of_kernel(counter, kernel, n):
    if counter == "launch_bytes":
        return SECTOR * _sum(kernel, "global", "sectors") / kernel["launches"] / n
    if counter == "sectors":
        return kernel["global_load_sectors"] / max(1, kernel["global_load_requests"])
    if counter == "conflicts":
        return _sum(kernel, "shared", "conflicts") / max(1, _sum(kernel, "shared", "requests"))
    return max(kernel["global_atomic_longest_queue"], kernel["shared_atomic_longest_queue"])


def compare(counts, rules):
    """For each bound whether it is kept, and a sentence with the kernel that comes closest to it."""
    found = []
    for bound in rules["bounds"]:
        counter, name = bound["counter"], bound.get("kernel")
        kernels = [kernel for kernel in counts["kernels"] if name in (None, kernel["kernel"].partition("<")[0])]
        if counter == "bytes":
            value, where = _bytes(counts) / rules["n"], "the whole sort"
        elif kernels:
            value, where = max((_of_kernel(counter, kernel, rules["n"]), kernel["kernel"]) for kernel in kernels)
        else:
            found.append((False, f"no kernel {name} was launched"))
            continue
        found.append((value <= bound["at_most"], f"{where}: {value:.4g} {WHAT[counter]}, at most {bound['at_most']:g}"))
    return found


def results(version, rubric):
    """For make check-lab: (name, right, text) of each bound."""
    if "counters" not in rubric:
        return
    build = make([COUNTING, "print-B"]).stdout.strip()
    if make([COUNTING, f"{build}/labs/worker", f"{build}/{version}/version.so"]).returncode != 0:
        yield "counts", False, "cannot be built with COUNT=1"
        return
    try:
        for kept, text in compare(count(f"{build}/labs", build, version, rubric["counters"], LIMITS), rubric["counters"]):
            yield "counts", kept, text if kept else f"{text}; make count V={version} names the lines"
    except (worker.Ended, Unbelievable) as error:
        yield "counts", False, str(error)


def grade(builder, student, slot, record):
    """The group "speed" of the record of a right sort, whose sources builder.compile() has put into its folder: each bound
    that is kept has the same share of the points."""
    rubric, points, kept = builder.rubric, builder.rubric["points"]["speed"], 0
    try:
        error = builder.make_inside(student, slot, COUNTING)
        if error:
            raise Unbelievable(f"does not compile with COUNT=1: {error}")
        build = builder.build_of(student, COUNTING)
        counts = count(builder.tools_of(COUNTING), build, "submission", rubric["counters"], rubric["limits"], True, slot)
        bounds = compare(counts, rubric["counters"])
        kept = sum(kept for kept, _ in bounds) / len(bounds)
        why = "; ".join(text for kept, text in bounds if not kept)
    except (worker.Ended, Unbelievable) as error:
        why = str(error)
        record["diagnoses"].append(why)
    record["groups"]["speed"] = {"score": round(points * kept, 2), "max": points, "why": why}
