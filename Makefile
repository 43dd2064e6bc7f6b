# SPDX-License-Identifier: GPL-2.0
#
# hyptrace: the front door. Each target calls one script in qemu-scripts/, all
# of which explain themselves with --help.
#
# Variables: MODE=protected|hvhe|nvhe and CPUS=n for the guest,
#            SEED=n and CALLS=n for make stress
#            HYPTRACE_BUILD=dir for everything that is generated

MODE ?= protected
CPUS ?= 4
HYPTRACE_BUILD ?= $(CURDIR)/build
override HYPTRACE_BUILD := $(abspath $(HYPTRACE_BUILD))
export HYPTRACE_BUILD MODE CPUS

S := qemu-scripts

# The makes and scripts below have their own ideas of parallelism
.NOTPARALLEL:
.PHONY: help setup source kernel tools initramfs run bench bench-native soak check stress mutants lint \
	series clean

help: ## This list
	@echo "hyptrace: hypervisor tracing for arm64 KVM. Targets:"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1	\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 20
	@echo "Variables: MODE=protected|hvhe|nvhe CPUS=n HYPTRACE_BUILD=dir"

setup: ## Install what is needed (Debian 12, as root; the only one that needs the network)
	@$(S)/setup.sh

source: ## Make the patched kernel source in build/linux
	@$(S)/prepare-kernel.sh

kernel: source ## Build the guest's kernel
	@$(S)/build-kernel.sh

tools: source ## Build the tools and the tests: for the guest, and for this machine
	@$(S)/build-tools.sh

initramfs: tools ## Build the guest's root file system
	@$(S)/build-initramfs.sh

run: setup kernel initramfs ## Trace the hypervisor in a fresh guest and show the result
	@$(S)/run.sh

bench: setup kernel initramfs ## Measure what tracing costs, in instructions
	@$(S)/bench.sh

bench-native: ## Measure in ns and GB/s, in an x86 virtual machine; needs /dev/kvm
	@$(S)/bench-native.sh

soak: setup kernel initramfs ## Everything at once for MINUTES=n, and the accounts; SEED=n repeats
	@$(S)/soak.sh

check: setup kernel initramfs ## Run all tests
	@$(S)/check.sh

stress: setup kernel initramfs ## Attack EL2 with a million hypercalls in each protected mode, or in MODE
	@$(S)/stress.sh $(if $(filter-out file,$(origin MODE)),$(MODE))

mutants: setup kernel initramfs ## Break each security invariant in a copy, and see whether a test notices
	@$(S)/mutants.sh

lint: setup source ## Check style, types and documents of everything, without running it
	@$(S)/lint.sh

series: source ## Write the project as a series of patches for git am
	@$(S)/series.sh

clean: ## Remove what was built, edits in build/linux as well; downloads stay
	@$(S)/clean.sh
