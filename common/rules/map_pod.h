/* The rules of a Pod's own fields, beyond those in map_template.h. X(ID, "id", TYPE, "detail"):
 * rules whose words depend on the value have "" here and say them where they are checked. */
#ifndef JR_RULES_MAP_POD_H
#define JR_RULES_MAP_POD_H

#include "common/rules/words.h"

#define JR_RULE_MAP_POD(X)

#endif
