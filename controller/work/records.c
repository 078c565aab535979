/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a Job between its syncs, by the Job's name; a new uid under it begins anew. */
#include "controller/work/records.h"

#include "common/kube/keyed.h"

struct entry {
    struct jr_keyed keyed;
    struct jr_record record;
};

struct jr_records {
    struct jr_map entries;
};

struct jr_records *jr_records_new(void)
{
    return jr_xcalloc(1, sizeof(struct jr_records));
}

void jr_records_free(struct jr_records *r)
{
    if (r == NULL)
        return;
    jr_keyed_done(&r->entries, NULL);
    free(r);
}

struct jr_record jr_records_get(const struct jr_records *r, const struct jr_object_key *key)
{
    const struct entry *e = jr_keyed_find_uid(&r->entries, key);

    return e == NULL ? (struct jr_record){ 0 } : e->record;
}

void jr_records_put(struct jr_records *r, const struct jr_object_key *key,
                    const struct jr_record *record)
{
    struct entry *e = jr_keyed_find_uid(&r->entries, key);

    if (e == NULL) {
        jr_records_drop(r, key->namespace, key->name);
        e = jr_keyed_need(&r->entries, sizeof(*e), key);
    }
    e->record = *record;
}

void jr_records_drop(struct jr_records *r, struct jr_str namespace, struct jr_str name)
{
    struct entry *e = jr_keyed_find(&r->entries, &(struct jr_object_key){ namespace, name, { 0 } });

    if (e != NULL)
        jr_keyed_drop(&r->entries, e);
}

size_t jr_records_count(const struct jr_records *r)
{
    return r->entries.n;
}
