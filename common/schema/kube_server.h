/* SPDX-License-Identifier: Apache-2.0 */
/* The API servers of a cluster, by what they say of themselves: during an upgrade there are
 * several, of several versions. Pure: times are passed in. */
#ifndef JR_SCHEMA_KUBE_SERVER_H
#define JR_SCHEMA_KUBE_SERVER_H

#include "common/base/clock.h"
#include "common/json/doc.h"
#include "common/schema/profile.h"

/** Who answers. */
struct jr_kube_server {
    struct jr_kube_version version; /* of its code */
    unsigned emulated; /* the minor version whose gates it has by default: its own, or an older one
                          that it was told to emulate */
};

/** Reads what GET /version answers: major, minor ("33", "33+" where a vendor has changed it),
 * gitVersion ("v1.33.5-gke.1162000"), which has the patch, and since 1.33 emulationMinor. Versions
 * that are older or newer than those known are read, too. Error: JR_INVALID, which says what is
 * wrong. */
enum jr_status jr_kube_server_read(const struct jr_node *answer, struct jr_kube_server *ret,
                                   struct jr_error *err) JR_MUST_USE;
/** Reads such a gitVersion. False: it is none, and *ret is as it was. */
bool jr_kube_git_version(struct jr_str git, struct jr_kube_version *ret);
/** Less than, equal to or greater than 0, by version, then by what is emulated. */
int jr_kube_server_cmp(const struct jr_kube_server *a, const struct jr_kube_server *b);
/** Whether its version is one of those known: others are taken for the nearest one. */
bool jr_kube_server_known(const struct jr_kube_server *s);

/** So many servers are told apart. */
#define JR_KUBE_RANGE_MAX 8
/** A server that was not seen for so long is gone. */
#define JR_KUBE_RANGE_NS (3600 * JR_SEC)
/** Where none was seen for so long, that time doesn't count. */
#define JR_KUBE_GAP_NS (300 * JR_SEC)

/** The servers that were seen, lowest version first; those of one version that have other gates
 * apart. Zeroed: none. */
struct jr_kube_range {
    struct jr_kube_seen {
        struct jr_kube_server server;
        struct jr_mono last;        /* when it was seen */
        struct jr_gates_seen gates; /* as it says */
        struct jr_mono gates_last;  /* when it said so */
        bool has_gates;             /* it was asked for these, and answered */
    } v[JR_KUBE_RANGE_MAX];
    size_t n;
};

/** Notes that a server answers. Of more than JR_KUBE_RANGE_MAX the one goes that was not seen for
 * longest. True: there are other servers in the range than before. */
bool jr_kube_range_see(struct jr_kube_range *r, const struct jr_kube_server *server,
                       struct jr_mono now);
/** Forgets those that were not seen for JR_KUBE_RANGE_NS, and gates that a server's likes have not
 * said for so long while they said others. True: as above. */
bool jr_kube_range_forget(struct jr_kube_range *r, struct jr_mono now);
/** Notes that a server of that version says these gates are on, beside what others of that version
 * have said: which of them answers is not known. True: they weren't known. */
bool jr_kube_range_see_gates(struct jr_kube_range *r, struct jr_kube_version version,
                             const struct jr_gates_seen *gates, struct jr_mono now);
/** Each known minor version, as its newest patch: what a cluster may be of which nothing is known.
 */
struct jr_kube_range jr_kube_range_of_all(void);

#endif
