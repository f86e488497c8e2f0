#!/usr/bin/env python3
"""Are notebooks ready to be committed: valid, without outputs, execution counts or data of one machine?
scripts/check_notebook.py FILE...; exit code 1 and a line for each fault. Part of make lint."""

import ast
import json
import sys


def faults(path):
    try:
        with open(path, encoding="utf-8") as file:
            notebook = json.load(file)
        cells = notebook["cells"]
    except (ValueError, KeyError, OSError) as error:
        yield f"no notebook: {error}"
        return
    if notebook.get("nbformat") != 4 or notebook.get("metadata", {}).get("kernelspec", {}).get("name") != "python3":
        yield "not of format 4 with the kernel python3"
    if not cells:
        yield "no cells"
    for number, cell in enumerate(cells, 1):
        if cell.get("metadata"):
            yield f"cell {number} has metadata"
        if cell.get("cell_type") != "code":
            continue
        if cell.get("outputs") != [] or cell.get("execution_count", 0) is not None:
            yield f"cell {number} has outputs: jupyter nbconvert --clear-output --inplace {path}"
        try:
            ast.parse("".join(cell.get("source", [])))
        except SyntaxError as error:
            yield f"cell {number}: {error}"


def main():
    found = [f"{path}: {fault}" for path in sys.argv[1:] for fault in faults(path)]
    print("\n".join(found), end="\n" if found else "", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
