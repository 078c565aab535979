/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of volumes and resources of a Pod, beyond those in map_template.h. X(ID, "id", TYPE,
 * "detail"): rules whose words depend on the value have "" here and say them where they are
 * checked. */
#ifndef JR_RULES_MAP_VOLUMES_H
#define JR_RULES_MAP_VOLUMES_H

#include "common/rules/words.h"

#define JR_WORDS_PARTITION "must be between 1 and 255, inclusive"
#define JR_WORDS_LUN "must be between 0 and 255, inclusive"
#define JR_WORDS_IQN_START "must be valid format starting with iqn, eui, or naa"
#define JR_WORDS_IQN "must be valid format"
#define JR_WORDS_HOST_PORTS "must be a host:port pair or multiple pairs separated by commas"
#define JR_WORDS_ANNOTATIONS_SIZE "may not be more than 262144 bytes"

/* What is on the host, on a disk or in the API. */
#define JR_RULE_MAP_VOLUMES_LOCAL(X)                                                        \
    X(VOLUME_EMPTY_DIR_SIZE, "volume-empty-dir-size", FORBIDDEN,                            \
      "SizeLimit field must be a valid resource quantity")                                  \
    X(VOLUME_HOST_PATH_REQUIRED, "volume-host-path-required", REQUIRED, "")                 \
    X(VOLUME_HOST_PATH_BACK, "volume-host-path-back", INVALID, JR_WORDS_BACKSTEP)           \
    X(VOLUME_HOST_PATH_TYPE, "volume-host-path-type", NOT_SUPPORTED, "")                    \
    X(VOLUME_GIT_REPOSITORY, "volume-git-repository-required", REQUIRED, "")                \
    X(VOLUME_GIT_DIRECTORY, "volume-git-directory", INVALID, "")                            \
    X(VOLUME_GCE_DISK_NAME, "volume-gce-disk-name-required", REQUIRED, "")                  \
    X(VOLUME_GCE_PARTITION, "volume-gce-partition", INVALID, JR_WORDS_PARTITION)            \
    X(VOLUME_AWS_VOLUME, "volume-aws-volume-required", REQUIRED, "")                        \
    X(VOLUME_AWS_PARTITION, "volume-aws-partition", INVALID, JR_WORDS_PARTITION)            \
    X(VOLUME_SECRET_NAME, "volume-secret-name-required", REQUIRED, "")                      \
    X(VOLUME_CONFIG_MAP_NAME, "volume-config-map-name-required", REQUIRED, "")              \
    X(VOLUME_CLAIM_NAME, "volume-claim-name-required", REQUIRED, "")                        \
    X(VOLUME_IMAGE_REFERENCE, "volume-image-reference-required", REQUIRED, "")              \
    X(VOLUME_IMAGE_PULL_POLICY_REQUIRED, "volume-image-pull-policy-required", REQUIRED, "") \
    X(VOLUME_IMAGE_PULL_POLICY, "volume-image-pull-policy", NOT_SUPPORTED,                  \
      "supported values: \"Always\", \"IfNotPresent\", \"Never\"")

