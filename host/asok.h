/* SPDX-License-Identifier: GPL-2.0-only */
/* A Ceph daemon's admin socket. */
#ifndef BP_ASOK_H
#define BP_ASOK_H

#include <jansson.h>

#include "lib/err.h"

/*
 * Sends @prefix ("perf dump") to the socket @name in directory @dirfd and
 * returns the answer, an object that the caller owns, in *@out.  The names of
 * sockets are short: @dirfd's path, of any length, is no part of the address.
 *
 * The request is a JSON object and a NUL; the answer is its length, 4 bytes big
 * endian, and that many bytes of JSON (AdminSocketClient::do_request() in
 * Ceph's src/common/admin_socket_client.cc).
 *
 * Returns 0, or a negative errno and a line: -ENOENT, -ECONNREFUSED as long as
 * the daemon does not listen yet.
 */
int asok_command(int dirfd, const char *name, const char *prefix, json_t **out,
		 struct err *e) __must_check;

/*
 * Parses an answer of @len bytes and a NUL, which it changes.  Daemons print
 * counters that went below zero as 2^64 less that, which no JSON reader takes for
 * a whole number; here they are what they were meant to be.  NULL and a line if
 * it is no object.
 */
json_t *asok_parse(char *text, size_t len, struct err *e) __must_check;

#endif
