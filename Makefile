# SPDX-License-Identifier: GPL-2.0
#
# hyptrace: the entry point. Each target calls scripts in qemu-scripts/; each
# script explains itself with --help.
#
# Variables: MODE=protected|hvhe|nvhe and CPUS=n for the guest,
#            SEED=n and CALLS=n for make stress, SEED=n and MINUTES=n for make soak
#            GUEST=bare|linux, what make run traces: some code of our own, or a Linux guest
#            HYPTRACE_BUILD=dir for everything that is generated
#            BASE=6.12|mainline, the kernel that is patched; SOURCE=dir, a tree of it;
#            MAINLINE=7.N, the release of the mainline kernel

MODE ?= protected
CPUS ?= 4
BASE ?= 6.12
GUEST ?= bare
SOURCE ?=
HYPTRACE_BUILD ?= $(CURDIR)/build
override HYPTRACE_BUILD := $(abspath $(HYPTRACE_BUILD))
override SOURCE := $(if $(SOURCE),$(abspath $(SOURCE)))
export HYPTRACE_BUILD MODE CPUS BASE GUEST SOURCE

S := qemu-scripts

# The scripts run jobs in parallel by themselves
.NOTPARALLEL:
.PHONY: help setup source kernel tools initramfs run bench bench-peer bench-native soak check \
	check-all stress mutants lint series clean

help: ## This list
	@echo "hyptrace: hypervisor tracing for arm64 KVM. Targets:"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1	\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 20
	@echo "Variables: MODE=protected|hvhe|nvhe CPUS=n GUEST=bare|linux BASE=6.12|mainline MAINLINE=7.N SOURCE=dir HYPTRACE_BUILD=dir"

setup: ## Install the packages (Debian 12, as root); other targets do that first if they need to
	@$(S)/setup.sh

source: ## Unpack and patch the kernel source, in build/linux
	@$(S)/prepare-kernel.sh

kernel: source ## Build the guest's kernel
	@$(S)/build-kernel.sh

tools: source ## Build hyptrace for this machine and the guest, and the guest's tests
	@$(S)/build-tools.sh

initramfs: tools ## Build the guest's root file system
	@$(S)/build-initramfs.sh

# Installs and builds only what it needs
run: ## Trace the hypervisor in a fresh guest and show the result
	@$(S)/setup.sh --run
	@$(S)/build-kernel.sh
	@$(S)/build-tools.sh --run
	@$(S)/build-initramfs.sh
	@$(S)/run.sh

check: setup kernel initramfs ## Run the quick tests, for every change
	@$(S)/check.sh

check-all: setup kernel initramfs ## Run the long tests as well, which takes hours
	@$(S)/check.sh --all

bench: setup kernel initramfs ## Measure what tracing costs, in instructions
	@$(S)/bench.sh

bench-peer: ## Compare with the tracing that the mainline kernel has itself
	@BASE=mainline $(S)/setup.sh
	@$(S)/bench-peer.sh

bench-native: ## Measure in ns and GB/s, in User-mode Linux (x86)
	@$(S)/bench-native.sh

soak: setup kernel initramfs ## Do everything at once for MINUTES=n, and account for every event
	@$(S)/soak.sh

stress: setup kernel initramfs ## Attack EL2 with a million hypercalls in each protected mode, or in MODE
	@$(S)/stress.sh $(if $(filter-out file,$(origin MODE)),$(MODE))

mutants: setup kernel initramfs ## Break each security invariant in a copy, and check that a test notices
	@$(S)/mutants.sh

lint: setup source ## Check style, types, documents and history, without running anything
	@$(S)/lint.sh

series: source ## Write the project as a series of patches for git am
	@$(S)/series.sh

clean: ## Remove what was built, and keep what was downloaded
	@$(S)/clean.sh
