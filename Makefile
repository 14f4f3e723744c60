# `make` without a target lists the targets. Every build uses the same options (Scripts/build.sh), so that `make run` and
# `make test` share one.

PREFIX ?= $(HOME)/.local
FOR ?= 1800
# The directories of harald's known devices and of the socket of the user's air.
STORE = $(or $(XDG_DATA_HOME),$(HOME)/.local/share)/harald
AIR = $(if $(XDG_RUNTIME_DIR),$(XDG_RUNTIME_DIR)/harald,/tmp/harald-$(shell id -u))
SOURCES = Package.swift Sources Tests HaraldShims

.DEFAULT_GOAL := help
.PHONY: help run test test-linux shims-tests web-tests screenshots build release install format lint \
	fuzz simulate sanitize repeat chaos power peers bench bench-check bench-explorer bench-hub \
	bench-hub-sizes soak clean uninstall remove package package-test release-check bleak-tests linux-programs judges site

help:
	@echo 'make run                 builds harald and runs the demo, without hardware or network'
	@echo 'make run ARGS="scan"     ... or another command of harald'
	@echo 'make test                builds everything and runs all tests; installs the independent peers in .build/peers'
	@echo 'make test ARGS="--filter ATT"   ... or some of them'
	@echo 'make build               a debug build of everything'
	@echo 'make release             an optimised build: .build/release/harald'
	@echo 'make install             ... and copies it to $$PREFIX/bin ($(PREFIX)/bin), with completions; as root also a udev'
	@echo '                         rule and systemd units (Documentation/Linux.md)'
	@echo 'make package             a Debian package, a tarball, an SPDX document and their sums, in .build/packages (RELEASE.md)'
	@echo 'make package-test        ... installs, upgrades and removes them in bare machines of Debian 12 and 13; as root'
	@echo 'make release-check       everything that has to hold before a release, with a report'
	@echo 'make test-linux          our BlueZ backend and our user channel on a real kernel and bluetoothd, in QEMU (about ten minutes)'
	@echo 'make bleak-tests         the integration tests of bleak, fetched from its repository, under harald bluez (about two minutes)'
	@echo 'make linux-programs      bluetoothctl of BlueZ 5.66 and bluezero under harald bluez'
	@echo 'make shims-tests         the package HaraldShims, and a package that uses it as an app does (about five minutes)'
	@echo 'make web-tests           the pages of harald serve in headless browsers, and its API under schemathesis'
	@echo 'make screenshots         one picture of each of these pages, in .build/screenshots; updates Documentation/images'
	@echo 'make format, make lint   swift-format; lint also checks texts, links, the public API and the documentation'
	@echo 'make site                the documentation as a web site in .build/site: guides, and the reference of every library'
	@echo 'make simulate FOR=60     simulates worlds of hosts, links and faults from seeds; SEED=n for one, PROGRAM=file for a stored one'
	@echo 'make fuzz FOR=600        fuzzes every decoder and state machine, guided by coverage, for that many seconds in total'
	@echo 'make fuzz TARGET=att-server     ... or for one of them (Documentation/Fuzzing.md)'
	@echo 'make sanitize KIND=thread       the tests under the thread sanitizer; KIND=address under the address sanitizer'
	@echo 'make repeat FOR=60       repeats the tests with random input for that many seconds (default: half an hour)'
	@echo 'make chaos               kills the health hub and its environment at 200 random instants, and checks the stored readings'
	@echo 'make power               cuts the power of a hub in QEMU 50 times, and checks that acknowledged readings are stored'
	@echo 'make bench               measures our stack, Bumble and no stack on one referee; about ten minutes (Benchmarks/README.md)'
	@echo 'make bench ARGS="--only pairs"  ... or a part; ARGS=--help lists the parts'
	@echo 'make bench-explorer      measures harald serve: processor time, latency, memory, the browser; about three minutes'
	@echo 'make soak                10,000 connections, a simulated day and week: memory, descriptors, threads stay constant'
	@echo 'make soak ARGS="--only serve bluez linux"   ... an hour each; 500 connections over BlueZ in QEMU'
	@echo 'make bench-check         checks the cost of operations against the limits in Benchmarks/limits.json'
	@echo 'make bench-hub           compares the health hub with a C program that inserts the same rows with equal durability'
	@echo 'make bench-hub-sizes     measures one and two hubs on PostgreSQL, and simulated gateways; about five minutes'
	@echo 'make peers               creates only the Python environment for the tests against independent peers'
	@echo 'make judges COUNT=100000 SEED=1   compares advertised values with the decoders of others, and dissect with tshark'
	@echo 'make clean               removes all builds, with .build'
	@echo 'make uninstall           removes the files that make install copied'
	@echo 'make remove              clean, uninstall, and removes the data of harald about devices'

run:
	@Scripts/prepare.sh run
	@Scripts/build.sh --to-run --product harald
	@.build/debug/harald $(or $(ARGS),demo)

build:
	@Scripts/prepare.sh run
	@Scripts/build.sh

