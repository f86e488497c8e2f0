#!/usr/bin/env bash
# Does the version in an HW4 have the name of its folder? A folder that was copied by hand still has
# the old name in it, and would be measured in place of the other one.
#   scripts/check_name.sh build/cpu/radix_v2/HW4 radix_v2
# Exit code 1, with a sentence, if not.
set -u
program=$1 folder=$2
output=$("$program" --version) || exit 1
name=$(sed -n '1s/^HW4 with \([^:]*\):.*/\1/p' <<<"$output")
[ "$name" = "$folder" ] && exit 0
echo "$folder/student_func.cu calls itself '$name': sort_version.name must be \"$folder\"" >&2
exit 1
