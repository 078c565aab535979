/* The volumes of a Pod (k8s.io/api core/v1). */
#include "devcluster/store/schema_macros.h"

/* clang-format off */

static const struct go_field host_path_volume_source_fields[] = {
    TEXT("path"), TEXT_OF("type", "v1.HostPathType"), END,
};
STRUCT(host_path_volume_source, "HostPathVolumeSource");

static const struct go_field empty_dir_volume_source_fields[] = {
    TEXT_OF("medium", "v1.StorageMedium"), ONE("sizeLimit", GO_QUANTITY), END,
};
STRUCT(empty_dir_volume_source, "EmptyDirVolumeSource");

static const struct go_field gce_persistent_disk_volume_source_fields[] = {
    TEXT("pdName"), TEXT("fsType"), ONE("partition", GO_INT32), ONE("readOnly", GO_BOOL), END,
};
STRUCT(gce_persistent_disk_volume_source, "GCEPersistentDiskVolumeSource");

static const struct go_field aws_elastic_block_store_volume_source_fields[] = {
    TEXT("volumeID"), TEXT("fsType"), ONE("partition", GO_INT32), ONE("readOnly", GO_BOOL), END,
};
STRUCT(aws_elastic_block_store_volume_source, "AWSElasticBlockStoreVolumeSource");

static const struct go_field git_repo_volume_source_fields[] = {
    TEXT("repository"), TEXT("revision"), TEXT("directory"), END,
};
STRUCT(git_repo_volume_source, "GitRepoVolumeSource");

static const struct go_field key_to_path_fields[] = {
    TEXT("key"), TEXT("path"), ONE("mode", GO_INT32), END,
};
STRUCT(key_to_path, "KeyToPath");

static const struct go_field secret_volume_source_fields[] = {
    TEXT("secretName"), EACH("items", key_to_path), ONE("defaultMode", GO_INT32),
    ONE("optional", GO_BOOL), END,
};
STRUCT(secret_volume_source, "SecretVolumeSource");

static const struct go_field nfs_volume_source_fields[] = {
    TEXT("server"), TEXT("path"), ONE("readOnly", GO_BOOL), END,
};
STRUCT(nfs_volume_source, "NFSVolumeSource");

static const struct go_field local_object_reference_fields[] = {
    TEXT("name"), END,
};
PUBLIC(local_object_reference, "LocalObjectReference");

static const struct go_field iscsi_volume_source_fields[] = {
    TEXT("targetPortal"), TEXT("iqn"), ONE("lun", GO_INT32), TEXT("iscsiInterface"), TEXT("fsType"),
    ONE("readOnly", GO_BOOL), ONE("portals", GO_STRINGS), ONE("chapAuthDiscovery", GO_BOOL),
    ONE("chapAuthSession", GO_BOOL), IN("secretRef", jr_dev_go_local_object_reference),
    TEXT("initiatorName"), END,
};
STRUCT(iscsi_volume_source, "ISCSIVolumeSource");

static const struct go_field glusterfs_volume_source_fields[] = {
    TEXT("endpoints"), TEXT("path"), ONE("readOnly", GO_BOOL), END,
};
STRUCT(glusterfs_volume_source, "GlusterfsVolumeSource");

static const struct go_field persistent_volume_claim_volume_source_fields[] = {
    TEXT("claimName"), ONE("readOnly", GO_BOOL), END,
};
STRUCT(persistent_volume_claim_volume_source, "PersistentVolumeClaimVolumeSource");

static const struct go_field rbd_volume_source_fields[] = {
    ONE("monitors", GO_STRINGS), TEXT("image"), TEXT("fsType"), TEXT("pool"), TEXT("user"),
    TEXT("keyring"), IN("secretRef", jr_dev_go_local_object_reference), ONE("readOnly", GO_BOOL),
    END,
};
STRUCT(rbd_volume_source, "RBDVolumeSource");

