/* SPDX-License-Identifier: Apache-2.0 */
/* Commands, flags, their values, and the kinds of names. */
#include "cli/complete.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/completion.h"
#include "cli/library.h"

static bool begins(const char *s, const char *with)
{
    return strncmp(s, with, strlen(with)) == 0;
}

/** Returns whether the sentence is over at p: also at ';', and never inside of a name such as
 * spec.x. */
static bool ends(const char *p)
{
    return p[0] == '\0' || p[0] == '\n' || p[0] == ';' ||
           (p[0] == '.' && (p[1] == '\0' || p[1] == ' ' || p[1] == '\n'));
}

/** Appends a candidate with the first sentence of its help, without back quotes. */
static void add(const char *word, const char *help, struct jr_buf *out)
{
    (void)jr_buf_adds(out, word);
    if (help != NULL)
        (void)jr_buf_addc(out, '\t');
    for (const char *p = help; p != NULL && !ends(p); p++) {
        if (*p != '`')
            (void)jr_buf_addc(out, *p);
    }
    (void)jr_buf_addc(out, '\n');
}

/* ---- flags ---- */

/** Finds the flag that a word "--name" or "-n" is, n characters of it; NULL: none. */
static const struct jr_flag *find_flag(const struct jr_cli_command *command, const char *word,
                                       size_t n)
{
    for (const struct jr_flag *f = command->flags->table; f->name != NULL; f++) {
        if (n == 2 && word[0] == '-' && f->letter != 0 && word[1] == f->letter)
            return f;
        if (n > 2 && begins(word, "--") && strlen(f->name) == n - 2 &&
            memcmp(word + 2, f->name, n - 2) == 0)
            return f;
    }
    return NULL;
}

static void add_flags(const struct jr_cli_command *command, const char *word, struct jr_buf *out)
{
    char spelled[64];

    for (const struct jr_flag *f = command->flags->table; f->name != NULL; f++) {
        if (f->letter != 0 && word[1] == '\0') {
            (void)snprintf(spelled, sizeof(spelled), "-%c", f->letter);
            add(spelled, f->help, out);
        }
        (void)snprintf(spelled, sizeof(spelled), "--%s", f->name);
        if (begins(spelled, word))
            add(spelled, f->help, out);
    }
    if (begins("-h", word))
        add("-h", "Print help", out);
    if (begins("--help", word))
        add("--help", "Print help", out);
    if (begins("--version", word))
        add("--version", "Print the version", out);
}

static bool is_word(struct jr_str s, const char *word)
{
    return s.n == strlen(word) && strncasecmp(s.p, word, s.n) == 0;
}

/** Completes a flag's value. */
static void complete_value(const struct jr_flag *f, struct jr_completion *c, struct jr_buf *out)
{
    const struct jr_str kind = jr_flag_value_word(f);
    const char *comma = f->type == JR_FLAG_LIST ? strrchr(c->word, ',') : NULL;
    const int before = comma != NULL ? (int)(comma + 1 - c->word) : 0;

    for (size_t i = 0; f->choices != NULL && f->choices[i] != NULL; i++) {
        if (begins(f->choices[i], c->word + before))
            (void)jr_buf_addf(out, "%.*s%s\n", before, c->word, f->choices[i]);
    }
    if (f->choices != NULL)
        return;
    if (is_word(kind, "file"))
        c->directive = JR_COMPLETE_FILES;
    else if (is_word(kind, "folder") || is_word(kind, "dir"))
        c->directive = JR_COMPLETE_FOLDERS;
    else if (is_word(kind, "namespace"))
        c->names = JR_COMPLETE_NAMESPACES;
}

/** Notes the flags before the word that say where the cluster is. */
static void note_flags(const struct jr_cli_command *command, int n, char **words,
                       struct jr_completion *c)
{
    for (int i = 0; i + 1 < n; i++) {
        const char *eq = strchr(words[i], '=');
        const size_t length = eq != NULL ? (size_t)(eq - words[i]) : strlen(words[i]);
        const struct jr_flag *f = find_flag(command, words[i], length);
        const char *value = eq != NULL ? eq + 1 : words[i + 1];

        if (f == NULL || f->type == JR_FLAG_BOOL)
            continue;
        i += eq == NULL;
        if (i + 1 == n) /* the value is the word itself */
            break;
        if (strcmp(f->name, "namespace") == 0)
            c->namespace = value;
        else if (strcmp(f->name, "kubeconfig") == 0)
            c->kubeconfig = value;
        else if (strcmp(f->name, "context") == 0)
            c->context = value;
    }
}

/* ---- arguments ---- */

static void add_commands(const struct jr_cli_command *commands, const char *word,
                         struct jr_buf *out)
{
    for (const struct jr_cli_command *c = commands; c->name != NULL; c++) {
        if (begins(c->name, word))
            add(c->name, c->what, out);
    }
}

