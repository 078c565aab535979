/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the validation of volumes, inside of this folder. All add to errs; paths are the
 * caller's. */
#ifndef JR_POD_VOLUME_PARTS_H
#define JR_POD_VOLUME_PARTS_H

#include "common/pod/parts.h"

/* volume_sources.c: all sources of a volume */
void jr_volume_check_sources(struct jr_pod_check *p, const struct jr_node *volume,
                             const struct jr_field_path *path);

/* volume_remote.c */
jr_pod_check_fn jr_volume_check_iscsi, jr_volume_check_flocker, jr_volume_check_quobyte,
    jr_volume_check_fc, jr_volume_check_flex, jr_volume_check_azure_disk, jr_volume_check_csi;

/* volume_files.c */
#define JR_FILE_MODE(name_) JR_RANGE(JR_IF_SET, name_, VOLUME_FILE_MODE, 0, 0777)
/** A relative path without steps back, that doesn't begin with two dots. */
void jr_volume_check_file_path(struct jr_str file, const struct jr_field_path *path,
                               struct jr_errlist *errs);
/** A key and where it goes; the files of the downward API that a source has, which are said at the
 * source's path, as upstream has it; and one of them. */
jr_pod_check_fn jr_volume_check_key, jr_volume_check_downward_files, jr_volume_check_downward_file;

/* volume_projected.c */
jr_pod_check_fn jr_volume_check_projected;

/* volume_claim.c */
extern const struct jr_field_rule jr_volume_ephemeral_rules[];

#endif
