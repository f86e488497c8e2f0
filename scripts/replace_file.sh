# shellcheck shell=bash
# To be sourced by scripts that write files:
#
#   replace_file TARGET <NEW
#
# TARGET gets standard input, complete or not at all: it is written beside the target and renamed. Fails
# with one line on stderr, and TARGET is then unchanged.
replace_file() (
  part=$1.$BASHPID.part
  trap 'rm -f "$part"' EXIT
  trap 'exit 130' INT TERM HUP
  cat >"$part" && mv -f "$part" "$1"
)
