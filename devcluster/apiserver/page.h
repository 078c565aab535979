/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of a list, and the tokens by which they go on. */
#ifndef JR_DEVCLUSTER_APISERVER_PAGE_H
#define JR_DEVCLUSTER_APISERVER_PAGE_H

#include "devcluster/apiserver/op.h"

struct jr_dev_page {
    size_t limit; /* 0: none */
    bool versioned;
    bool exact;
    bool continued;
    uint64_t version;    /* asked for, or of the token's snapshot */
    struct jr_str start; /* of a token: the first key may be this or a greater one */
    uint64_t answered;   /* the list's own */
    struct jr_str next;  /* token of the next page; n = 0: there is none */
    bool counted;
    size_t remaining;
};

/** The token of the page behind key. */
struct jr_str jr_dev_token_make(struct jr_dev_op *op, uint64_t revision, struct jr_str key);
/** Fills version and start. 400. */
bool jr_dev_token_parse(struct jr_dev_op *op, struct jr_str token,
                        struct jr_dev_page *page) JR_MUST_USE;
/** 504: a version of the future. */
bool jr_dev_refuse_too_large(struct jr_dev_op *op, uint64_t version);
/** 422 of resourceVersionMatch. */
bool jr_dev_refuse_match(struct jr_dev_op *op, const char *why);
/** Answers with a list. */
void jr_dev_list_answer(struct jr_dev_op *op, const struct jr_dev_page *page,
                        struct jr_dev_object *const *v, size_t n);

#endif
