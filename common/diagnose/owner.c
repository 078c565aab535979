/* SPDX-License-Identifier: Apache-2.0 */
/* What makes an object: its controller, or the tool that its labels and annotations name. */
#include "common/diagnose/internal.h"

/* Owners of owners that are looked at: they may be a circle. */
#define OWNERS_MAX 8

static struct jr_str value_of(const struct jr_labels *l, const char *key)
{
    return jr_labels_get(l, jr_str(key));
}

/** The tool's object, by what it writes into labels and annotations. Sources: Helm 3 (adoption
 * annotations), Argo CD (tracking by annotation or label), Flux (its two controllers' labels). */
static bool find_tool(const struct jr_meta *m, struct owner *ret)
{
    const struct jr_labels *l = &m->labels, *a = &m->annotations;
    struct jr_str tracking = value_of(a, "argocd.argoproj.io/tracking-id"), app = { NULL, 0 };

    *ret = (struct owner){ .namespace = m->namespace };
    if (tracking.n > 0 && jr_str_cut(&tracking, ':', &app) && app.n > 0) {
        *ret = (struct owner){ JR_S("Application"), app, { NULL, 0 } };
        return true;
    }
    if (value_of(l, "argocd.argoproj.io/instance").n > 0) {
        *ret = (struct owner){ JR_S("Application"),
                               value_of(l, "argocd.argoproj.io/instance"),
                               { NULL, 0 } };
        return true;
    }
    if (value_of(l, "helm.toolkit.fluxcd.io/name").n > 0) {
        *ret = (struct owner){ JR_S("HelmRelease"), value_of(l, "helm.toolkit.fluxcd.io/name"),
                               value_of(l, "helm.toolkit.fluxcd.io/namespace") };
        return true;
    }
    if (value_of(l, "kustomize.toolkit.fluxcd.io/name").n > 0) {
        *ret =
            (struct owner){ JR_S("Kustomization"), value_of(l, "kustomize.toolkit.fluxcd.io/name"),
                            value_of(l, "kustomize.toolkit.fluxcd.io/namespace") };
        return true;
    }
    if (value_of(a, "meta.helm.sh/release-name").n > 0) {
        *ret = (struct owner){ JR_S("Helm"), value_of(a, "meta.helm.sh/release-name"),
                               value_of(a, "meta.helm.sh/release-namespace") };
        return true;
    }
    /* Hooks aren't adopted: charts label them. */
    if ((value_of(a, "helm.sh/hook").n > 0 ||
         jr_str_is(value_of(l, "app.kubernetes.io/managed-by"), "Helm")) &&
        value_of(l, "app.kubernetes.io/instance").n > 0) {
        *ret =
            (struct owner){ JR_S("Helm"), value_of(l, "app.kubernetes.io/instance"), m->namespace };
        return true;
    }
    return false;
}

/** The labels or annotations of a tree. */
static struct jr_labels labels_of(struct question *q, const struct jr_node *map)
{
    struct jr_labels l = { jr_xarena_calloc(q->arena, jr_size(map) + 1, sizeof(*l.v)), 0 };

    for (const struct jr_node *m = jr_first(map); m != NULL; m = jr_next(m))
        l.v[l.n++] = (struct jr_label){ jr_key(m), jr_node_str(m) };
    return l;
}

static struct jr_meta meta_of(struct question *q, const struct jr_node *root)
{
    const struct jr_node *meta = jr_get(root, "metadata");
    const struct jr_node *refs = jr_get(meta, "ownerReferences");
    struct jr_meta m = { .name = jr_get_str(meta, "name"),
                         .namespace = jr_get_str(meta, "namespace"),
                         .labels = labels_of(q, jr_get(meta, "labels")),
                         .annotations = labels_of(q, jr_get(meta, "annotations")) };

    m.owner_refs.v = jr_xarena_calloc(q->arena, jr_size(refs) + 1, sizeof(*m.owner_refs.v));
    for (const struct jr_node *r = jr_first(refs); r != NULL; r = jr_next(r))
        m.owner_refs.v[m.owner_refs.n++] = (struct jr_owner_ref){
            .kind = jr_get_str(r, "kind"),
            .name = jr_get_str(r, "name"),
            .controller = { true, jr_node_bool_or(jr_get(r, "controller"), false) }
        };
    return m;
}

void jr_find_owner(struct question *q, const struct jr_meta *meta)
{
    struct jr_meta m = *meta;

    for (int i = 0; i < OWNERS_MAX; i++) {
        const struct jr_owner_ref *ref = jr_meta_controller(&m);
        const struct jr_object_view *o;

        if (ref == NULL) {
            struct owner tool;

            if (find_tool(&m, &tool))
                q->owner = tool;
            return;
        }
        q->owner = (struct owner){ ref->kind, ref->name, m.namespace };
        o = ref->kind.n > 0 && ref->kind.n < 64
                ? jr_evidence_object(q->ev, jr_text(q, "%.*s", JR_P(ref->kind)).p, m.namespace,
                                     ref->name)
                : NULL;
        if (o == NULL)
            return;
        m = meta_of(q, o->root);
    }
}

void jr_find_owner_of_tree(struct question *q, const struct jr_node *root)
{
    const struct jr_meta m = meta_of(q, root);

    jr_find_owner(q, &m);
}

/** "jobset", or "pulp": what kubectl takes for a kind. */
static struct jr_str resource_of(struct question *q, struct jr_str kind)
{
    char *name = jr_xarena_calloc(q->arena, kind.n + 1, 1);

    memcpy(name, kind.p, kind.n);
    for (size_t i = 0; i < kind.n; i++) {
        if (name[i] >= 'A' && name[i] <= 'Z')
            name[i] ^= 'a' ^ 'A';
    }
    return (struct jr_str){ name, kind.n };
}

void jr_suggest_owner(struct question *q, struct finding *f)
{
    const struct owner *o = &q->owner;

    if (jr_str_is(o->kind, "Helm"))
        jr_add_command(q, f, JR_NEXT_CHANGES, "helm upgrade %.*s CHART -n %.*s --values FILE",
                       JR_W(q, o->name), JR_W(q, o->namespace));
    else if (jr_str_is(o->kind, "Application"))
        jr_add_command(q, f, JR_NEXT_LOOKS, "argocd app diff %.*s", JR_W(q, o->name));
    else if (jr_str_is(o->kind, "Workflow"))
        jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl get workflow %.*s -n %.*s -o yaml",
                       JR_W(q, o->name), JR_W(q, o->namespace));
    else if (jr_str_is(o->kind, "Kustomization"))
        jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl get kustomization %.*s -n %.*s -o yaml",
                       JR_W(q, o->name), JR_W(q, o->namespace));
    else if (o->kind.n > 0)
        jr_add_command(q, f, JR_NEXT_CHANGES, "kubectl edit %.*s %.*s -n %.*s",
                       JR_W(q, resource_of(q, o->kind)), JR_W(q, o->name), JR_W(q, o->namespace));
}

/** "the Helm release x" */
struct jr_str jr_owner_words(struct question *q)
{
    const struct owner *o = &q->owner;

    return jr_text(q, "the %.*s%s %.*s",
                   JR_P(jr_str_is(o->kind, "Application") ? JR_S("Argo CD Application") : o->kind),
                   jr_str_is(o->kind, "Helm") ? " release" : "", JR_P(o->name));
}

struct jr_str jr_where_template(struct question *q)
{
    if (q->owner.kind.n == 0)
        return JR_S("A Job's template cannot be changed: it has to be made anew.");
    return jr_text(q, "The template comes from %.*s, and has to be changed there.",
                   JR_P(jr_owner_words(q)));
}
