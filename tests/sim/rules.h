/* The rules of the specification (controller.md) that a run has to have met, each told from what
 * can be observed: requests, statuses, events, metrics. */
#ifndef JR_TESTS_SIM_RULES_H
#define JR_TESTS_SIM_RULES_H

#include "common/base/str.h"

#define SIM_RULE_MAP(X) X(NOT_SENT, "12", "a request is not sent: the right to lead has run out")

enum sim_rule {
#define X(name, section, words) SIM_RULE_##name,
    SIM_RULE_MAP(X)
#undef X
        SIM_N_RULES
};

/** What befalls the controllers as processes. */
#define SIM_TROUBLE_MAP(X)                      \
    X(CRASH, "killed after a write")            \
    X(TERM, "ended in good order")              \
    X(STOP, "stopped, and continued later")     \
    X(JUMP_BACK, "its clock set back")          \
    X(JUMP_AHEAD, "its clock set ahead")        \
    X(END, "ended by itself: it lost the lead") \
    X(SECOND, "a second controller stands by")  \
    X(PAGED, "lists in pages")                  \
    X(BOTH_LEAD, "two held themselves for leader at a time")

enum sim_trouble {
#define X(name, words) SIM_TROUBLE_##name,
    SIM_TROUBLE_MAP(X)
#undef X
        SIM_N_TROUBLES
};

#endif
