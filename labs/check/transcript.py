"""The session in labs/debugging.md: runs its commands in gdb, and compares their output with the page.

  python3 -m labs.check.transcript           exit code 1 and the difference if the page is out of date
  python3 -m labs.check.transcript --write   writes the page anew

Addresses and line numbers may differ: they change with the compiler and with every edit of the version."""

import difflib
import re
import subprocess
import sys

from scripts.replace_file import replace_file

PAGE = "labs/debugging.md"
BLOCK = re.compile(r"(<!-- transcript:.*?-->\n```\n)(.*?)(```\n<!-- /transcript -->)", re.S)


def session(first, commands):
    """The output of gdb for `make debug ...` and these commands."""
    options = dict(re.findall(r"(\w+)=(\w+)", first))
    call = ["scripts/debug.sh", options["V"], "--kernel", options["K"], "--thread", options["X"], "-batch"]
    for command in commands:
        call += ["-ex", f"echo (gdb) {command}\\n", "-ex", command]
    done = subprocess.run(call, capture_output=True, text=True)
    if "\nBreakpoint 2, " not in done.stdout:
        sys.exit(f"transcript: gdb did not stop in the kernel: {done.stdout[-500:]}{done.stderr[-500:]}")
    return done.stdout[done.stdout.index("\nBreakpoint 2, ") :]


def essence(text):
    text = re.sub(r"0x[0-9a-f]+", "0x..", text)
    return re.sub(r":\d+\b", ":..", re.sub(r"^\d+\t", "..\t", text, flags=re.M)).strip()


def main():
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    found = BLOCK.search(page)
    first = found[2].splitlines()[0]
    commands = [line.removeprefix("(gdb) ") for line in found[2].splitlines() if line.startswith("(gdb) ")]
    now = f"{first}\n{session(first, commands).rstrip()}\n"
    if sys.argv[1:] == ["--write"]:
        with replace_file(PAGE) as file:
            file.write(page[: found.start(2)] + now + page[found.end(2) :])
        return 0
    difference = list(difflib.unified_diff(essence(found[2]).splitlines(), essence(now).splitlines(), PAGE, "gdb", lineterm=""))
    print("\n".join(difference))
    return 1 if difference else 0


if __name__ == "__main__":
    sys.exit(main())
