#!/usr/bin/env python3
"""What one sort by each version asks of memory, counted on the cpu backend (cuda_cpu/count), as a table for the report.

count_versions.py FILE.csv N pairs|keys VERSION...
Exit code: 0, or 3: a version is not right, or launches no kernel.
"""
import csv
import datetime
import json
import os
import subprocess
import sys
import tempfile

from replace_file import replace_file

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(__file__), '../cuda_cpu/count'))
from table import BESIDE, SECTOR, total  # noqa: E402

COLUMNS = ('version', 'n', 'kind', 'launches', 'bytes_per_element', 'least_bytes_per_element',
           'shared_wavefronts_per_element', 'device', 'commit', 'date')
OPTIONS = ('--reps', '1', '--noise', '0', '--stages', 'off', '--baseline', 'none', '--no-fork', '--seed', '1')


def make(*goals):
    command = ['make', '-s', '--no-print-directory', 'BACKEND=cpu', 'COUNT=1', *goals]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def count(build, version, n, kind):
    with tempfile.NamedTemporaryFile() as file:
        command = [f'{build}/compare', version, '--n', n, f'--{kind}', *OPTIONS]
        done = subprocess.run(command, env={**os.environ, 'CUDA_CPU_COUNT': file.name}, capture_output=True, text=True)
        text = file.read()
    if done.returncode != 0 or not text:
        print(f'count_versions: {version}: {done.stderr.strip() or "launches no kernel"}', file=sys.stderr)
        sys.exit(3)
    return json.loads(text)


def main(path, n, kind, *versions):
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
    build = make('print-B')
    make(f'{build}/compare', *(f'{build}/{version}/version.so' for version in versions))
    describe = ['git', 'describe', '--always', '--dirty=+changes']
    commit = subprocess.run(describe, capture_output=True, text=True).stdout.strip()
    about = ('cpu backend, counted', commit, datetime.datetime.now(datetime.timezone.utc).strftime('%Y-%m-%d'))
    rows = []
    for version in versions:
        counts = count(build, version, n, kind)
        kernels = counts['kernels']
        moved = SECTOR * total(kernels, 'global', 'sectors') + sum(counts[name] * each for name, each, _ in BESIDE)
        least = SECTOR * sum(kernel['distinct_sectors_read'] + kernel['distinct_sectors_written'] for kernel in kernels)
        each = (moved, least, total(kernels, 'shared', 'wavefronts'))
        launches = sum(kernel['launches'] for kernel in kernels)
        rows.append((version, n, kind, launches, *(f'{number / int(n):.2f}' for number in each), *about))
        print(*rows[-1], file=sys.stderr)
    with replace_file(path) as file:
        csv.writer(file, lineterminator='\n').writerows([COLUMNS, *rows])


if __name__ == '__main__':
    main(os.path.abspath(sys.argv[1]), *sys.argv[2:])
