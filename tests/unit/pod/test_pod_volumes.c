/* SPDX-License-Identifier: Apache-2.0 */
/* Volumes and their sources: what an API server says of each fault. The wants are its own answers.
 */
#include "tests/unit/pod/container_test.h"

static const struct jr_pod_opts opts = { .pod_level_resources = true };

static void local_sources(void **state)
{
    static const struct row rows[] = {
        { "{\"volumes\":[{\"name\":\"a\"},{\"name\":\"b\",\"emptyDir\":{\"medium\":\"x\"}},{"
          "\"name\":\"c\",\"emptyDir\":{\"sizeLimit\":\"-1n\"}},{\"name\":\"d\",\"emptyDir\":{"
          "\"sizeLimit\":\"0\"}}]}",
          "volumes[2].emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource "
          "quantity\n" },
        { "{\"volumes\":[{\"name\":\"a\",\"hostPath\":{\"path\":\"\"}},{\"name\":\"b\","
          "\"hostPath\":{\"path\":\"/a/"
          "..\",\"type\":\"Pipe\"}},{\"name\":\"c\",\"hostPath\":{\"path\":\"../"
          "a..b\",\"type\":\"<\"}},{\"name\":\"d\",\"hostPath\":{\"path\":\"..a\",\"type\":\"\"}},{"
          "\"name\":\"e\",\"hostPath\":{\"path\":\"x\",\"type\":\"CharDev\"}},{\"name\":\"f\","
          "\"hostPath\":{\"path\":\"x\",\"type\":\"CharDevice\"}}]}",
          "volumes[0].hostPath.path: Required value\n"
          "volumes[1].hostPath.path: Invalid value: \"/a/..\": must not contain '..'\n"
          "volumes[1].hostPath.type: Unsupported value: \"Pipe\": supported values: \"\", "
          "\"BlockDevice\", \"CharDevice\", \"Directory\", \"DirectoryOrCreate\", \"File\", "
          "\"FileOrCreate\", \"Socket\"\n"
          "volumes[2].hostPath.path: Invalid value: \"../a..b\": must not contain '..'\n"
          "volumes[2].hostPath.type: Unsupported value: \"\\u003c\": supported values: \"\", "
          "\"BlockDevice\", \"CharDevice\", \"Directory\", \"DirectoryOrCreate\", \"File\", "
          "\"FileOrCreate\", \"Socket\"\n"
          "volumes[4].hostPath.type: Unsupported value: \"CharDev\": supported values: \"\", "
          "\"BlockDevice\", \"CharDevice\", \"Directory\", \"DirectoryOrCreate\", \"File\", "
          "\"FileOrCreate\", \"Socket\"\n" },
        { "{\"volumes\":[{\"name\":\"a\",\"gitRepo\":{\"directory\":\"/../"
          "a\"}},{\"name\":\"b\",\"gitRepo\":{\"repository\":\"r\",\"directory\":\"..a\"}}]}",
          "volumes[0].gitRepo.repository: Required value\n"
          "volumes[0].gitRepo.directory: Invalid value: \"/../a\": must be a relative path\n"
          "volumes[0].gitRepo.directory: Invalid value: \"/../a\": must not contain '..'\n" },
        { "{\"volumes\":[{\"name\":\"a\",\"gcePersistentDisk\":{\"partition\":-1}},{\"name\":\"b\","
          "\"awsElasticBlockStore\":{\"partition\":256}},{\"name\":\"c\",\"gcePersistentDisk\":{"
          "\"pdName\":\"d\",\"partition\":255}}]}",
          "volumes[0].persistentDisk.pdName: Required value\n"
          "volumes[0].persistentDisk.partition: Invalid value: -1: must be between 1 and 255, "
          "inclusive\n"
          "volumes[1].awsElasticBlockStore.volumeID: Required value\n"
          "volumes[1].awsElasticBlockStore.partition: Invalid value: 256: must be between 1 and "
          "255, inclusive\n" },
        { "{\"volumes\":[{\"name\":\"a\",\"secret\":{}},{\"name\":\"b\",\"configMap\":{"
          "\"defaultMode\":-1}},{\"name\":\"c\",\"persistentVolumeClaim\":{}},{\"name\":\"d\","
          "\"persistentVolumeClaim\":{\"claimName\":\"C_\"}}]}",
          "volumes[0].secret.secretName: Required value\n"
          "volumes[1].configMap.name: Required value\n"
          "volumes[1].configMap.defaultMode: Invalid value: -1: must be a number between 0 and "
          "0777 (octal), both inclusive\n"
          "volumes[2].persistentVolumeClaim.claimName: Required value\n" },
        { "{\"volumes\":[{\"name\":\"a\",\"image\":{\"pullPolicy\":\"Often\"}},{\"name\":\"b\","
          "\"image\":{\"reference\":\"x\",\"pullPolicy\":\"Never\"}},{\"name\":\"c\",\"image\":{}}]"
          "}",
          "volumes[0].image.pullPolicy: Unsupported value: \"Often\": supported values: "
          "\"Always\", \"IfNotPresent\", \"Never\"\n" },
        { "{\"volumes\":[{\"name\":\"a\",\"emptyDir\":{},\"hostPath\":{},\"cephfs\":{},"
          "\"downwardAPI\":{\"items\":[{}]},\"image\":{\"pullPolicy\":\"x\"}},{\"name\":\"b\","
          "\"secret\":null,\"nfs\":{\"server\":\"s\",\"path\":\"/p\"},\"ephemeral\":{}}]}",
          "volumes[0].hostPath: Forbidden: may not specify more than 1 volume type\n"
          "volumes[0].cephFS: Forbidden: may not specify more than 1 volume type\n"
          "volumes[0].downwarAPI: Forbidden: may not specify more than 1 volume type\n"
          "volumes[0].image: Forbidden: may not specify more than 1 volume type\n"
          "volumes[1].ephemeral: Forbidden: may not specify more than 1 volume type\n" },
        { "{\"volumes\":[{\"emptyDir\":{}},{\"name\":\"a.b\"},{\"name\":\"a\"},{\"name\":\"a\"},{"
          "\"name\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"},{"
          "\"name\":\"x\",\"nfs\":{}},{\"name\":\"x\"},{\"name\":\"x\"}]}",
          "volumes[0].name: Required value\n"
          "volumes[1].name: Invalid value: \"a.b\": must not contain dots\n"
          "volumes[3].name: Duplicate value: \"a\"\n"
          "volumes[4].name: Invalid value: "
          "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\": must be no more "
          "than 63 characters\n"
          "volumes[5].nfs.server: Required value\n"
          "volumes[5].nfs.path: Required value\n"
          "volumes[5].nfs.path: Invalid value: \"\": must be an absolute path\n"
          "volumes[7].name: Duplicate value: \"x\"\n" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows), &opts);
}

