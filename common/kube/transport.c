#include "common/kube/transport.h"

static bool keep(struct jr_arena *a, const char **s)
{
    struct jr_str copy;

    if (*s == NULL)
        return true;
    if (!jr_arena_str(a, jr_str(*s), &copy))
        return false;
    *s = copy.p;
    return true;
}

bool jr_http_request_keep(struct jr_http_request *req, struct jr_arena *a)
{
    return keep(a, &req->method) && keep(a, &req->path) && keep(a, &req->accept) &&
           keep(a, &req->content_type) && jr_arena_str(a, req->body, &req->body);
}