static const struct go_field flex_volume_source_fields[] = {
    TEXT("driver"), TEXT("fsType"), IN("secretRef", jr_dev_go_local_object_reference),
    ONE("readOnly", GO_BOOL), ONE("options", GO_MAP), END,
};
STRUCT(flex_volume_source, "FlexVolumeSource");

static const struct go_field cinder_volume_source_fields[] = {
    TEXT("volumeID"), TEXT("fsType"), ONE("readOnly", GO_BOOL),
    IN("secretRef", jr_dev_go_local_object_reference), END,
};
STRUCT(cinder_volume_source, "CinderVolumeSource");

static const struct go_field ceph_fs_volume_source_fields[] = {
    ONE("monitors", GO_STRINGS), TEXT("path"), TEXT("user"), TEXT("secretFile"),
    IN("secretRef", jr_dev_go_local_object_reference), ONE("readOnly", GO_BOOL), END,
};
STRUCT(ceph_fs_volume_source, "CephFSVolumeSource");

static const struct go_field flocker_volume_source_fields[] = {
    TEXT("datasetName"), TEXT("datasetUUID"), END,
};
STRUCT(flocker_volume_source, "FlockerVolumeSource");

static const struct go_field object_field_selector_fields[] = {
    TEXT("apiVersion"), TEXT("fieldPath"), END,
};
PUBLIC(object_field_selector, "ObjectFieldSelector");

static const struct go_field resource_field_selector_fields[] = {
    TEXT("containerName"), TEXT("resource"), ONE("divisor", GO_QUANTITY), END,
};
PUBLIC(resource_field_selector, "ResourceFieldSelector");

static const struct go_field downward_api_volume_file_fields[] = {
    TEXT("path"), IN("fieldRef", jr_dev_go_object_field_selector),
    IN("resourceFieldRef", jr_dev_go_resource_field_selector), ONE("mode", GO_INT32), END,
};
STRUCT(downward_api_volume_file, "DownwardAPIVolumeFile");

static const struct go_field downward_api_volume_source_fields[] = {
    EACH("items", downward_api_volume_file), ONE("defaultMode", GO_INT32), END,
};
STRUCT(downward_api_volume_source, "DownwardAPIVolumeSource");

static const struct go_field fc_volume_source_fields[] = {
    ONE("targetWWNs", GO_STRINGS), ONE("lun", GO_INT32), TEXT("fsType"), ONE("readOnly", GO_BOOL),
    ONE("wwids", GO_STRINGS), END,
};
STRUCT(fc_volume_source, "FCVolumeSource");

static const struct go_field azure_file_volume_source_fields[] = {
    TEXT("secretName"), TEXT("shareName"), ONE("readOnly", GO_BOOL), END,
};
STRUCT(azure_file_volume_source, "AzureFileVolumeSource");

static const struct go_field config_map_volume_source_fields[] = {
    EACH("items", key_to_path), ONE("defaultMode", GO_INT32), ONE("optional", GO_BOOL), END,
};
STRUCT_WITH(config_map_volume_source, "ConfigMapVolumeSource", jr_dev_go_local_object_reference);

static const struct go_field vsphere_virtual_disk_volume_source_fields[] = {
    TEXT("volumePath"), TEXT("fsType"), TEXT("storagePolicyName"), TEXT("storagePolicyID"), END,
};
STRUCT(vsphere_virtual_disk_volume_source, "VsphereVirtualDiskVolumeSource");

static const struct go_field quobyte_volume_source_fields[] = {
    TEXT("registry"), TEXT("volume"), ONE("readOnly", GO_BOOL), TEXT("user"), TEXT("group"),
    TEXT("tenant"), END,
};
STRUCT(quobyte_volume_source, "QuobyteVolumeSource");

static const struct go_field azure_disk_volume_source_fields[] = {
    TEXT("diskName"), TEXT("diskURI"), TEXT_OF("cachingMode", "v1.AzureDataDiskCachingMode"),
    TEXT("fsType"), ONE("readOnly", GO_BOOL), TEXT_OF("kind", "v1.AzureDataDiskKind"), END,
};
STRUCT(azure_disk_volume_source, "AzureDiskVolumeSource");

