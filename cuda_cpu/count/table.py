#!/usr/bin/env python3
"""Prints the counts that a COUNT build has written (README.md) as tables: the kernels, then the lines that cost most.

table.py FILE.json... [--elements N] [--line FILE:LINE]
    N: what a launch handles, for bytes per element. Files after the first: programs to compare it with
"""
import argparse
import json
import os
import re
import signal

SECTOR = 32  # bytes
OPERATIONS = ('load', 'store', 'atomic')
# Outside kernels: name in the file, bytes of one, what it is.
BESIDE = (('copied_bytes', 1, 'cudaMemcpy and cudaMemset within the device move'),
          ('host_copied_bytes', 1, 'copies from or to the host move'),
          ('host_accesses', SECTOR, 'Thrust, whose warps are not known, moves up to'))
COLUMNS = ('launches', 'bytes/element', 'at least', 'sectors/load', '/store', 'wavefronts', 'idle lanes', 'hottest')


def total(kernels, space, unit, operations=OPERATIONS):
    return sum(kernel.get(f'{space}_{operation}_{unit}', 0) for kernel in kernels for operation in operations)


def ratio(a, b, digits=1):
    return f'{a / b:.{digits}f}' if b else '-'


def print_table(rows):
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        print('  '.join([row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]))


def numbers(kernels, elements, beside=0):
    """One row. elements: for one launch of a kernel, or for all of these kernels."""
    requests = total(kernels, 'global', 'requests') + total(kernels, 'shared', 'requests')
    lanes = total(kernels, 'global', 'lanes') + total(kernels, 'shared', 'lanes')
    distinct = sum(kernel['distinct_sectors_read'] + kernel['distinct_sectors_written'] for kernel in kernels)
    hottest = max(kernel[f'{space}_atomics_at_one_address'] for kernel in kernels for space in ('global', 'shared'))
    load, store = (ratio(*(total(kernels, 'global', unit, [operation]) for unit in ('sectors', 'requests')))
                   for operation in ('load', 'store'))
    return [str(sum(kernel['launches'] for kernel in kernels)),
            ratio(total(kernels, 'global', 'sectors') * SECTOR + beside, elements),
            ratio(distinct * SECTOR, elements), load, store,
            ratio(total(kernels, 'shared', 'wavefronts'), total(kernels, 'shared', 'requests'), 2),
            f'{100 - 100 * lanes / (32 * requests):.0f}%' if requests else '-', str(hottest)]


def same(program, kernel):
    return [other for other in program['kernels'] if other['kernel'] == kernel['kernel']]


def rows(programs, elements):
    found = [['kernel', *COLUMNS]]
    for kernel in programs[0]['kernels']:
        own = numbers([kernel], elements * kernel['launches'])
        found.append([kernel['kernel'], *own])
        for program in programs[1:]:
            for other in same(program, kernel):
                its = numbers([other], elements * other['launches'])
                found += [[f'  in {program["name"]}', *its]] if its != own else []
    for program in programs:
        beside = sum(program[name] * each for name, each, _ in BESIDE)
        found.append([f'all of {program["name"]}', *numbers(program['kernels'], elements, beside)])
    return found


def cost(line):
    """In sectors: a wavefront of shared memory moves as much as four of them."""
    return line.get('sectors', 0) + 4 * line.get('wavefronts', 0)


def costliest(lines):
    return sorted(lines, key=cost, reverse=True)


def sentence(line):
    requests = line['requests']
    lanes = line['lanes'] / requests
    text = f'{line["line"]}: {line["access"]}, {requests:,} requests: {lanes:.3g} lanes '
    if 'sectors' in line:
        least = max(1.0, lanes * line['bytes'] / SECTOR)
        sectors = line['sectors'] / requests
        text += f'touch {sectors:.3g} sectors'
        if 'atomic' in line['access']:
            text += f'; up to {line["longest_queue"]} lanes wait for one address'
        elif lanes < 1.5:
            text += '; 31 lanes have nothing to do'
        elif sectors > 1.02 * least:
            text += f'; neighbouring ones, aligned to 32 bytes, would be {least:.3g}'
        else:
            text += ', the least that there can be'
    else:
        text += f'take {ratio(line["wavefronts"], requests)} wavefronts'
        if line['conflicts'] > 0:
            text += f'; {line["conflicts"]:,} of them by bank conflicts'
        if 'longest_queue' in line:
            text += f'; up to {line["longest_queue"]} lanes wait for one address'
    return text


def in_others(programs, kernel, line):
    """The costliest of these accesses in the same kernel of the other programs, if this is the costliest here."""
    def like(a_kernel):
        return costliest(its for its in a_kernel['lines'] if its['access'] == line['access'])[:1]

    unit, text = 'sectors' if 'sectors' in line else 'wavefronts', ''
    for program in programs[1:] if like(kernel) == [line] else []:
        for other in [other for its in same(program, kernel) for other in like(its)]:
            own, its = (f'{each[unit] / each["requests"]:.3g}' for each in (line, other))
            text += f'; in {program["name"]} {its}' if its != own else ''
    return text


def print_lines(programs, place):
    for kernel in programs[0]['kernels']:
        lines = costliest(kernel['lines'])
        at_place = [line for line in lines if re.search(rf'\b{re.escape(place)}\b', line['line'])]
        lines = at_place if place else lines[:3]
        if lines:
            print(f'\n{kernel["kernel"]}')
        for line in lines:
            print(f'  {sentence(line)}{in_others(programs, kernel, line)}')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('files', nargs='+')
    parser.add_argument('--elements', type=int, default=0)
    parser.add_argument('--line', default='', help='this line in place of the three that cost most')
    arguments = parser.parse_args()
    programs = []
    for path in arguments.files:
        with open(path, encoding='utf-8') as file:
            programs.append(json.load(file))
        programs[-1]['name'] = os.path.splitext(os.path.basename(path))[0]
    print_table(rows(programs, arguments.elements))
    print('per launch, in the last rows of all launches; at least: each sector once; sectors: of 32 bytes,\n'
          '4 for a request of 4 bytes a lane; wavefronts: per request of shared memory;\n'
          'hottest: most atomics of a launch at one address')
    if any('counted_blocks' in kernel for program in programs for kernel in program['kernels']):
        print('a sample of the blocks is counted (COUNT_BLOCKS), and the numbers are scaled;\n'
              'where blocks share sectors, "at least" is too much; "hottest" is that of the sample')
    for name, each, what in BESIDE:
        if programs[0][name]:
            print(f'besides: {what} {ratio(programs[0][name] * each, arguments.elements)} bytes/element')
    print_lines(programs, arguments.line)


if __name__ == '__main__':
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # ends quietly before head
    main()