static void add_words(const char *const *words, const char *word, struct jr_buf *out)
{
    for (size_t i = 0; words[i] != NULL; i++) {
        if (begins(words[i], word))
            add(words[i], NULL, out);
    }
}

static const struct {
    enum jr_complete_names names;
    const char *type;
} types[] = { { JR_COMPLETE_JOBS, "job/" },
              { JR_COMPLETE_CRONJOBS, "cronjob/" },
              { JR_COMPLETE_PODS, "pod/" } };

/** Finds which kind of object the word begins to name; an empty one is a Job's. */
static void complete_object(bool jobs_only, struct jr_completion *c)
{
    for (size_t i = 0; i < (jobs_only ? 1 : JR_ARRAY_SIZE(types)); i++) {
        if (begins(c->word, types[i].type) || begins(types[i].type, c->word)) {
            c->names = types[i].names;
            return;
        }
    }
}

static void complete_argument(const struct jr_cli_command *commands,
                              const struct jr_cli_command *command, struct jr_completion *c,
                              struct jr_buf *out)
{
    switch (command->takes) {
    case JR_TAKES_NOTHING:
        break;
    case JR_TAKES_FILES:
        c->directive = JR_COMPLETE_FILES;
        break;
    case JR_TAKES_COMMAND:
        add_commands(commands, c->word, out);
        break;
    case JR_TAKES_SHELL:
        add_words(jr_shell_names, c->word, out);
        break;
    case JR_TAKES_POLICY:
        for (const struct jr_embedded *e = jr_library_policies; e->name != NULL; e++) {
            if (begins(e->name, c->word))
                add(e->name, NULL, out);
        }
        break;
    case JR_TAKES_JOBS:
    case JR_TAKES_OBJECT:
        complete_object(command->takes == JR_TAKES_JOBS, c);
        break;
    }
}

/* ---- all ---- */

static const struct jr_cli_command *find_command(const struct jr_cli_command *in, const char *name)
{
    for (const struct jr_cli_command *c = in; c->name != NULL; c++) {
        if (strcmp(c->name, name) == 0)
            return c;
    }
    return NULL;
}

/** Completes the last of the words, n > 0, which stand behind a command. */
static void complete_in(const struct jr_cli_command *commands, const struct jr_cli_command *command,
                        int n, char **words, struct jr_completion *c, struct jr_buf *out)
{
    const char *eq = strchr(c->word, '=');
    const struct jr_flag *f = NULL;

    note_flags(command, n, words, c);
    if (c->word[0] == '-' && eq != NULL) {
        f = find_flag(command, c->word, (size_t)(eq - c->word));
        c->word = eq + 1;
        if (f != NULL)
            complete_value(f, c, out);
        return;
    }
    if (n > 1)
        f = find_flag(command, words[n - 2], strlen(words[n - 2]));
    if (f != NULL && f->type != JR_FLAG_BOOL)
        complete_value(f, c, out);
    else if (c->word[0] == '-')
        add_flags(command, c->word, out);
    else
        complete_argument(commands, command, c, out);
}

struct jr_completion jr_complete(const struct jr_cli_command *commands, int n, char **words,
                                 struct jr_buf *out)
{
    struct jr_completion c = { .directive = JR_COMPLETE_NO_FILES,
                               .word = n > 0 ? words[n - 1] : "" };
    const struct jr_cli_command *level = commands, *command;

    for (; n > 1; n--, words++) {
        command = find_command(level, words[0]);
        if (command == NULL)
            return c;
        if (command->subs == NULL) {
            complete_in(commands, command, n - 1, words + 1, &c, out);
            return c;
        }
        level = command->subs;
    }
    add_commands(level, c.word, out);
    if (c.word[0] == '-')
        add_words((const char *const[]){ "-h", "--help", "--version", NULL }, c.word, out);
    return c;
}

void jr_complete_name(const struct jr_completion *c, struct jr_str name, struct jr_buf *out)
{
    const size_t before = out->n;

    for (size_t i = 0; i < name.n; i++) {
        if (strchr("abcdefghijklmnopqrstuvwxyz0123456789.-", name.p[i]) == NULL ||
            name.p[i] == '\0')
            return;
    }
    for (size_t i = 0; i < JR_ARRAY_SIZE(types); i++) {
        if (types[i].names == c->names)
            (void)jr_buf_adds(out, types[i].type);
    }
    (void)jr_buf_add(out, name);
    (void)jr_buf_addc(out, '\n');
    if (out->failed == JR_OK &&
        !jr_str_starts(jr_str_from(jr_buf_str(out), before), jr_str(c->word)))
        out->p[out->n = before] = '\0';
}
