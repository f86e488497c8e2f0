#!/usr/bin/env bash
# Every version has a handout that follows the template: README.md with the title "# NAME: ...", only known
# headings, all mandatory ones, in the template's order, a matched pair of markers under "## Measured", and at most
# 1,500 words outside of them. What was tried belongs to LOG.md, which may be of any length.
set -u
cd "$(dirname "$0")/../.." || exit 1

# The template; a * marks what no handout may leave out.
template=('*New here' '*The idea' '*By hand' 'Data layout' 'Kernels' 'Knobs' 'The floor' 'Predictions'
  'Published figures' '*Measured' 'What limits it' '*Questions' '*Sources')

# Prints the first fault of a handout and fails; a handout without fault prints nothing.
fault() { # fault FILE NAME
  local file=$1 name=$2 heading place=0 next found markers words
  [ -f "$file" ] || { echo "no README.md"; return 1; }
  [[ $(head -n 1 "$file") == "# $name: "?* ]] || { echo "line 1 is not '# $name: ...'"; return 1; }
  # Headings inside ``` fences are none.
  while IFS= read -r heading; do
    found=
    for ((next = place; next < ${#template[@]}; next++)); do
      if [ "${template[next]#\*}" = "$heading" ]; then found=1; break; fi
      [[ ${template[next]} != \** ]] || { echo "'## ${template[next]#\*}' missing before '## $heading'"; return 1; }
    done
    [ -n "$found" ] || { echo "'## $heading' is unknown, repeated or out of order"; return 1; }
    place=$((next + 1))
  done < <(awk '/^```/ { fence = !fence } !fence && /^## / { print substr($0, 4) }' "$file")
  for ((next = place; next < ${#template[@]}; next++)); do
    [[ ${template[next]} != \** ]] || { echo "'## ${template[next]#\*}' missing"; return 1; }
  done
  # Both markers, once each and in this order, between "## Measured" and the next heading.
  markers=$(awk '/^## / { measured = $0 == "## Measured" }
    /^<!-- measured: .* -->$/ { printf "%s", measured ? "(" : "!" }
    /^<!-- \/measured -->$/ { printf "%s", measured ? ")" : "!" }' "$file")
  [ "$markers" = "()" ] || { echo "markers under '## Measured' do not match"; return 1; }
  words=$(sed '/^<!-- measured: /,/^<!-- \/measured -->$/d' "$file" | wc -w)
  [ "$words" -le 1500 ] || { echo "$words words, more than 1,500: what was tried belongs to LOG.md"; return 1; }
}

. tests/tap.sh
has_no_fault() { fault "$@" >"$work/out"; }
has_fault() { ! has_no_fault "$work/bad.md" sort && grep -qF -- "$1" "$work/out"; }

# The test itself is tested on handouts with one fault each.
printf '# sort: a title\n' >"$work/good.md"
for heading in 'New here' 'The idea' 'By hand' 'Measured' 'Questions' 'Sources'; do
  printf '\n## %s\nText.\n' "$heading" >>"$work/good.md"
  [ "$heading" != Measured ] || printf '<!-- measured: by scripts -->\n<!-- /measured -->\n' >>"$work/good.md"
done
finds() { # finds WHAT FAULT SED: the good handout, changed by SED, has the FAULT
  sed "$3" "$work/good.md" >"$work/bad.md"
  check "finds $1" has_fault "$2"
}

check 'accepts a handout without fault' has_no_fault "$work/good.md" sort
finds 'a missing title' 'line 1 is not' '1s/.*/# other: a title/'
finds 'a missing heading' "'## By hand' missing before" '/^## By hand/d'
finds 'a missing last heading' "'## Sources' missing" '/^## Sources/d'
finds 'an unknown heading' "missing before '## Result'" 's/^## Measured/## Result/'
finds 'a heading out of order' 'out of order' 's/^## Sources/## Sources\n\n## Knobs/'
finds 'a marker without its partner' 'do not match' '/^<!-- \/measured/d'
finds 'a handout that is too long' 'more than 1,500' "s/^Text\.$/$(yes word | head -n 300 | tr '\n' ' ')/"
for version in */student_func.cu; do
  version=${version%/*}
  # The folder of somebody who solves a lab has the lab's sheet instead, and CS344's file in a separate folder needs no
  # handout.
  if grep -qs '^<!-- lab: ' "$version/README.md" || ! grep -q 'SortVersion sort_version' "$version/student_func.cu"; then continue; fi
  check "handout of $version" has_no_fault "$version/README.md" "$version"
done
plan
