/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of the volume sources of storage systems that have rules of their own. */
#include "common/pod/volume_parts.h"

#define LUN_MAX 255
#define TENANT_MAX 64
#define DRIVER_MAX 63

static void check_lun(int64_t lun, enum jr_rule rule, const struct jr_field_path *path,
                      struct jr_errlist *errs)
{
    if (lun < 0 || lun > LUN_MAX)
        jr_violation_int(errs, rule, &JR_FIELD(path, "lun"), lun);
}

/* ---- iSCSI ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_alnum(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool all_alnum(struct jr_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        if (!is_alnum(s.p[i]))
            return false;
    }
    return true;
}

/** "iqn.2001-04.com.example:storage" from the start of s to its end: a date, a reversed domain, and
 * behind a colon anything without separators and blanks. */
static bool is_iqn_here(struct jr_str s)
{
    static const char form[] = "iqn.dddd-dd.";
    const size_t head = sizeof(form) - 1;
    size_t i = head;

    if (s.n < head)
        return false;
    for (size_t k = 0; k < head; k++) {
        if (form[k] == 'd' ? !is_digit(s.p[k]) : s.p[k] != form[k])
            return false;
    }
    while (i < s.n && (is_alnum(s.p[i]) || s.p[i] == '-' || s.p[i] == '.'))
        i++;
    if (i == head || i + 1 >= s.n || s.p[i] != ':')
        return false;
    for (i++; i < s.n; i++) {
        if (s.p[i] != '\0' && strchr(",;*&$| \t\n\f\r", s.p[i]) != NULL)
            return false;
    }
    return true;
}

/** Upstream looks for it anywhere. */
static bool is_iqn(struct jr_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        if (is_iqn_here(jr_str_from(s, i)))
            return true;
    }
    return false;
}

/** "eui" or "naa", any one character but a new line, and n letters and digits. */
static bool is_coded(struct jr_str s, size_t n)
{
    size_t i = 4; /* behind the first byte of that character */

    if (s.n < i || s.p[3] == '\n')
        return false;
    while (i < s.n && ((unsigned char)s.p[i] & 0xc0) == 0x80)
        i++;
    return s.n - i == n && all_alnum(jr_str_from(s, i));
}

static void check_iqn(struct jr_str s, enum jr_rule start, enum jr_rule form,
                      const struct jr_field_path *path, struct jr_errlist *errs)
{
    bool ok;

    if (jr_str_starts(s, JR_S("iqn"))) {
        ok = is_iqn(s);
    } else if (jr_str_starts(s, JR_S("eui"))) {
        ok = is_coded(s, 16);
    } else if (jr_str_starts(s, JR_S("naa"))) {
        ok = is_coded(s, 32);
    } else {
        jr_violation_text(errs, start, path, s);
        return;
    }
    if (!ok)
        jr_violation_text(errs, form, path, s);
}

void jr_volume_check_iscsi(struct jr_pod_check *p, const struct jr_node *source,
                           const struct jr_field_path *path)
{
    const struct jr_field_path iqn_path = JR_FIELD(path, "iqn");
    const struct jr_str iqn = jr_get_str(source, "iqn");
    const struct jr_node *initiator = jr_get(source, "initiatorName");
    bool chap = jr_node_bool_or(jr_get(source, "chapAuthDiscovery"), false) ||
                jr_node_bool_or(jr_get(source, "chapAuthSession"), false);

    if (iqn.n == 0)
        jr_violation(p->errs, JR_RULE_VOLUME_ISCSI_IQN_REQUIRED, &iqn_path);
    else
        check_iqn(iqn, JR_RULE_VOLUME_ISCSI_IQN_START, JR_RULE_VOLUME_ISCSI_IQN, &iqn_path,
                  p->errs);
    check_lun(jr_node_i64_or(jr_get(source, "lun"), 0), JR_RULE_VOLUME_ISCSI_LUN, path, p->errs);
    if (chap && jr_unset(jr_get(source, "secretRef")))
        jr_violation(p->errs, JR_RULE_VOLUME_ISCSI_SECRET, &JR_FIELD(path, "secretRef"));
    if (!jr_unset(initiator))
        check_iqn(jr_node_str(initiator), JR_RULE_VOLUME_ISCSI_INITIATOR_START,
                  JR_RULE_VOLUME_ISCSI_INITIATOR, &JR_FIELD(path, "initiatorname"), p->errs);
}

