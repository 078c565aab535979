/* The volumes of a Pod (k8s.io/api core/v1). */
#include "common/schema/macros.h"

static const struct jr_schema_field host_path_volume_source_fields[] = {
    STRING("path"),
    STRING_PTR_OF("type", "v1.HostPathType"),
    END,
};
TYPE(host_path_volume_source, "HostPathVolumeSource");

static const struct jr_schema_field empty_dir_volume_source_fields[] = {
    STRING_OF("medium", "v1.StorageMedium"),
    QUANTITY_PTR("sizeLimit"),
    INT32_PTR("mode", SINCE(37)),
    END,
};
TYPE(empty_dir_volume_source, "EmptyDirVolumeSource");

static const struct jr_schema_field gce_persistent_disk_volume_source_fields[] = {
    STRING("pdName"), STRING("fsType"), INT32("partition"), BOOL("readOnly"), END,
};
TYPE(gce_persistent_disk_volume_source, "GCEPersistentDiskVolumeSource");

static const struct jr_schema_field aws_elastic_block_store_volume_source_fields[] = {
    STRING("volumeID"), STRING("fsType"), INT32("partition"), BOOL("readOnly"), END,
};
TYPE(aws_elastic_block_store_volume_source, "AWSElasticBlockStoreVolumeSource");

static const struct jr_schema_field git_repo_volume_source_fields[] = {
    STRING("repository"),
    STRING("revision"),
    STRING("directory"),
    END,
};
TYPE(git_repo_volume_source, "GitRepoVolumeSource");

static const struct jr_schema_field key_to_path_fields[] = {
    STRING("key"), STRING("path"), INT32_PTR("mode"), INT64_PTR("user", SINCE(37)), END,
};
TYPE(key_to_path, "KeyToPath");

static const struct jr_schema_field secret_volume_source_fields[] = {
    STRING("secretName"), LIST("items", key_to_path),          INT32_PTR("defaultMode"),
    BOOL_PTR("optional"), INT64_PTR("defaultUser", SINCE(37)), END,
};
TYPE(secret_volume_source, "SecretVolumeSource");

static const struct jr_schema_field nfs_volume_source_fields[] = {
    STRING("server"),
    STRING("path"),
    BOOL("readOnly"),
    END,
};
TYPE(nfs_volume_source, "NFSVolumeSource");

static const struct jr_schema_field local_object_reference_fields[] = {
    STRING("name"),
    END,
};
PUBLIC_TYPE(local_object_reference, "LocalObjectReference");

static const struct jr_schema_field iscsi_volume_source_fields[] = {
    STRING("targetPortal"),
    STRING("iqn"),
    INT32("lun"),
    STRING("iscsiInterface"),
    STRING("fsType"),
    BOOL("readOnly"),
    STRINGS("portals"),
    BOOL("chapAuthDiscovery"),
    BOOL("chapAuthSession"),
    STRUCT_PTR("secretRef", jr_schema_local_object_reference),
    STRING_PTR("initiatorName"),
    END,
};
TYPE(iscsi_volume_source, "ISCSIVolumeSource");

static const struct jr_schema_field glusterfs_volume_source_fields[] = {
    STRING("endpoints"),
    STRING("path"),
    BOOL("readOnly"),
    END,
};
TYPE(glusterfs_volume_source, "GlusterfsVolumeSource");

static const struct jr_schema_field persistent_volume_claim_volume_source_fields[] = {
    STRING("claimName"),
    BOOL("readOnly"),
    END,
};
TYPE(persistent_volume_claim_volume_source, "PersistentVolumeClaimVolumeSource");

static const struct jr_schema_field rbd_volume_source_fields[] = {
    STRINGS("monitors"),
    STRING("image"),
    STRING("fsType"),
    STRING("pool"),
    STRING("user"),
    STRING("keyring"),
    STRUCT_PTR("secretRef", jr_schema_local_object_reference),
    BOOL("readOnly"),
    END,
};
TYPE(rbd_volume_source, "RBDVolumeSource");

