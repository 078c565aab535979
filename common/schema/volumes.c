/* SPDX-License-Identifier: Apache-2.0 */
/* The volumes of a Pod (k8s.io/api core/v1). */
#include "common/schema/macros.h"

TYPE(host_path_volume_source, "HostPathVolumeSource",
    TEXT("path", NO(1)),
    STRING_PTR_OF("type", "v1.HostPathType", NO(2)));

TYPE(empty_dir_volume_source, "EmptyDirVolumeSource",
    STRING_OF("medium", "v1.StorageMedium", NO(1)),
    QUANTITY_PTR("sizeLimit", NO(2)),
    INT32_PTR("mode", GATE(EmptyDirVolumeMode), SINCE(37), NO(3)));

TYPE(gce_persistent_disk_volume_source, "GCEPersistentDiskVolumeSource",
    TEXT("pdName", NO(1)),
    STRING("fsType", NO(2)),
    INT32("partition", NO(3)),
    BOOL("readOnly", NO(4)));

TYPE(aws_elastic_block_store_volume_source, "AWSElasticBlockStoreVolumeSource",
    TEXT("volumeID", NO(1)),
    STRING("fsType", NO(2)),
    INT32("partition", NO(3)),
    BOOL("readOnly", NO(4)));

TYPE(git_repo_volume_source, "GitRepoVolumeSource",
    TEXT("repository", NO(1)),
    STRING("revision", NO(2)),
    STRING("directory", NO(3)));

TYPE(key_to_path, "KeyToPath",
    TEXT("key", NO(1)),
    TEXT("path", NO(2)),
    INT32_PTR("mode", NO(3)),
    INT64_PTR("user", GATE(AtomicWriteVolumeUserFields), SINCE(37), NO(4)));

TYPE(secret_volume_source, "SecretVolumeSource",
    STRING("secretName", NO(1)),
    LIST("items", key_to_path, NO(2)),
    INT32_PTR("defaultMode", NO(3)),
    BOOL_PTR("optional", NO(4)),
    INT64_PTR("defaultUser", GATE(AtomicWriteVolumeUserFields), SINCE(37), NO(5)));

TYPE(nfs_volume_source, "NFSVolumeSource",
    TEXT("server", NO(1)),
    TEXT("path", NO(2)),
    BOOL("readOnly", NO(3)));

PUBLIC_TYPE(local_object_reference, "LocalObjectReference", STRING("name", NO(1)));

TYPE(iscsi_volume_source, "ISCSIVolumeSource",
    TEXT("targetPortal", NO(1)),
    TEXT("iqn", NO(2)),
    INT32("lun", ALWAYS, NO(3)),
    STRING("iscsiInterface", NO(4)),
    STRING("fsType", NO(5)),
    BOOL("readOnly", NO(6)),
    STRINGS("portals", NO(7)),
    BOOL("chapAuthDiscovery", NO(8)),
    BOOL("chapAuthSession", NO(11)),
    STRUCT_PTR("secretRef", jr_schema_local_object_reference, NO(10)),
    STRING_PTR("initiatorName", NO(12)));

TYPE(glusterfs_volume_source, "GlusterfsVolumeSource",
    TEXT("endpoints", NO(1)),
    TEXT("path", NO(2)),
    BOOL("readOnly", NO(3)));

TYPE(persistent_volume_claim_volume_source, "PersistentVolumeClaimVolumeSource",
    TEXT("claimName", NO(1)),
    BOOL("readOnly", NO(2)));

TYPE(rbd_volume_source, "RBDVolumeSource",
    STRINGS("monitors", ALWAYS, NO(1)),
    TEXT("image", NO(2)),
    STRING("fsType", NO(3)),
    STRING("pool", NO(4)),
    STRING("user", NO(5)),
    STRING("keyring", NO(6)),
    STRUCT_PTR("secretRef", jr_schema_local_object_reference, NO(7)),
    BOOL("readOnly", NO(8)));

TYPE(flex_volume_source, "FlexVolumeSource",
    TEXT("driver", NO(1)),
    STRING("fsType", NO(2)),
    STRUCT_PTR("secretRef", jr_schema_local_object_reference, NO(3)),
    BOOL("readOnly", NO(4)),
    STRING_MAP("options", NO(5)));

TYPE(cinder_volume_source, "CinderVolumeSource",
    TEXT("volumeID", NO(1)),
    STRING("fsType", NO(2)),
    BOOL("readOnly", NO(3)),
    STRUCT_PTR("secretRef", jr_schema_local_object_reference, NO(4)));

