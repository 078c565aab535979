/* uthash with our keyed hash in the place of its own, whose outcome anybody can compute. Included
 * instead of <uthash.h>. */
#ifndef JR_BASE_TABLE_H
#define JR_BASE_TABLE_H

#include "common/base/hash.h"

#define HASH_FUNCTION(keyptr, keylen, hashv)                                              \
    do {                                                                                  \
        (hashv) = (unsigned)jr_hash((struct jr_str){ (const char *)(keyptr), (keylen) }); \
    } while (0)
#include <uthash.h>

#endif
