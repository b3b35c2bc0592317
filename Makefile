# SPDX-License-Identifier: GPL-2.0-only
# blkproof: `make help` lists what there is.

CC ?= gcc
PREFIX ?= /usr/local
BUILD := build
JOBS ?= $(shell nproc)

WARN := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wpointer-arith -Wwrite-strings -Wvla -Wundef -Wno-unused-result
STD := -std=gnu17 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -I.
CFLAGS ?= -O2 -g
SAN := -O1 -g -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined
# libtraceevent and libtracefs have their headers in directories of their own
PC = $(shell pkg-config --cflags libtraceevent libtracefs)
DEP = -MMD -MP

VERIFY_LIBS := -ljansson -linih -lzstd -lz -lm -lpthread
HOST_LIBS := $(VERIFY_LIBS) -lext2fs -lcom_err -lcrypto
# Pictures; what else there is builds without these two libraries
PLOT_PC := $(shell pkg-config --cflags pangocairo 2>/dev/null)
PLOT_LIBS := $(shell pkg-config --libs pangocairo 2>/dev/null)
GUEST_LIBS := -ltracefs -ltraceevent -ljansson -linih -luring -lpthread -ldl

LIB_SRC := $(wildcard lib/*.c)
VERIFY_SRC := $(filter-out verify/main.c,$(wildcard verify/*.c verify/*/*.c))
PLOT_SRC := $(wildcard plot/*.c)
HOST_SRC := $(filter-out host/main.c,$(wildcard host/*.c))
REPLAY_SRC := $(filter-out replay/main.c,$(wildcard replay/*.c))
GUEST_SRC := $(wildcard guest/*.c guest/patterns/*.c)
UNIT_SRC := $(wildcard tests/unit/test_*.c)
UNIT_HELP := $(filter-out $(UNIT_SRC),$(wildcard tests/unit/*.c))
FUZZ_SRC := $(wildcard tests/fuzz/fuzz_*.c)

obj = $(patsubst %.c,$(BUILD)/$(1)/%.o,$(2))
LIB_OBJ := $(call obj,obj,$(LIB_SRC))
VERIFY_OBJ := $(call obj,obj,$(VERIFY_SRC))
HOST_OBJ := $(call obj,obj,$(HOST_SRC))
REPLAY_OBJ := $(call obj,obj,$(REPLAY_SRC))
GUEST_OBJ := $(call obj,guest,$(GUEST_SRC) $(LIB_SRC))
ARM64_OBJ := $(call obj,arm64,$(GUEST_SRC) $(LIB_SRC))
# What of the agent can be tested outside a guest; the linker takes what a test asks for
GUEST_UNIT_SRC := $(filter-out guest/main.c,$(GUEST_SRC))
# What of plot/ needs no drawing library
PLOT_UNIT_SRC := plot/data.c plot/style.c plot/html.c plot/page.c
SAN_OBJ := $(call obj,san,$(LIB_SRC) $(VERIFY_SRC) $(PLOT_UNIT_SRC) $(HOST_SRC) $(REPLAY_SRC) \
	$(GUEST_UNIT_SRC) $(UNIT_HELP))
UNIT_BIN := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(UNIT_SRC))
FUZZ_BIN := $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz/%,$(FUZZ_SRC))

PROGRAMS := $(if $(PLOT_LIBS),bin/plot) \
	$(patsubst verify/main.c,bin/verify,$(wildcard verify/main.c)) \
	$(patsubst host/main.c,bin/boot-and-trace,$(wildcard host/main.c)) \
	$(patsubst guest/main.c,$(BUILD)/agent,$(wildcard guest/main.c)) \
	$(patsubst replay/main.c,bin/replay-plan,$(wildcard replay/main.c))

ifeq ($(V),1)
Q :=
say = @:
else
Q := @
say = @printf '  %-7s %s\n'
endif

# The recipe spares users "Nothing to be done"
all: $(PROGRAMS)
	@:

bin/verify: $(BUILD)/obj/verify/main.o $(VERIFY_OBJ) $(LIB_OBJ)
	$(say) LINK $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(VERIFY_LIBS)

bin/boot-and-trace: $(BUILD)/obj/host/main.o $(HOST_OBJ) $(VERIFY_OBJ) $(LIB_OBJ)
	$(say) LINK $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(HOST_LIBS)

bin/replay-plan: $(BUILD)/obj/replay/main.o $(REPLAY_OBJ) $(VERIFY_OBJ) $(LIB_OBJ)
	$(say) LINK $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(VERIFY_LIBS)

bin/plot: $(call obj,obj,$(PLOT_SRC)) $(VERIFY_OBJ) $(LIB_OBJ)
	$(say) LINK $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(PLOT_LIBS) $(VERIFY_LIBS)

$(BUILD)/obj/plot/page.o $(BUILD)/san/plot/page.o: plot/page.html

$(BUILD)/obj/plot/%.o: plot/%.c
	@[ -n "$(PLOT_LIBS)" ] || { echo "bin/plot needs pango and cairo: make deps-plot"; exit 1; }
	$(say) CC $<
	@mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(WARN) $(CFLAGS) $(PLOT_PC) $(DEP) -c -o $@ $<

# PID 1 of the initramfs: static, since there is no library in there
$(BUILD)/agent: $(GUEST_OBJ)
	$(say) LINK $@
	$(Q)$(CC) $(LDFLAGS) -static -o $@ $^ $(GUEST_LIBS)

# The same for arm64 guests: built only when it is asked for
ARM64_CC := aarch64-linux-gnu-gcc
ARM64_ROOT := $(BUILD)/arm64/root

$(ARM64_ROOT): host/sysroot.sh
	@mkdir -p $(@D)
	$(Q)root=$$(host/sysroot.sh arm64) && ln -sfnT "$$root" $@ && touch $@

$(BUILD)/arm64/agent: $(ARM64_OBJ) | $(ARM64_ROOT)
	$(say) LINK $@
	$(Q)$(ARM64_CC) -static -o $@ $^ -L$(ARM64_ROOT)/usr/lib/aarch64-linux-gnu $(GUEST_LIBS)

$(BUILD)/arm64/%.o: %.c | $(ARM64_ROOT)
	$(say) CC-ARM64 $<
	@mkdir -p $(@D)
	$(Q)$(ARM64_CC) $(STD) $(WARN) -O2 -g $(addprefix -isystem $(ARM64_ROOT)/usr/include, \
		/traceevent /tracefs) -isystem $(ARM64_ROOT)/usr/include $(DEP) -c -o $@ $<

$(BUILD)/obj/%.o: %.c
	$(say) CC $<
	@mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(WARN) $(CFLAGS) $(PC) $(DEP) -c -o $@ $<

$(BUILD)/guest/%.o: %.c
	$(say) CC $<
	@mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(WARN) $(CFLAGS) $(PC) $(DEP) -c -o $@ $<

$(BUILD)/san/%.o: %.c
	$(say) CC-SAN $<
	@mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(WARN) $(SAN) $(PC) $(DEP) -c -o $@ $<

$(BUILD)/san.a: $(SAN_OBJ)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

$(BUILD)/unit/%: $(BUILD)/san/tests/unit/%.o $(BUILD)/san.a
	$(say) LINK $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(SAN) -o $@ $< $(BUILD)/san.a -lcmocka $(HOST_LIBS) $(GUEST_LIBS)

# ---- what a user types ----

# A value as one word of the shell's, whatever is in it
quote = '$(subst ','\'',$(1))'

comma := ,

# File systems that the command line names, each a set of packages
FS_SETS = $(filter xfs btrfs f2fs,$(FS) $(subst :, ,$(subst $(comma), ,$(SWEEP))))

# Guests of another architecture: a set of packages, and an agent of theirs
ARCH_SET = $(if $(filter arm64%,$(ARCH)),arm64)
ARCH_AGENT = $(if $(ARCH_SET),$(BUILD)/arm64/agent)

# Set on the command line: make boot-and-trace EXPERIMENT=… PATCH=…
RUN_OPTIONS = $(if $(EXPERIMENT),--experiment $(call quote,$(EXPERIMENT))) \
	$(if $(PATCH),--patch $(call quote,$(PATCH))) $(if $(KDIR),--kdir $(call quote,$(KDIR))) \
	$(if $(COMMITS),--commits $(call quote,$(COMMITS))) \
	$(if $(KERNEL),--image patched=$(call quote,$(KERNEL))) \
	$(if $(BASE_KERNEL),--image base=$(call quote,$(BASE_KERNEL))) \
	$(if $(RUN),--run $(call quote,$(RUN))) $(if $(TRACES),--traces $(call quote,$(TRACES))) \
	$(if $(REPLAY),--replay $(call quote,$(REPLAY))) \
	$(if $(REPEAT),--repeat $(call quote,$(REPEAT))) \
	$(if $(ARCH),--arch $(call quote,$(ARCH))) $(if $(ACCEL),--accel $(call quote,$(ACCEL))) \
	$(if $(FS),--set filesystem=$(call quote,$(FS))) \
	$(if $(SET),$(foreach s,$(SET),--set $(call quote,$(s)))) \
	$(if $(PROGRAM),--program $(call quote,$(PROGRAM))) \
	$(if $(ARGS),--args $(call quote,$(ARGS))) \
	$(if $(SWEEP),--sweep $(call quote,$(SWEEP))) \
	$(if $(FILE_SIZE),--file-size $(call quote,$(FILE_SIZE))) \
	$(if $(filter 1,$(V)),--verbose)

# A second make, since the first one may have installed what the Makefile asks pkg-config for
boot-and-trace: deps
	+$(Q)$(MAKE) --no-print-directory -j$(JOBS) all $(ARCH_AGENT)
	$(Q)needs=$$(bin/boot-and-trace $(RUN_OPTIONS) --needs) && host/deps.sh $$needs
	$(Q)bin/boot-and-trace $(RUN_OPTIONS)

# What `git bisect run make -C HERE bisect ...` needs: make would end with 2, which git takes for
# bad, when a commit does not build, so the program runs in make's place.  Whatever fails before
# a verdict is there ends with a status above 127, at which git stops.
ifneq ($(filter bisect,$(MAKECMDGOALS)),)
$(shell mkdir -p $(BUILD) && $(CC) -shared -fPIC -o $(BUILD)/make_exec.so host/bisect/make_exec.c \
	1>&2 || { echo 'make bisect needs gnumake.h, which comes with GNU make' >&2; \
	kill -TERM $$PPID; })
load $(BUILD)/make_exec.so
endif

bisect:
	$(exec-instead { host/deps.sh run $(FS_SETS) $(ARCH_SET) && \
		$(MAKE) --no-print-directory -s -j$(JOBS) all $(ARCH_AGENT); } 1>&2 || exit 128; \
		exec bin/boot-and-trace --bisect $(call quote,$(CHECK)) \
		$(if $(KDIR),,--kdir $(call quote,$(PWD))) $(RUN_OPTIONS))

deps:
	$(Q)host/deps.sh run $(FS_SETS) $(ARCH_SET)

deps-test:
	$(Q)host/deps.sh run test plot browser xfs btrfs f2fs

# Virtual machines need what the experiments need
deps-vm: deps-test
	$(Q)host/deps.sh ceph

deps-plot:
	$(Q)host/deps.sh plot

cache clean-cache refresh-source: deps
	+$(Q)$(MAKE) --no-print-directory -j$(JOBS) bin/boot-and-trace
	$(Q)bin/boot-and-trace --$@

# ---- tests ----

check: deps-test
	+$(Q)$(MAKE) --no-print-directory -j$(JOBS) all $(UNIT_BIN)
	$(Q)tests/run.sh check

test: deps-vm
	+$(Q)$(MAKE) --no-print-directory -j$(JOBS) all $(UNIT_BIN)
	$(Q)tests/run.sh check vm

# As test, and what takes too long for every change
test-all: deps-vm
	+$(Q)$(MAKE) --no-print-directory -j$(JOBS) all $(UNIT_BIN)
	$(Q)tests/run.sh check vm long

bench: deps-test
	+$(Q)$(MAKE) --no-print-directory -j$(JOBS) all bench-tools
	$(Q)tests/bench/run.sh

# Each driver for FUZZ_TIME seconds, from seeds that are made here; what they learn stays
# in $(BUILD)/fuzz/corpus for the next time
FUZZ_TIME ?= 60
FUZZ_CC ?= clang
FUZZ_FLAGS := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
FUZZ_OBJ := $(call obj,fuzz-obj,$(LIB_SRC) $(VERIFY_SRC) $(HOST_SRC) $(REPLAY_SRC))

$(BUILD)/fuzz-obj/%.o: %.c
	$(say) CC-FUZZ $<
	@mkdir -p $(@D)
	$(Q)$(FUZZ_CC) $(STD) $(FUZZ_FLAGS) $(PC) $(DEP) -c -o $@ $<

$(BUILD)/fuzz.a: $(FUZZ_OBJ)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

$(BUILD)/fuzz/%: $(BUILD)/fuzz-obj/tests/fuzz/%.o $(BUILD)/fuzz.a
	$(say) LINK $@
	@mkdir -p $(@D)
	$(Q)$(FUZZ_CC) $(FUZZ_FLAGS) -fsanitize=fuzzer -o $@ $< $(BUILD)/fuzz.a $(HOST_LIBS)

$(BUILD)/make_seeds: $(BUILD)/san/tests/fuzz/make_seeds.o $(BUILD)/san.a
	$(Q)$(CC) $(SAN) -o $@ $^ $(HOST_LIBS)

fuzz: $(FUZZ_BIN) $(BUILD)/make_seeds
	$(Q)$(BUILD)/make_seeds $(BUILD)/fuzz/seeds
	$(Q)for f in $(FUZZ_BIN); do d=$${f##*/fuzz_}; \
		mkdir -p $(BUILD)/fuzz/corpus/$$d $(BUILD)/fuzz/seeds/$$d; echo "  FUZZ    $$d"; \
		$$f -max_total_time=$(FUZZ_TIME) -max_len=40000 -rss_limit_mb=1024 -timeout=10 \
			-verbosity=0 -print_final_stats=1 -artifact_prefix=$(BUILD)/fuzz/ \
			$(BUILD)/fuzz/corpus/$$d $(BUILD)/fuzz/seeds/$$d || exit 1; done

