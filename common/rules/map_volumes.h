/* The rules of volumes and resources of a Pod, beyond those in map_template.h. X(ID, "id", TYPE,
 * "detail"): rules whose words depend on the value have "" here and say them where they are
 * checked. */
#ifndef JR_RULES_MAP_VOLUMES_H
#define JR_RULES_MAP_VOLUMES_H

#include "common/rules/words.h"

#define JR_RULE_MAP_VOLUMES(X)

#endif
