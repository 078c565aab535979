#include "devcluster/kubelet/status.h"

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

enum jr_status jr_dev_sim_status_write(const struct jr_node *pod,
                                       const struct jr_dev_sim_status *st, struct jr_buf *out)
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
    jr_w_array_end(&w);
    containers(&w, jr_get(spec, "initContainers"), "initContainerStatuses", st, true);
    containers(&w, jr_get(spec, "containers"), "containerStatuses", st, false);
    jr_w_object_end(&w);
    jr_w_object_end(&w);
    return out->failed;
}

enum jr_status jr_dev_sim_binding_write(const struct jr_node *pod, const char *node,
                                        struct jr_buf *out)
{
    struct jr_writer w = jr_writer_on(out);
    const struct jr_node *meta = jr_get(pod, "metadata");

    jr_w_object(&w);
    jr_w_kstr(&w, "apiVersion", JR_S("v1"));
    jr_w_kstr(&w, "kind", JR_S("Binding"));
    jr_w_key(&w, "metadata");
    jr_w_object(&w);
    jr_w_kstr(&w, "name", jr_get_str(meta, "name"));
    jr_w_kstr(&w, "uid", jr_get_str(meta, "uid"));
    jr_w_object_end(&w);
    jr_w_key(&w, "target");
    jr_w_object(&w);
    jr_w_kstr(&w, "apiVersion", JR_S("v1"));
    jr_w_kstr(&w, "kind", JR_S("Node"));
    jr_w_kstr(&w, "name", jr_str(node));
    jr_w_object_end(&w);
    jr_w_object_end(&w);
    return out->failed;
}

static void resources(struct jr_writer *w, const char *key)
{
    jr_w_key(w, key);
    jr_w_object(w);
    jr_w_kstr(w, "cpu", JR_S("1k"));
    jr_w_kstr(w, "memory", JR_S("4Ti"));
    jr_w_kstr(w, "pods", JR_S("100k"));
    jr_w_object_end(w);
}

static void node_status(struct jr_writer *w, struct jr_time now)
{
    char text[JR_TIME_MAX];
    struct jr_str at = jr_str(jr_time_format(now, text));

    jr_w_key(w, "status");
    jr_w_object(w);
    resources(w, "capacity");
    resources(w, "allocatable");
    jr_w_key(w, "conditions");
    jr_w_array(w);
    jr_w_object(w);
    jr_w_kstr(w, "type", JR_S("Ready"));
    jr_w_kstr(w, "status", JR_S("True"));
    jr_w_kstr(w, "reason", JR_S("KubeletReady"));
    jr_w_kstr(w, "message", JR_S("simulated kubelet"));
    jr_w_kstr(w, "lastHeartbeatTime", at);
    jr_w_kstr(w, "lastTransitionTime", at);
    jr_w_object_end(w);
    jr_w_array_end(w);
    jr_w_key(w, "nodeInfo");
    jr_w_object(w);
    static const char *const info[] = {
        "architecture",  "bootID",           "containerRuntimeVersion",
        "kernelVersion", "kubeProxyVersion", "kubeletVersion",
        "machineID",     "operatingSystem",  "osImage",
        "systemUUID",
    };
    for (size_t i = 0; i < JR_ARRAY_SIZE(info); i++)
        jr_w_kstr(w, info[i], JR_S("simulated"));
    jr_w_object_end(w);
    jr_w_object_end(w);
}

enum jr_status jr_dev_sim_node_write(const char *node, struct jr_time now, struct jr_buf *out)
{
    struct jr_writer w = jr_writer_on(out);

    jr_w_object(&w);
    jr_w_kstr(&w, "apiVersion", JR_S("v1"));
    jr_w_kstr(&w, "kind", JR_S("Node"));
    jr_w_key(&w, "metadata");
    jr_w_object(&w);
    jr_w_kstr(&w, "name", jr_str(node));
    jr_w_key(&w, "labels");
    jr_w_object(&w);
    jr_w_kstr(&w, "kubernetes.io/hostname", jr_str(node));
    jr_w_kstr(&w, "kubernetes.io/os", JR_S("linux"));
    jr_w_kstr(&w, "type", JR_S("simulated"));
    jr_w_object_end(&w);
    jr_w_object_end(&w);
    node_status(&w, now);
    jr_w_object_end(&w);
    return out->failed;
}

enum jr_status jr_dev_sim_node_status_write(struct jr_time now, struct jr_buf *out)
{
    struct jr_writer w = jr_writer_on(out);

    jr_w_object(&w);
    node_status(&w, now);
    jr_w_object_end(&w);
    return out->failed;
}

enum jr_status jr_dev_sim_lease_write(const char *node, struct jr_time now, struct jr_buf *out)
{
    struct jr_writer w = jr_writer_on(out);
    char text[JR_TIME_MAX];

    jr_w_object(&w);
    jr_w_kstr(&w, "apiVersion", JR_S("coordination.k8s.io/v1"));
    jr_w_kstr(&w, "kind", JR_S("Lease"));
    jr_w_key(&w, "metadata");
    jr_w_object(&w);
    jr_w_kstr(&w, "name", jr_str(node));
    jr_w_kstr(&w, "namespace", JR_S("kube-node-lease"));
    jr_w_object_end(&w);
    jr_w_key(&w, "spec");
    jr_w_object(&w);
    jr_w_kstr(&w, "holderIdentity", jr_str(node));
    jr_w_ki64(&w, "leaseDurationSeconds", 40);
    jr_w_kstr(&w, "renewTime", jr_str(jr_time_format_micro(now, text)));
    jr_w_object_end(&w);
    jr_w_object_end(&w);
    return out->failed;
}
