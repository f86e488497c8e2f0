# shellcheck shell=bash
# To be sourced by scripts that write files:
#
#   replace_file TARGET <NEW
#
# TARGET gets standard input, complete or not at all: it is written beside the target and renamed. A
# symbolic link stays, and the file that it names is replaced; permissions stay; a device or a pipe is
# written directly. Fails with one line on stderr, and TARGET is then unchanged.
replace_file() (
  if [ -e "$1" ] && [ ! -f "$1" ]; then
    cat >"$1"
    exit
  fi
  target=$(readlink -f -- "$1") || { echo "$1 cannot be written: no such folder" >&2; exit 1; }
  part=$(mktemp "${target%/*}/.replace.XXXXXX") || exit
  trap 'rm -f "$part"' EXIT
  trap 'exit 130' INT TERM HUP
  cat >"$part" || exit
  # mktemp's files are 0600.
  if [ -e "$target" ]; then chmod --reference="$target" "$part"; else chmod "$(printf %o $((0666 & ~$(umask))))" "$part"; fi
  mv -f "$part" "$target"
)