/* What is elsewhere. */
#define JR_RULE_MAP_VOLUMES_REMOTE(X)                                                            \
    X(VOLUME_NFS_SERVER, "volume-nfs-server-required", REQUIRED, "")                             \
    X(VOLUME_NFS_PATH_REQUIRED, "volume-nfs-path-required", REQUIRED, "")                        \
    X(VOLUME_NFS_PATH, "volume-nfs-path", INVALID, "must be an absolute path")                   \
    X(VOLUME_ISCSI_PORTAL, "volume-iscsi-portal-required", REQUIRED, "")                         \
    X(VOLUME_ISCSI_IQN_REQUIRED, "volume-iscsi-iqn-required", REQUIRED, "")                      \
    X(VOLUME_ISCSI_IQN_START, "volume-iscsi-iqn-start", INVALID, JR_WORDS_IQN_START)             \
    X(VOLUME_ISCSI_IQN, "volume-iscsi-iqn", INVALID, JR_WORDS_IQN)                               \
    X(VOLUME_ISCSI_LUN, "volume-iscsi-lun", INVALID, JR_WORDS_LUN)                               \
    X(VOLUME_ISCSI_SECRET, "volume-iscsi-secret-required", REQUIRED, "")                         \
    X(VOLUME_ISCSI_INITIATOR_START, "volume-iscsi-initiator-start", INVALID, JR_WORDS_IQN_START) \
    X(VOLUME_ISCSI_INITIATOR, "volume-iscsi-initiator", INVALID, JR_WORDS_IQN)                   \
    X(VOLUME_ISCSI_NAME_LENGTH, "volume-iscsi-name-length", INVALID,                             \
      "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if "       \
      "iscsi.initiatorName is specified.")                                                       \
    X(VOLUME_GLUSTERFS_ENDPOINTS, "volume-glusterfs-endpoints-required", REQUIRED, "")           \
    X(VOLUME_GLUSTERFS_PATH, "volume-glusterfs-path-required", REQUIRED, "")                     \
    X(VOLUME_FLOCKER_DATASET, "volume-flocker-dataset-required", REQUIRED,                       \
      "one of datasetName and datasetUUID is required")                                          \
    X(VOLUME_FLOCKER_BOTH, "volume-flocker-both", INVALID,                                       \
      "datasetName and datasetUUID can not be specified simultaneously")                         \
    X(VOLUME_FLOCKER_NAME, "volume-flocker-name", INVALID, "must not contain '/'")               \
    X(VOLUME_RBD_MONITORS, "volume-rbd-monitors-required", REQUIRED, "")                         \
    X(VOLUME_RBD_IMAGE, "volume-rbd-image-required", REQUIRED, "")                               \
    X(VOLUME_CINDER_VOLUME, "volume-cinder-volume-required", REQUIRED, "")                       \
    X(VOLUME_CINDER_SECRET, "volume-cinder-secret-name-required", REQUIRED, "")                  \
    X(VOLUME_CEPHFS_MONITORS, "volume-cephfs-monitors-required", REQUIRED, "")                   \
    X(VOLUME_QUOBYTE_REGISTRY_REQUIRED, "volume-quobyte-registry-required", REQUIRED,            \
      JR_WORDS_HOST_PORTS)                                                                       \
    X(VOLUME_QUOBYTE_TENANT, "volume-quobyte-tenant", REQUIRED,                                  \
      "must be a UUID and may not exceed a length of 64 characters")                             \
    X(VOLUME_QUOBYTE_REGISTRY, "volume-quobyte-registry", INVALID, JR_WORDS_HOST_PORTS)          \
    X(VOLUME_QUOBYTE_VOLUME, "volume-quobyte-volume-required", REQUIRED, "")                     \
    X(VOLUME_FC_TARGETS_REQUIRED, "volume-fc-targets-required", REQUIRED,                        \
      "must specify either targetWWNs or wwids, but not both")                                   \
    X(VOLUME_FC_BOTH, "volume-fc-both", INVALID,                                                 \
      "targetWWNs and wwids can not be specified simultaneously")                                \
    X(VOLUME_FC_LUN_REQUIRED, "volume-fc-lun-required", REQUIRED,                                \
      "lun is required if targetWWNs is specified")                                              \
    X(VOLUME_FC_LUN, "volume-fc-lun", INVALID, JR_WORDS_LUN)                                     \
    X(VOLUME_FLEX_DRIVER, "volume-flex-driver-required", REQUIRED, "")                           \
    X(VOLUME_FLEX_OPTION, "volume-flex-option", INVALID,                                         \
      "kubernetes.io and k8s.io namespaces are reserved")                                        \
    X(VOLUME_AZURE_FILE_SECRET, "volume-azure-file-secret-required", REQUIRED, "")               \
    X(VOLUME_AZURE_FILE_SHARE, "volume-azure-file-share-required", REQUIRED, "")                 \
    X(VOLUME_VSPHERE_PATH, "volume-vsphere-path-required", REQUIRED, "")                         \
    X(VOLUME_PHOTON_DISK, "volume-photon-disk-required", REQUIRED, "")                           \
    X(VOLUME_PORTWORX_VOLUME, "volume-portworx-volume-required", REQUIRED, "")                   \
    X(VOLUME_AZURE_DISK_NAME, "volume-azure-disk-name-required", REQUIRED, "")                   \
    X(VOLUME_AZURE_DISK_URI_REQUIRED, "volume-azure-disk-uri-required", REQUIRED, "")            \
    X(VOLUME_AZURE_DISK_CACHING, "volume-azure-disk-caching", NOT_SUPPORTED, "")                 \
    X(VOLUME_AZURE_DISK_KIND, "volume-azure-disk-kind", NOT_SUPPORTED, "")                       \
    X(VOLUME_AZURE_DISK_URI_MANAGED, "volume-azure-disk-uri-managed", NOT_SUPPORTED,             \
      "supported values: "                                                                       \
      "\"/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/" \
      "{disk-id}\"")                                                                             \
    X(VOLUME_AZURE_DISK_URI_BLOB, "volume-azure-disk-uri-blob", NOT_SUPPORTED,                   \
      "supported values: "                                                                       \
      "\"https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd\"")       \
    X(VOLUME_STORAGEOS_NAME_REQUIRED, "volume-storageos-name-required", REQUIRED, "")            \
    X(VOLUME_STORAGEOS_NAME, "volume-storageos-name", INVALID, "")                               \
    X(VOLUME_STORAGEOS_NAMESPACE, "volume-storageos-namespace", INVALID, "")                     \
    X(VOLUME_STORAGEOS_SECRET, "volume-storageos-secret-name-required", REQUIRED, "")            \
    X(VOLUME_SCALEIO_GATEWAY, "volume-scaleio-gateway-required", REQUIRED, "")                   \
    X(VOLUME_SCALEIO_SYSTEM, "volume-scaleio-system-required", REQUIRED, "")                     \
    X(VOLUME_SCALEIO_VOLUME, "volume-scaleio-volume-required", REQUIRED, "")                     \
    X(VOLUME_CSI_DRIVER_REQUIRED, "volume-csi-driver-required", REQUIRED, "")                    \
    X(VOLUME_CSI_DRIVER_LENGTH, "volume-csi-driver-length", TOO_LONG,                            \
      "may not be more than 63 bytes")                                                           \
    X(VOLUME_CSI_DRIVER, "volume-csi-driver", INVALID, "")                                       \
    X(VOLUME_CSI_SECRET_REQUIRED, "volume-csi-secret-name-required", REQUIRED, "")               \
    X(VOLUME_CSI_SECRET, "volume-csi-secret-name", INVALID, "")

