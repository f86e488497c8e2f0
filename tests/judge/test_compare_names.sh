#!/usr/bin/env bash
# compare names the mistake of a wrong row, of pairs and of bare keys (tests/sorts/wrong). HW4_DIR
# names the build folder.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${HW4_DIR:-build/cpu}
. tests/tap.sh

# The knob `mistake` is the line's number.
mistake() {
  grep -oE 'MISTAKE\([A-Z0-9_]+,' tests/sorts/wrong/mistakes.h | grep -nx "MISTAKE($1," | cut -d: -f1
}

says() { # says MISTAKE PART [KIND]: what the rows of both kinds hold
  local kinds
  read -ra kinds <<<"${3:---keys --pairs}"
  "$build/compare" "$build/tests/sorts/wrong/version.so" --n 3000 --reps 1 --baseline none \
    --set "wrong.mistake=$(mistake "$1")" "${kinds[@]}" 2>/dev/null | grep '^wrong' >"$work/out"
  check "$1" is "$(grep -c "FAIL: .*$2" "$work/out")" ${#kinds[@]}
}

says RETURNS 'nothing was written: all 3000 keys'
says IN_PLACE 'the result was left in the inputs: all 3000 sorted keys'
says PASS_7 'the last pass was not copied back'
says OUTPUTS_EXCHANGED 'keys and positions are exchanged' --pairs
says COPY 'the output is the input, unsorted'
says BITS_28 'sorted only up to bit 27'
says FROM_THE_TOP 'in the order of bits 0 to 3 only'
says BITS_31 'bit 31 was forgotten'
says FROM_BIT_16 'sorted only from bit 16 up'
says GREATER 'sorted in descending order'
says AS_INT 'in the order of signed numbers'
says BLOCKS_256 'sorted only within blocks of 256'
says POSITIONS_COPIED 'the positions were not moved with them' --pairs
plan
