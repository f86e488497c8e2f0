#!/usr/bin/env python3
"""Writes multi/LOG.md's table of measurements and the scaling chart beside the records.

  scripts/multi_results.py FOLDER    (default: multi/results/H100_80GB_HBM3_x2)

Reads FOLDER/*.json, which multi/measure.sh wrote; replaces what is between the marks of
multi/LOG.md, and FOLDER/scaling.svg. FOLDER/messages holds records of the first run, whose
elements travelled as NCCL messages that were not aligned."""

import json
import os
import sys

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.path.insert(0, "scripts")
from replace_file import replace_file  # noqa: E402

# What is between these marks of multi/LOG.md is replaced.
BEGIN, END = "<!-- measured: written by scripts/multi_results.py -->", "<!-- /measured -->"


def rows_of(folder, name):
    """The rows of a record, each with the record's own fields; none if there is no such record."""
    path = f"{folder}/{name}.json"
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        record = json.load(file)
    return [{**record, **row} for row in record.pop("rows") if row["right"]]


def elements(n):
    """n as people write it."""
    for power in (27, 28, 29, 30, 31):
        if n == 1 << power:
            return f"2^{power}"
    if n % 10**9 == 0:
        return f"{n // 10**9} x 10^9" if n > 10**9 else "10^9"
    return f"{n:,}"


def milliseconds(value):
    return "" if value is None else f"{value:.0f}" if value >= 100 else f"{value:.2f}"


def speed_up(row):
    """The rate of all GPUs over the rate of one with its share."""
    share = row["one_device_share_ms"]
    return row["ranks"] * share / row["median_ms"] if share else None


def stages(row):
    return ", ".join(f"{name} {milliseconds(ms)}" for name, ms in row["stages_ms"].items())


def link_rate(row):
    """GB/s that a GPU receives while elements travel."""
    rate = row["exchange_gb_per_s"]
    return f"{rate:.0f}" if rate else ""


def table(rows):
    lines = [
        "| GPUs | what | n in all | way | ms | Gkeys/s | stages, ms | GB/s | one GPU, its share | speed-up |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for label, row in rows:
        factor = speed_up(row)
        lines.append(
            f"| {row['ranks']} | {row['input']} {row['what']} | {elements(row['n'])} | {label} "
            f"| {milliseconds(row['median_ms'])} | {row['gkeys_per_s']:.3g} | {stages(row)} | {link_rate(row)} "
            f"| {milliseconds(row['one_device_share_ms'])} "
            f"| {f'{factor:.2f}' if factor else ''} |"
        )
    return lines


def shown(folder):
    """The rows of the table: (way, row)."""
    found = []
    for name in ("weak_keys_2", "weak_pairs_2"):
        found += [("direct", row) for row in rows_of(folder, name)]
    for name in ("large_tiles_keys_2", "large_tiles_pairs_2"):
        found += [("direct, larger tiles", row) for row in rows_of(folder, name)]
    found += [("direct, without a digit", row) for row in rows_of(folder, "pairs_0_2")]
    for bits in (0, 4, 6):
        found += [(f"direct, {bits} digit bits", row) for row in rows_of(folder, f"digits_{bits}_2")]
    for name, label in (("nccl_1_2", "NCCL, 1 chunk"), ("nccl_4_2", "NCCL, 4 chunks"), ("nccl_8_2", "NCCL, 8 chunks")):
        found += [(label, row) for row in rows_of(folder, name)]
    found += [("NCCL, 4 chunks, 32 channels", row) for row in rows_of(folder, "nccl_channels_2")]
    found += [("direct, stretched", row) for row in rows_of(folder, "stretch_pairs_2")]
    found += [("direct", row) for row in rows_of(folder, "inputs_2")]
    for name in ("weak_keys_2", "weak_pairs_2", "chunks_1_2", "chunks_8_2"):
        chunks = {"chunks_1_2": "1 chunk", "chunks_8_2": "8 chunks"}.get(name, "4 chunks")
        label = f"first run, {chunks}"
        found += [(label, row) for row in rows_of(f"{folder}/messages", name)]
    return found


def host_table(folder):
    lines = ["| GPUs | what | n | way | ms | stages, ms | of bare copies |", "|---|---|---|---|---|---|---|"]
    for where, label in ((folder, "shared memory"), (f"{folder}/messages", "first run, MPI messages")):
        for name in ("host_keys_1", "host_keys_2", "host_pairs_2"):
            for row in rows_of(where, name):
                percent = row["percent_of_copies"]
                lines.append(
                    f"| {row['ranks']} | {row['what']} | {elements(row['n'])} | {label if row['ranks'] > 1 else ''} "
                    f"| {milliseconds(row['median_ms'])} "
                    f"| {stages(row)} | {f'{percent:.0f}%' if percent else ''} |"
                )
    return lines


def bars(folder):
    """Groups of the chart: (title, [(label, Gkeys/s)])."""
    groups = []
    names = ("weak_keys_2", "weak_pairs_2")
    first = {(r["what"], r["n"]): r for name in names for r in rows_of(f"{folder}/messages", name)}
    for name in ("weak_keys_2", "weak_pairs_2"):
        for row in rows_of(folder, name):
            each = row["n"] // row["ranks"]
            old = first.get((row["what"], row["n"]))
            values = [("1 GPU", each / row["one_device_share_ms"] * 1e-6)]
            if old:
                values.append(("2 GPUs, first run", old["gkeys_per_s"]))
            values.append(("2 GPUs", row["gkeys_per_s"]))
            groups.append((f"weak: {elements(each)} {row['what']} a GPU", values))
            if row["one_device_all_ms"]:
                values = [("1 GPU", row["n"] / row["one_device_all_ms"] * 1e-6), ("2 GPUs", row["gkeys_per_s"])]
                groups.append((f"strong: {elements(row['n'])} {row['what']}", values))
    return groups


def chart(folder, device):
    groups = bars(folder)
    if not groups:
        return None
    most = max(value for _, values in groups for _, value in values)
    left, width, bar = 250, 420, 20
    height = 60 + sum(bar * len(v) + 26 for _, v in groups)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 90} {height}" '
        f'width="{left + width + 90}" height="{height}" '
        'font-family="Helvetica, Arial, sans-serif" fill="#222" role="img">',
        '<title>multi_sort on one and two GPUs</title><rect width="100%" height="100%" fill="#fff"/>',
        f'<text x="16" y="28" font-size="14" font-weight="bold">multi_sort, uniform input, {device}: 10^9 elements per '
        "second</text>",
    ]
    y = 52
    colors = {"1 GPU": "#cfe3f7", "2 GPUs, first run": "#ead0ee", "2 GPUs": "#cdebcf"}
    for title, values in groups:
        lines.append(f'<text x="16" y="{y + 15}" font-size="13">{title}</text>')
        for label, value in values:
            length = width * value / most
            place = f'x="{left}" y="{y}" width="{length:g}" height="{bar - 3}"'
            lines.append(f'<rect {place} fill="{colors[label]}" stroke="#555"/>')
            place = f'x="{left + length + 6:g}" y="{y + 14}"'
            lines.append(f'<text {place} font-size="12">{value:.1f}   {label}</text>')
            y += bar
        y += 26
    return "\n".join(lines) + "</svg>\n"


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else "multi/results/H100_80GB_HBM3_x2"
    found = shown(folder)
    if not found:
        sys.exit(f"multi_results: no records in {folder}")
    head = found[0][1]
    commits = sorted({row["commit"] for _, row in found})
    unclean = " (+changes: the tree was not clean)" if any("+" in commit for commit in commits) else ""
    device = f"{head['ranks']} x {head['device']['name']}"
    lines = [
        f"{device}, driver {head['device']['driver']}, {head['date'][:10]}, commits {', '.join(commits)}{unclean};",
        "medians of 5 to 9 runs, every result verified; stages in separate runs. GB/s: received by a GPU, by the time",
        "of `exchange`; a direct exchange includes the partition. Speed-up: the rate of both GPUs over the rate of one",
        f"that sorts its share, in the same run. Records: `{folder}`.",
        "",
        *table(found),
        "",
        "Arrays in host memory, uniform:",
        "",
        *host_table(folder),
    ]
    svg = chart(folder, device)
    if svg:
        with replace_file(f"{folder}/scaling.svg") as file:
            file.write(svg)
        lines = [f"![Elements per second on one and two GPUs]({folder.removeprefix('multi/')}/scaling.svg)", ""] + lines
    with open("multi/LOG.md", encoding="utf-8") as file:
        text = file.read()
    before, rest = text.split(BEGIN)
    with replace_file("multi/LOG.md") as file:
        file.write(before + BEGIN + "\n" + "\n".join(lines) + "\n" + END + rest.split(END)[1])


main()