/* Files out of the API. */
#define JR_RULE_MAP_VOLUMES_FILES(X)                                                 \
    X(VOLUME_FILE_MODE, "volume-file-mode", INVALID,                                 \
      "must be a number between 0 and 0777 (octal), both inclusive")                 \
    X(VOLUME_FILE_PATH, "volume-file-path", INVALID, "")                             \
    X(VOLUME_KEY_REQUIRED, "volume-key-required", REQUIRED, "")                      \
    X(VOLUME_KEY_PATH_REQUIRED, "volume-key-path-required", REQUIRED, "")            \
    X(VOLUME_DOWNWARD_PATH_REQUIRED, "volume-downward-path-required", REQUIRED, "")  \
    X(VOLUME_DOWNWARD_BOTH, "volume-downward-both", INVALID,                         \
      "fieldRef and resourceFieldRef can not be specified simultaneously")           \
    X(VOLUME_DOWNWARD_CONTAINER, "volume-downward-container-required", REQUIRED, "") \
    X(VOLUME_DOWNWARD_REF_REQUIRED, "volume-downward-ref-required", REQUIRED,        \
      "one of fieldRef and resourceFieldRef is required")

/* What is projected into one volume. */
#define JR_RULE_MAP_VOLUMES_PROJECTED(X)                                                    \
    X(PROJECTED_SECRET_NAME, "projected-secret-name-required", REQUIRED, "")                \
    X(PROJECTED_CONFIG_MAP_NAME, "projected-config-map-name-required", REQUIRED, "")        \
    X(PROJECTED_PATH_TWICE, "projected-path-twice", INVALID, "conflicting duplicate paths") \
    X(PROJECTED_SOURCES, "projected-sources", FORBIDDEN,                                    \
      "may not specify more than 1 volume type per source")                                 \
    X(PROJECTED_TOKEN_EARLY, "projected-token-expires-early", INVALID,                      \
      "may not specify a duration less than 10 minutes")                                    \
    X(PROJECTED_TOKEN_LATE, "projected-token-expires-late", INVALID,                        \
      "may not specify a duration larger than 2^32 seconds")                                \
    X(PROJECTED_TOKEN_PATH_REQUIRED, "projected-token-path-required", REQUIRED, "")         \
    X(PROJECTED_BUNDLE_BOTH, "projected-bundle-both", INVALID,                              \
      "only one of name and signerName may be used")                                        \
    X(PROJECTED_BUNDLE_NAME_REQUIRED, "projected-bundle-name-required", REQUIRED,           \
      "must be a valid object name")                                                        \
    X(PROJECTED_BUNDLE_NAME, "projected-bundle-name", INVALID, "")                          \
    X(PROJECTED_BUNDLE_NAME_SELECTOR, "projected-bundle-name-selector", INVALID,            \
      "labelSelector must be unset if name is specified")                                   \
    X(PROJECTED_BUNDLE_SIGNER_REQUIRED, "projected-bundle-signer-required", REQUIRED,       \
      "must be a valid signer name")                                                        \
    X(PROJECTED_BUNDLE_REQUIRED, "projected-bundle-required", REQUIRED,                     \
      "either name or signerName must be specified")                                        \
    X(PROJECTED_BUNDLE_PATH_REQUIRED, "projected-bundle-path-required", REQUIRED, "")       \
    X(PROJECTED_SIGNER_REQUIRED, "projected-signer-required", REQUIRED, "")                 \
    X(PROJECTED_SIGNER_LENGTH, "projected-signer-length", TOO_LONG, "")                     \
    X(PROJECTED_SIGNER, "projected-signer", INVALID, "")                                    \
    X(PROJECTED_ANNOTATION_REQUIRED, "projected-annotation-required", REQUIRED, "")         \
    X(PROJECTED_ANNOTATION, "projected-annotation", INVALID, "")                            \
    X(PROJECTED_ANNOTATIONS_SIZE, "projected-annotations-size", TOO_LONG,                   \
      JR_WORDS_ANNOTATIONS_SIZE)                                                            \
    X(PROJECTED_KEY_TYPE, "projected-key-type", NOT_SUPPORTED, "")                          \
    X(PROJECTED_CERTIFICATE_EARLY, "projected-certificate-expires-early", INVALID,          \
      "if provided, maxExpirationSeconds must be >= 3600")                                  \
    X(PROJECTED_CERTIFICATE_LATE, "projected-certificate-expires-late", INVALID, "")        \
    X(PROJECTED_CERTIFICATE_PATH_REQUIRED, "projected-certificate-path-required", REQUIRED, \
      "specify at least one of credentialBundlePath, keyPath, and certificateChainPath")