# Makes large traces, and reads them as fast as the readers can: for the bench
bench-tools: $(BUILD)/make_big_trace $(BUILD)/read_trace $(BUILD)/repeat_trace \
	$(BUILD)/fio_init $(BUILD)/fio_initramfs $(BUILD)/replay_error

# PID 1 of a guest in which fio replays
$(BUILD)/fio_init: $(BUILD)/obj/tests/bench/fio_init.o
	$(say) LINK $@
	$(Q)$(CC) $(LDFLAGS) -static -o $@ $^

$(BUILD)/fio_initramfs $(BUILD)/replay_error: $(BUILD)/%: $(BUILD)/obj/tests/bench/%.o \
		$(HOST_OBJ) $(VERIFY_OBJ) $(LIB_OBJ)
	$(say) LINK $@
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(HOST_LIBS)

$(BUILD)/make_big_trace: $(BUILD)/obj/tests/bench/make_big_trace.o \
		$(addprefix $(BUILD)/obj/tests/unit/,make_trace.o make_trace_file.o) \
		$(BUILD)/obj/tests/unit/make_blktrace.o $(LIB_OBJ)
	$(say) LINK $@
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(VERIFY_LIBS)

$(BUILD)/repeat_trace: $(BUILD)/obj/tests/bench/repeat_trace.o $(LIB_OBJ)
	$(say) LINK $@
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -linih

