# Measurements and the page made of them.
.PHONY: report report_setup reproduce

report: ## builds report/index.html, report/data.html and report/svg from report/published and report/results
	$(if $(wildcard report/node_modules/highlight.js),,$(error report: make report_setup installs the packages that it needs))
	@node report/build.js && node report/plots.js
report_setup: REPORT_PACKAGES = $(strip $(if $(shell command -v npm),,nodejs npm) $(if $(shell command -v chromium || command -v chromium-browser || command -v google-chrome),,chromium))
report_setup: ## installs what `make report` and the pages' tests need: node modules, Chromium
	$(if $(REPORT_PACKAGES),@scripts/setup.sh $(REPORT_PACKAGES))
	cd report && npm ci --no-audit --no-fund
reproduce: compare samples ## the report's experiments on this machine, resumable; 10 minutes; REPRODUCE=--full: more
	@scripts/reproduce.sh $(REPRODUCE)
