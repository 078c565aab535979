/* Checks the name of a Job controller. */
#include "common/job/managed_by.h"

#include "common/api/job.h"
#include "common/rules/names.h"

#define FLAG "--controller-name"

enum jr_status jr_managed_by_check(const char *name, struct jr_str *ret_domain,
                                   struct jr_error *err)
{
    struct jr_str path = jr_str(name), domain;

    if (path.n > JR_CONTROLLER_NAME_MAX)
        return jr_fail(err, JR_USAGE, FLAG, "at most %d bytes, not %zu", JR_CONTROLLER_NAME_MAX,
                       path.n);
    if (jr_str_find(path, '/') <= 0 || !jr_str_cut(&path, '/', &domain) || path.n == 0 ||
        jr_name_subdomain(domain).n > 0 || !jr_name_is_http_path(path))
        return jr_fail(err, JR_USAGE, FLAG,
                       "expected a domain and a path, such as example.com/jobs, not \"%s\"", name);
    if (jr_str_is(jr_str(name), JR_MANAGED_BY_BUILTIN))
        return jr_fail(err, JR_USAGE, FLAG, "%s is the built-in controller's own", name);
    if (ret_domain != NULL)
        *ret_domain = domain;
    return JR_OK;
}