TYPE(ceph_fs_volume_source, "CephFSVolumeSource",
    STRINGS("monitors", ALWAYS, NO(1)),
    STRING("path", NO(2)),
    STRING("user", NO(3)),
    STRING("secretFile", NO(4)),
    STRUCT_PTR("secretRef", jr_schema_local_object_reference, NO(5)),
    BOOL("readOnly", NO(6)));

TYPE(flocker_volume_source, "FlockerVolumeSource",
    STRING("datasetName", NO(1)),
    STRING("datasetUUID", NO(2)));

PUBLIC_TYPE(object_field_selector, "ObjectFieldSelector",
    STRING("apiVersion", NO(1)),
    TEXT("fieldPath", NO(2)));

PUBLIC_TYPE(resource_field_selector, "ResourceFieldSelector",
    STRING("containerName", NO(1)),
    TEXT("resource", NO(2)),
    QUANTITY("divisor", NO(3)));

TYPE(downward_api_volume_file, "DownwardAPIVolumeFile",
    TEXT("path", NO(1)),
    STRUCT_PTR("fieldRef", jr_schema_object_field_selector, NO(2)),
    STRUCT_PTR("resourceFieldRef", jr_schema_resource_field_selector, NO(3)),
    INT32_PTR("mode", NO(4)),
    INT64_PTR("user", GATE(AtomicWriteVolumeUserFields), SINCE(37), NO(5)));

TYPE(downward_api_volume_source, "DownwardAPIVolumeSource",
    LIST("items", downward_api_volume_file, NO(1)),
    INT32_PTR("defaultMode", NO(2)),
    INT64_PTR("defaultUser", GATE(AtomicWriteVolumeUserFields), SINCE(37), NO(3)));

TYPE(fc_volume_source, "FCVolumeSource",
    STRINGS("targetWWNs", NO(1)),
    INT32_PTR("lun", NO(2)),
    STRING("fsType", NO(3)),
    BOOL("readOnly", NO(4)),
    STRINGS("wwids", NO(5)));

TYPE(azure_file_volume_source, "AzureFileVolumeSource",
    TEXT("secretName", NO(1)),
    TEXT("shareName", NO(2)),
    BOOL("readOnly", NO(3)));

TYPE_WITH(config_map_volume_source, "ConfigMapVolumeSource",
    EMBEDS(jr_schema_local_object_reference, 1),
    LIST("items", key_to_path, NO(2)),
    INT32_PTR("defaultMode", NO(3)),
    BOOL_PTR("optional", NO(4)),
    INT64_PTR("defaultUser", GATE(AtomicWriteVolumeUserFields), SINCE(37), NO(5)));

TYPE(vsphere_virtual_disk_volume_source, "VsphereVirtualDiskVolumeSource",
    TEXT("volumePath", NO(1)),
    STRING("fsType", NO(2)),
    STRING("storagePolicyName", NO(3)),
    STRING("storagePolicyID", NO(4)));

TYPE(quobyte_volume_source, "QuobyteVolumeSource",
    TEXT("registry", NO(1)),
    TEXT("volume", NO(2)),
    BOOL("readOnly", NO(3)),
    STRING("user", NO(4)),
    STRING("group", NO(5)),
    STRING("tenant", NO(6)));

TYPE(azure_disk_volume_source, "AzureDiskVolumeSource",
    TEXT("diskName", NO(1)),
    TEXT("diskURI", NO(2)),
    STRING_PTR_OF("cachingMode", "v1.AzureDataDiskCachingMode", NO(3)),
    STRING_PTR("fsType", NO(4)),
    BOOL_PTR("readOnly", NO(5)),
    STRING_PTR_OF("kind", "v1.AzureDataDiskKind", NO(6)));

TYPE(photon_persistent_disk_volume_source, "PhotonPersistentDiskVolumeSource",
    TEXT("pdID", NO(1)),
    STRING("fsType", NO(2)));

TYPE_WITH(secret_projection, "SecretProjection", EMBEDS(jr_schema_local_object_reference, 1),
    LIST("items", key_to_path, NO(2)),
    BOOL_PTR("optional", NO(4)));

TYPE(downward_api_projection, "DownwardAPIProjection", LIST("items", downward_api_volume_file, NO(1)));