static void remote_sources(void **state)
{
    static const struct row rows[] = {
        { "{\"volumes\":[{\"name\":\"a\",\"nfs\":{}},{\"name\":\"b\",\"nfs\":{\"server\":\"s\","
          "\"path\":\"p\"}}]}",
          "volumes[0].nfs.server: Required value\n"
          "volumes[0].nfs.path: Required value\n"
          "volumes[0].nfs.path: Invalid value: \"\": must be an absolute path\n"
          "volumes[1].nfs.path: Invalid value: \"p\": must be an absolute path\n" },
        { "{\"volumes\":[{\"name\":\"a\",\"iscsi\":{\"targetPortal\":\"p:3260\",\"iqn\":\"\"}},{"
          "\"name\":\"b\",\"iscsi\":{\"targetPortal\":\"p:3260\",\"iqn\":\"wwn.1\"}},{\"name\":"
          "\"c\",\"iscsi\":{\"targetPortal\":\"p:3260\",\"iqn\":\"iqn.2001-04.com.example\"}},{"
          "\"name\":\"d\",\"iscsi\":{\"targetPortal\":\"p:3260\",\"iqn\":\"eui.0123456789abcdef\"}}"
          ",{\"name\":\"e\",\"iscsi\":{\"targetPortal\":\"p:3260\",\"iqn\":\"naa."
          "00000000000000000000000000000000\"}},{\"name\":\"f\",\"iscsi\":{\"targetPortal\":\"p:"
          "3260\",\"iqn\":\"eui.1\"}},{\"name\":\"g\",\"iscsi\":{\"targetPortal\":\"p:3260\","
          "\"iqn\":\"naa.2\"}},{\"name\":\"h\",\"iscsi\":{\"targetPortal\":\"p:3260\",\"iqn\":"
          "\"iqnxiqn.2001-04.a-b:c:d\"}},{\"name\":\"i\",\"iscsi\":{\"targetPortal\":\"p:3260\","
          "\"iqn\":\"iqn.2001-04.a:b "
          "c\"}},{\"name\":\"j\",\"iscsi\":{\"targetPortal\":\"p:3260\",\"iqn\":\"iqn.2001-04.a_b:"
          "c\"}},{\"name\":\"k\",\"iscsi\":{\"targetPortal\":\"p:3260\",\"iqn\":\"iqn.2001-4.a:b\"}"
          "},{\"name\":\"l\",\"iscsi\":{\"targetPortal\":\"p:3260\",\"iqn\":"
          "\"eui\\n0123456789abcdef\"}},{\"name\":\"m\",\"iscsi\":{\"targetPortal\":\"p:3260\","
          "\"iqn\":\"eu\303\2510123456789abcdef\"}},{\"name\":\"n\",\"iscsi\":{\"targetPortal\":"
          "\"p:3260\",\"iqn\":\"eui\303\2510123456789abcdef\"}}]}",
          "volumes[0].iscsi.iqn: Required value\n"
          "volumes[1].iscsi.iqn: Invalid value: \"wwn.1\": must be valid format starting with iqn, "
          "eui, or naa\n"
          "volumes[2].iscsi.iqn: Invalid value: \"iqn.2001-04.com.example\": must be valid format\n"
          "volumes[5].iscsi.iqn: Invalid value: \"eui.1\": must be valid format\n"
          "volumes[6].iscsi.iqn: Invalid value: \"naa.2\": must be valid format\n"
          "volumes[8].iscsi.iqn: Invalid value: \"iqn.2001-04.a:b c\": must be valid format\n"
          "volumes[9].iscsi.iqn: Invalid value: \"iqn.2001-04.a_b:c\": must be valid format\n"
          "volumes[10].iscsi.iqn: Invalid value: \"iqn.2001-4.a:b\": must be valid format\n"
          "volumes[11].iscsi.iqn: Invalid value: \"eui\\n0123456789abcdef\": must be valid format\n"
          "volumes[12].iscsi.iqn: Invalid value: \"eu\303\2510123456789abcdef\": must be valid "
          "format starting with iqn, eui, or naa\n" },
        { "{\"volumes\":[{\"name\":\"a\",\"iscsi\":{\"lun\":256,\"chapAuthDiscovery\":true,"
          "\"initiatorName\":\"x\"}},{\"name\":\"b\",\"iscsi\":{\"targetPortal\":\"p:3260\","
          "\"iqn\":\"iqn.2001-04.com.example:disk\",\"lun\":-1,\"chapAuthSession\":true,"
          "\"secretRef\":{},\"initiatorName\":\"iqn.1\"}},{\"name\":\"c\",\"iscsi\":{"
          "\"targetPortal\":\"ppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp\","
          "\"iqn\":\"iqn.2001-04.com.example:disk\",\"initiatorName\":\"iqn.2001-04.com.example:"
          "disk\"}},{\"name\":\"d\",\"emptyDir\":{},\"iscsi\":{\"targetPortal\":"
          "\"ppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp\",\"iqn\":\"iqn.2001-"
          "04.com.example:disk\",\"initiatorName\":\"\"}},{\"name\":\"e\",\"iscsi\":{"
          "\"targetPortal\":\"pppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp\","
          "\"iqn\":\"iqn.2001-04.com.example:disk\",\"initiatorName\":\"\"}}]}",
          "volumes[0].iscsi.targetPortal: Required value\n"
          "volumes[0].iscsi.iqn: Required value\n"
          "volumes[0].iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive\n"
          "volumes[0].iscsi.secretRef: Required value\n"
          "volumes[0].iscsi.initiatorname: Invalid value: \"x\": must be valid format starting "
          "with iqn, eui, or naa\n"
          "volumes[1].iscsi.lun: Invalid value: -1: must be between 0 and 255, inclusive\n"
          "volumes[1].iscsi.initiatorname: Invalid value: \"iqn.1\": must be valid format\n"
          "volumes[2].name: Invalid value: \"c\": Total length of <volume "
          "name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is "
          "specified.\n"
          "volumes[3].iscsi: Forbidden: may not specify more than 1 volume type\n"
          "volumes[3].name: Invalid value: \"d\": Total length of <volume "
          "name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is "
          "specified.\n"
          "volumes[4].iscsi.initiatorname: Invalid value: \"\": must be valid format starting with "
          "iqn, eui, or naa\n" },
        { "{\"volumes\":[{\"name\":\"a\",\"glusterfs\":{}},{\"name\":\"b\",\"flocker\":{}},{"
          "\"name\":\"c\",\"flocker\":{\"datasetName\":\"a/"
          "b\",\"datasetUUID\":\"u\"}},{\"name\":\"d\",\"rbd\":{\"monitors\":[]}},{\"name\":\"e\","
          "\"cinder\":{\"secretRef\":{}}},{\"name\":\"f\",\"cephfs\":{}}]}",
          "volumes[0].glusterfs.endpoints: Required value\n"
          "volumes[0].glusterfs.path: Required value\n"
          "volumes[1].flocker: Required value: one of datasetName and datasetUUID is required\n"
          "volumes[2].flocker: Invalid value: \"resource\": datasetName and datasetUUID can not be "
          "specified simultaneously\n"
          "volumes[2].flocker.datasetName: Invalid value: \"a/b\": must not contain '/'\n"
          "volumes[3].rbd.monitors: Required value\n"
          "volumes[3].rbd.image: Required value\n"
          "volumes[4].cinder.volumeID: Required value\n"
          "volumes[4].cinder.secretRef.name: Required value\n"
          "volumes[5].cephfs.monitors: Required value\n" },
        { "{\"volumes\":[{\"name\":\"a\",\"quobyte\":{\"registry\":\"h:1\",\"volume\":\"v\"}},{"
          "\"name\":\"b\",\"quobyte\":{\"registry\":\"h\",\"volume\":\"v\"}},{\"name\":\"c\","
          "\"quobyte\":{\"registry\":\"h:1,i\",\"volume\":\"v\"}},{\"name\":\"d\",\"quobyte\":{"
          "\"registry\":\"h:1,\",\"volume\":\"v\"}},{\"name\":\"e\",\"quobyte\":{\"registry\":\"[::"
          "1]:7861,h:2\",\"volume\":\"v\"}},{\"name\":\"f\",\"quobyte\":{\"registry\":\"::1:2\","
          "\"volume\":\"v\"}},{\"name\":\"g\",\"quobyte\":{\"registry\":\"[::1]\",\"volume\":\"v\"}"
          "},{\"name\":\"h\",\"quobyte\":{\"registry\":\"[h:1\",\"volume\":\"v\"}},{\"name\":\"i\","
          "\"quobyte\":{\"registry\":\"h]:1\",\"volume\":\"v\"}},{\"name\":\"j\",\"quobyte\":{"
          "\"registry\":\"h:[1\",\"volume\":\"v\"}},{\"name\":\"k\",\"quobyte\":{\"registry\":\":"
          "\",\"volume\":\"v\"}},{\"name\":\"l\",\"quobyte\":{\"registry\":\"[]:\",\"volume\":"
          "\"v\"}},{\"name\":\"m\",\"quobyte\":{\"registry\":\"[[h]]:1\",\"volume\":\"v\"}},{"
          "\"name\":\"n\",\"quobyte\":{\"registry\":\"[h]i:1\",\"volume\":\"v\"}}]}",
          "volumes[1].quobyte.registry: Invalid value: \"h\": must be a host:port pair or multiple "
          "pairs separated by commas\n"
          "volumes[2].quobyte.registry: Invalid value: \"h:1,i\": must be a host:port pair or "
          "multiple pairs separated by commas\n"
          "volumes[3].quobyte.registry: Invalid value: \"h:1,\": must be a host:port pair or "
          "multiple pairs separated by commas\n"
          "volumes[5].quobyte.registry: Invalid value: \"::1:2\": must be a host:port pair or "
          "multiple pairs separated by commas\n"
          "volumes[6].quobyte.registry: Invalid value: \"[::1]\": must be a host:port pair or "
          "multiple pairs separated by commas\n"
          "volumes[7].quobyte.registry: Invalid value: \"[h:1\": must be a host:port pair or "
          "multiple pairs separated by commas\n"
          "volumes[8].quobyte.registry: Invalid value: \"h]:1\": must be a host:port pair or "
          "multiple pairs separated by commas\n"
          "volumes[9].quobyte.registry: Invalid value: \"h:[1\": must be a host:port pair or "
          "multiple pairs separated by commas\n"
          "volumes[12].quobyte.registry: Invalid value: \"[[h]]:1\": must be a host:port pair or "
          "multiple pairs separated by commas\n"
          "volumes[13].quobyte.registry: Invalid value: \"[h]i:1\": must be a host:port pair or "
          "multiple pairs separated by commas\n" },
        { "{\"volumes\":[{\"name\":\"a\",\"quobyte\":{}},{\"name\":\"b\",\"quobyte\":{\"registry\":"
          "\"r\",\"tenant\":\"ttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt\"}}"
          ",{\"name\":\"c\",\"quobyte\":{\"registry\":\"r:1\",\"tenant\":"
          "\"tttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt\",\"volume\":\"v\"}}]"
          "}",
          "volumes[0].quobyte.registry: Required value: must be a host:port pair or multiple pairs "
          "separated by commas\n"
          "volumes[0].quobyte.volume: Required value\n"
          "volumes[1].quobyte.tenant: Required value: must be a UUID and may not exceed a length "
          "of 64 characters\n"
          "volumes[1].quobyte.volume: Required value\n" },
        { "{\"volumes\":[{\"name\":\"a\",\"fc\":{\"lun\":-1}},{\"name\":\"b\",\"fc\":{"
          "\"targetWWNs\":[\"a\"],\"wwids\":[\"b\"],\"lun\":256}},{\"name\":\"c\",\"fc\":{"
          "\"targetWWNs\":[\"a\"]}},{\"name\":\"d\",\"fc\":{\"wwids\":[\"b\"],\"lun\":999}}]}",
          "volumes[0].fc.targetWWNs: Required value: must specify either targetWWNs or wwids, but "
          "not both\n"
          "volumes[1].fc.targetWWNs: Invalid value: [\"a\"]: targetWWNs and wwids can not be "
          "specified simultaneously\n"
          "volumes[1].fc.lun: Invalid value: 256: must be between 0 and 255, inclusive\n"
          "volumes[2].fc.lun: Required value: lun is required if targetWWNs is specified\n" },
        { "{\"volumes\":[{\"name\":\"a\",\"flexVolume\":{\"driver\":\"d\",\"options\":{"
          "\"kubernetes.io\":\"v\"}}},{\"name\":\"b\",\"flexVolume\":{\"driver\":\"d\",\"options\":"
          "{\"A.K8S.IO/"
          "b\":\"v\"}}},{\"name\":\"c\",\"flexVolume\":{\"driver\":\"d\",\"options\":{\"xk8s.io\":"
          "\"v\"}}},{\"name\":\"d\",\"flexVolume\":{\"driver\":\"d\",\"options\":{\"a/"
          "kubernetes.io\":\"v\"}}},{\"name\":\"e\",\"flexVolume\":{\"driver\":\"d\",\"options\":{"
          "\"k8s.io/a/b\":\"v\"}}},{\"name\":\"f\",\"flexVolume\":{}}]}",
          "volumes[0].flexVolume.options[kubernetes.io]: Invalid value: \"kubernetes.io\": "
          "kubernetes.io and k8s.io namespaces are reserved\n"
          "volumes[1].flexVolume.options[A.K8S.IO/b]: Invalid value: \"A.K8S.IO/b\": kubernetes.io "
          "and k8s.io namespaces are reserved\n"
          "volumes[4].flexVolume.options[k8s.io/a/b]: Invalid value: \"k8s.io/a/b\": kubernetes.io "
          "and k8s.io namespaces are reserved\n"
          "volumes[5].flexVolume.driver: Required value\n" },
        { "{\"volumes\":[{\"name\":\"a\",\"azureFile\":{}},{\"name\":\"b\",\"vsphereVolume\":{}},{"
          "\"name\":\"c\",\"photonPersistentDisk\":{}},{\"name\":\"d\",\"portworxVolume\":{}},{"
          "\"name\":\"e\",\"scaleIO\":{}},{\"name\":\"f\",\"azureDisk\":{}},{\"name\":\"g\","
          "\"azureDisk\":{\"diskName\":\"d\",\"diskURI\":\"/subscriptions/"
          "x\",\"kind\":\"Managed\",\"cachingMode\":\"none\"}},{\"name\":\"h\",\"azureDisk\":{"
          "\"diskName\":\"d\",\"diskURI\":\"https://"
          "x\",\"kind\":\"Managed\"}},{\"name\":\"i\",\"azureDisk\":{\"diskName\":\"d\","
          "\"diskURI\":\"x\",\"kind\":\"Own\"}}]}",
          "volumes[0].azureFile.secretName: Required value\n"
          "volumes[0].azureFile.shareName: Required value\n"
          "volumes[1].vsphereVolume.volumePath: Required value\n"
          "volumes[2].photonPersistentDisk.pdID: Required value\n"
          "volumes[3].portworxVolume.volumeID: Required value\n"
          "volumes[4].scaleIO.gateway: Required value\n"
          "volumes[4].scaleIO.system: Required value\n"
          "volumes[4].scaleIO.volumeName: Required value\n"
          "volumes[5].azureDisk.diskName: Required value\n"
          "volumes[5].azureDisk.diskURI: Required value\n"
          "volumes[5].azureDisk.diskURI: Unsupported value: \"\": supported values: "
          "\"https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd\"\n"
          "volumes[6].azureDisk.cachingMode: Unsupported value: \"none\": supported values: "
          "\"None\", \"ReadOnly\", \"ReadWrite\"\n"
          "volumes[7].azureDisk.diskURI: Unsupported value: \"https://x\": supported values: "
          "\"/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/"
          "{disk-id}\"\n"
          "volumes[8].azureDisk.kind: Unsupported value: \"Own\": supported values: \"Dedicated\", "
          "\"Managed\", \"Shared\"\n"
          "volumes[8].azureDisk.diskURI: Unsupported value: \"x\": supported values: "
          "\"https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd\"\n" },
        { "{\"volumes\":[{\"name\":\"a\",\"storageos\":{\"secretRef\":{}}},{\"name\":\"b\","
          "\"storageos\":{\"volumeName\":\"A.b\",\"volumeNamespace\":\"C\"}},{\"name\":\"c\","
          "\"storageos\":{\"volumeName\":\"a\",\"volumeNamespace\":\"\",\"secretRef\":{\"name\":"
          "\"s\"}}}]}",
          "volumes[0].storageos.volumeName: Required value\n"
          "volumes[0].storageos.secretRef.name: Required value\n"
          "volumes[1].storageos.volumeName: Invalid value: \"A.b\": " DNS_LABEL "\n"
          "volumes[1].storageos.volumeNamespace: Invalid value: \"C\": " DNS_LABEL "\n" },
        { "{\"volumes\":[{\"name\":\"a\",\"csi\":{}},{\"name\":\"b\",\"csi\":{\"driver\":\"Foo."
          "Example.COM\",\"nodePublishSecretRef\":{}}},{\"name\":\"c\",\"csi\":{\"driver\":"
          "\"dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd_D\","
          "\"nodePublishSecretRef\":{\"name\":\"S\"}}},{\"name\":\"d\",\"csi\":{\"driver\":"
          "\"dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd\"}}]}",
          "volumes[0].csi.driver: Required value\n"
          "volumes[1].csi.nodePublishSecretRef.name: Required value\n"
          "volumes[2].csi.driver: Too long: may not be more than 63 bytes\n"
          "volumes[2].csi.driver: Invalid value: "
          "\"dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd_D\": " DNS_SUBDOMAIN
          "\n"
          "volumes[2].csi.name: Invalid value: \"S\": " DNS_SUBDOMAIN "\n"
          "volumes[3].csi.driver: Too long: may not be more than 63 bytes\n" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows), &opts);
}

