/* SPDX-License-Identifier: Apache-2.0 */
/* The volumes of a Pod (k8s.io/api core/v1). */
#include "common/schema/macros.h"

TYPE(host_path_volume_source, "HostPathVolumeSource",
    TEXT("path"),
    STRING_PTR_OF("type", "v1.HostPathType"));

TYPE(empty_dir_volume_source, "EmptyDirVolumeSource",
    STRING_OF("medium", "v1.StorageMedium"),
    QUANTITY_PTR("sizeLimit"),
    INT32_PTR("mode", GATE(EmptyDirVolumeMode), SINCE(37)));

TYPE(gce_persistent_disk_volume_source, "GCEPersistentDiskVolumeSource",
    TEXT("pdName"),
    STRING("fsType"),
    INT32("partition"),
    BOOL("readOnly"));

TYPE(aws_elastic_block_store_volume_source, "AWSElasticBlockStoreVolumeSource",
    TEXT("volumeID"),
    STRING("fsType"),
    INT32("partition"),
    BOOL("readOnly"));

TYPE(git_repo_volume_source, "GitRepoVolumeSource",
    TEXT("repository"),
    STRING("revision"),
    STRING("directory"));

TYPE(key_to_path, "KeyToPath",
    TEXT("key"),
    TEXT("path"),
    INT32_PTR("mode"),
    INT64_PTR("user", GATE(AtomicWriteVolumeUserFields), SINCE(37)));

TYPE(secret_volume_source, "SecretVolumeSource",
    STRING("secretName"),
    LIST("items", key_to_path),
    INT32_PTR("defaultMode"),
    BOOL_PTR("optional"),
    INT64_PTR("defaultUser", GATE(AtomicWriteVolumeUserFields), SINCE(37)));

TYPE(nfs_volume_source, "NFSVolumeSource",
    TEXT("server"),
    TEXT("path"),
    BOOL("readOnly"));

PUBLIC_TYPE(local_object_reference, "LocalObjectReference", STRING("name"));

TYPE(iscsi_volume_source, "ISCSIVolumeSource",
    TEXT("targetPortal"),
    TEXT("iqn"),
    INT32("lun", ALWAYS),
    STRING("iscsiInterface"),
    STRING("fsType"),
    BOOL("readOnly"),
    STRINGS("portals"),
    BOOL("chapAuthDiscovery"),
    BOOL("chapAuthSession"),
    STRUCT_PTR("secretRef", jr_schema_local_object_reference),
    STRING_PTR("initiatorName"));

TYPE(glusterfs_volume_source, "GlusterfsVolumeSource",
    TEXT("endpoints"),
    TEXT("path"),
    BOOL("readOnly"));

TYPE(persistent_volume_claim_volume_source, "PersistentVolumeClaimVolumeSource",
    TEXT("claimName"),
    BOOL("readOnly"));

TYPE(rbd_volume_source, "RBDVolumeSource",
    STRINGS("monitors", ALWAYS),
    TEXT("image"),
    STRING("fsType"),
    STRING("pool"),
    STRING("user"),
    STRING("keyring"),
    STRUCT_PTR("secretRef", jr_schema_local_object_reference),
    BOOL("readOnly"));

TYPE(flex_volume_source, "FlexVolumeSource",
    TEXT("driver"),
    STRING("fsType"),
    STRUCT_PTR("secretRef", jr_schema_local_object_reference),
    BOOL("readOnly"),
    STRING_MAP("options"));

TYPE(cinder_volume_source, "CinderVolumeSource",
    TEXT("volumeID"),
    STRING("fsType"),
    BOOL("readOnly"),
    STRUCT_PTR("secretRef", jr_schema_local_object_reference));

TYPE(ceph_fs_volume_source, "CephFSVolumeSource",
    STRINGS("monitors", ALWAYS),
    STRING("path"),
    STRING("user"),
    STRING("secretFile"),
    STRUCT_PTR("secretRef", jr_schema_local_object_reference),
    BOOL("readOnly"));

TYPE(flocker_volume_source, "FlockerVolumeSource",
    STRING("datasetName"),
    STRING("datasetUUID"));

PUBLIC_TYPE(object_field_selector, "ObjectFieldSelector",
    STRING("apiVersion"),
    TEXT("fieldPath"));

PUBLIC_TYPE(resource_field_selector, "ResourceFieldSelector",
    STRING("containerName"),
    TEXT("resource"),
    QUANTITY("divisor"));

TYPE(downward_api_volume_file, "DownwardAPIVolumeFile",
    TEXT("path"),
    STRUCT_PTR("fieldRef", jr_schema_object_field_selector),
    STRUCT_PTR("resourceFieldRef", jr_schema_resource_field_selector),
    INT32_PTR("mode"),
    INT64_PTR("user", GATE(AtomicWriteVolumeUserFields), SINCE(37)));

