"""What right results do not show: kernels that nvcc refuses, and what a CHECK=all build finds in them (races, accesses
outside arrays, host memory). On the cpu backend; a GPU's compiler and memory refuse the first and the last by themselves."""

import os

from labs.check.make import CHECKING, nvcc_command

from .sanitizers import N, cases, report_of, run_sorts


def find(builder, student, slot, pairs_only, stable, right):
    """Of a submission whose sources builder.compile() has put into its folder: a sentence for each compiler that refuses
    what the plain build took, and one for a mistake in a sort of each kind. right: the plain build sorts right, so that a
    wrong result is news."""
    found = []
    if builder.nvcc:
        refused = builder.run_inside(student, nvcc_command(builder.nvcc), slot)
        found += [f"does not compile for a GPU: {refused}"] if refused else []
    error = builder.make_inside(student, slot, CHECKING)
    if error:
        return found + [f"does not compile with CHECK=all: {error}"]
    version = builder.take(student, CHECKING)
    # Its shadow of all memory takes address space, so that the memory is not limited.
    text, output = run_sorts(
        cases(pairs_only), stable, os.urandom(8).hex(), builder.tools_of(CHECKING), version, N, builder.rubric["limits"], slot=slot, on_gpu=True
    )
    os.unlink(version)
    # initcheck is left out: it also reports padding that is only copied.
    text = report_of(output, init=False) or (text if right else "")
    return found + ([f"has a mistake that CHECK=all finds: {text}"] if text else [])