/* ---- Flocker, Quobyte, Fibre Channel ---- */

void jr_volume_check_flocker(struct jr_pod_check *p, const struct jr_node *source,
                             const struct jr_field_path *path)
{
    const struct jr_str name = jr_get_str(source, "datasetName");
    const struct jr_str uuid = jr_get_str(source, "datasetUUID");

    if (name.n == 0 && uuid.n == 0)
        jr_violation(p->errs, JR_RULE_VOLUME_FLOCKER_DATASET, path);
    if (name.n > 0 && uuid.n > 0)
        jr_violation_text(p->errs, JR_RULE_VOLUME_FLOCKER_BOTH, path, JR_S("resource"));
    if (jr_str_find(name, '/') >= 0)
        jr_violation_text(p->errs, JR_RULE_VOLUME_FLOCKER_NAME, &JR_FIELD(path, "datasetName"),
                          name);
}

/** host:port, the host in brackets where it has colons itself; either may be empty. */
static bool is_host_port(struct jr_str s)
{
    const ptrdiff_t colon = jr_str_rfind(s, ':');
    struct jr_str host = colon < 0 ? s : jr_str_head(s, (size_t)colon);
    const struct jr_str port = jr_str_from(s, (size_t)colon + 1);

    if (colon < 0 || jr_str_find(port, '[') >= 0 || jr_str_find(port, ']') >= 0)
        return false;
    if (jr_str_starts(s, JR_S("["))) {
        if (jr_str_find(s, ']') != colon - 1)
            return false;
        host = jr_str_head(jr_str_from(host, 1), host.n - 2);
        return jr_str_find(host, '[') < 0;
    }
    return jr_str_find(host, ':') < 0 && jr_str_find(host, '[') < 0 && jr_str_find(host, ']') < 0;
}

static void check_registry(struct jr_str registry, const struct jr_field_path *path,
                           struct jr_errlist *errs)
{
    struct jr_str rest = registry, pair;
    bool more = true;

    while (more) { /* an empty part behind the last comma counts */
        more = jr_str_find(rest, ',') >= 0;
        pair = JR_S("");
        (void)jr_str_cut(&rest, ',', &pair);
        if (!is_host_port(pair))
            jr_violation_text(errs, JR_RULE_VOLUME_QUOBYTE_REGISTRY, &JR_FIELD(path, "registry"),
                              registry);
        if (!jr_errlist_going(errs))
            return;
    }
}

void jr_volume_check_quobyte(struct jr_pod_check *p, const struct jr_node *source,
                             const struct jr_field_path *path)
{
    const struct jr_str registry = jr_get_str(source, "registry");

    if (registry.n == 0)
        jr_violation(p->errs, JR_RULE_VOLUME_QUOBYTE_REGISTRY_REQUIRED,
                     &JR_FIELD(path, "registry"));
    else if (jr_get_str(source, "tenant").n > TENANT_MAX)
        jr_violation(p->errs, JR_RULE_VOLUME_QUOBYTE_TENANT, &JR_FIELD(path, "tenant"));
    else
        check_registry(registry, path, p->errs);
}

void jr_volume_check_fc(struct jr_pod_check *p, const struct jr_node *source,
                        const struct jr_field_path *path)
{
    const struct jr_node *targets = jr_get(source, "targetWWNs");
    const struct jr_node *lun = jr_get(source, "lun");
    const struct jr_field_path targets_path = JR_FIELD(path, "targetWWNs");
    const size_t ids = jr_size(jr_get(source, "wwids"));

    if (jr_size(targets) == 0 && ids == 0)
        jr_violation(p->errs, JR_RULE_VOLUME_FC_TARGETS_REQUIRED, &targets_path);
    if (jr_size(targets) > 0 && ids > 0)
        jr_violation_json(p->errs, JR_RULE_VOLUME_FC_BOTH, &targets_path, targets);
    if (jr_size(targets) == 0)
        return;
    if (jr_unset(lun))
        jr_violation(p->errs, JR_RULE_VOLUME_FC_LUN_REQUIRED, &JR_FIELD(path, "lun"));
    check_lun(jr_node_i64_or(lun, 0), JR_RULE_VOLUME_FC_LUN, path, p->errs);
}