TYPE(downward_api_volume_source, "DownwardAPIVolumeSource",
    LIST("items", downward_api_volume_file),
    INT32_PTR("defaultMode"),
    INT64_PTR("defaultUser", GATE(AtomicWriteVolumeUserFields), SINCE(37)));

TYPE(fc_volume_source, "FCVolumeSource",
    STRINGS("targetWWNs"),
    INT32_PTR("lun"),
    STRING("fsType"),
    BOOL("readOnly"),
    STRINGS("wwids"));

TYPE(azure_file_volume_source, "AzureFileVolumeSource",
    TEXT("secretName"),
    TEXT("shareName"),
    BOOL("readOnly"));

TYPE_WITH(config_map_volume_source, "ConfigMapVolumeSource",
    EMBEDS(jr_schema_local_object_reference),
    LIST("items", key_to_path),
    INT32_PTR("defaultMode"),
    BOOL_PTR("optional"),
    INT64_PTR("defaultUser", GATE(AtomicWriteVolumeUserFields), SINCE(37)));

TYPE(vsphere_virtual_disk_volume_source, "VsphereVirtualDiskVolumeSource",
    TEXT("volumePath"),
    STRING("fsType"),
    STRING("storagePolicyName"),
    STRING("storagePolicyID"));

TYPE(quobyte_volume_source, "QuobyteVolumeSource",
    TEXT("registry"),
    TEXT("volume"),
    BOOL("readOnly"),
    STRING("user"),
    STRING("group"),
    STRING("tenant"));

TYPE(azure_disk_volume_source, "AzureDiskVolumeSource",
    TEXT("diskName"),
    TEXT("diskURI"),
    STRING_PTR_OF("cachingMode", "v1.AzureDataDiskCachingMode"),
    STRING_PTR("fsType"),
    BOOL_PTR("readOnly"),
    STRING_PTR_OF("kind", "v1.AzureDataDiskKind"));

TYPE(photon_persistent_disk_volume_source, "PhotonPersistentDiskVolumeSource",
    TEXT("pdID"),
    STRING("fsType"));

TYPE_WITH(secret_projection, "SecretProjection", EMBEDS(jr_schema_local_object_reference),
    LIST("items", key_to_path),
    BOOL_PTR("optional"));

TYPE(downward_api_projection, "DownwardAPIProjection", LIST("items", downward_api_volume_file));

TYPE_WITH(config_map_projection, "ConfigMapProjection", EMBEDS(jr_schema_local_object_reference),
    LIST("items", key_to_path),
    BOOL_PTR("optional"));

TYPE(service_account_token_projection, "ServiceAccountTokenProjection",
    STRING("audience"),
    INT64_PTR("expirationSeconds"),
    TEXT("path"),
    INT64_PTR("user", GATE(AtomicWriteVolumeUserFields), SINCE(37)));

TYPE(cluster_trust_bundle_projection, "ClusterTrustBundleProjection",
    STRING_PTR("name"),
    STRING_PTR("signerName"),
    STRUCT_PTR("labelSelector", jr_schema_label_selector),
    BOOL_PTR("optional"),
    TEXT("path"),
    INT64_PTR("user", GATE(AtomicWriteVolumeUserFields), SINCE(37)));

TYPE(pod_certificate_projection, "PodCertificateProjection",
    STRING("signerName"),
    STRING("keyType"),
    INT32_PTR("maxExpirationSeconds"),
    STRING("credentialBundlePath"),
    STRING("keyPath"),
    STRING("certificateChainPath"),
    STRING_MAP("userAnnotations", SINCE(35)),
    INT64_PTR("user", GATE(AtomicWriteVolumeUserFields), SINCE(37)));

PUBLIC_TYPE(volume_projection, "VolumeProjection",
    STRUCT_PTR("secret", secret_projection),
    STRUCT_PTR("downwardAPI", downward_api_projection),
    STRUCT_PTR("configMap", config_map_projection),
    STRUCT_PTR("serviceAccountToken", service_account_token_projection),
    STRUCT_PTR("clusterTrustBundle", cluster_trust_bundle_projection,
               GATE(ClusterTrustBundleProjection)),
    STRUCT_PTR("podCertificate", pod_certificate_projection, GATE(PodCertificateRequest),
               SINCE(34)));

TYPE(projected_volume_source, "ProjectedVolumeSource",
    LIST("sources", jr_schema_volume_projection, ALWAYS),
    INT32_PTR("defaultMode"),
    INT64_PTR("defaultUser", GATE(AtomicWriteVolumeUserFields), SINCE(37)));

TYPE(portworx_volume_source, "PortworxVolumeSource",
    TEXT("volumeID"),
    STRING("fsType"),
    BOOL("readOnly"));