static const struct go_field photon_persistent_disk_volume_source_fields[] = {
    TEXT("pdID"), TEXT("fsType"), END,
};
STRUCT(photon_persistent_disk_volume_source, "PhotonPersistentDiskVolumeSource");

static const struct go_field secret_projection_fields[] = {
    EACH("items", key_to_path), ONE("optional", GO_BOOL), END,
};
STRUCT_WITH(secret_projection, "SecretProjection", jr_dev_go_local_object_reference);

static const struct go_field downward_api_projection_fields[] = {
    EACH("items", downward_api_volume_file), END,
};
STRUCT(downward_api_projection, "DownwardAPIProjection");

static const struct go_field config_map_projection_fields[] = {
    EACH("items", key_to_path), ONE("optional", GO_BOOL), END,
};
STRUCT_WITH(config_map_projection, "ConfigMapProjection", jr_dev_go_local_object_reference);

static const struct go_field service_account_token_projection_fields[] = {
    TEXT("audience"), ONE("expirationSeconds", GO_INT64), TEXT("path"), END,
};
STRUCT(service_account_token_projection, "ServiceAccountTokenProjection");

static const struct go_field cluster_trust_bundle_projection_fields[] = {
    TEXT("name"), TEXT("signerName"), IN("labelSelector", jr_dev_go_label_selector),
    ONE("optional", GO_BOOL), TEXT("path"), END,
};
STRUCT(cluster_trust_bundle_projection, "ClusterTrustBundleProjection");

static const struct go_field pod_certificate_projection_fields[] = {
    TEXT("signerName"), TEXT("keyType"), ONE("maxExpirationSeconds", GO_INT32),
    TEXT("credentialBundlePath"), TEXT("keyPath"), TEXT("certificateChainPath"),
    ONE("userAnnotations", GO_MAP), END,
};
STRUCT(pod_certificate_projection, "PodCertificateProjection");

static const struct go_field volume_projection_fields[] = {
    IN("secret", secret_projection), IN("downwardAPI", downward_api_projection),
    IN("configMap", config_map_projection),
    IN("serviceAccountToken", service_account_token_projection),
    IN("clusterTrustBundle", cluster_trust_bundle_projection),
    IN("podCertificate", pod_certificate_projection), END,
};
STRUCT(volume_projection, "VolumeProjection");

static const struct go_field projected_volume_source_fields[] = {
    EACH("sources", volume_projection), ONE("defaultMode", GO_INT32), END,
};
STRUCT(projected_volume_source, "ProjectedVolumeSource");

static const struct go_field portworx_volume_source_fields[] = {
    TEXT("volumeID"), TEXT("fsType"), ONE("readOnly", GO_BOOL), END,
};
STRUCT(portworx_volume_source, "PortworxVolumeSource");

static const struct go_field scale_io_volume_source_fields[] = {
    TEXT("gateway"), TEXT("system"), IN("secretRef", jr_dev_go_local_object_reference),
    ONE("sslEnabled", GO_BOOL), TEXT("protectionDomain"), TEXT("storagePool"), TEXT("storageMode"),
    TEXT("volumeName"), TEXT("fsType"), ONE("readOnly", GO_BOOL), END,
};
STRUCT(scale_io_volume_source, "ScaleIOVolumeSource");

static const struct go_field storage_os_volume_source_fields[] = {
    TEXT("volumeName"), TEXT("volumeNamespace"), TEXT("fsType"), ONE("readOnly", GO_BOOL),
    IN("secretRef", jr_dev_go_local_object_reference), END,
};
STRUCT(storage_os_volume_source, "StorageOSVolumeSource");

static const struct go_field csi_volume_source_fields[] = {
    TEXT("driver"), ONE("readOnly", GO_BOOL), TEXT("fsType"), ONE("volumeAttributes", GO_MAP),
    IN("nodePublishSecretRef", jr_dev_go_local_object_reference), END,
};
STRUCT(csi_volume_source, "CSIVolumeSource");

