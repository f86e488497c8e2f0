"""A trace as text."""

SHORT = 40  # longer arrays are printed as their changed runs
WIDE = 90  # characters of a run


def shape(sizes):
    while len(sizes) > 1 and sizes[-1] == 1:
        sizes = sizes[:-1]
    return str(sizes[0]) if len(sizes) == 1 else "(" + ", ".join(map(str, sizes)) + ")"


def headline(step):
    if step["kind"] == "kernel":
        arguments = ", ".join(f"{a['parameter']} = {a['text']}" for a in step["arguments"])
        shared = f", {step['shared']}" if step["shared"] else ""
        return f"{step['name']}<<<{shape(step['grid'])}, {shape(step['block'])}{shared}>>>({arguments})"
    if step["kind"] == "memset":
        return f"cudaMemset({step['to']}, {step['value']}, {step['bytes']} bytes)"
    if step["kind"] == "copy":
        return f"cudaMemcpy({step['to']}, {step['source']}, {step['bytes']} bytes)"
    return f"{step['name']} (on the host)"


def row(values):
    return "[" + " ".join("." if value is None else str(value) for value in values) + "]"


def changed_rows(change):
    """(name, values) for each row to print."""
    values, name = change["values"], change["array"]
    if len(values) <= SHORT:
        return [(name, row(values))]
    rows = []
    joined = []  # runs with a gap of at most 3 between them
    for first, count in change["runs"]:
        if joined and first - joined[-1][1] <= 3:
            joined[-1][1] = first + count
        else:
            joined.append([first, first + count])
    for first, end in joined[:6]:
        place = f"{name}[{first}]" if end == first + 1 else f"{name}[{first}..{end - 1}]"
        text = row(values[first : min(end, first + SHORT)])[:-1]
        cut = len(text) > WIDE or end > first + SHORT
        rows.append((place, (text[: text.rfind(" ", 0, WIDE)] + " ..." if cut else text) + "]"))
    if len(joined) > 6:
        rows.append((name, f"and {len(joined) - 6} more changed places"))
    return rows


def print_step(number, step):
    print(f"{number:3}  {step['stage']:<9}{headline(step)}")
    if step["kind"] == "host":
        print(f"       {step['name']:<22} {row(step['values'])}")
    for change in step["changed"]:
        for name, values in changed_rows(change):
            print(f"       {name:<22} {values}")
    if not step["changed"] and step["kind"] != "host":
        print("       nothing changed")


def print_trace(version, trace, hand, keys, settings, note, everything, ended):
    """hand: lines of the handout; note: a sentence about the example; ended: about the result."""
    if hand:
        print(f"By hand ({version}/README.md):\n")
        print("\n".join(f"    {line}".rstrip() for line in hand) + "\n")
    print(f"{version} on the cpu backend, n = {len(keys)}{''.join(', ' + s for s in settings)}. After each step, the arrays that it changed;")
    print(f". is a value that was never written. {note}".rstrip() + "\n")
    for change in trace.steps[0]["changed"]:
        print(f"       {change['array']:<22} {row(change['values'])}")
    last = len(trace.steps) - 1 if everything else trace.sorted_at(keys)
    number = 1
    while number <= last:
        step = trace.steps[number]
        same = number
        while same < last and not step["changed"] and trace.steps[same + 1] == step:
            same += 1
        print_step(number, step)
        if same > number:
            print(f"       {same - number} times more")
        number = same + 1
    if len(trace.steps) == 1:
        print("       no kernels, sets or copies")
    if last < len(trace.steps) - 1:
        print(f"\nHere the keys are sorted; {len(trace.steps) - 1 - last} more steps follow (TRACE=all, or --all, prints them).")
    if ended:
        print(f"\n{ended}")