TYPE(scale_io_volume_source, "ScaleIOVolumeSource",
    TEXT("gateway"),
    TEXT("system"),
    STRUCT_PTR("secretRef", jr_schema_local_object_reference, ALWAYS),
    BOOL("sslEnabled"),
    STRING("protectionDomain"),
    STRING("storagePool"),
    STRING("storageMode"),
    STRING("volumeName"),
    STRING("fsType"),
    BOOL("readOnly"));

TYPE(storage_os_volume_source, "StorageOSVolumeSource",
    STRING("volumeName"),
    STRING("volumeNamespace"),
    STRING("fsType"),
    BOOL("readOnly"),
    STRUCT_PTR("secretRef", jr_schema_local_object_reference));

TYPE(csi_volume_source, "CSIVolumeSource",
    TEXT("driver"),
    BOOL_PTR("readOnly"),
    STRING_PTR("fsType"),
    STRING_MAP("volumeAttributes"),
    STRUCT_PTR("nodePublishSecretRef", jr_schema_local_object_reference));

TYPE(volume_resource_requirements, "VolumeResourceRequirements",
    QUANTITIES("limits"),
    QUANTITIES("requests"));

TYPE(typed_local_object_reference, "TypedLocalObjectReference",
    STRING_PTR("apiGroup", ALWAYS),
    TEXT("kind"),
    TEXT("name"));

TYPE(typed_object_reference, "TypedObjectReference",
    STRING_PTR("apiGroup", ALWAYS),
    TEXT("kind"),
    TEXT("name"),
    STRING_PTR("namespace"));

TYPE(persistent_volume_claim_spec, "PersistentVolumeClaimSpec",
    STRINGS_OF("accessModes", "v1.PersistentVolumeAccessMode"),
    STRUCT_PTR("selector", jr_schema_label_selector),
    STRUCT("resources", volume_resource_requirements),
    STRING("volumeName"),
    STRING_PTR("storageClassName"),
    STRING_PTR_OF("volumeMode", "v1.PersistentVolumeMode"),
    STRUCT_PTR("dataSource", typed_local_object_reference),
    STRUCT_PTR("dataSourceRef", typed_object_reference),
    STRING_PTR("volumeAttributesClassName"));

TYPE(persistent_volume_claim_template, "PersistentVolumeClaimTemplate",
    STRUCT("metadata", jr_schema_object_meta),
    STRUCT("spec", persistent_volume_claim_spec));

TYPE(ephemeral_volume_source, "EphemeralVolumeSource",
    STRUCT_PTR("volumeClaimTemplate", persistent_volume_claim_template));

TYPE(image_volume_source, "ImageVolumeSource",
    STRING("reference"),
    STRING_OF("pullPolicy", "v1.PullPolicy"));

TYPE(volume_source, "VolumeSource",
    STRUCT_PTR("hostPath", host_path_volume_source),
    STRUCT_PTR("emptyDir", empty_dir_volume_source),
    STRUCT_PTR("gcePersistentDisk", gce_persistent_disk_volume_source),
    STRUCT_PTR("awsElasticBlockStore", aws_elastic_block_store_volume_source),
    STRUCT_PTR("gitRepo", git_repo_volume_source),
    STRUCT_PTR("secret", secret_volume_source),
    STRUCT_PTR("nfs", nfs_volume_source),
    STRUCT_PTR("iscsi", iscsi_volume_source),
    STRUCT_PTR("glusterfs", glusterfs_volume_source),
    STRUCT_PTR("persistentVolumeClaim", persistent_volume_claim_volume_source),
    STRUCT_PTR("rbd", rbd_volume_source),
    STRUCT_PTR("flexVolume", flex_volume_source),
    STRUCT_PTR("cinder", cinder_volume_source),
    STRUCT_PTR("cephfs", ceph_fs_volume_source),
    STRUCT_PTR("flocker", flocker_volume_source),
    STRUCT_PTR("downwardAPI", downward_api_volume_source),
    STRUCT_PTR("fc", fc_volume_source),
    STRUCT_PTR("azureFile", azure_file_volume_source),
    STRUCT_PTR("configMap", config_map_volume_source),
    STRUCT_PTR("vsphereVolume", vsphere_virtual_disk_volume_source),
    STRUCT_PTR("quobyte", quobyte_volume_source),
    STRUCT_PTR("azureDisk", azure_disk_volume_source),
    STRUCT_PTR("photonPersistentDisk", photon_persistent_disk_volume_source),
    STRUCT_PTR("projected", projected_volume_source),
    STRUCT_PTR("portworxVolume", portworx_volume_source),
    STRUCT_PTR("scaleIO", scale_io_volume_source),
    STRUCT_PTR("storageos", storage_os_volume_source),
    STRUCT_PTR("csi", csi_volume_source),
    STRUCT_PTR("ephemeral", ephemeral_volume_source),
    STRUCT_PTR("image", image_volume_source));

PUBLIC_TYPE_WITH(volume, "Volume", EMBEDS(volume_source), TEXT("name"));