static const struct jr_schema_field flex_volume_source_fields[] = {
    STRING("driver"),
    STRING("fsType"),
    STRUCT_PTR("secretRef", jr_schema_local_object_reference),
    BOOL("readOnly"),
    STRING_MAP("options"),
    END,
};
TYPE(flex_volume_source, "FlexVolumeSource");

static const struct jr_schema_field cinder_volume_source_fields[] = {
    STRING("volumeID"),
    STRING("fsType"),
    BOOL("readOnly"),
    STRUCT_PTR("secretRef", jr_schema_local_object_reference),
    END,
};
TYPE(cinder_volume_source, "CinderVolumeSource");

static const struct jr_schema_field ceph_fs_volume_source_fields[] = {
    STRINGS("monitors"),
    STRING("path"),
    STRING("user"),
    STRING("secretFile"),
    STRUCT_PTR("secretRef", jr_schema_local_object_reference),
    BOOL("readOnly"),
    END,
};
TYPE(ceph_fs_volume_source, "CephFSVolumeSource");

static const struct jr_schema_field flocker_volume_source_fields[] = {
    STRING("datasetName"),
    STRING("datasetUUID"),
    END,
};
TYPE(flocker_volume_source, "FlockerVolumeSource");

static const struct jr_schema_field object_field_selector_fields[] = {
    STRING("apiVersion"),
    STRING("fieldPath"),
    END,
};
PUBLIC_TYPE(object_field_selector, "ObjectFieldSelector");

static const struct jr_schema_field resource_field_selector_fields[] = {
    STRING("containerName"),
    STRING("resource"),
    QUANTITY("divisor"),
    END,
};
PUBLIC_TYPE(resource_field_selector, "ResourceFieldSelector");

static const struct jr_schema_field downward_api_volume_file_fields[] = {
    STRING("path"),
    STRUCT_PTR("fieldRef", jr_schema_object_field_selector),
    STRUCT_PTR("resourceFieldRef", jr_schema_resource_field_selector),
    INT32_PTR("mode"),
    INT64_PTR("user", SINCE(37)),
    END,
};
TYPE(downward_api_volume_file, "DownwardAPIVolumeFile");

static const struct jr_schema_field downward_api_volume_source_fields[] = {
    LIST("items", downward_api_volume_file),
    INT32_PTR("defaultMode"),
    INT64_PTR("defaultUser", SINCE(37)),
    END,
};
TYPE(downward_api_volume_source, "DownwardAPIVolumeSource");

static const struct jr_schema_field fc_volume_source_fields[] = {
    STRINGS("targetWWNs"), INT32_PTR("lun"), STRING("fsType"),
    BOOL("readOnly"),      STRINGS("wwids"), END,
};
TYPE(fc_volume_source, "FCVolumeSource");

static const struct jr_schema_field azure_file_volume_source_fields[] = {
    STRING("secretName"),
    STRING("shareName"),
    BOOL("readOnly"),
    END,
};
TYPE(azure_file_volume_source, "AzureFileVolumeSource");

static const struct jr_schema_field config_map_volume_source_fields[] = {
    LIST("items", key_to_path),
    INT32_PTR("defaultMode"),
    BOOL_PTR("optional"),
    INT64_PTR("defaultUser", SINCE(37)),
    END,
};
TYPE_WITH(config_map_volume_source, "ConfigMapVolumeSource",
          EMBEDS(jr_schema_local_object_reference));

static const struct jr_schema_field vsphere_virtual_disk_volume_source_fields[] = {
    STRING("volumePath"),
    STRING("fsType"),
    STRING("storagePolicyName"),
    STRING("storagePolicyID"),
    END,
};
TYPE(vsphere_virtual_disk_volume_source, "VsphereVirtualDiskVolumeSource");

static const struct jr_schema_field quobyte_volume_source_fields[] = {
    STRING("registry"),
    STRING("volume"),
    BOOL("readOnly"),
    STRING("user"),
    STRING("group"),
    STRING("tenant"),
    END,
};
TYPE(quobyte_volume_source, "QuobyteVolumeSource");

