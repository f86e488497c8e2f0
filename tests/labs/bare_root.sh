#!/usr/bin/env bash
# Runs a command in a root of Debian with nothing installed but apt, as in a container.
#   tests/labs/bare_root.sh ROOT COMMAND ...      makes ROOT if it is not there. Needs root and mmdebstrap.
set -euo pipefail
root=$1
shift
if [ ! -d "$root" ]; then
  mmdebstrap --quiet --variant=apt --include=ca-certificates bookworm "$root"
  cp /etc/resolv.conf "$root/etc/"
fi
# shellcheck disable=SC2016 # for the inner shell
exec unshare --mount --pid --fork bash -c 'root=$1; shift; mount -t proc proc "$root/proc"; mount --rbind /dev "$root/dev"
  exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "$@"' _ "$root" "$@"
