/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Event formats: the text that the traced kernel described its events with is
 * compiled once into offsets, and records are then decoded by plain loads.
 * Kernels differ in the fields, their order and their width (i_ino grew to
 * u64 in 2025, order came in 2023), so that nothing is fixed but the names.
 *
 * The text is parsed here and not by libtraceevent: that leaks on malformed
 * text, and offset, size and sign of each field are all that is needed.
 */
#ifndef BP_FORMAT_H
#define BP_FORMAT_H

#include "lib/err.h"
#include "verify/event.h"

struct formats;

/* @big_endian is the file's byte order. */
struct formats *formats_new(bool big_endian);
void formats_free(struct formats *f);

/*
 * Adds the content of events/SYSTEM/EVENT/format.  Events that no model uses
 * cost one line of parsing.  Returns 0, or -EBADMSG and what was expected
 * (without file name and offset, which the caller knows).
 */
int formats_add(struct formats *f, const char *system, const char *text, size_t len,
		struct err *e) __must_check;

u64 formats_types(const struct formats *f); /* bit per enum event_type that was described */
u32 formats_caps(const struct formats *f);  /* enum event_caps */

/*
 * Decodes one record: type, pid, dev and the type's own fields; ts, seq and
 * cpu are the caller's.  A marker's text is copied into @text (TEXT_MAX
 * bytes).  Returns 0, or -EBADMSG and what was expected.
 */
#define MARKER_TEXT_MAX 1024
int formats_decode(const struct formats *f, const u8 *data, u32 len, struct event *ev, char *text,
		   struct err *e) __must_check;

/* Its name, for messages and listings; NULL if the file does not describe it. */
const char *formats_name(const struct formats *f, const u8 *data, u32 len);

#endif