static const struct jr_schema_field azure_disk_volume_source_fields[] = {
    STRING("diskName"),
    STRING("diskURI"),
    STRING_PTR_OF("cachingMode", "v1.AzureDataDiskCachingMode"),
    STRING_PTR("fsType"),
    BOOL_PTR("readOnly"),
    STRING_PTR_OF("kind", "v1.AzureDataDiskKind"),
    END,
};
TYPE(azure_disk_volume_source, "AzureDiskVolumeSource");

static const struct jr_schema_field photon_persistent_disk_volume_source_fields[] = {
    STRING("pdID"),
    STRING("fsType"),
    END,
};
TYPE(photon_persistent_disk_volume_source, "PhotonPersistentDiskVolumeSource");

static const struct jr_schema_field secret_projection_fields[] = {
    LIST("items", key_to_path),
    BOOL_PTR("optional"),
    END,
};
TYPE_WITH(secret_projection, "SecretProjection", EMBEDS(jr_schema_local_object_reference));

static const struct jr_schema_field downward_api_projection_fields[] = {
    LIST("items", downward_api_volume_file),
    END,
};
TYPE(downward_api_projection, "DownwardAPIProjection");

static const struct jr_schema_field config_map_projection_fields[] = {
    LIST("items", key_to_path),
    BOOL_PTR("optional"),
    END,
};
TYPE_WITH(config_map_projection, "ConfigMapProjection", EMBEDS(jr_schema_local_object_reference));

static const struct jr_schema_field service_account_token_projection_fields[] = {
    STRING("audience"),
    INT64_PTR("expirationSeconds"),
    STRING("path"),
    INT64_PTR("user", SINCE(37)),
    END,
};
TYPE(service_account_token_projection, "ServiceAccountTokenProjection");

static const struct jr_schema_field cluster_trust_bundle_projection_fields[] = {
    STRING_PTR("name"),
    STRING_PTR("signerName"),
    STRUCT_PTR("labelSelector", jr_schema_label_selector),
    BOOL_PTR("optional"),
    STRING("path"),
    INT64_PTR("user", SINCE(37)),
    END,
};
TYPE(cluster_trust_bundle_projection, "ClusterTrustBundleProjection");

static const struct jr_schema_field pod_certificate_projection_fields[] = {
    STRING("signerName"),
    STRING("keyType"),
    INT32_PTR("maxExpirationSeconds"),
    STRING("credentialBundlePath"),
    STRING("keyPath"),
    STRING("certificateChainPath"),
    STRING_MAP("userAnnotations", SINCE(35)),
    INT64_PTR("user", SINCE(37)),
    END,
};
TYPE(pod_certificate_projection, "PodCertificateProjection");

static const struct jr_schema_field volume_projection_fields[] = {
    STRUCT_PTR("secret", secret_projection),
    STRUCT_PTR("downwardAPI", downward_api_projection),
    STRUCT_PTR("configMap", config_map_projection),
    STRUCT_PTR("serviceAccountToken", service_account_token_projection),
    STRUCT_PTR("clusterTrustBundle", cluster_trust_bundle_projection,
               GATE(ClusterTrustBundleProjection)),
    STRUCT_PTR("podCertificate", pod_certificate_projection, GATE(PodCertificateRequest),
               SINCE(34)),
    END,
};
PUBLIC_TYPE(volume_projection, "VolumeProjection");

static const struct jr_schema_field projected_volume_source_fields[] = {
    LIST("sources", jr_schema_volume_projection),
    INT32_PTR("defaultMode"),
    INT64_PTR("defaultUser", SINCE(37)),
    END,
};
TYPE(projected_volume_source, "ProjectedVolumeSource");

static const struct jr_schema_field portworx_volume_source_fields[] = {
    STRING("volumeID"),
    STRING("fsType"),
    BOOL("readOnly"),
    END,
};
TYPE(portworx_volume_source, "PortworxVolumeSource");

