/* SPDX-License-Identifier: Apache-2.0 */
/* What the scripts for all shells are made of: words, short help, kinds of values. */
#include "cli/completion.h"

#include <strings.h>

#include "cli/completion_parts.h"
#include "cli/library.h"

const char *const jr_shell_names[] = { "bash", "zsh", "fish", NULL };

static bool is_word(struct jr_str s, const char *word)
{
    return s.n == strlen(word) && strncasecmp(s.p, word, s.n) == 0;
}

enum jr_value_kind jr_completion_value(const struct jr_flag *f)
{
    struct jr_str word = jr_flag_value_word(f);

    if (f->type == JR_FLAG_BOOL)
        return JR_VALUE_NONE;
    if (f->choices != NULL)
        return JR_VALUE_WORDS;
    if (is_word(word, "file"))
        return JR_VALUE_FILE;
    return is_word(word, "folder") || is_word(word, "dir") ? JR_VALUE_FOLDER : JR_VALUE_TEXT;
}

/** Whether the sentence is over at p: also at ';', and never inside of a name such as spec.x. */
static bool ends(const char *p)
{
    return p[0] == '\0' || p[0] == '\n' || p[0] == ';' ||
           (p[0] == '.' && (p[1] == '\0' || p[1] == ' ' || p[1] == '\n'));
}

void jr_completion_brief(const char *help, const char *escape, struct jr_buf *out)
{
    for (const char *p = help; !ends(p); p++) {
        if (*p == '`')
            continue;
        if (*p == '\'' && strchr(escape, *p) != NULL) {
            (void)jr_buf_adds(out, "'\\''");
            continue;
        }
        if (strchr(escape, *p) != NULL)
            (void)jr_buf_addc(out, '\\');
        (void)jr_buf_addc(out, *p);
    }
}

void jr_completion_words(const char *const *words, struct jr_buf *out)
{
    for (size_t i = 0; words[i] != NULL; i++)
        (void)jr_buf_addf(out, "%s%s", i == 0 ? "" : " ", words[i]);
}

void jr_completion_commands(const struct jr_cli_command *commands, struct jr_buf *out)
{
    for (const struct jr_cli_command *c = commands; c->name != NULL; c++)
        (void)jr_buf_addf(out, "%s%s", c == commands ? "" : " ", c->name);
}

void jr_completion_policies(struct jr_buf *out)
{
    for (const struct jr_embedded *e = jr_library_policies; e->name != NULL; e++)
        (void)jr_buf_addf(out, "%s%s", e == jr_library_policies ? "" : " ", e->name);
}

void jr_completion_each(const struct jr_cli_command *commands, struct jr_buf *out,
                        void (*fn)(const struct jr_completion_item *i))
{
    for (const struct jr_cli_command *c = commands; c->name != NULL; c++) {
        if (c->subs == NULL)
            fn(&(struct jr_completion_item){ commands, NULL, c, out });
        for (const struct jr_cli_command *sub = c->subs; sub != NULL && sub->name != NULL; sub++)
            fn(&(struct jr_completion_item){ commands, c, sub, out });
    }
}

void jr_completion_name(const struct jr_completion_item *i)
{
    if (i->group != NULL)
        (void)jr_buf_addf(i->out, "%s ", i->group->name);
    (void)jr_buf_adds(i->out, i->command->name);
}

enum jr_status jr_completion_write(enum jr_shell shell, const struct jr_cli_command *commands,
                                   struct jr_buf *out)
{
    switch (shell) {
    case JR_SHELL_BASH:
        jr_completion_bash(commands, out);
        break;
    case JR_SHELL_ZSH:
        jr_completion_zsh(commands, out);
        break;
    case JR_SHELL_FISH:
        jr_completion_fish(commands, out);
        break;
    }
    return out->failed;
}