release:
	@Scripts/prepare.sh run
	@Scripts/build.sh --configuration release --product harald

install: release
	@Scripts/install.sh install .build/release/harald "$(PREFIX)"

test:
	@Scripts/prepare.sh test
	@Scripts/test.sh $(ARGS)

peers:
	@Scripts/prepare.sh test
	@Scripts/peers.sh

judges:
	@Scripts/prepare.sh test
	@Scripts/peers.sh
	@Scripts/build.sh --product harald
	@.build/peers/bin/python Tests/Peers/advertised.py --count $(or $(COUNT),100000) --seed $(or $(SEED),1)
	@.build/peers/bin/python Tests/Peers/dissected.py --seed $(or $(SEED),1)

fuzz:
	@Scripts/prepare.sh run
	@Scripts/fuzz.sh $(FOR) $(TARGET)

sanitize:
	@Scripts/prepare.sh run
	@Scripts/sanitize.sh "$(KIND)" $(ARGS)

repeat:
	@Scripts/prepare.sh run
	@Scripts/repeat-tests.sh $(FOR) $(ARGS)

simulate:
	@Scripts/prepare.sh run
	@Scripts/simulate.sh FOR="$(if $(filter command line environment,$(origin FOR)),$(FOR))" SEED="$(SEED)" PROGRAM="$(PROGRAM)" \
		FAULT="$(FAULT)"

bench:
	@Scripts/prepare.sh bench
	@Scripts/peers.sh || true
	@Benchmarks/bench.py $(ARGS)

bench-hub:
	@Scripts/prepare.sh bench
	@Scripts/build.sh --configuration release --product harald
	@Scripts/build.sh --configuration release --product HubBench
	@Benchmarks/hub.py $(ARGS)

bench-hub-sizes:
	@Scripts/prepare.sh bench
	@Scripts/build.sh --configuration release --product harald
	@Scripts/build.sh --configuration release --product HubBench
	@Benchmarks/hub_sizes.py $(ARGS)

chaos:
	@Scripts/prepare.sh test
	@Scripts/build.sh --product harald
	@Tests/Chaos/chaos.py $(ARGS)

power:
	@Scripts/prepare.sh test
	@Scripts/build.sh --product harald
	@Tests/Chaos/power.py $(ARGS)

bench-check:
	@Scripts/bench-check.sh $(ARGS)

bench-explorer:
	@Scripts/prepare.sh run
	@Scripts/build.sh -c release --product harald
	@Scripts/web-tests.sh ../../Benchmarks/explorer.py $(ARGS)

soak:
	@Scripts/prepare.sh run
	@Scripts/build.sh -c release --product harald-bench
	@Benchmarks/soak.py $(ARGS)

format:
	swift format --in-place --recursive --parallel $(SOURCES)

lint:
	swift format lint --strict --recursive --parallel $(SOURCES)
	Scripts/generate-api-surface --check
	Scripts/generate-keys --check
	Scripts/check-text
	Scripts/check-links
	Scripts/count-public --limit 134
	Scripts/public-api
	Scripts/documentation --check
	Scripts/check-examples

site:
	@Scripts/prepare.sh run
	@Scripts/build.sh
	@Scripts/site/build $(ARGS)

clean:
	rm -rf .build Package.resolved Tests/LibraryUser/Package.resolved Tests/ShimsUser/Package.resolved \
		HaraldShims/Package.resolved Tests/Peers/__pycache__ Benchmarks/harness/__pycache__

uninstall:
	@Scripts/install.sh uninstall - "$(PREFIX)"

test-linux:
	@Scripts/prepare.sh test
	@Scripts/test-linux.sh $(ARGS)

package:
	@Scripts/prepare.sh run
	@Scripts/package $(ARGS)

package-test:
	@Scripts/package-test $(ARGS)

release-check:
	@Scripts/release-check $(ARGS)

bleak-tests:
	@Scripts/prepare.sh test
	@Scripts/build.sh --product harald
	@Scripts/bleak-tests.sh $(ARGS)

linux-programs:
	@Scripts/prepare.sh test
	@Scripts/build.sh --product harald
	@Scripts/linux-programs.sh $(ARGS)

shims-tests:
	@Scripts/prepare.sh run
	@Scripts/shims-user.sh

web-tests:
	@Scripts/prepare.sh run
	@Scripts/build.sh --product harald
	@Scripts/web-tests.sh $(ARGS)

screenshots:
	@Scripts/prepare.sh run
	@Scripts/build.sh --product harald
	@Scripts/web-tests.sh screenshots.py .build/screenshots
	@mkdir -p Documentation/images
	@for one in devices-1280-light device-1280-light sensortag-1280-dark air-1280-light hub-1280-light; do \
		cp .build/screenshots/$$one.png Documentation/images/$${one%%-*}.png; done

remove: clean uninstall
	rm -rf "$(STORE)" "$(AIR)"
	@echo 'Packages installed for the build are kept; apt-get remove removes them.'
