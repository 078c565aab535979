/* SPDX-License-Identifier: Apache-2.0 */
/* Words that several rules share. */
#ifndef JR_RULES_WORDS_H
#define JR_RULES_WORDS_H

#define JR_WORDS_NEGATIVE "must be greater than or equal to 0"
#define JR_WORDS_IMMUTABLE "field is immutable"
#define JR_WORDS_NOT_SET "field cannot be set once created"
#define JR_WORDS_NOT_CLEARED "field cannot be cleared once set"
#define JR_WORDS_EMPTY "must not be empty"
#define JR_WORDS_BACKSTEP "must not contain '..'"
#define JR_WORDS_PORT_RANGE "must be between 1 and 65535, inclusive"
#define JR_WORDS_ID_RANGE "must be between 0 and 2147483647, inclusive"
#define JR_WORDS_INIT_ONLY "may not be set for init containers without restartPolicy=Always"

#endif