/* ---- Flex and CSI drivers, Azure, StorageOS ---- */

void jr_volume_check_flex(struct jr_pod_check *p, const struct jr_node *source,
                          const struct jr_field_path *path)
{
    const struct jr_field_path options = JR_FIELD(path, "options");

    JR_EACH_GOING(o, jr_get(source, "options"), p->errs) {
        const struct jr_str key = jr_key(o);
        struct jr_str rest = jr_lower_key(key, p->errs), domain = JR_S("");

        (void)jr_str_cut(&rest, '/', &domain);
        if (jr_str_is(domain, "kubernetes.io") || jr_str_ends(domain, JR_S(".kubernetes.io")) ||
            jr_str_is(domain, "k8s.io") || jr_str_ends(domain, JR_S(".k8s.io")))
            jr_violation_text(p->errs, JR_RULE_VOLUME_FLEX_OPTION, &JR_FIELD_KEY(&options, key),
                              key);
        if (!jr_errlist_going(p->errs))
            return;
    }
}

void jr_volume_check_azure_disk(struct jr_pod_check *p, const struct jr_node *source,
                                const struct jr_field_path *path)
{
    static const char *const caching_modes[] = { "None", "ReadOnly", "ReadWrite", NULL };
    static const char *const kinds[] = { "Dedicated", "Managed", "Shared", NULL };
    const struct jr_node *caching = jr_get(source, "cachingMode");
    const struct jr_node *kind = jr_get(source, "kind");
    const struct jr_str uri = jr_get_str(source, "diskURI");
    bool managed = jr_str_is(jr_node_str(kind), "Managed");

    if (!jr_unset(caching))
        jr_validate_choice(JR_RULE_VOLUME_AZURE_DISK_CACHING, caching_modes, jr_node_str(caching),
                           &JR_FIELD(path, "cachingMode"), p->errs);
    if (jr_unset(kind))
        return;
    jr_validate_choice(JR_RULE_VOLUME_AZURE_DISK_KIND, kinds, jr_node_str(kind),
                       &JR_FIELD(path, "kind"), p->errs);
    if (!jr_str_starts(uri, managed ? JR_S("/subscriptions/") : JR_S("https://")))
        jr_violation_text(p->errs,
                          managed ? JR_RULE_VOLUME_AZURE_DISK_URI_MANAGED
                                  : JR_RULE_VOLUME_AZURE_DISK_URI_BLOB,
                          &JR_FIELD(path, "diskURI"), uri);
}

static void check_driver(struct jr_str driver, const struct jr_field_path *path,
                         struct jr_errlist *errs)
{
    struct jr_name_errors faults;

    if (driver.n == 0) {
        jr_violation(errs, JR_RULE_VOLUME_CSI_DRIVER_REQUIRED, path);
        if (jr_kube_has(errs->version, JR_CHANGE_MISSING_CSI_DRIVER_IS_NO_NAME))
            return;
    }
    if (driver.n > DRIVER_MAX)
        jr_violation(errs, JR_RULE_VOLUME_CSI_DRIVER_LENGTH, path);
    faults = jr_name_subdomain(jr_lower_key(driver, errs));
    jr_rule_faults(errs, JR_RULE_VOLUME_CSI_DRIVER, path, driver, &faults);
}

void jr_volume_check_csi(struct jr_pod_check *p, const struct jr_node *source,
                         const struct jr_field_path *path)
{
    struct jr_field_path ref_path = JR_FIELD(path, "nodePublishSecretRef");
    const struct jr_node *ref = jr_get(source, "nodePublishSecretRef");
    const struct jr_str secret = jr_get_str(ref, "name");

    check_driver(jr_get_str(source, "driver"), &JR_FIELD(path, "driver"), p->errs);
    ref_path.hidden = secret.n > 0; /* upstream leaves the reference's field out of this path */
    if (secret.n > 0)
        jr_validate_name(p->errs, JR_RULE_VOLUME_CSI_SECRET, &JR_FIELD(&ref_path, "name"), secret,
                         jr_name_subdomain);
    else if (!jr_unset(ref))
        jr_violation(p->errs, JR_RULE_VOLUME_CSI_SECRET_REQUIRED, &JR_FIELD(&ref_path, "name"));
}
