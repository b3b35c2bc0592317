/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside the INI reader of experiments: what a key is, what a section is, and
 * the reader's state.  experiment_values.c has a setter for each kind of
 * value, experiment_keys.c the tables, experiment_parse.c the reading.
 */
#ifndef BP_EXPERIMENT_INTERNAL_H
#define BP_EXPERIMENT_INTERNAL_H

#include "lib/experiment.h"

#define MEMORY_MAX (1ull << 40)
#define TRACE_BUFFER_MAX (4ull << 30)

struct parser {
	const char *name; /* of the file, for messages */
	int line;
	struct experiment *exp;
	struct err *e;
	int error;
	/* what the current section fills in */
	const struct section *kind;
	struct phase *phase;
	struct kernel_spec *kernel;
	struct expect target; /* kernel and phase of an [expect …] section */
	char limit_check[NAME_LEN];
};

struct key {
	const char *name;
	int (*set)(struct parser *p, const struct key *key, const char *value);
	size_t offset;
	u64 min, max;
	const char *const *words; /* key_word(): what it may be, as the enum counts */
};

struct section {
	const char *name;
	const struct key *keys;
	size_t n_keys;
	/* [NAME rest]: starts the thing that "rest" names */
	int (*begin)(struct parser *p, char *rest);
	/* keys that are names of checks instead of a table; takes key and value */
	int (*free_key)(struct parser *p, const char *key, const char *value);
};

/* -EINVAL and a line with file and line number in front. */
int parser_fail(struct parser *p, const char *fmt, ...) __printf_like(2, 3);

/* @ret, and the message that came with it with file and line number in front. */
int parser_at_line(struct parser *p, int ret);

/* Fails unless @value can be part of paths, markers and tables. */
int parser_check_name(struct parser *p, const char *what, const char *value);

/* The index of @value in @words (NULL-terminated); fails with all of them in the message. */
int parser_word(struct parser *p, const char *name, const char *const *words, const char *value);

/* ---- setters: 0, or a negative errno and a line ---- */

int key_size(struct parser *p, const struct key *key, const char *value);
int key_number(struct parser *p, const struct key *key, const char *value);
int key_uint(struct parser *p, const struct key *key, const char *value);
int key_text(struct parser *p, const struct key *key, const char *value);
int key_name(struct parser *p, const struct key *key, const char *value);
int key_bool(struct parser *p, const struct key *key, const char *value);
int key_hugepage(struct parser *p, const struct key *key, const char *value);
int key_fault_around(struct parser *p, const struct key *key, const char *value);
int key_word(struct parser *p, const struct key *key, const char *value);
int key_read_ahead(struct parser *p, const struct key *key, const char *value);
int key_position(struct parser *p, const struct key *key, const char *value);
int key_checks(struct parser *p, const struct key *key, const char *value);
int key_config(struct parser *p, const struct key *key, const char *value);

/* ---- the tables ---- */

extern const struct section sections[];
extern const size_t n_sections;

/* What a phase has where its section says nothing. */
extern const struct phase default_phase;

/* Keys of the pattern "program", which the command line can give. */
extern const struct key program_keys[2];

#endif
