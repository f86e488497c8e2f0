#!/usr/bin/env python3
"""Nsight Compute's counts beside the cpu backend's. Called by scripts/profile_counts.sh table.

counts_beside_ncu.py FOLDER NCU.csv...    FOLDER: VERSION,N,KIND.json of each sort, from a COUNT build
"""
import csv
import json
import re
import sys

# Name, goal in percent (None: it explains wavefronts), counters of the cpu backend, metrics of ncu. Atomics: with a
# result and without are one here.
GLOBAL = 'l1tex__t_{}_pipe_lsu_mem_global_op_{}.sum'
SHARED = 'l1tex__data_{}_mem_shared_op_{}.sum'
ROWS = [(f'global {name} {unit}', goal, [f'global_{name}_{unit}'], [GLOBAL.format(unit, op) for op in operations])
        for unit in ('requests', 'sectors')
        for name, goal, operations in (('load', 1, ['ld']), ('store', 1, ['st']), ('atomic', 0, ['atom', 'red']))]
ROWS += [(f'shared {unit}', goal, [f'shared_{name}_{unit}' for name in ('load', 'store', 'atomic')],
          [SHARED.format(of_ncu, op) for op in ('ld', 'st', 'atom')])
         for unit, goal, of_ncu in (('wavefronts', 3, 'pipe_lsu_wavefronts'),
                                    ('conflicts', None, 'bank_conflicts_pipe_lsu'))]


def sums(kernels, names):
    """{kernel: {name: sum}}: templates of one name are one kernel."""
    found = {}
    for kernel, values in kernels:
        own = found.setdefault(re.split('::|->', kernel.partition('<')[0])[-1], dict.fromkeys(names, 0))
        for name in names:
            own[name] += values.get(name, 0)
    return found


def join_children(sort, here, listed):
    """ncu counts a kernel that a kernel launches with its parent, which is the last before it that ncu lists."""
    parent = None
    for kernel in list(here):
        if kernel in listed:
            parent = kernel
        elif parent:
            print(f'{sort}: {kernel} is not among ncu\'s kernels; it is counted with {parent}', file=sys.stderr)
            for name, value in here[kernel].items():
                here[parent][name] += value


def main(folder, *ncu_files):
    gpu = {}
    for ncu_file in ncu_files:
        with open(ncu_file, newline='', encoding='utf-8') as file:
            for row in csv.DictReader(file):
                kernels = gpu.setdefault(f'{row["version"]},{row["n"]},{row["kind"]}', {})
                kernels.setdefault(row['kernel'], {})[row['metric']] = int(row['sum'])
    table, within = [], {name: [0, 0, 0] for name, *_ in ROWS}
    for sort, kernels in gpu.items():
        with open(f'{folder}/{sort}.json', encoding='utf-8') as file:
            counted = json.load(file)['kernels']
        here = sums(((kernel['kernel'], kernel) for kernel in counted), [name for row in ROWS for name in row[2]])
        join_children(sort, here, kernels)
        for kernel, metrics in kernels.items():
            for name, goal, counters, of_ncu in ROWS:
                known = [metrics[metric] for metric in of_ncu if metric in metrics]
                theirs, ours = sum(known), sum(here.get(kernel, {}).get(counter, 0) for counter in counters)
                if not known or theirs == ours == 0:
                    continue
                difference = 100 * (ours - theirs) / theirs if theirs else float('inf')
                kept = goal is None or abs(difference) <= goal
                within[name] = [sum(pair) for pair in zip(within[name], (1, ours == theirs, kept))]
                table.append((*sort.split(','), kernel, name, theirs, ours, f'{difference:+.1f}%',
                              '' if kept else 'above the goal'))
    writer = csv.writer(sys.stdout, lineterminator='\n')
    writer.writerow(('version', 'n', 'kind', 'kernel', 'counter', 'ncu', 'here', 'difference', 'note'))
    writer.writerows(table)
    for name, goal, *_ in ROWS:
        kernels, same, kept = within[name]
        if goal is not None:
            print(f'{name}: of {kernels} kernels {same} are the same, {kept} within {goal}%', file=sys.stderr)


if __name__ == '__main__':
    main(*sys.argv[1:])
