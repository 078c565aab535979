/* SPDX-License-Identifier: Apache-2.0 */
/* Which connection is evicted, beside a model that looks at all of them, after random steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <sys/socket.h>

#include "common/http/peers.h"

#define N 120
#define ADDRESSES 12
#define STEPS 40000

struct world {
    struct jr_peers peers;
    struct jr_place place[N];
    unsigned address[N]; /* 0: not there */
    uint64_t random;
    int64_t now;
};

static unsigned draw(struct world *w, unsigned n)
{
    w->random = w->random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(w->random >> 33) % n;
}

static size_t waiting_of(const struct world *w, enum jr_conn_class class, unsigned address)
{
    size_t n = 0;

    for (size_t i = 0; i < N; i++)
        n += w->address[i] == address && w->place[i].waits && w->place[i].class == class ? 1 : 0;
    return n;
}

/* How many wait at the peer of the one that is evicted first. */
static void check(const struct world *w, enum jr_conn_class class)
{
    const struct jr_place *first = jr_peers_first(&w->peers, class);
    size_t most = 0;
    unsigned address = 0;

    for (unsigned a = 1; a <= ADDRESSES; a++) {
        size_t n = waiting_of(w, class, a);

        most = n > most ? n : most;
    }
    if (first == NULL) {
        assert_int_equal(most, 0);
        return;
    }
    for (size_t i = 0; i < N; i++) {
        if (&w->place[i] == first)
            address = w->address[i];
    }
    assert_int_not_equal(address, 0);
    assert_int_equal(first->class, class);
    assert_int_equal(waiting_of(w, class, address), most);
    for (size_t i = 0; i < N; i++) { /* and none of its own is older */
        if (w->address[i] == address && w->place[i].waits && w->place[i].class == class)
            assert_true(w->place[i].since.ns >= first->since.ns);
    }
}

static void step(struct world *w)
{
    const unsigned i = draw(w, N);
    struct jr_place *p = &w->place[i];
    struct sockaddr_in from = { .sin_family = AF_INET };

    w->now++;
    if (w->address[i] == 0) {
        w->address[i] = 1 + draw(w, ADDRESSES);
        from.sin_addr.s_addr = htonl(w->address[i]);
        assert_true(jr_peers_enter(&w->peers, p, (enum jr_conn_class)draw(w, JR_CONN_CLASSES),
                                   (const struct sockaddr *)&from));
        return;
    }
    switch (draw(w, 6)) {
    case 0:
        jr_peers_unwait(&w->peers, p);
        break;
    case 1: /* begins to wait in its new class */
        jr_peers_unwait(&w->peers, p);
        jr_peers_promote(&w->peers, p, (enum jr_conn_class)draw(w, JR_CONN_CLASSES));
        break;
    case 2:
        jr_peers_leave(&w->peers, p);
        w->address[i] = 0;
        break;
    case 3:
        if (draw(w, 4) == 0)
            jr_peers_shut(&w->peers, p);
        break;
    default:
        jr_peers_wait(&w->peers, p, (struct jr_mono){ w->now });
        break;
    }
}

static void test_random(void **state)
{
    struct world w = { .random = 1 };

    (void)state;
    for (int i = 0; i < STEPS; i++) {
        step(&w);
        check(&w, (enum jr_conn_class)(i % JR_CONN_CLASSES));
    }
    for (size_t i = 0; i < N; i++)
        jr_peers_leave(&w.peers, &w.place[i]);
    assert_int_equal(w.peers.n, 0);
    for (size_t i = 0; i < JR_CONN_CLASSES; i++)
        assert_int_equal(w.peers.n_of[i], 0);
    jr_peers_done(&w.peers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
