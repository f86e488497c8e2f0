#!/usr/bin/env bash
# Runs the tests of the report's pages: tests/report/*.test.mjs with node, those of the pages themselves in
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
status=0
node --test-reporter=tap tests/report/build.test.mjs || status=1
node --test-reporter=tap tests/report/article.test.mjs || status=1
node --test-reporter=tap tests/report/sections.test.mjs || status=1
node --test-reporter=tap tests/report/drawing.test.mjs || status=1
node --test-reporter=tap tests/report/cells.test.mjs || status=1
node --test-reporter=tap tests/report/trace.test.mjs || status=1
if command -v chromium chromium-browser google-chrome >/dev/null; then
  node --test-reporter=tap tests/report/page.test.mjs || status=1
  node --test-reporter=tap tests/report/vision.test.mjs || status=1
else
  skip "the page in a browser" "chromium is missing"
fi
node --test-reporter=tap tests/report/plots.test.mjs || status=1
exit "$status"
