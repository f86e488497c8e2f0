#!/usr/bin/env bash
# Runs the tests of the report's page: tests/report/*.test.mjs with node, those of the page itself in
# headless Chromium. What is not installed is reported as skipped, as cmocka writes it.
set -u
cd "$(dirname "$0")/../.." || exit 1
skip() { printf 'not ok 1 - %s # SKIP %s; make report_setup installs it\n1..1\n' "$1" "$2"; }

if ! command -v node >/dev/null; then
  skip "the report's page" "node is missing"
  exit 0
fi
if [ ! -d report/node_modules/chart.js ] || [ ! -d report/node_modules/playwright-core ]; then
  skip "the report's page" "report/node_modules is missing"
  exit 0
fi
status=0
node --test-reporter=tap tests/report/build.test.mjs || status=1
if command -v chromium chromium-browser google-chrome >/dev/null; then
  node --test-reporter=tap tests/report/page.test.mjs || status=1
else
  skip "the page in a browser" "chromium is missing"
fi
if command -v gnuplot >/dev/null; then
  node --test-reporter=tap tests/report/plots.test.mjs || status=1
else
  skip "the SVG pictures" "gnuplot is missing"
fi
exit "$status"
