/* The rules of containers, beyond those in map_template.h. X(ID, "id", TYPE, "detail"): rules whose
 * words depend on the value have "" here and say them where they are checked. */
#ifndef JR_RULES_MAP_CONTAINERS_H
#define JR_RULES_MAP_CONTAINERS_H

#include "common/rules/words.h"

#define JR_RULE_MAP_CONTAINERS(X)

#endif
