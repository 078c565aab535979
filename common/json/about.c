/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of --version about cJSON and libyaml. */
#include "common/json/about.h"

#include <cjson/cJSON.h>
#include <yaml.h>

#include "common/base/about.h"

void jr_json_about(struct jr_buf *out)
{
    jr_about_line(out, "cjson", cJSON_Version());
    jr_about_line(out, "libyaml", yaml_get_version_string());
}