static const struct go_field volume_resource_requirements_fields[] = {
    ONE("limits", GO_QUANTITIES), ONE("requests", GO_QUANTITIES), END,
};
STRUCT(volume_resource_requirements, "VolumeResourceRequirements");

static const struct go_field typed_local_object_reference_fields[] = {
    TEXT("apiGroup"), TEXT("kind"), TEXT("name"), END,
};
STRUCT(typed_local_object_reference, "TypedLocalObjectReference");

static const struct go_field typed_object_reference_fields[] = {
    TEXT("apiGroup"), TEXT("kind"), TEXT("name"), TEXT("namespace"), END,
};
STRUCT(typed_object_reference, "TypedObjectReference");

static const struct go_field persistent_volume_claim_spec_fields[] = {
    TEXTS_OF("accessModes", "v1.PersistentVolumeAccessMode"),
    IN("selector", jr_dev_go_label_selector), IN("resources", volume_resource_requirements),
    TEXT("volumeName"), TEXT("storageClassName"), TEXT_OF("volumeMode", "v1.PersistentVolumeMode"),
    IN("dataSource", typed_local_object_reference), IN("dataSourceRef", typed_object_reference),
    TEXT("volumeAttributesClassName"), END,
};
STRUCT(persistent_volume_claim_spec, "PersistentVolumeClaimSpec");

static const struct go_field persistent_volume_claim_template_fields[] = {
    IN("metadata", jr_dev_go_object_meta), IN("spec", persistent_volume_claim_spec), END,
};
STRUCT(persistent_volume_claim_template, "PersistentVolumeClaimTemplate");

static const struct go_field ephemeral_volume_source_fields[] = {
    IN("volumeClaimTemplate", persistent_volume_claim_template), END,
};
STRUCT(ephemeral_volume_source, "EphemeralVolumeSource");

static const struct go_field image_volume_source_fields[] = {
    TEXT("reference"), TEXT_OF("pullPolicy", "v1.PullPolicy"), END,
};
STRUCT(image_volume_source, "ImageVolumeSource");

static const struct go_field volume_source_fields[] = {
    IN("hostPath", host_path_volume_source), IN("emptyDir", empty_dir_volume_source),
    IN("gcePersistentDisk", gce_persistent_disk_volume_source),
    IN("awsElasticBlockStore", aws_elastic_block_store_volume_source),
    IN("gitRepo", git_repo_volume_source), IN("secret", secret_volume_source),
    IN("nfs", nfs_volume_source), IN("iscsi", iscsi_volume_source),
    IN("glusterfs", glusterfs_volume_source),
    IN("persistentVolumeClaim", persistent_volume_claim_volume_source),
    IN("rbd", rbd_volume_source), IN("flexVolume", flex_volume_source),
    IN("cinder", cinder_volume_source), IN("cephfs", ceph_fs_volume_source),
    IN("flocker", flocker_volume_source), IN("downwardAPI", downward_api_volume_source),
    IN("fc", fc_volume_source), IN("azureFile", azure_file_volume_source),
    IN("configMap", config_map_volume_source),
    IN("vsphereVolume", vsphere_virtual_disk_volume_source), IN("quobyte", quobyte_volume_source),
    IN("azureDisk", azure_disk_volume_source),
    IN("photonPersistentDisk", photon_persistent_disk_volume_source),
    IN("projected", projected_volume_source), IN("portworxVolume", portworx_volume_source),
    IN("scaleIO", scale_io_volume_source), IN("storageos", storage_os_volume_source),
    IN("csi", csi_volume_source), IN("ephemeral", ephemeral_volume_source),
    IN("image", image_volume_source), END,
};
STRUCT(volume_source, "VolumeSource");

static const struct go_field volume_fields[] = {
    TEXT("name"), END,
};
PUBLIC_WITH(volume, "Volume", volume_source);

/* clang-format on */