$(BUILD)/read_trace: $(BUILD)/obj/tests/bench/read_trace.o $(VERIFY_OBJ) $(LIB_OBJ)
	$(say) LINK $@
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(VERIFY_LIBS)

# ---- install ----

# Installed, the programs and their pages have blkproof- in front of their names
MAN := $(wildcard docs/*.[158])

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/blkproof
	install -m 755 bin/verify $(DESTDIR)$(PREFIX)/bin/blkproof-verify
	install -m 755 bin/boot-and-trace $(DESTDIR)$(PREFIX)/bin/blkproof-boot-and-trace
	install -m 755 bin/replay-plan $(DESTDIR)$(PREFIX)/bin/blkproof-replay-plan
	$(if $(PLOT_LIBS),install -m 755 bin/plot $(DESTDIR)$(PREFIX)/bin/blkproof-plot)
	install -m 755 $(BUILD)/agent $(DESTDIR)$(PREFIX)/share/blkproof/agent
	$(if $(wildcard $(BUILD)/arm64/agent),install -m 755 $(BUILD)/arm64/agent \
		$(DESTDIR)$(PREFIX)/share/blkproof/agent-arm64)
	cp -R experiments kconfigs patches $(DESTDIR)$(PREFIX)/share/blkproof/
	for m in $(MAN); do d=$(DESTDIR)$(PREFIX)/share/man/man$${m##*.}; n=$${m#docs/}; \
		install -d $$d && install -m 644 $$m $$d/blkproof-$${n#blkproof-} || exit 1; done

help:
	@sed -n 's/^#? \?//p' $(firstword $(MAKEFILE_LIST))

clean:
	rm -rf $(BUILD) bin

.PHONY: all bisect boot-and-trace deps deps-test deps-vm deps-plot \
	cache clean-cache refresh-source \
	check test test-all bench bench-tools fuzz install help clean
.SECONDARY:

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

#? make boot-and-trace    build base and patched kernel, boot both, leave traces/runNNN
#?   EXPERIMENT=NAME      experiments/NAME.ini or a file (default piece-copy)
#?   PATCH=PATH           a patch, a mailbox or a directory instead of our own patch
#?   KDIR=DIR             a kernel tree instead of Debian's newest source; never written to
#?   COMMITS=BASE..TIP    commits of KDIR, or one and its parent; what is checked out stays
#?   KERNEL=FILE          a bzImage (arm64: an Image) as the patched kernel instead of building one
#?   BASE_KERNEL=FILE     the same for base
#?   FS=ext4|xfs|btrfs|f2fs   file system of the test file
#?   SET='KEY=VALUE ...'  keys of the experiment's first section: mount_options, block_size,
#?                        scheduler, queue_size, read_ahead_kb, memory, cpus, ...
#?   SWEEP=KEY:V1,V2,...  the experiment at each of these values, and one table over all
#?   PROGRAM=PATH         a program of yours to run on the test file instead of a pattern
#?   ARGS='FILE 8'        its arguments; FILE stands for the test file's path
#?   FILE_SIZE=SIZE       size of the test file, e.g. 16G
#?   REPLAY=PLAN          replay what bin/replay-plan made of a trace
#?   REPEAT=N             boot each kernel N times
#?   ARCH=x86_64|arm64|arm64-64k   architecture of the guests, with pages of 4K or 64K
#?   ACCEL=auto|kvm|tcg   accelerator (default auto: KVM if a guest really boots on it)
#?   RUN=NAME             name of the run (default: next free runNNN)
#?   TRACES=DIR           where runs go (default traces)
#?   V=1                  show commands and compiler output
#? make bisect CHECK=NAME  for git bisect run, in a kernel tree: see man docs/boot-and-trace.1
#? bin/verify PATH        check a run, a capture or a trace file; see man docs/verify.1
#? bin/replay-plan TRACE  make a plan of a recorded workload; see man docs/replay-plan.1
#? bin/plot PATH -o FILE  draw it as .svg, .png or .html (make deps-plot first); see docs/plot.1
#? make test              all tests, those in VMs included
#? make check             the tests that need no VM, under a minute
#? make test-all          as test, with the large sizes
#? make fuzz              all fuzz drivers, FUZZ_TIME=60 seconds each
#? make bench             speed and memory, side by side with other tools
#? make cache             what the cache of sources, kernels and disks holds
#? make clean-cache       empty it
#? make refresh-source    fetch the newest kernel source, even if the cache has one
#? make install           PREFIX=/usr/local, DESTDIR=
#? make clean             remove what was built here (not the cache, not traces/)
