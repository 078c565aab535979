/* jobreeve-webhook: from the command line to the exit code. */
#include <stdio.h>

#include "webhook/app/app.h"

int main(int argc, char **argv)
{
    struct jr_webhook_options options;
    struct jr_error err = { .status = JR_OK };
    char text[sizeof(err.path) + sizeof(err.msg) + 8];
    int code = jr_flags_start(&jr_webhook_flags, argc, argv, &options, NULL);

    if (code >= 0)
        return code;
    if (jr_webhook_options_check(&options, &err) != JR_OK) {
        (void)fprintf(stderr, "%s: %s\n", jr_webhook_flags.program,
                      jr_error_text(&err, text, sizeof(text)));
        return 2;
    }
    return jr_webhook_run(&options);
}
