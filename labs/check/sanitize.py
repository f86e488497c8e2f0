"""compute-sanitizer's four tools over a version on a GPU, a line of result each."""

import re
import shutil
import subprocess

TOOLS = ["memcheck", "racecheck", "initcheck", "synccheck"]
SIZES = "1000,4097"  # around the edges of tiles; slow under the tools
NOT_RUN = "-"


def program():
    """compute-sanitizer on PATH, or in the toolkit's usual folder; None if there is none."""
    return shutil.which("compute-sanitizer") or shutil.which("/usr/local/cuda/bin/compute-sanitizer")


def first_finding(output):
    """The first error as the tool reports it, with kernel, line and thread, or None."""
    lines = [line.removeprefix("=========").rstrip() for line in output.splitlines() if line.startswith("=========")]
    for i, line in enumerate(lines):
        message = line.strip()
        if message.startswith(("COMPUTE-SANITIZER", "ERROR SUMMARY", "RACECHECK SUMMARY", "Target application", "Program hit")) or not message:
            continue
        if not re.search(r"Invalid|Misaligned|Uninitialized|Error|Warning|hazard|Barrier|out of|Leaked|failed", message):
            continue
        details = []
        for detail in lines[i + 1 : i + 6]:
            if not detail.startswith("     "):
                break
            details.append(detail.strip())
        text = message.removeprefix("Error: ")
        for detail in details:
            if detail.startswith(("at ", "and ", "by ")):
                text += " " + detail
        # "at histogram(unsigned int const *, unsigned int *)+0x150 in radix_v1/student_func.cu:56"
        text = re.sub(r" at 0x[0-9a-f]+", "", text)
        text = re.sub(r"(\w+)(?:<[^()]*>)?\([^()]*\)\+0x[0-9a-f]+", r"\1", text)
        return re.sub(r"\S*/(\w+/[\w.]+:\d+)", r"\1", text)
    return None


def run_tool(tool, command, limit):
    """(name, right, text, state) of one tool; state is None, or NOT_RUN where it did not run."""
    call = [program(), "--tool", tool, "--error-exitcode", "9", *command]
    try:
        done = subprocess.run(call, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=limit)
    except subprocess.TimeoutExpired:
        return tool, False, f"did not end within {limit} s", None
    if "Dynamic Parallelism is not supported" in done.stdout:
        return tool, True, "not checked: the tool does not support dynamic parallelism", NOT_RUN
    if done.returncode == 0:
        return tool, True, "nothing found", None
    finding = first_finding(done.stdout)
    if finding:
        count = re.search(r"ERROR SUMMARY: (\d+) error|RACECHECK SUMMARY: (\d+) hazard", done.stdout)
        number = int(count[1] or count[2]) if count else 1
        return tool, False, finding + (f" (and {number - 1} more)" if number > 1 else ""), None
    last = (done.stdout.strip().splitlines() or [""])[-1]
    return tool, False, f"ended with exit code {done.returncode}: {last}", None


def results(version, build, make, pairs_only=False, limit=300):
    """The tools' results for compare's sorts of the version; make(goals) builds."""
    if program() is None:
        return [(tool, True, "not checked: compute-sanitizer is not installed", NOT_RUN) for tool in TOOLS]
    if make([f"{build}/compare", f"{build}/{version}/version.so"]).returncode != 0:
        return [("sanitizer", False, "compare cannot be built", None)]
    command = [f"{build}/compare", version, "--n", SIZES, "--pairs", *([] if pairs_only else ["--keys"])]
    command += ["--reps", "1", "--time-limit", "60", "--no-fork", "--baseline", "none"]
    return [run_tool(tool, command, limit) for tool in TOOLS]