static const struct jr_schema_field scale_io_volume_source_fields[] = {
    STRING("gateway"),
    STRING("system"),
    STRUCT_PTR("secretRef", jr_schema_local_object_reference),
    BOOL("sslEnabled"),
    STRING("protectionDomain"),
    STRING("storagePool"),
    STRING("storageMode"),
    STRING("volumeName"),
    STRING("fsType"),
    BOOL("readOnly"),
    END,
};
TYPE(scale_io_volume_source, "ScaleIOVolumeSource");

static const struct jr_schema_field storage_os_volume_source_fields[] = {
    STRING("volumeName"),
    STRING("volumeNamespace"),
    STRING("fsType"),
    BOOL("readOnly"),
    STRUCT_PTR("secretRef", jr_schema_local_object_reference),
    END,
};
TYPE(storage_os_volume_source, "StorageOSVolumeSource");

static const struct jr_schema_field csi_volume_source_fields[] = {
    STRING("driver"),
    BOOL_PTR("readOnly"),
    STRING_PTR("fsType"),
    STRING_MAP("volumeAttributes"),
    STRUCT_PTR("nodePublishSecretRef", jr_schema_local_object_reference),
    END,
};
TYPE(csi_volume_source, "CSIVolumeSource");

static const struct jr_schema_field volume_resource_requirements_fields[] = {
    QUANTITIES("limits"),
    QUANTITIES("requests"),
    END,
};
TYPE(volume_resource_requirements, "VolumeResourceRequirements");

static const struct jr_schema_field typed_local_object_reference_fields[] = {
    STRING_PTR("apiGroup"),
    STRING("kind"),
    STRING("name"),
    END,
};
TYPE(typed_local_object_reference, "TypedLocalObjectReference");

static const struct jr_schema_field typed_object_reference_fields[] = {
    STRING_PTR("apiGroup"), STRING("kind"), STRING("name"), STRING_PTR("namespace"), END,
};
TYPE(typed_object_reference, "TypedObjectReference");

static const struct jr_schema_field persistent_volume_claim_spec_fields[] = {
    STRINGS_OF("accessModes", "v1.PersistentVolumeAccessMode"),
    STRUCT_PTR("selector", jr_schema_label_selector),
    STRUCT("resources", volume_resource_requirements),
    STRING("volumeName"),
    STRING_PTR("storageClassName"),
    STRING_PTR_OF("volumeMode", "v1.PersistentVolumeMode"),
    STRUCT_PTR("dataSource", typed_local_object_reference),
    STRUCT_PTR("dataSourceRef", typed_object_reference),
    STRING_PTR("volumeAttributesClassName"),
    END,
};
TYPE(persistent_volume_claim_spec, "PersistentVolumeClaimSpec");

static const struct jr_schema_field persistent_volume_claim_template_fields[] = {
    STRUCT("metadata", jr_schema_object_meta),
    STRUCT("spec", persistent_volume_claim_spec),
    END,
};
TYPE(persistent_volume_claim_template, "PersistentVolumeClaimTemplate");

static const struct jr_schema_field ephemeral_volume_source_fields[] = {
    STRUCT_PTR("volumeClaimTemplate", persistent_volume_claim_template),
    END,
};
TYPE(ephemeral_volume_source, "EphemeralVolumeSource");

static const struct jr_schema_field image_volume_source_fields[] = {
    STRING("reference"),
    STRING_OF("pullPolicy", "v1.PullPolicy"),
    END,
};
TYPE(image_volume_source, "ImageVolumeSource");

static const struct jr_schema_field volume_source_fields[] = {
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
    STRUCT_PTR("image", image_volume_source),
    END,
};
TYPE(volume_source, "VolumeSource");

static const struct jr_schema_field volume_fields[] = {
    STRING("name"),
    END,
};
PUBLIC_TYPE_WITH(volume, "Volume", EMBEDS(volume_source));
