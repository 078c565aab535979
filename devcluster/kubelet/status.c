/* SPDX-License-Identifier: Apache-2.0 */
/* What the simulated kubelet writes. */
#include "devcluster/kubelet/status.h"

#include "common/base/memory.h"
#include "common/json/write.h"

static void condition(struct jr_writer *w, const char *type, bool on, struct jr_time now,
                      struct jr_str reason)
{
    jr_w_object(w);
    jr_w_kstr(w, "type", jr_str(type));
    jr_w_kstr(w, "status", on ? JR_S("True") : JR_S("False"));
    jr_w_opt_ktime(w, "lastTransitionTime", now);
    jr_w_opt_kstr(w, "reason", reason);
    jr_w_object_end(w);
}

static void terminated(struct jr_writer *w, const struct jr_dev_sim_status *st, int exit_code)
{
    jr_w_key(w, "terminated");
    jr_w_object(w);
    jr_w_ki64(w, "exitCode", exit_code);
    jr_w_kstr(w, "reason", exit_code == 0 ? JR_S("Completed") : JR_S("Error"));
    jr_w_opt_ktime(w, "startedAt", st->started);
    jr_w_opt_ktime(w, "finishedAt", st->now);
    jr_w_object_end(w);
}

static void container(struct jr_writer *w, const struct jr_node *c,
                      const struct jr_dev_sim_status *st, bool init)
{
    bool runs = st->phase == JR_DEV_SIM_RUNNING && !init;

    jr_w_object(w);
    jr_w_kstr(w, "name", jr_get_str(c, "name"));
    jr_w_kstr(w, "image", jr_get_str(c, "image"));
    jr_w_kstr(w, "imageID", JR_S(""));
    jr_w_kbool(w, "ready", runs ? st->ready : init);
    jr_w_kbool(w, "started", runs);
    jr_w_ki64(w, "restartCount", init ? 0 : st->restarts);
    jr_w_key(w, "state");
    jr_w_object(w);
    if (runs) {
        jr_w_key(w, "running");
        jr_w_object(w);
        jr_w_opt_ktime(w, "startedAt", st->now);
        jr_w_object_end(w);
    } else {
        terminated(w, st, init ? 0 : st->exit_code);
    }
    jr_w_object_end(w);
    jr_w_object_end(w);
}

static void containers(struct jr_writer *w, const struct jr_node *list, const char *key,
                       const struct jr_dev_sim_status *st, bool init)
{
    if (jr_size(list) == 0)
        return;
    jr_w_key(w, key);
    jr_w_array(w);
    for (const struct jr_node *c = jr_first(list); c != NULL; c = jr_next(c))
        container(w, c, st, init);
    jr_w_array_end(w);
}

static const char *const phase_names[] = { "Running", "Succeeded", "Failed" };

void jr_dev_sim_status_write(const struct jr_node *pod, const struct jr_dev_sim_status *st,
                             struct jr_buf *out)
{
    struct jr_writer w = jr_writer_on(out);
    const struct jr_node *spec = jr_get(pod, "spec");
    bool runs = st->phase == JR_DEV_SIM_RUNNING;
    struct jr_str done = runs ? (struct jr_str){ NULL, 0 } : JR_S("PodCompleted");

    jr_w_object(&w);
    jr_w_key(&w, "metadata");
    jr_w_object(&w);
    /* A precondition: not the status of another Pod of that name. */
    jr_w_kstr(&w, "uid", jr_get_str(jr_get(pod, "metadata"), "uid"));
    jr_w_object_end(&w);
    jr_w_key(&w, "status");
    jr_w_object(&w);
    jr_w_kstr(&w, "phase", jr_str(phase_names[st->phase]));
    jr_w_opt_ktime(&w, "startTime", st->started);
    jr_w_key(&w, "conditions");
    jr_w_array(&w);
    condition(&w, "PodScheduled", true, st->started, (struct jr_str){ NULL, 0 });
    condition(&w, "Initialized", true, st->started, done);
    condition(&w, "ContainersReady", runs && st->ready, st->now, done);
    condition(&w, "Ready", runs && st->ready, st->now, done);
    if (st->disrupted)
        condition(&w, "DisruptionTarget", true, st->now, JR_S("TerminationByKubelet"));
    jr_w_array_end(&w);
    containers(&w, jr_get(spec, "initContainers"), "initContainerStatuses", st, true);
    containers(&w, jr_get(spec, "containers"), "containerStatuses", st, false);
    jr_w_object_end(&w);
    jr_w_object_end(&w);
    jr_must(out->failed);
}

/* ---- the Node ---- */

#define RESOURCES "{\"cpu\":\"1k\",\"memory\":\"4Ti\",\"pods\":\"100k\"}"

/* Appends the member "status". */
static void add_node_status(struct jr_time now, struct jr_buf *out)
{
    static const char *const info[] = {
        "architecture",  "bootID",           "containerRuntimeVersion",
        "kernelVersion", "kubeProxyVersion", "kubeletVersion",
        "machineID",     "operatingSystem",  "osImage",
        "systemUUID",
    };
    char at[JR_TIME_MAX];

    (void)jr_time_format(now, at);
    (void)jr_buf_addf(out,
                      "\"status\":{\"capacity\":" RESOURCES ",\"allocatable\":" RESOURCES
                      ",\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\","
                      "\"reason\":\"KubeletReady\",\"message\":\"simulated kubelet\","
                      "\"lastHeartbeatTime\":\"%s\",\"lastTransitionTime\":\"%s\"}],"
                      "\"nodeInfo\":{",
                      at, at);
    for (size_t i = 0; i < JR_ARRAY_SIZE(info); i++)
        (void)jr_buf_addf(out, "%s\"%s\":\"simulated\"", i > 0 ? "," : "", info[i]);
    (void)jr_buf_adds(out, "}}");
}

void jr_dev_sim_node_write(const char *node, struct jr_time now, struct jr_buf *out)
{
    (void)jr_buf_addf(
        out,
        "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"%s\","
        "\"labels\":{\"kubernetes.io/hostname\":\"%s\",\"kubernetes.io/os\":\"linux\","
        "\"type\":\"simulated\"}},",
        node, node);
    add_node_status(now, out);
    jr_must(jr_buf_addc(out, '}'));
}

void jr_dev_sim_node_status_write(struct jr_time now, struct jr_buf *out)
{
    (void)jr_buf_addc(out, '{');
    add_node_status(now, out);
    jr_must(jr_buf_addc(out, '}'));
}

void jr_dev_sim_lease_write(const char *node, struct jr_time now, struct jr_buf *out)
{
    char at[JR_TIME_MAX];

    jr_must(jr_buf_addf(
        out,
        "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":{\"name\":"
        "\"%s\",\"namespace\":\"kube-node-lease\"},\"spec\":{\"holderIdentity\":\"%s\","
        "\"leaseDurationSeconds\":40,\"renewTime\":\"%s\"}}",
        node, node, jr_time_format_micro(now, at)));
}
