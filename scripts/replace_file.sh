# shellcheck shell=bash
# To be sourced by scripts that write files:
#
#   replace_file TARGET <NEW
#   replace_between BEGIN END TARGET <NEW
#
# TARGET gets standard input, complete or not at all: it is written beside the target and renamed; or only the lines
# between those that begin with BEGIN and END are replaced. Both fail with one line on stderr, and TARGET is then unchanged.
replace_file() (
  part=$1.$BASHPID.part
  trap 'rm -f "$part"' EXIT
  trap 'exit 130' INT TERM HUP
  cat >"$part" && mv -f "$part" "$1"
)
replace_between() {
  [ "$(grep -c "^$1\|^$2" "$3")" = 2 ] || { echo "$(basename "$0" .sh): $3 lacks the lines $1 and $2" >&2; return 2; }
  local new
  new=$(NEW=$(cat) awk -v begin="$1" -v end="$2" '
    index($0, end) == 1 { inside = 0 }
    !inside
    index($0, begin) == 1 { print ENVIRON["NEW"]; inside = 1 }' "$3")
  replace_file "$3" <<<"$new"
}