TYPE_WITH(config_map_projection, "ConfigMapProjection", EMBEDS(jr_schema_local_object_reference, 1),
    LIST("items", key_to_path, NO(2)),
    BOOL_PTR("optional", NO(4)));

TYPE(service_account_token_projection, "ServiceAccountTokenProjection",
    STRING("audience", NO(1)),
    INT64_PTR("expirationSeconds", NO(2)),
    TEXT("path", NO(3)),
    INT64_PTR("user", GATE(AtomicWriteVolumeUserFields), SINCE(37), NO(4)));

TYPE(cluster_trust_bundle_projection, "ClusterTrustBundleProjection",
    STRING_PTR("name", NO(1)),
    STRING_PTR("signerName", NO(2)),
    STRUCT_PTR("labelSelector", jr_schema_label_selector, NO(3)),
    BOOL_PTR("optional", NO(5)),
    TEXT("path", NO(4)),
    INT64_PTR("user", GATE(AtomicWriteVolumeUserFields), SINCE(37), NO(6)));

TYPE(pod_certificate_projection, "PodCertificateProjection",
    STRING("signerName", NO(1)),
    STRING("keyType", NO(2)),
    INT32_PTR("maxExpirationSeconds", NO(3)),
    STRING("credentialBundlePath", NO(4)),
    STRING("keyPath", NO(5)),
    STRING("certificateChainPath", NO(6)),
    STRING_MAP("userAnnotations", SINCE(35), NO(7)),
    INT64_PTR("user", GATE(AtomicWriteVolumeUserFields), SINCE(37), NO(8)));

PUBLIC_TYPE(volume_projection, "VolumeProjection",
    STRUCT_PTR("secret", secret_projection, NO(1)),
    STRUCT_PTR("downwardAPI", downward_api_projection, NO(2)),
    STRUCT_PTR("configMap", config_map_projection, NO(3)),
    STRUCT_PTR("serviceAccountToken", service_account_token_projection, NO(4)),
    STRUCT_PTR("clusterTrustBundle", cluster_trust_bundle_projection,
               GATE(ClusterTrustBundleProjection), NO(5)),
    STRUCT_PTR("podCertificate", pod_certificate_projection, GATE(PodCertificateRequest),
               SINCE(34), NO(6)));

TYPE(projected_volume_source, "ProjectedVolumeSource",
    LIST("sources", jr_schema_volume_projection, ALWAYS, NO(1)),
    INT32_PTR("defaultMode", NO(2)),
    INT64_PTR("defaultUser", GATE(AtomicWriteVolumeUserFields), SINCE(37), NO(3)));

TYPE(portworx_volume_source, "PortworxVolumeSource",
    TEXT("volumeID", NO(1)),
    STRING("fsType", NO(2)),
    BOOL("readOnly", NO(3)));

TYPE(scale_io_volume_source, "ScaleIOVolumeSource",
    TEXT("gateway", NO(1)),
    TEXT("system", NO(2)),
    STRUCT_PTR("secretRef", jr_schema_local_object_reference, ALWAYS, NO(3)),
    BOOL("sslEnabled", NO(4)),
    STRING("protectionDomain", NO(5)),
    STRING("storagePool", NO(6)),
    STRING("storageMode", NO(7)),
    STRING("volumeName", NO(8)),
    STRING("fsType", NO(9)),
    BOOL("readOnly", NO(10)));

TYPE(storage_os_volume_source, "StorageOSVolumeSource",
    STRING("volumeName", NO(1)),
    STRING("volumeNamespace", NO(2)),
    STRING("fsType", NO(3)),
    BOOL("readOnly", NO(4)),
    STRUCT_PTR("secretRef", jr_schema_local_object_reference, NO(5)));

TYPE(csi_volume_source, "CSIVolumeSource",
    TEXT("driver", NO(1)),
    BOOL_PTR("readOnly", NO(2)),
    STRING_PTR("fsType", NO(3)),
    STRING_MAP("volumeAttributes", NO(4)),
    STRUCT_PTR("nodePublishSecretRef", jr_schema_local_object_reference, NO(5)));

TYPE(volume_resource_requirements, "VolumeResourceRequirements",
    QUANTITIES("limits", NO(1)),
    QUANTITIES("requests", NO(2)));

TYPE(typed_local_object_reference, "TypedLocalObjectReference",
    STRING_PTR("apiGroup", ALWAYS, NO(1)),
    TEXT("kind", NO(2)),
    TEXT("name", NO(3)));

