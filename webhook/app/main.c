/* SPDX-License-Identifier: Apache-2.0 */
/* jobreeve-webhook: from the command line to the exit code. */
#include "common/curl/about.h"
#include "common/http/listener.h"
#include "common/http/service.h"
#include "common/json/about.h"
#include "webhook/app/app.h"
#include "webhook/app/flags.h"
#include "webhook/commands/one_shot.h"

static void about(struct jr_buf *out)
{
    jr_kube_about(out);
    jr_json_about(out);
    jr_curl_about(out);
    jr_http_about(out);
}

static int main_of_remove(const struct jr_flags *flags, int argc, char **argv)
{
    JR_CLEANUP(jr_log_freep) struct jr_log *log = NULL;
    struct jr_webhook_remove_options o;
    struct jr_error err = { .status = JR_OK };
    int code = jr_flags_start(flags, argc, argv, &o, NULL);

    if (code >= 0)
        return code;
    if (jr_webhook_remove_options_check(&o, &err) != JR_OK)
        return jr_flags_wrong(flags, &err);
    log = jr_service_log(o.log_level, o.log_format, "webhook");
    return jr_webhook_remove(&o, log);
}

static int main_of_self_test(const struct jr_flags *flags, int argc, char **argv)
{
    JR_CLEANUP(jr_log_freep) struct jr_log *log = NULL;
    struct jr_webhook_self_test_options o = { .api = { .namespace = NULL } };
    struct jr_error err = { .status = JR_OK };
    int code = jr_flags_start(flags, argc, argv, &o, NULL);

    if (code >= 0)
        return code;
    if (jr_webhook_self_test_options_check(&o, &err) != JR_OK)
        return jr_flags_wrong(flags, &err);
    log = jr_service_log(o.log_level, o.log_format, "webhook");
    return jr_webhook_self_test(&o, log);
}

static int main_of_service(const struct jr_flags *flags, int argc, char **argv)
{
    struct jr_webhook_options o;
    struct jr_error err = { .status = JR_OK };
    int code = jr_flags_start(flags, argc, argv, &o, NULL);

    if (code >= 0)
        return code;
    if (jr_webhook_options_check(&o, &err) != JR_OK)
        return jr_flags_wrong(flags, &err);
    return jr_webhook_run(&o);
}

int main(int argc, char **argv)
{
    const struct jr_flags *command = jr_flags_command(&jr_webhook_flags, &argc, &argv);
    struct jr_flags flags = *command;

    flags.about = about;
    if (command == &jr_webhook_remove_flags)
        return main_of_remove(&flags, argc, argv);
    if (command == &jr_webhook_self_test_flags)
        return main_of_self_test(&flags, argc, argv);
    return main_of_service(&flags, argc, argv);
}
