/* SPDX-License-Identifier: Apache-2.0 */
/* A small HTTP/2 server on loopback that says GOAWAY, or nothing any more, in threads of its own.
 * It answers every request with 200 and {}, whatever it asks. */
#ifndef JR_UNIT_KUBE_H2_SERVER_H
#define JR_UNIT_KUBE_H2_SERVER_H

struct h2_plan {
    int goaway_at; /* the first connection answers nothing before it has read so many requests; then
                      it says GOAWAY */
    int stall_at;  /* the first connection answers nothing, not even a PING, from its so manieth
                      request on, until h2_go */
    int slow_at;   /* the first connection never answers its so manieth request, and all others */
    int unprocessed; /* the last so many of these are not answered: they belong elsewhere */
};

struct h2_server;
struct h2_server *h2_start(const struct h2_plan *plan);
void h2_stop(struct h2_server *s);
/** Has the connection that stalls answer what it has read, and go on. */
void h2_go(struct h2_server *s);
int h2_port(const struct h2_server *s);
int h2_connections(struct h2_server *s);
/** Connections that are open. */
int h2_open(struct h2_server *s);
/** Requests that were read on a connection that stalls and are not answered. */
int h2_stalled(struct h2_server *s);
/** Requests that were answered, and those that came after a GOAWAY on the same connection. */
int h2_answered(struct h2_server *s);
int h2_late(struct h2_server *s);

#endif
