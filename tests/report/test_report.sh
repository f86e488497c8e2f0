#!/usr/bin/env bash
# Runs the tests of the report's pages: tests/report/*.test.mjs with node; the pages themselves in
# headless Chromium. Without their programs they are skipped.
set -u
cd "$(dirname "$0")/../.." || exit 1
skip() { printf 'ok 1 - %s # skip %s; make report_setup installs it\n1..1\n' "$1" "$2"; }

if ! command -v node >/dev/null; then
  skip "the report's page" "node is missing"
  exit 0
fi
for package in d3-scale highlight.js papaparse playwright-core; do
  if [ ! -d "report/node_modules/$package" ]; then
    skip "the report's page" "the package $package is missing"
    exit 0
  fi
done
files=(tests/report/*.test.mjs)
if ! command -v chromium chromium-browser google-chrome >/dev/null; then
  skip "the page in a browser" "chromium is missing"
  files=(tests/report/{article,build,cells,drawing,plots,sections}.test.mjs)
fi
PAGES=$(mktemp -d)
trap 'rm -rf "$PAGES"' EXIT
export PAGES
node report/build.js "$PAGES" 2>/dev/null # the tests say what is wrong with it
node --test --test-concurrency=1 --test-reporter=tap "${files[@]}"