/* The template of a claim inside an ephemeral volume. */
#define JR_RULE_MAP_VOLUMES_CLAIM(X)                                                         \
    X(CLAIM_TEMPLATE, "claim-template-required", REQUIRED, "")                               \
    X(CLAIM_ANNOTATION_KEY, "claim-annotation-key", INVALID, "")                             \
    X(CLAIM_ANNOTATIONS_SIZE, "claim-annotations-size", TOO_LONG, JR_WORDS_ANNOTATIONS_SIZE) \
    X(CLAIM_LABEL_KEY, "claim-label-key", INVALID, "")                                       \
    X(CLAIM_LABEL_VALUE, "claim-label-value", INVALID, "")                                   \
    X(CLAIM_METADATA, "claim-metadata", FORBIDDEN, "cannot be set")                          \
    X(CLAIM_MODES_REQUIRED, "claim-access-modes-required", REQUIRED,                         \
      "at least 1 access mode is required")                                                  \
    X(CLAIM_MODE, "claim-access-mode", NOT_SUPPORTED, "")                                    \
    X(CLAIM_MODE_ALONE, "claim-access-mode-alone", FORBIDDEN,                                \
      "may not use ReadWriteOncePod with other access modes")                                \
    X(CLAIM_STORAGE_REQUIRED, "claim-storage-required", REQUIRED, "")                        \
    X(CLAIM_STORAGE, "claim-storage", INVALID, "must be greater than zero")                  \
    X(CLAIM_STORAGE_CLASS, "claim-storage-class", INVALID, "")                               \
    X(CLAIM_VOLUME_MODE, "claim-volume-mode", NOT_SUPPORTED, "")                             \
    X(CLAIM_SOURCE_NAME, "claim-source-name-required", REQUIRED, "")                         \
    X(CLAIM_SOURCE_KIND_REQUIRED, "claim-source-kind-required", REQUIRED, "")                \
    X(CLAIM_SOURCE_KIND, "claim-source-kind", INVALID,                                       \
      "must be 'PersistentVolumeClaim' when referencing the default apiGroup")               \
    X(CLAIM_SOURCE_GROUP, "claim-source-group", INVALID, "")                                 \
    X(CLAIM_SOURCE_NAMESPACE, "claim-source-namespace", INVALID, "")                         \
    X(CLAIM_SOURCE_FOREIGN, "claim-source-foreign", INVALID,                                 \
      "may not be specified when dataSourceRef.namespace is specified")                      \
    X(CLAIM_SOURCES_DIFFER, "claim-sources-differ", INVALID, "must match dataSourceRef")     \
    X(CLAIM_ATTRIBUTES_CLASS, "claim-attributes-class", INVALID, "")