static void files(void **state)
{
    static const struct row rows[] = {
        { "{\"volumes\":[{\"name\":\"a\",\"secret\":{\"secretName\":\"s\",\"defaultMode\":512,"
          "\"items\":[{},null,{\"key\":\"k\",\"path\":\"p\",\"mode\":-1}]}}]}",
          "volumes[0].secret.defaultMode: Invalid value: 512: must be a number between 0 and 0777 "
          "(octal), both inclusive\n"
          "volumes[0].secret.items[0].key: Required value\n"
          "volumes[0].secret.items[0].path: Required value\n"
          "volumes[0].secret.items[1].key: Required value\n"
          "volumes[0].secret.items[1].path: Required value\n"
          "volumes[0].secret.items[2].mode: Invalid value: -1: must be a number between 0 and 0777 "
          "(octal), both inclusive\n" },
        { "{\"volumes\":[{\"name\":\"a\",\"configMap\":{\"name\":\"c\",\"items\":[{\"key\":\"k\","
          "\"path\":\"\"},{\"key\":\"k\",\"path\":\"/"
          "a\"},{\"key\":\"k\",\"path\":\"..\"},{\"key\":\"k\",\"path\":\"../"
          "a\"},{\"key\":\"k\",\"path\":\"a/"
          "..\"},{\"key\":\"k\",\"path\":\"..a\"},{\"key\":\"k\",\"path\":\"a/"
          "..b\"},{\"key\":\"k\",\"path\":\"/"
          "..\"},{\"key\":\"k\",\"path\":\"...\"},{\"key\":\"k\",\"path\":\"./a\"}]}}]}",
          "volumes[0].configMap.items[0].path: Required value\n"
          "volumes[0].configMap.items[1].path: Invalid value: \"/a\": must be a relative path\n"
          "volumes[0].configMap.items[2].path: Invalid value: \"..\": must not contain '..'\n"
          "volumes[0].configMap.items[2].path: Invalid value: \"..\": must not start with '..'\n"
          "volumes[0].configMap.items[3].path: Invalid value: \"../a\": must not contain '..'\n"
          "volumes[0].configMap.items[4].path: Invalid value: \"a/..\": must not contain '..'\n"
          "volumes[0].configMap.items[5].path: Invalid value: \"..a\": must not start with '..'\n"
          "volumes[0].configMap.items[7].path: Invalid value: \"/..\": must be a relative path\n"
          "volumes[0].configMap.items[7].path: Invalid value: \"/..\": must not contain '..'\n"
          "volumes[0].configMap.items[8].path: Invalid value: \"...\": must not start with "
          "'..'\n" },
        { "{\"volumes\":[{\"name\":\"a\",\"downwardAPI\":{\"items\":[{}]}},{\"name\":\"b\","
          "\"downwardAPI\":{\"items\":[{\"path\":\"/"
          "a\",\"fieldRef\":{\"fieldPath\":\"metadata.name\"},\"resourceFieldRef\":{\"resource\":"
          "\"x\"},\"mode\":512}]}},{\"name\":\"c\",\"downwardAPI\":{\"items\":[{\"path\":\"a\","
          "\"resourceFieldRef\":{\"divisor\":\"1m\",\"resource\":\"limits.memory\"}}]}},{\"name\":"
          "\"d\",\"downwardAPI\":{\"items\":[{\"path\":\"a\",\"resourceFieldRef\":{"
          "\"containerName\":\"c\",\"resource\":\"limits.cpu\",\"divisor\":\"2\"}}]}},{\"name\":"
          "\"e\",\"downwardAPI\":{\"items\":[{\"path\":\"a\",\"resourceFieldRef\":{"
          "\"containerName\":\"c\"}}]}}]}",
          "volumes[0].downwardAPI.path: Required value\n"
          "volumes[0].downwardAPI: Required value: one of fieldRef and resourceFieldRef is "
          "required\n"
          "volumes[1].downwardAPI.path: Invalid value: \"/a\": must be a relative path\n"
          "volumes[1].downwardAPI: Invalid value: \"resource\": fieldRef and resourceFieldRef can "
          "not be specified simultaneously\n"
          "volumes[1].downwardAPI.mode: Invalid value: 512: must be a number between 0 and 0777 "
          "(octal), both inclusive\n"
          "volumes[2].downwardAPI.resourceFieldRef.containerName: Required value\n"
          "volumes[2].downwardAPI.resourceFieldRef.divisor: Invalid value: \"limits.memory\": only "
          "divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported "
          "with the memory resource\n"
          "volumes[3].downwardAPI.resourceFieldRef.divisor: Invalid value: \"limits.cpu\": only "
          "divisor's values 1m and 1 are supported with the cpu resource\n"
          "volumes[4].downwardAPI.resourceFieldRef.resource: Required value\n" },
        { "{\"volumes\":[{\"name\":\"a\",\"downwardAPI\":{\"items\":[{\"path\":\"a\",\"fieldRef\":{"
          "\"fieldPath\":\"\"}}]}},{\"name\":\"b\",\"downwardAPI\":{\"items\":[{\"path\":\"a\","
          "\"fieldRef\":{\"fieldPath\":\"spec.nodeName\"}}]}},{\"name\":\"c\",\"downwardAPI\":{"
          "\"items\":[{\"path\":\"a\",\"fieldRef\":{\"fieldPath\":\"spec.host\"}}]}},{\"name\":"
          "\"d\",\"downwardAPI\":{\"items\":[{\"path\":\"a\",\"fieldRef\":{\"fieldPath\":\"status."
          "podIP\"}}]}},{\"name\":\"e\",\"downwardAPI\":{\"items\":[{\"path\":\"a\",\"fieldRef\":{"
          "\"fieldPath\":\"metadata.labels['a "
          "b']\"}}]}},{\"name\":\"f\",\"downwardAPI\":{\"items\":[{\"path\":\"a\",\"fieldRef\":{"
          "\"fieldPath\":\"metadata.annotations['A/"
          "b']\"}}]}},{\"name\":\"g\",\"downwardAPI\":{\"items\":[{\"path\":\"a\",\"fieldRef\":{"
          "\"fieldPath\":\"metadata.name['a']\"}}]}},{\"name\":\"h\",\"downwardAPI\":{\"items\":[{"
          "\"path\":\"a\",\"fieldRef\":{\"fieldPath\":\"x\"}}]}},{\"name\":\"i\",\"downwardAPI\":{"
          "\"items\":[{\"path\":\"a\",\"fieldRef\":{\"fieldPath\":\"metadata.uid\"}}]}},{\"name\":"
          "\"j\",\"downwardAPI\":{\"items\":[{\"path\":\"a\",\"fieldRef\":{\"apiVersion\":\"v2\","
          "\"fieldPath\":\"metadata.name\"}}]}}]}",
          "volumes[0].downwardAPI.fieldRef.fieldPath: Required value\n"
          "volumes[1].downwardAPI.fieldRef.fieldPath: Unsupported value: \"spec.nodeName\": "
          "supported values: \"metadata.annotations\", \"metadata.labels\", \"metadata.name\", "
          "\"metadata.namespace\", \"metadata.uid\"\n"
          "volumes[2].downwardAPI.fieldRef.fieldPath: Unsupported value: \"spec.nodeName\": "
          "supported values: \"metadata.annotations\", \"metadata.labels\", \"metadata.name\", "
          "\"metadata.namespace\", \"metadata.uid\"\n"
          "volumes[3].downwardAPI.fieldRef.fieldPath: Unsupported value: \"status.podIP\": "
          "supported values: \"metadata.annotations\", \"metadata.labels\", \"metadata.name\", "
          "\"metadata.namespace\", \"metadata.uid\"\n"
          "volumes[4].downwardAPI.fieldRef: Invalid value: \"a b\": " QUALIFIED_NAME "\n"
          "volumes[6].downwardAPI.fieldRef.fieldPath: Invalid value: \"metadata.name['a']\": error "
          "converting fieldPath: field label does not support subscript: metadata.name['a']\n"
          "volumes[7].downwardAPI.fieldRef.fieldPath: Invalid value: \"x\": error converting "
          "fieldPath: field label not supported: x\n"
          "volumes[9].downwardAPI.fieldRef.fieldPath: Invalid value: \"metadata.name\": error "
          "converting fieldPath: unsupported pod version: v2\n" },
        { "{\"volumes\":[{\"name\":\"a\",\"downwardAPI\":{\"defaultMode\":-1}}]}",
          "volumes[0].downwardAPI.defaultMode: Invalid value: -1: must be a number between 0 and "
          "0777 (octal), both inclusive\n" },
    };

    (void)state;
    run_rows(rows, JR_ARRAY_SIZE(rows), &opts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(local_sources),
        cmocka_unit_test(remote_sources),
        cmocka_unit_test(files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