TYPE(typed_object_reference, "TypedObjectReference",
    STRING_PTR("apiGroup", ALWAYS, NO(1)),
    TEXT("kind", NO(2)),
    TEXT("name", NO(3)),
    STRING_PTR("namespace", NO(4)));

TYPE(persistent_volume_claim_spec, "PersistentVolumeClaimSpec",
    STRINGS_OF("accessModes", "v1.PersistentVolumeAccessMode", NO(1)),
    STRUCT_PTR("selector", jr_schema_label_selector, NO(4)),
    STRUCT("resources", volume_resource_requirements, NO(2)),
    STRING("volumeName", NO(3)),
    STRING_PTR("storageClassName", NO(5)),
    STRING_PTR_OF("volumeMode", "v1.PersistentVolumeMode", NO(6)),
    STRUCT_PTR("dataSource", typed_local_object_reference, NO(7)),
    STRUCT_PTR("dataSourceRef", typed_object_reference, NO(8)),
    STRING_PTR("volumeAttributesClassName", NO(9)));

TYPE(persistent_volume_claim_template, "PersistentVolumeClaimTemplate",
    STRUCT("metadata", jr_schema_object_meta, NO(1)),
    STRUCT("spec", persistent_volume_claim_spec, NO(2)));

TYPE(ephemeral_volume_source, "EphemeralVolumeSource",
    STRUCT_PTR("volumeClaimTemplate", persistent_volume_claim_template, NO(1)));

TYPE(image_volume_source, "ImageVolumeSource",
    STRING("reference", NO(1)),
    STRING_OF("pullPolicy", "v1.PullPolicy", NO(2)));

TYPE(volume_source, "VolumeSource",
    STRUCT_PTR("hostPath", host_path_volume_source, NO(1)),
    STRUCT_PTR("emptyDir", empty_dir_volume_source, NO(2)),
    STRUCT_PTR("gcePersistentDisk", gce_persistent_disk_volume_source, NO(3)),
    STRUCT_PTR("awsElasticBlockStore", aws_elastic_block_store_volume_source, NO(4)),
    STRUCT_PTR("gitRepo", git_repo_volume_source, NO(5)),
    STRUCT_PTR("secret", secret_volume_source, NO(6)),
    STRUCT_PTR("nfs", nfs_volume_source, NO(7)),
    STRUCT_PTR("iscsi", iscsi_volume_source, NO(8)),
    STRUCT_PTR("glusterfs", glusterfs_volume_source, NO(9)),
    STRUCT_PTR("persistentVolumeClaim", persistent_volume_claim_volume_source, NO(10)),
    STRUCT_PTR("rbd", rbd_volume_source, NO(11)),
    STRUCT_PTR("flexVolume", flex_volume_source, NO(12)),
    STRUCT_PTR("cinder", cinder_volume_source, NO(13)),
    STRUCT_PTR("cephfs", ceph_fs_volume_source, NO(14)),
    STRUCT_PTR("flocker", flocker_volume_source, NO(15)),
    STRUCT_PTR("downwardAPI", downward_api_volume_source, NO(16)),
    STRUCT_PTR("fc", fc_volume_source, NO(17)),
    STRUCT_PTR("azureFile", azure_file_volume_source, NO(18)),
    STRUCT_PTR("configMap", config_map_volume_source, NO(19)),
    STRUCT_PTR("vsphereVolume", vsphere_virtual_disk_volume_source, NO(20)),
    STRUCT_PTR("quobyte", quobyte_volume_source, NO(21)),
    STRUCT_PTR("azureDisk", azure_disk_volume_source, NO(22)),
    STRUCT_PTR("photonPersistentDisk", photon_persistent_disk_volume_source, NO(23)),
    STRUCT_PTR("projected", projected_volume_source, NO(26)),
    STRUCT_PTR("portworxVolume", portworx_volume_source, NO(24)),
    STRUCT_PTR("scaleIO", scale_io_volume_source, NO(25)),
    STRUCT_PTR("storageos", storage_os_volume_source, NO(27)),
    STRUCT_PTR("csi", csi_volume_source, NO(28)),
    STRUCT_PTR("ephemeral", ephemeral_volume_source, NO(29)),
    STRUCT_PTR("image", image_volume_source, NO(30)));

PUBLIC_TYPE_WITH(volume, "Volume", EMBEDS(volume_source, 2), TEXT("name", NO(1)));
