/* SPDX-License-Identifier: Apache-2.0 */
/* jobreeve-controller: from the command line and a file of settings to the exit code. */
#include "common/curl/about.h"
#include "common/http/listener.h"
#include "common/json/about.h"
#include "common/json/settings.h"
#include "controller/app/app.h"

static void about(struct jr_buf *out)
{
    jr_kube_about(out);
    jr_json_about(out);
    jr_curl_about(out);
    jr_http_about(out);
}

/** Lays the file's settings under those of the command line, and checks all of them together. */
static enum jr_status check_config(struct jr_controller_config *config,
                                   const struct jr_flags_given *given, struct jr_settings *settings,
                                   struct jr_error *err)
{
    enum jr_status st = JR_OK;

    if (config->config != NULL)
        st = jr_settings_read(jr_controller_flags_of(config), JR_CONTROLLER_CONFIG_FLAG,
                              config->config, given, config, settings, err);
    if (st != JR_OK)
        return st;
    st = jr_controller_config_check(config, err);
    if (st != JR_OK)
        jr_settings_blame(settings, jr_controller_flags_of(config), err);
    return st;
}

int main(int argc, char **argv)
{
    JR_CLEANUP(jr_settings_done) struct jr_settings settings = { 0 };
    const struct jr_flags *command = jr_flags_command(&jr_controller_flags, &argc, &argv);
    struct jr_controller_config config = { .decommission = command != &jr_controller_flags };
    struct jr_flags flags = *command;
    struct jr_flags_given given;
    struct jr_error err = { .status = JR_OK };
    int code;

    flags.about = about;
    code = jr_flags_start_given(&flags, argc, argv, &config, &given);
    if (code >= 0)
        return code;
    if (check_config(&config, &given, &settings, &err) != JR_OK)
        return jr_flags_wrong(command, &err);
    return jr_controller_run(&config);
}