/* The Pod's own claims, resources and group. */
#define JR_RULE_MAP_POD_RESOURCES(X)                                                        \
    X(POD_CLAIM_NAME_REQUIRED, "pod-claim-name-required", REQUIRED, "")                     \
    X(POD_CLAIM_NAME_TWICE, "pod-claim-name-twice", DUPLICATE, "")                          \
    X(POD_CLAIM_NAME, "pod-claim-name", INVALID, "")                                        \
    X(POD_CLAIM_BOTH, "pod-claim-both", INVALID,                                            \
      "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified") \
    X(POD_CLAIM_REQUIRED, "pod-claim-required", INVALID,                                    \
      "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`")              \
    X(POD_CLAIM_OBJECT, "pod-claim-object", INVALID, "")                                    \
    X(POD_CLAIM_TEMPLATE, "pod-claim-template", INVALID, "")                                \
    X(POD_RESOURCES_WINDOWS, "pod-resources-windows", FORBIDDEN,                            \
      "may not be set for a windows pod")                                                   \
    X(POD_RESOURCES_CLAIMS, "pod-resources-claims", FORBIDDEN,                              \
      "claims may not be set for Resources at pod-level")                                   \
    X(POD_RESOURCE_NAME, "pod-resource-name", NOT_SUPPORTED,                                \
      "supported values: \"cpu\", \"hugepages-\", \"memory\"")                              \
    X(POD_REQUEST_TOO_LOW, "pod-request-too-low", INVALID, "")                              \
    X(POD_HUGE_PAGES_TOO_LOW, "pod-huge-pages-too-low", INVALID, "")                        \
    X(POD_LIMIT_TOO_LOW, "pod-limit-too-low", INVALID, "")                                  \
    X(POD_GROUP_NAME_REQUIRED, "pod-group-name-required", INVALID,                          \
      "must specify one of: `podGroupName`")                                                \
    X(POD_GROUP_NAME, "pod-group-name", INVALID, "")

#define JR_RULE_WORDS_VOLUMES(V)                                                         \
    V(VOLUME_CSI_DRIVER_LENGTH, 31, 31, TOO_LONG, "must have at most 63 bytes")          \
    V(CLAIM_ANNOTATIONS_SIZE, 31, 31, TOO_LONG, "must have at most 262144 bytes")        \
    V(POD_RESOURCE_NAME, 32, 32, NOT_SUPPORTED, "supported values: \"cpu\", \"memory\"") \
    V(POD_RESOURCES_CLAIMS, 32, 33, FORBIDDEN, "claims cannot be set for Resources at pod-level")

/* Of fields that came later, too. */
#define JR_RULE_RANGES_VOLUMES(R)                 \
    R(VOLUME_IMAGE_REFERENCE, 37, JR_KUBE_NEWEST) \
    R(POD_RESOURCES_WINDOWS, 34, JR_KUBE_NEWEST)  \
    R(POD_HUGE_PAGES_TOO_LOW, 34, JR_KUBE_NEWEST)

#define JR_RULE_MAP_VOLUMES(X)       \
    JR_RULE_MAP_VOLUMES_LOCAL(X)     \
    JR_RULE_MAP_VOLUMES_REMOTE(X)    \
    JR_RULE_MAP_VOLUMES_FILES(X)     \
    JR_RULE_MAP_VOLUMES_PROJECTED(X) \
    JR_RULE_MAP_VOLUMES_CLAIM(X)     \
    JR_RULE_MAP_POD_RESOURCES(X)

#endif
