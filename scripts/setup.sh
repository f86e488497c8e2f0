#!/usr/bin/env bash
# Installs and names the missing packages for `make run` and `make test`; given arguments, these packages
# instead. Debian and Ubuntu; as root or with sudo. Elsewhere it lists the libraries to install by hand.
set -euo pipefail

packages=(
  gcc g++ make git             # compilers
  libboost-context-dev         # fibers of the cpu backend
  libthrust-dev libtbb-dev     # thrust_ref on the cpu backend
  libopencv-core-dev libopencv-imgproc-dev libopencv-imgcodecs-dev # HW4's images
  libjansson-dev jq            # compare's records
  libhwy-dev                   # vqsort_ref
  libcmocka-dev bats perl pkg-config # tests
  openmpi-bin libopenmpi-dev   # multi: several processes, GPUs, machines
  patch python3 bubblewrap     # labs: the starters, the check, and the sandbox of the grader
)
[ $# -eq 0 ] || packages=("$@")

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "setup: no apt-get here; please install the equivalents of: ${packages[*]}" >&2
  exit 0 # the build itself will name what is missing
fi

missing=()
for package in "${packages[@]}"; do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "setup: needs root or sudo to install: ${missing[*]}" >&2
    exit 2
  fi
  as_root=(sudo)
fi
echo "setup: installing ${missing[*]}"
install=(env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}")
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! "${as_root[@]}" "${install[@]}" >"$log" 2>&1; then
  # Usually an old package list.
  if ! { "${as_root[@]}" apt-get update -qq && "${as_root[@]}" "${install[@]}"; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "setup: apt-get failed" >&2
    exit 2
  fi
fi
echo "setup: done"
