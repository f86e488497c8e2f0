#!/usr/bin/env bash
# Renders the lab sheets and the versions' handouts to build/handouts/NAME.html and NAME.pdf (A4, pictures
# included). Teacher's notes go to build/handouts/teacher/, apart from what students get.
#   scripts/handouts.sh [FILE.md ...]       all files if none is named
# Needs pandoc; for the PDFs Chromium. Exit code 2 where pandoc is missing, 1 if a file fails.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v pandoc >/dev/null || { echo "handouts: pandoc is not installed; scripts/setup.sh pandoc chromium installs it and Chromium" >&2; exit 2; }
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[ -n "$browser" ] || echo "handouts: Chromium is not installed, so there are no PDFs (scripts/setup.sh chromium)" >&2
files=("$@")
[ ${#files[@]} -gt 0 ] || mapfile -t files < <(git ls-files 'labs/*.md' '*/README.md' | grep -E '^(labs/([^/]*|teacher/[^/]*)|[a-z_0-9]+/README)(\.md)?$' | while IFS= read -r file; do
  if [[ $file == labs/* ]] || [ -f "${file%README.md}student_func.cu" ]; then echo "$file"; fi
done)
profile=$(mktemp -d)
trap 'rm -rf "$profile"' EXIT
for file in "${files[@]}"; do
  case $file in
    labs/teacher/*) name=teacher/${file##*/} ;;
    labs/*) name=${file##*/} ;;
    *) name=${file%%/*} ;;
  esac
  out=build/handouts/${name%.md}
  mkdir -p "${out%/*}"
  title=$(sed -n 's/^# //p' "$file" | head -n 1)
  pandoc --from gfm --to html5 --standalone --self-contained --css labs/handout.css --metadata pagetitle="$title" \
    --resource-path "${file%/*}" "$file" -o "$out.html"
  # On paper nothing can be unfolded.
  if [ -n "$browser" ]; then
    sed 's/<details>/<details open>/' "$out.html" >"$profile/print.html"
    "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$profile/user" --no-pdf-header-footer \
      --print-to-pdf-no-header --print-to-pdf="$out.pdf" "file://$profile/print.html" >/dev/null 2>&1
    [ -s "$out.pdf" ] || { echo "handouts: Chromium made no $out.pdf" >&2; exit 1; }
  fi
  echo "$out.html"
done
