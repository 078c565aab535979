/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the name of a Job controller. */
#include "common/job/controller_name.h"

#include "common/api/job.h"
#include "common/rules/names.h"

#define FLAG "--controller-name"

bool jr_controller_name_is_valid(struct jr_str name)
{
    struct jr_str path = name, domain;

    return name.n <= JR_CONTROLLER_NAME_MAX && jr_str_cut(&path, '/', &domain) &&
           jr_name_subdomain(domain).n == 0 && jr_name_is_http_path(path);
}

enum jr_status jr_controller_name_check(const char *name, struct jr_str *ret_domain,
                                        struct jr_error *err)
{
    struct jr_str path = jr_str(name);

    if (path.n > JR_CONTROLLER_NAME_MAX)
        return jr_fail(err, JR_USAGE, FLAG, "at most %d bytes, not %zu", JR_CONTROLLER_NAME_MAX,
                       path.n);
    if (!jr_controller_name_is_valid(path))
        return jr_fail(err, JR_USAGE, FLAG,
                       "expected a domain and a path, such as example.com/jobs, not \"%s\"", name);
    if (jr_str_is(jr_str(name), JR_MANAGED_BY_BUILTIN))
        return jr_fail(err, JR_USAGE, FLAG, "%s is the built-in controller's own", name);
    if (ret_domain != NULL)
        (void)jr_str_cut(&path, '/', ret_domain);
    return JR_OK;
}
