/* What an invariant lets pass, and why: each is counted, and has a bound. In 20,000 seeds there
 * were, in a thousand of them, as many as the comments say; what is few comes in clusters, and a
 * thousand seeds scatter by some 20 of 45. */
#ifndef JR_TESTS_SIM_EXCUSES_H
#define JR_TESTS_SIM_EXCUSES_H

/* name, invariant, words, the most in 1,000 seeds */
#define SIM_EXCUSE_MAP(X)                                                                         \
    X(OTHERS, "no Pod is lost", "somebody else took the finalizer off", 85)                       \
    X(ENDED_UNSEEN, "no Pod is lost", "it ended as it was let go, which nobody could know", 85)   \
    X(AFTER_THE_END, "no Pod is lost", "it came when its Job had finished", 2)                    \
    X(SURPLUS, "no more than needed", "others came on top, of which some maker didn't know", 8)   \
    X(OLD_WISH, "no more than needed", "the spec had changed, which nobody could know", 110)      \
    X(LATE_ADOPTION, "no Pod is counted twice", "an adoption came late, and it was adopted anew", \
      2)                                                                                          \
    X(FAILED_AND_COMPLETED, "no Pod is counted twice",                                            \
      "its index is completed, and it was listed as failed before it succeeded", 6)

enum sim_excuse {
#define X(name, invariant, words, most) SIM_EXCUSE_##name,
    SIM_EXCUSE_MAP(X)
#undef X
        SIM_N_EXCUSES
};

#endif
