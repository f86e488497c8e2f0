"""Times a submission beside the reference, alternately, with new inputs each time; the clock is in this process."""

import os
import statistics

from . import judge, sandbox, worker
from .builder import REFERENCE_SLOT

SLOT = 98
ATTEMPTS = 3  # of a submission without full points for speed, so that none loses points by the load of the machine


def time_beside_reference(tools, reference, version, rubric, on_gpu):
    """{"reference": [s], "submission": [s]}, one time per turn. Raises worker.Ended if a sort fails or is wrong."""
    rules = rubric["speed"]
    n = rules["n"] if on_gpu else rules.get("n_cpu", rules["n"])
    seconds = {"reference": [], "submission": []}
    pair, earlier = {}, []
    try:
        for name, path, slot in (("reference", reference, REFERENCE_SLOT), ("submission", version, SLOT)):
            pair[name] = worker.Worker(tools, path, n, rubric["limits"], slot=slot, on_gpu=on_gpu)
        for turn in range(rules["reps"] + 1):
            case = judge.Case("uniform", n, True, os.urandom(8).hex())
            for name, process in pair.items():
                taken, _, *outputs = process.sort(case.keys, case.positions)
                wrong = case.fault(*outputs, rubric["stable"], earlier)
                if wrong:
                    raise worker.Ended(f"{name}, while it was timed: {wrong}")
                if turn > 0:  # the first is the warm-up
                    seconds[name].append(taken)
            earlier = [case.expected]
    finally:
        for process in pair.values():
            process.close()
        sandbox.end(SLOT)
    return seconds


def time_record(grader, record):
    """Adds the group "speed" to a record, if the rubric has it."""
    points = grader.rubric["points"].get("speed")
    if points is None or "speed" in record["groups"]:
        return
    rules, score, why = grader.rubric["speed"], 0, ""
    if not record["right"]:
        record["groups"]["speed"] = {"score": 0, "max": points, "why": "only a sort that is right is timed"}
        return
    ratio, times = None, {}
    try:
        for _ in range(ATTEMPTS):
            seconds = time_beside_reference(grader.builder.tools, grader.builder.reference, record["version"], grader.rubric, grader.builder.on_gpu)
            # Of each turn by itself: a load that comes or goes between turns is in both of its times.
            again = statistics.median(own / other for own, other in zip(seconds["submission"], seconds["reference"]))
            if ratio is None or again < ratio:
                ratio, times = again, {name: statistics.median(values) for name, values in seconds.items()}
            if ratio <= rules["full_until"]:
                break
        score = points * min(1, rules["full_until"] / ratio)
        record["speed"] = {"backend": "a GPU" if grader.builder.on_gpu else "the cpu backend", "ms": round(times["submission"] * 1e3, 2), "reference_ms": round(times["reference"] * 1e3, 2), "ratio": round(ratio, 3)}
        if ratio > rules["full_until"]:
            why = f"{ratio:.2f} times the reference's time; full points up to {rules['full_until']} times"
    except worker.Ended as error:
        why = str(error)
        record["diagnoses"].append(why)
    record["groups"]["speed"] = {"score": round(score, 2), "max": points, "why": why}
