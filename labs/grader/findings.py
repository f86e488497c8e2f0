"""What right results do not show: kernels that nvcc refuses, and what a CHECK=all build finds in them (races, accesses
outside arrays, host memory). On the cpu backend; a GPU's compiler and memory refuse the first and the last by themselves."""

import os

from labs.check.make import CHECKING, nvcc_command

from . import judge, worker
from .sanitizers import N, cases, report_of


class Findings:
    """Of one submission whose sources builder.compile() has put into its folder."""

    def __init__(self, builder, student, slot):
        self._builder, self._student, self._slot = builder, student, slot

    def find(self, pairs_only, stable, right):
        """A sentence for each compiler that refuses what the plain build took, and one for a mistake in a sort of each kind.
        right: the plain build sorts right, so that a wrong result is news."""
        found = []
        if self._builder.nvcc:
            refused = self._builder.run_inside(self._student, nvcc_command(self._builder.nvcc), self._slot)
            found += [f"does not compile for a GPU: {refused}"] if refused else []
        error = self._builder.make_inside(self._student, self._slot, CHECKING)
        if error:
            return found + [f"does not compile with CHECK=all: {error}"]
        version, process, text = self._builder.take(self._student, CHECKING), None, ""
        limits = self._builder.rubric["limits"]
        try:
            # Its shadow of all memory takes address space, so that the memory is not limited.
            process = worker.Worker(self._builder.tools_of(CHECKING), version, N, limits, slot=self._slot, on_gpu=True)
            for case in cases(pairs_only):
                text = text or self._sort(process, *case, stable)
        except worker.Ended as error:
            text = str(error)
        finally:
            output = process.close() if process else ""
            os.unlink(version)
        # initcheck is left out: it also reports padding that is only copied.
        text = report_of(output, init=False) or (text if right else "")
        return found + ([f"has a mistake that CHECK=all finds: {text}"] if text else [])

    @staticmethod
    def _sort(process, kind, n, pairs, stable):
        keys, positions = judge.make_keys(kind, n, os.urandom(8).hex())
        positions = positions if pairs else None
        _, _, *outputs = process.sort(keys, positions, f"on {kind}")
        wrong = judge.fault(keys, positions, judge.right_answer(keys, positions), *outputs, stable)
        return f"{kind}, n = {n}, {'pairs' if pairs else 'bare keys'}: {wrong}" if wrong else ""
