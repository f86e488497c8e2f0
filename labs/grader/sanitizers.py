"""The checking builds of a version: on the cpu backend accesses (CHECK=all) and racecheck (threads in another order), or
for a sort on the host memcheck (ASan), each as a worker with a few sorts; on a GPU the tools of compute-sanitizer."""

import re

from labs.check import sanitize
from labs.check.make import first_error, is_gpu_build, make, make_value

from . import judge, worker

LIMITS = {"seconds": 30, "memory_mb": 0, "processes": 0, "file_mb": 16, "output_kb": 1024}
N, KIND_N = 4097, 1025  # of several blocks; soon sorted by a build that watches each access
CHECKS = {
    "accesses": ({"CHECK": "all"}, {}),
    "memcheck": ({"SANITIZE": 1}, {"ASAN_OPTIONS": "detect_leaks=0"}),
    "racecheck": ({}, {"CUDA_CPU_RACECHECK": "1"}),  # the threads of a block in another order
}


def sanitizers(version, build, pairs_only, stable, knobs, *, on_host=False):
    """Named results: (name, right, text), on a GPU with a state where a tool did not run."""
    if is_gpu_build(build):
        yield from sanitize.results(version, build, make, pairs_only)
        return
    for name in ["memcheck"] if on_host else ["accesses", "racecheck"]:
        found = watch(name, version, cases(pairs_only), stable, knobs)
        yield name, not found, found or "nothing found"
        if found:
            return


def cases(pairs_only):
    return [("uniform", N, True)] + [("uniform", N, False)] * (not pairs_only) + [(kind, KIND_N, True) for kind in judge.KINDS]


def watch(name, version, sorts, stable, knobs=""):
    """The first mistake that a checking build finds in these sorts, or an empty text. knobs: settings for one sort more.
    stable: None for a sort that is not finished, whose results are not compared."""
    options, settings = CHECKS[name]
    build = make_value("B", **options)
    done = make([f"{build}/labs/worker", f"{build}/{version}/version.so"], **options)
    if done.returncode != 0:
        return "cannot be built: " + first_error(done)
    for setting, group in ((knobs, [sorts[0]]), ("", sorts)) if knobs else (("", sorts),):
        environment = {**settings, "LAB_SET": setting}
        text, output = run_sorts(group, stable, 0, f"{build}/labs", f"{build}/{version}/version.so", N, LIMITS, isolated=False, settings=environment)
        found = report_of(output) or text
        if found:
            return found
    return ""


def run_sorts(sorts, stable, seed, *arguments, **options):
    """(the first wrong sort, or how the worker ended; its output) of a worker with these arguments."""
    process, text = None, ""
    try:
        process = worker.Worker(*arguments, **options)
        for kind, n, pairs in sorts:
            case = judge.Case(kind, n, pairs, seed)
            _, _, *outputs = process.sort(case.keys, case.positions, f"on {kind}, n = {n}")
            wrong = stable is not None and case.fault(*outputs, stable)
            if wrong:
                text = f"{case.text}: {wrong}"
                break
    except worker.Ended as error:
        text = str(error)
    return text, process.close() if process else ""


def report_of(output, *, init=True):
    """What a checking build wrote of the first mistake: the sentence, and the kernel and lines below it. A read of what was
    never written may be what a race leaves, so that it comes last."""
    for kinds in ("race|mem|sync", "init") if init else ("race|mem|sync",):
        found = re.search(rf"^({kinds})check: error: .*(\n  in kernel .*)?", output, re.M)
        if found:
            text = re.sub(r"\s+", " ", found[0])[:600]
            same = re.search(r"write at (\S+).* and write at \1 ", text)
            return text + ("; do these two compute the same place to write to?" if same else "")
    found = re.search(r"(AddressSanitizer: .*?) on address|runtime error: .*", output)
    place = re.search(r"\b\w+/student_func\.cu:\d+", output)
    text = f"{found[1] or found[0]}{' at ' + place[0] if place else ''}" if found else ""
    return text.replace("buffer-overflow", "buffer-overflow, an access outside its array,")
