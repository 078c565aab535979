/* SPDX-License-Identifier: Apache-2.0 */
/* TYPE/NAME. */
#include "cli/asked.h"

#include "common/rules/names.h"

static const struct {
    const char *prefix, *kind;
} types[] = {
    { "job/", "Job" },
    { "jobs/", "Job" },
    { "job.batch/", "Job" },
    { "jobs.batch/", "Job" },
    { "job.v1.batch/", "Job" },
    { "jobs.v1.batch/", "Job" },
    { "cronjob/", "CronJob" },
    { "cronjobs/", "CronJob" },
    { "cj/", "CronJob" },
    { "cronjob.batch/", "CronJob" },
    { "cronjobs.batch/", "CronJob" },
    { "cronjob.v1.batch/", "CronJob" },
    { "cronjobs.v1.batch/", "CronJob" },
    { "pod/", "Pod" },
    { "pods/", "Pod" },
    { "po/", "Pod" },
};

bool jr_asked_split(struct jr_str arg, struct jr_asked *ret)
{
    for (size_t i = 0; i < JR_ARRAY_SIZE(types); i++) {
        if (!jr_str_starts(arg, jr_str(types[i].prefix)))
            continue;
        ret->kind = types[i].kind;
        ret->name = jr_str_from(arg, strlen(types[i].prefix));
        return true;
    }
    return false;
}

enum jr_status jr_asked_parse(int n, char **args, struct jr_asked *ret, struct jr_error *err)
{
    if (n != 1)
        return jr_fail(err, JR_USAGE, NULL, "expected one of job/NAME, cronjob/NAME, pod/NAME");
    if (jr_asked_split(jr_str(args[0]), ret))
        return jr_name_check_object(args[0], ret->name, err) == JR_OK ? JR_OK : JR_USAGE;
    return jr_fail(err, JR_USAGE, args[0], "expected job/NAME, cronjob/NAME or pod/NAME%s%s",
                   strchr(args[0], '/') == NULL ? ", as in job/" : "",
                   strchr(args[0], '/') == NULL ? args[0] : "");
}

int jr_asked_exit_code(enum jr_status st)
{
    return st == JR_NOTFOUND ? 4 : st == JR_DENIED ? 5 : 2;
}
