/* A small HTTP/2 server on loopback that says GOAWAY, in threads of its own. It answers every
 * request with 200 and {}, whatever it asks. */
#ifndef JR_UNIT_KUBE_H2_SERVER_H
#define JR_UNIT_KUBE_H2_SERVER_H

struct h2_plan {
    int goaway_at; /* the first connection answers nothing before it has read so many requests; then
                      it says GOAWAY */
    int unprocessed; /* the last so many of these are not answered: they belong elsewhere */
};

struct h2_server;
struct h2_server *h2_start(const struct h2_plan *plan);
void h2_stop(struct h2_server *s);
int h2_port(const struct h2_server *s);
int h2_connections(struct h2_server *s);
/** Requests that were answered, and those that came after a GOAWAY on the same connection. */
int h2_answered(struct h2_server *s);
int h2_late(struct h2_server *s);

#endif
