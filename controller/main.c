#include <stdio.h>

#include "controller/app.h"

int main(int argc, char **argv)
{
    struct jr_controller_config config;
    struct jr_error err = { .status = JR_OK };
    char text[sizeof(err.path) + sizeof(err.msg) + 8];
    int code = jr_flags_start(&jr_controller_flags, argc, argv, &config, NULL);

    if (code >= 0)
        return code;
    if (jr_controller_config_check(&config, &err) != JR_OK) {
        (void)fprintf(stderr, "%s: %s\n", jr_controller_flags.program,
                      jr_error_text(&err, text, sizeof(text)));
        return 2;
    }
    return jr_controller_run(&config);
}
