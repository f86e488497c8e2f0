"""Reads the source and the symbols of a submission, before anything of it runs."""

import re

from .builder import demangled, symbols

# Calls and definitions of a submission: shown to the teacher; they cost no points.
NOTES = {
    r"^(fork|vfork|clone|execv.*|execl.*|system|popen|posix_spawn.*)$": "starts processes",
    r"^(kill|getppid|raise|tgkill|ptrace)$": "sends signals",
    r"^(exit|_exit|_Exit|quick_exit|abort)$": "ends the program",
    r"^(pthread_create|_ZNSt6thread.*)$": "starts threads",
    r"^(fopen|fopen64|open|open64|openat|creat|unlink|opendir)$": "opens files",
    r"^(dlopen|dlsym|mmap|mprotect|process_vm_.*)$": "reaches into the process",
    r"^(close|dup2?|shutdown)$": "closes file descriptors",
    r"^(socket|connect)$": "uses the network",
}


def inspect(version, source, rubric, harness):
    """(what the rubric forbids, notes for the teacher): two lists of sentences. harness: names that a
    submission must not define."""
    code = strip_comments(source)
    used = set(symbols(version, "--undefined-only"))
    forbidden = [text for pattern, text in rubric["forbidden"].items() if re.search(pattern, code) or any(re.search(pattern, name) for name in used)]
    # The library's sort leaves names of its own behind, whatever the source calls it.
    names = demangled(version)
    for pattern, text in rubric.get("forbidden_symbols", {}).items():
        if text not in forbidden and any(re.search(pattern, name) for name in names):
            forbidden.append(text)
    if rubric["needs_kernel"] and not any("cudaLaunchKernel" in name or name.startswith("_ZN8cuda_cpu6launch") for name in used):
        forbidden.append("launches no kernel: nothing is sorted on the device")
    own = set(symbols(version, "--defined-only", strong=True)) - {"your_sort", "sort_version"}
    replaced = sorted(own & harness)
    if replaced:
        forbidden.append("replaces functions of the harness: " + ", ".join(replaced[:4]))
    return forbidden, _notes(code, used)


def _notes(code, used):
    notes = []
    for pattern, text in NOTES.items():
        # utils.h calls exit(): a name counts only if the submission's own source has it too.
        names = sorted(name for name in used if re.match(pattern, name) and ("_Z" in name or re.search(rf"\b{name.replace('64', '')}\s*\(", code)))
        if names:
            notes.append(f"{text}: {', '.join(names[:4])}")
    if re.search(r"__attribute__\s*\(\(.*constructor", code):
        notes.append("runs code in a constructor")
    found = sorted(set(re.findall(r"\bPASS\b|results\.json|/proc/|cudaMemcpyDeviceToHost", code)))
    if found:
        notes.append("has in its source " + ", ".join(found))
    return notes


def strip_comments(code):
    return re.sub(r"//[^\n]*|/\*.*?\*/", " ", code, flags=re.S)
