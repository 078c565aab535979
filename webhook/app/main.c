/* jobreeve-webhook: from the command line to the exit code. */
#include <stdio.h>

#include "common/curl/about.h"
#include "common/http/listener.h"
#include "common/json/about.h"
#include "webhook/app/app.h"

static void about(struct jr_buf *out)
{
    jr_kube_about(out);
    jr_json_about(out);
    jr_curl_about(out);
    jr_http_about(out);
}

int main(int argc, char **argv)
{
    struct jr_flags flags = jr_webhook_flags;
    struct jr_webhook_options options;
    struct jr_error err = { .status = JR_OK };
    char text[sizeof(err.path) + sizeof(err.msg) + 8];
    int code;

    flags.about = about;
    code = jr_flags_start(&flags, argc, argv, &options, NULL);
    if (code >= 0)
        return code;
    if (jr_webhook_options_check(&options, &err) != JR_OK) {
        (void)fprintf(stderr, "%s: %s\n", flags.program, jr_error_text(&err, text, sizeof(text)));
        return 2;
    }
    return jr_webhook_run(&options);
}
