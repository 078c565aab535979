/* The rules of CronJobs. X(ID, "id", TYPE, "detail"): rules whose words
 * depend on the value have "" here and say them where they are checked. */
#ifndef JR_RULES_MAP_CRON_JOB_H
#define JR_RULES_MAP_CRON_JOB_H

#include "common/rules/words.h"

#define JR_RULE_MAP_CRON_JOB(X)

#endif
