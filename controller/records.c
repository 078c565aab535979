#include "controller/records.h"

#include "common/base/map.h"

struct entry {
    struct jr_link link;
    struct jr_record record;
    size_t namespace_n, name_n, uid_n;
    char text[]; /* namespace, name, uid */
};

struct jr_records {
    struct jr_map entries;
};

static struct entry *find(const struct jr_records *r, struct jr_str namespace, struct jr_str name)
{
    struct jr_link *l = jr_map_first(&r->entries, jr_map_hash2(namespace, name));

    for (; l != NULL; l = jr_map_again(l)) {
        struct entry *e = jr_of(l, struct entry, link);

        if (jr_str_eq((struct jr_str){ e->text, e->namespace_n }, namespace) &&
            jr_str_eq((struct jr_str){ e->text + e->namespace_n, e->name_n }, name))
            return e;
    }
    return NULL;
}

static bool same_uid(const struct entry *e, struct jr_str uid)
{
    return jr_str_eq((struct jr_str){ e->text + e->namespace_n + e->name_n, e->uid_n }, uid);
}

enum jr_status jr_records_new(struct jr_records **ret)
{
    struct jr_records *r = calloc(1, sizeof(*r));

    if (r == NULL)
        return JR_NOMEM;
    *ret = r;
    return JR_OK;
}

void jr_records_free(struct jr_records *r)
{
    struct jr_link *next;

    if (r == NULL)
        return;
    for (struct jr_link *l = jr_map_next(&r->entries, NULL); l != NULL; l = next) {
        next = jr_map_next(&r->entries, l);
        free(jr_of(l, struct entry, link));
    }
    jr_map_done(&r->entries);
    free(r);
}

struct jr_record jr_records_get(const struct jr_records *r, const struct jr_job_key *key)
{
    const struct entry *e = find(r, key->namespace, key->name);

    return e != NULL && same_uid(e, key->uid) ? e->record : (struct jr_record){ 0 };
}

static struct entry *make(struct jr_records *r, const struct jr_job_key *key)
{
    struct entry *e = calloc(1, sizeof(*e) + key->namespace.n + key->name.n + key->uid.n);
    char *to;

    if (e == NULL)
        return NULL;
    e->namespace_n = key->namespace.n;
    e->name_n = key->name.n;
    e->uid_n = key->uid.n;
    to = e->text;
    to = key->namespace.n == 0 ? to : mempcpy(to, key->namespace.p, key->namespace.n);
    to = key->name.n == 0 ? to : mempcpy(to, key->name.p, key->name.n);
    if (key->uid.n > 0)
        memcpy(to, key->uid.p, key->uid.n);
    if (jr_map_add(&r->entries, &e->link, jr_map_hash2(key->namespace, key->name)) == JR_OK)
        return e;
    free(e);
    return NULL;
}

enum jr_status jr_records_put(struct jr_records *r, const struct jr_job_key *key,
                              const struct jr_record *record)
{
    struct entry *e = find(r, key->namespace, key->name);

    if (e != NULL && !same_uid(e, key->uid)) {
        jr_records_drop(r, key->namespace, key->name);
        e = NULL;
    }
    if (e == NULL)
        e = make(r, key);
    if (e == NULL)
        return JR_NOMEM;
    e->record = *record;
    return JR_OK;
}

void jr_records_drop(struct jr_records *r, struct jr_str namespace, struct jr_str name)
{
    struct entry *e = find(r, namespace, name);

    if (e == NULL)
        return;
    jr_map_remove(&r->entries, &e->link);
    free(e);
}

size_t jr_records_count(const struct jr_records *r)
{
    return r->entries.n;
}
