# SPDX-License-Identifier: GPL-2.0-only
# blkproof: `make help` lists what there is.

CC ?= gcc
PREFIX ?= /usr/local
BUILD := build

WARN := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wpointer-arith -Wwrite-strings -Wvla -Wundef -Wno-unused-result
STD := -std=gnu17 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -I.
CFLAGS ?= -O2 -g
SAN := -O1 -g -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined
# libtraceevent and libtracefs have their headers in directories of their own
PC = $(shell pkg-config --cflags libtraceevent libtracefs)
DEP = -MMD -MP

VERIFY_LIBS := -ltraceevent -ljansson -linih -lzstd -lz -lm
HOST_LIBS := $(VERIFY_LIBS) -lext2fs -lcom_err -lcrypto -lpthread
GUEST_LIBS := -ltracefs -ltraceevent -ljansson -linih -lpthread -ldl

LIB_SRC := $(wildcard lib/*.c)
VERIFY_SRC := $(filter-out verify/main.c,$(wildcard verify/*.c verify/*/*.c))
HOST_SRC := $(filter-out host/main.c,$(wildcard host/*.c))
GUEST_SRC := $(wildcard guest/*.c guest/patterns/*.c)
UNIT_SRC := $(wildcard tests/unit/test_*.c)
UNIT_HELP := $(filter-out $(UNIT_SRC),$(wildcard tests/unit/*.c))
FUZZ_SRC := $(wildcard tests/fuzz/fuzz_*.c)

obj = $(patsubst %.c,$(BUILD)/$(1)/%.o,$(2))
LIB_OBJ := $(call obj,obj,$(LIB_SRC))
VERIFY_OBJ := $(call obj,obj,$(VERIFY_SRC))
HOST_OBJ := $(call obj,obj,$(HOST_SRC))
GUEST_OBJ := $(call obj,guest,$(GUEST_SRC) $(LIB_SRC))
SAN_OBJ := $(call obj,san,$(LIB_SRC) $(VERIFY_SRC) $(HOST_SRC) $(UNIT_HELP))
UNIT_BIN := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(UNIT_SRC))
FUZZ_BIN := $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz/%,$(FUZZ_SRC))

PROGRAMS := $(patsubst verify/main.c,bin/verify,$(wildcard verify/main.c)) \
	$(patsubst host/main.c,bin/boot-and-trace,$(wildcard host/main.c)) \
	$(patsubst guest/main.c,$(BUILD)/agent,$(wildcard guest/main.c))

ifeq ($(V),1)
Q :=
say = @:
else
Q := @
say = @printf '  %-7s %s\n'
endif

all: $(PROGRAMS)

bin/verify: $(BUILD)/obj/verify/main.o $(VERIFY_OBJ) $(LIB_OBJ)
	$(say) LINK $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(VERIFY_LIBS)

bin/boot-and-trace: $(BUILD)/obj/host/main.o $(HOST_OBJ) $(VERIFY_OBJ) $(LIB_OBJ)
	$(say) LINK $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(HOST_LIBS)

# PID 1 of the initramfs: static, since there is no library in there
$(BUILD)/agent: $(GUEST_OBJ)
	$(say) LINK $@
	$(Q)$(CC) $(LDFLAGS) -static -o $@ $^ $(GUEST_LIBS)

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
	$(Q)$(CC) $(SAN) -o $@ $< $(BUILD)/san.a -lcmocka $(HOST_LIBS)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

clean:
	rm -rf $(BUILD) bin

.PHONY: all clean
.SECONDARY:
