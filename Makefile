# SPDX-License-Identifier: GPL-2.0
#
# Builds the module beside an installed kernel; `make help' says how.  kbuild
# itself reads Kbuild.  Everything made lies under build/RELEASE/.

NAME ?= bfq
BUILD ?= build
ROOMS ?= .
DESTDIR ?=
# 1: with test points, for tests only; in a room of its own, never installed
BFQ_TEST ?=

here := $(CURDIR)
dest := $(if $(DESTDIR),$(abspath $(DESTDIR)))
running := $(shell uname -r)
plain := $(if $(KDIR)$(BFQ_TEST)$(filter-out $(here)/build,$(abspath $(BUILD))),,y)
KDIR ?= /lib/modules/$(running)/build

.PHONY: all modules install uninstall clean help check check-fast mutants demo bench ablate
all: modules

# Only for goals that need a kernel: the others must work without one.
ifneq ($(filter all modules in-room install uninstall,$(or $(MAKECMDGOALS),all)),)

# The name goes into an elevator (15 characters at most, and NAME-iosched is an
# alias), a module and C strings.
ifneq ($(shell printf %s '$(NAME)' | grep -cxE '[a-z][a-z0-9_]{1,11}'),1)
$(error NAME=$(NAME) is no name for an elevator: 2 to 12 of a-z, 0-9 and _, beginning with a letter)
endif
ifneq ($(filter-out 1,$(BFQ_TEST)),)
$(error BFQ_TEST=$(BFQ_TEST) is neither 1, for a module with test points, nor empty)
endif
ifneq ($(and $(BFQ_TEST),$(filter install,$(MAKECMDGOALS))),)
$(error a module with test points is not for use: make install without BFQ_TEST=1)
endif

work := $(abspath $(BUILD))
types := $(shell '$(here)/compat/find-types' --kdir '$(KDIR)' --work '$(work)' --image '$(IMAGE)' --ksrc '$(KSRC)' 2>&1)
ifneq ($(.SHELLSTATUS),0)
$(error $(types))
endif
release := $(shell sed -n 's/.*UTS_RELEASE "\(.*\)".*/\1/p' '$(KDIR)/include/generated/utsrelease.h')
room := $(work)/$(release)/$(NAME)$(if $(BFQ_TEST),-test)

install-check = '$(here)/tools/install-check' $1 --kdir '$(KDIR)' --release '$(release)' --name $(NAME) \
	--dest '$(dest)'
ifneq ($(filter install,$(MAKECMDGOALS)),)
lacking := $(shell $(call install-check,before) 2>&1)
ifneq ($(.SHELLSTATUS),0)
$(error $(lacking))
endif
endif
endif

# "btf FILE" or "ksrc TREE"
source-of-types = $(if $(filter btf,$(firstword $(types))),BFQ_BTF,BFQ_KSRC)=$(lastword $(types))
jobs = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))
kbuild = $(MAKE) --no-print-directory $(jobs) -C '$(KDIR)' M='$(room)' BFQ_NAME=$(NAME) BFQ_TEST=$(BFQ_TEST) \
	 $(source-of-types)

# kbuild writes its objects beside the sources, so each kernel and name gets a
# room of its own with links to them.  The lock keeps two builds of the same
# one apart (two virtual machines started together, say).
modules:
	@mkdir -p '$(room)'
	@+flock '$(room).lock' $(MAKE) --no-print-directory in-room

.PHONY: in-room
in-room:
	@find '$(room)' -maxdepth 1 -type l ! -exec test -e {} \; -delete
	@ln -sfn -t '$(room)' '$(here)/Kbuild' '$(here)/dkms.conf' '$(here)/compat' \
		$(abspath $(wildcard $(ROOMS)/bfq-*.[ch]))
	@$(kbuild) modules
	@cmp -s '$(room)/$(NAME).ko' '$(room).ko' || cp '$(room)/$(NAME).ko' '$(room).ko'
	@touch '$(room).ko'
	@$(if $(plain),cp '$(room).ko' '$(NAME).ko')
	@echo "made $(patsubst $(here)/%,%,$(room).ko) for kernel $(release)"

# Where there is no key to sign with, kbuild goes on without, but not quietly.
key = $(shell sed -n 's/^CONFIG_MODULE_SIG_KEY="*\([^"]*\)"*$$/\1/p' '$(KDIR)/include/config/auto.conf')
unsigned = $(if $(filter pkcs11:%,$(key))$(wildcard $(addprefix $(KDIR)/,$(key)) $(key)),,CONFIG_MODULE_SIG_ALL=)
# Below DESTDIR its own files say what goes before what, not this machine's.
depmod = PATH="$$PATH:/usr/sbin:/sbin" depmod $(if $(dest),-b '$(dest)' \
	$(foreach d,etc run usr/local/lib lib usr/lib,-C '$(dest)/$d/depmod.d')) $(release)

install: modules
	@$(kbuild) $(unsigned) INSTALL_MOD_DIR=updates $(if $(dest),INSTALL_MOD_PATH='$(dest)') modules_install
	@$(depmod)
	@$(call install-check,after)
	@echo "then: echo $(NAME) >/sys/block/DEVICE/queue/scheduler"

uninstall:
	@rm -f $(foreach s,ko ko.xz ko.zst ko.gz,'$(dest)/lib/modules/$(release)/updates/$(NAME).$s')
	@$(depmod)
	@echo "removed $(NAME) from kernel $(release)"

clean:
	rm -rf '$(BUILD)' *.ko

# Where these run is the first thing to be said, before anything is built or installed.
check check-fast mutants demo bench ablate: supported
.PHONY: supported
supported:
	@tools/setup --supported
check:
	@tests/check
check-fast:
	@tests/check --fast
mutants:
	@tests/mutants/run
demo:
	@tests/demo/run
bench:
	@tests/bench/run
ablate:
	@tests/bench/ablate

help:
	@echo 'make                 build bfq.ko for the running kernel'
	@echo 'make install         and put it under /lib/modules; uninstall takes it away'
	@echo 'make demo            show the shares of cgroups in a virtual machine'
	@echo 'make check           every test; check-fast: those for the inner loop'
	@echo 'make bench           every experiment against the other schedulers, an hour or more: tests/bench/README.md'
	@echo 'make mutants         show that the tests can fail, hours; it goes on where it was stopped'
	@echo 'make ablate          each idea off, each constant halved and doubled, hours; it goes on, too'
	@echo 'make clean           remove everything built'
	@echo
	@echo 'KDIR=DIR             headers of another kernel: /lib/modules/RELEASE/build'
	@echo 'NAME=bfqx            another elevator name and cgroup prefix (io.bfqx.weight),'
	@echo '                     to stand beside a bfq that is built in'
	@echo 'KSRC=TREE            source of that kernel, where its BTF is missing'
	@echo 'IMAGE=FILE           vmlinux or vmlinuz to take BTF from'
	@echo 'BFQ_TEST=1           a module with test points: build/RELEASE/NAME-test.ko'
	@echo 'W=1 C=1              more warnings; sparse'
