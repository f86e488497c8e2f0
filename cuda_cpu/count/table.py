#!/usr/bin/env python3
"""Prints the counts that a COUNT build has written (README.md) as tables: the kernels, then the lines that cost most.

table.py FILE.json [--elements N]    N: what a launch handles, for bytes per element
"""
import argparse
import json

SECTOR = 32  # bytes
OPERATIONS = ('load', 'store', 'atomic')
# Outside kernels: name in the file, bytes of one, what it is.
BESIDE = (('copied_bytes', 1, 'cudaMemcpy and cudaMemset within the device move'),
          ('host_copied_bytes', 1, 'copies from or to the host move'),
          ('host_accesses', SECTOR, 'Thrust, whose warps are not known, moves up to'))


def total(kernel, space, unit):
    return sum(kernel.get(f'{space}_{operation}_{unit}', 0) for operation in OPERATIONS)


def ratio(a, b, digits=1):
    return f'{a / b:.{digits}f}' if b else '-'


def print_table(rows):
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        print('  '.join([row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]))


def kernel_row(kernel, elements):
    requests = total(kernel, 'global', 'requests') + total(kernel, 'shared', 'requests')
    lanes = total(kernel, 'global', 'lanes') + total(kernel, 'shared', 'lanes')
    hottest = max(kernel['global_atomics_at_one_address'], kernel['shared_atomics_at_one_address'])
    return [kernel['kernel'], str(kernel['launches']),
            ratio(total(kernel, 'global', 'sectors') * SECTOR, elements * kernel['launches']),
            ratio((kernel['distinct_sectors_read'] + kernel['distinct_sectors_written']) * SECTOR,
                  elements * kernel['launches']),
            ratio(kernel['global_load_sectors'], kernel['global_load_requests']),
            ratio(kernel['global_store_sectors'], kernel['global_store_requests']),
            ratio(total(kernel, 'shared', 'wavefronts'), total(kernel, 'shared', 'requests'), 2),
            f'{100 - 100 * lanes / (32 * requests):.0f}%' if requests else '-', str(hottest)]


def cost(line):
    """In sectors: a wavefront of shared memory moves as much as four of them."""
    return line.get('sectors', 0) + 4 * line.get('wavefronts', 0)


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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('file')
    parser.add_argument('--elements', type=int, default=0)
    arguments = parser.parse_args()
    with open(arguments.file, encoding='utf-8') as file:
        counts = json.load(file)
    kernels = counts['kernels']
    columns = ['kernel', 'launches', 'bytes/element', 'at least', 'sectors/load', '/store', 'wavefronts', 'idle lanes',
               'hottest']
    print_table([columns] + [kernel_row(kernel, arguments.elements) for kernel in kernels])
    print('per launch; at least: each sector once; sectors: of 32 bytes, a request of 4 bytes a lane needs 4;\n'
          'wavefronts: per request of shared memory; hottest: most atomics of a launch at one address')
    for name, bytes_each, what in BESIDE:
        if counts[name]:
            print(f'besides: {what} {ratio(counts[name] * bytes_each, arguments.elements)} bytes/element')
    for kernel in kernels:
        print(f'\n{kernel["kernel"]}')
        for line in sorted(kernel['lines'], key=cost, reverse=True)[:3]:
            print(f'  {sentence(line)}')


if __name__ == '__main__':
    main()
