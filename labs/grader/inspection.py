"""Reads the source and the symbols of a submission, before anything of it runs."""

import re

from labs.check.names import without_comments

from .builder import demangled, launches, symbols
from .reach import reaches

# utils.h calls it: a name counts only if the submission's own source has it too.
ENDS = r"exit|_exit|_Exit|quick_exit|abort"


def inspect(version, source, rubric, harness):
    """(what the rubric forbids, what it could reach (reach.py), notes that cost nothing): lists of sentences.
    harness: names that a submission must not define."""
    code = without_comments(source)
    used = set(symbols(version, "--undefined-only"))
    forbidden = [text for pattern, text in rubric["forbidden"].items() if re.search(pattern, code) or any(re.search(pattern, name) for name in used)]
    # The library's sort leaves its names behind, whatever the source calls it.
    names = demangled(version)
    for pattern, text in rubric.get("forbidden_symbols", {}).items():
        if text not in forbidden and any(re.search(pattern, name) for name in names):
            forbidden.append(text)
    if rubric["needs_kernel"] and not launches(used):
        forbidden.append("launches no kernel: nothing is sorted on the device")
    own = set(symbols(version, "--defined-only", strong=True)) - {"your_sort", "sort_version"}
    replaced = sorted(own & harness)
    if replaced:
        forbidden.append("replaces functions of the harness: " + ", ".join(replaced[:4]))
    reached = reaches(version)
    if re.search(r"cuda_cpu|_ZN8cuda|__asm__\s*\(\s*\"_Z", code):  # some of them give the host access to device memory
        reached.append("names functions of the cpu backend that are not CUDA's")
    elif any("cuda_cpu11DeviceScope" in name for name in used) and not any("thrust::" in name for name in names):  # Thrust's headers use it
        reached.append("works on device memory on the host")
    return forbidden, reached, _notes(code, used)


def other_code(source):
    """A sentence, if another build than the one that sorts may have other code."""
    names = sorted(set(re.findall(r"\b(?:CUDA_CPU\w*|__SANITIZE_\w+|__CUDA_ARCH__)\b", without_comments(source))))
    return ["has other code for other builds: " + ", ".join(names)] if names else []


def _notes(code, used):
    names = sorted(name for name in used if re.fullmatch(ENDS, name) and re.search(rf"\b{name}\s*\(", code))
    notes = ["ends the program: " + ", ".join(names)] if names else []
    found = sorted(set(re.findall(r"\bPASS\b|results\.json|/proc/", code)))
    if found:
        notes.append("has in its source " + ", ".join(found))
    return notes
