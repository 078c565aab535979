/* The parts of the validation of volumes, inside of this folder. All add to errs; paths are the
 * caller's. */
#ifndef JR_POD_VOLUME_PARTS_H
#define JR_POD_VOLUME_PARTS_H

#include "common/pod/parts.h"

/** A member that may not be absent or "". */
struct jr_required {
    const char *name;
    enum jr_rule rule;
};
/** Checks all rows up to the one without a name. */
void jr_require_texts(const struct jr_required *rows, const struct jr_node *object,
                      const struct jr_field_path *path, struct jr_errlist *errs);
/** The same for one member that is an object, "" or absent inside of it being the fault; nothing
 * where it is absent itself: secretRef.name. */
void jr_require_ref_name(const char *name, enum jr_rule rule, const struct jr_node *object,
                         const struct jr_field_path *path, struct jr_errlist *errs);

/* volume_sources.c: all sources of a volume */
void jr_volume_check_sources(struct jr_pod_check *p, const struct jr_node *volume,
                             const struct jr_field_path *path);

/* volume_remote.c */
jr_pod_check_fn jr_volume_check_iscsi, jr_volume_check_flocker, jr_volume_check_quobyte,
    jr_volume_check_fc, jr_volume_check_flex, jr_volume_check_azure_disk, jr_volume_check_storageos,
    jr_volume_check_csi;

/* volume_files.c */
jr_pod_check_fn jr_volume_check_secret, jr_volume_check_config_map, jr_volume_check_downward_api;
/** The member `name`, a file mode, of object. */
void jr_volume_check_mode(const struct jr_node *object, const char *name,
                          const struct jr_field_path *path, struct jr_errlist *errs);
/** A relative path without steps back, that doesn't begin with two dots. */
void jr_volume_check_file_path(struct jr_str file, const struct jr_field_path *path,
                               struct jr_errlist *errs);
/** A key and where it goes. */
void jr_volume_check_key(const struct jr_node *item, const struct jr_field_path *path,
                         struct jr_errlist *errs);
/** A file of the downward API; path is that of the list's owner, as upstream has it. */
void jr_volume_check_downward_file(struct jr_pod_check *p, const struct jr_node *file,
                                   const struct jr_field_path *path);

/* volume_projected.c */
jr_pod_check_fn jr_volume_check_projected;

/* volume_claim.c */
jr_pod_check_fn jr_volume_check_ephemeral;

#endif
