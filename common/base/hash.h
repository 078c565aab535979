/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes of outside text: SipHash-1-3 under a key that each process draws at its start, so that
 * nobody can choose texts that fall into one slot. */
#ifndef JR_BASE_HASH_H
#define JR_BASE_HASH_H

#include "common/base/str.h"

struct jr_hash_key {
    uint64_t k0;
    uint64_t k1;
};

/** SipHash-1-3 of s. Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF"; one round a
 * word and three at the end, as Rust's and Python's tables have it. */
uint64_t jr_siphash(struct jr_hash_key key, struct jr_str s);

/** The hash of s under the process' key, which is drawn before main() and never changes after: any
 * thread may call. All bits are good for a mask. Differs from process to process: never to be
 * written anywhere, nor to decide an order that anybody sees. */
uint64_t jr_hash(struct jr_str s);
/** The hash of s behind something that has the hash h: of "a/b" it is jr_hash_more(jr_hash(a), b).
 */
uint64_t jr_hash_more(uint64_t h, struct jr_str s);

/** Puts a known key in the place of the drawn one, for programs that replay a run exactly (tests
 * and the simulation). Only at the start of main(), before anything was hashed. */
void jr_hash_replay(struct jr_hash_key key);

#endif
