"""A student's page, Gradescope's results.json, and the table and the progress on the terminal."""

import html as escape_html
import sys

STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem;color:#222}
table{border-collapse:collapse;width:100%}td,th{padding:.4rem .6rem;border-bottom:1px solid #ccc;text-align:left;vertical-align:top}
td:last-child{overflow-wrap:anywhere}td.n{text-align:right;white-space:nowrap}.full{color:#17663a}.part{color:#8a5a00}.none{color:#9c1c1c}code{background:#f2f2f2}"""

WHAT = {
    "builds": "It builds",
    "stages": "Steps: the arrays that the lab names, each compared with a reference",
    "homework": "The homework: scores of the sample image, as they are and in another order",
    "sizes": "Sizes: from 0 to 65,537, at powers of two and beside them",
    "inputs": "Inputs: sorted, equal, bit 31, other positions, ...",
    "scratch": "All scratch memory is returned",
    "speed": "Speed: the time beside the reference's, or without a GPU what the kernels ask of memory",
}


def gradescope(rubric, record):
    """The format of Gradescope's autograder: results/results.json."""
    tests = []
    for name, group in record["groups"].items():
        steps = record.get("steps") if name == "stages" else None
        for step, text in (steps or {}).items():
            share = group["max"] / len(steps)
            tests.append(_test(f"Step: the array {step}", share if text == "right" else 0, share, "" if text == "right" else text))
        if not steps:
            tests.append(_test(WHAT.get(name, name), group["score"], group["max"], group["why"]))
    return {
        "score": record["score"],
        "execution_time": round(record["seconds"]),
        "output": "; ".join(record["diagnoses"] + ([record["late"]] if record["late"] else [])) or "All right.",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": tests,
        "leaderboard": [{"name": "time / reference", "value": record["speed"]["ratio"], "order": "asc"}] if record.get("speed") else [],
        "extra_data": record,
    }


def _test(name, score, most, why):
    status = "passed" if score >= most else "failed"
    return {"name": name, "score": round(score, 4), "max_score": round(most, 4), "status": status, "output": why or "all right", "visibility": "visible"}


def html(rubric, record):
    rows = []
    for name, group in record["groups"].items():
        kind = "full" if group["score"] >= group["max"] else "part" if group["score"] > 0 else "none"
        lost = group["max"] - group["score"]
        why = escape_html.escape(group["why"]) if group["why"] else ""
        reason = f"{lost:g} lost: {why}" if lost > 0 else ""
        rows.append(f'<tr><td>{escape_html.escape(WHAT.get(name, name))}</td><td class="n {kind}">{group["score"]:g} of {group["max"]:g}</td><td>{reason}</td></tr>')
    speed = record.get("speed")
    timing = f"<p>Time: {speed['ms']} ms; the reference: {speed['reference_ms']} ms, {rubric['speed']['n']:,} pairs on {speed['backend']}, medians, measured alternately; the points go by the median of the turns' ratios.</p>" if speed else ""
    if record["diagnoses"]:
        first = f"<p><b>To mend first:</b> {escape_html.escape(record['diagnoses'][0])}</p>"
    else:
        first = "<p>All right.</p>" if record["score"] >= record["max"] else "<p>The sorts are right. What else cost points is below.</p>"
    late = f"<p>{escape_html.escape(record['late'])}.</p>" if record["late"] else ""
    student = escape_html.escape(record["student"])
    return f"""<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{student}: {escape_html.escape(rubric['title'])}</title><style>{STYLE}</style>
<h1>{escape_html.escape(rubric['title'])}</h1><p>{student}: <b>{record['score']:g} of {record['max']:g} points</b></p>
{late}{first}<table><tr><th>What</th><th>Points</th><th>Why</th></tr>{''.join(rows)}</table>{timing}
<p>To see it yourself: <code>make check-lab V=NAME</code>.</p></html>
"""


def progress(text):
    """On a terminal, one line that is written again and again; an empty text clears it."""
    if sys.stderr.isatty():
        print(f"\r{text}\033[K", end="", file=sys.stderr, flush=True)


def print_table(groups, records):
    width = min(max([len(record["student"]) for record in records] + [7]), 40)
    print(f"{'student':<{width}} " + " ".join(f"{name:>8}" for name in groups) + f" {'total':>7} {'ratio':>6}  diagnosis")
    for record in records:
        scores = " ".join(f"{record['groups'][name]['score']:>8g}" for name in groups)
        ratio = record.get("speed", {}).get("ratio", "")
        note = "note: it " + "; ".join(record["notes"]) if record["notes"] else ""
        look = "LOOK AT IT: it " + "; ".join(record["look"]) if record["look"] else ""
        diagnosis = (record["diagnoses"] or [look or note or record["late"]])[0]
        print(f"{record['student'][:width]:<{width}} {scores} {record['score']:>7g} {ratio!s:>6}  {diagnosis[:110]}")
