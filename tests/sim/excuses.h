/* SPDX-License-Identifier: Apache-2.0 */
/* What an invariant lets pass, and why: each is counted, and has a bound. The first number is what
 * a thousand seeds had, of 24,000; the bound is twice that where there are many, since a thousand
 * seeds scatter by some 20 of 43 (a node that comes back ends many Pods at once), and as many as
 * one unlucky seed may bring where there are few. */
#ifndef JR_TESTS_SIM_EXCUSES_H
#define JR_TESTS_SIM_EXCUSES_H

/* name, invariant, words, the most in 1,000 seeds */
#define SIM_EXCUSE_MAP(X)                                                                         \
    /* 44 */                                                                                      \
    X(OTHERS, "no Pod is lost", "somebody else took the finalizer off", 85)                       \
    /* 43 */                                                                                      \
    X(ENDED_UNSEEN, "no Pod is lost", "it ended as it was let go, which nobody could know", 110)  \
    /* 0.05 */                                                                                    \
    X(AFTER_THE_END, "no Pod is lost", "it came when its Job had finished", 2)                    \
    /* 0.3, up to 5 of one seed */                                                                \
    X(SURPLUS, "no more than needed", "others came on top, of which some maker didn't know", 8)   \
    /* 65 */                                                                                      \
    X(OLD_WISH, "no more than needed", "the spec had changed, which nobody could know", 120)      \
    /* 0.06, up to 3 of one seed */                                                               \
    X(UNSEEN_END, "none after the end", "another process had ended its Job, which came late", 4)  \
    /* 0.05 */                                                                                    \
    X(LATE_ADOPTION, "no Pod is counted twice", "an adoption came late, and it was adopted anew", \
      2)                                                                                          \
    /* 1 */                                                                                       \
    X(UNKNOWN_INDEX, "no Pod is counted twice",                                                   \
      "its success completed its index, which whoever lists it as failed couldn't know", 6)       \
    /* 0.3, up to 6 of one seed: a Job of so many Pods */                                         \
    X(UNTOLD_GANG, "its gang", "whoever made a Pod hadn't been told of the Workload", 6)

enum sim_excuse {
#define X(name, invariant, words, most) SIM_EXCUSE_##name,
    SIM_EXCUSE_MAP(X)
#undef X
        SIM_N_EXCUSES
};

#endif
