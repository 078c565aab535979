#!/usr/bin/env bash
# What the documentation names exists: files, folders and functions in `backticks`, the targets of links, the headings that comments cite. Each of its
# commands is run by a test, or stands in tests/docs/not_run.txt with the reason. With an argument: that tree instead.
set -eu -o pipefail
cd "${1:-.}"
mapfile -t pages < <(ls README.md CONTRIBUTING.md SECURITY.md charts/jobreeve/README.md tests/README.md docs/*.md docs/concepts/*.md docs/reference/*.md)
[ ${#pages[@]} -gt 10 ] || { echo "no documentation: is this the root of the repository?" >&2; exit 1; }
bad=0
fault() { echo "$1" >&2; bad=1; }

# Spans in backticks: "PAGE TEXT", without blocks.
spans() {
    awk '/^```/ { fenced = !fenced; next } !fenced' "$1" | grep -oE '`[^`]+`' | tr -d '`' | sort -u
}

# Paths: what begins with a folder of ours, or names a source. A last part with * or NAME is a pattern.
for page in "${pages[@]}"; do
    case $page in tests/README.md | docs/reference/admission.md | docs/reference/controller.md | docs/reference/versions.md) continue ;; esac # upstream's names
    while IFS= read -r span; do
        case $span in
        *[[:space:]\<\>\{\}\(\)\"\'\;\$]*) continue ;;
        build/* | */NAME* | *NAMESPACE*) continue ;;
        common/* | certs/* | webhook/* | controller/* | cli/* | devcluster/* | tests/* | docs/* | charts/* | image/* | packaging/* | .ci/*)
            # shellcheck disable=SC2086
            compgen -G "${span%%:*}" > /dev/null || fault "$page: there is no $span"
            ;;
        esac
    done < <(spans "$page")
done

# Functions, types and constants: each is somewhere in the sources.
words=$(grep -rhoE --include='*.[ch]' --include='*.sh' '\b(jr|sim)_[a-z0-9_]+\b|\bJR_[A-Z0-9_]+\b|\bSIM_[A-Z0-9_]+\b' common certs webhook controller cli devcluster tests | sort -u)
for page in "${pages[@]}"; do
    while IFS= read -r name; do
        grep -qxF -e "$name" <<< "$words" || fault "$page: nothing in the sources is called $name"
    done < <(spans "$page" | grep -oE '^((jr|sim)_[a-z0-9_]+|(JR|SIM)_[A-Z0-9_]+)(\(\))?$' | tr -d '()')
done

# In the walks, "`FUNCTION` in `FILE`" and "`FILE`: `FUNCTION`" are a function of that file.
for page in docs/developing.md; do
    [ -f $page ] || continue
    while read -r name file; do
        [ ! -f "$file" ] || grep -qE "\b$name\b" "$file" || fault "$page: $name isn't in $file"
    done < <(tr '\n' ' ' < $page | sed 's/  */ /g' | grep -oE '`[a-z_0-9]+` in `[a-z_/]+\.[ch]`|`[a-z_/]+\.[ch]`: `[a-z_0-9]+`' |
        sed -E 's/`//g; s/ in / /; s/^([^ ]+\.[ch]): ([^ ]+)$/\2 \1/')
done

# Links: a file that exists, and a heading of it.
anchors() {
    awk '/^```/ { fenced = !fenced; next } !fenced && /^#+ /' "$1" | sed -E 's/^#+ //; s/`//g' | tr '[:upper:]' '[:lower:]' | sed -E 's/[^a-z0-9 _-]//g; s/ /-/g'
}
for page in "${pages[@]}"; do
    while IFS= read -r target; do
        case $target in http://* | https://*) continue ;; esac
        file=${target%%#*}
        anchor=
        [ "$file" = "$target" ] || anchor=${target#*#}
        [ -n "$file" ] || file=$(basename "$page")
        file=$(dirname "$page")/$file
        [ -e "$file" ] || { fault "$page: the link $target leads nowhere"; continue; }
        [ -z "$anchor" ] || [[ $file != *.md ]] || anchors "$file" | grep -qxF -e "$anchor" || fault "$page: $target: there is no such heading"
    done < <(awk '/^```/ { fenced = !fenced; next } !fenced' "$page" | tr '\n' ' ' | sed 's/`[^`]*`//g' | grep -oE '\]\([^ )]+\)' | sed 's/^](//; s/)$//' | sort -u)
done

# Headings that comments cite: docs/reference/NAME.md, "HEADING".
while IFS=: read -r file page heading; do
    grep -qxE -e "#+ $heading" "$page" || fault "$file: $page has no heading \"$heading\""
done < <(grep -rnoE --include='*.[ch]' 'docs/reference/[a-z]+\.md, "[^"]+"' common certs webhook controller cli devcluster tests |
    sed -E 's/^([^:]+):[0-9]+:(docs[^,]+), "([^"]+)"$/\1:\2:\3/')
while read -r heading; do
    grep -qxE -e "#+ $heading" docs/reference/controller.md || fault "docs/reference/controller.md has no heading \"$heading\", which controller/reconcile or tests/sim cites"
done < <(
    sed -nE 's/^\/\* [a-z_]+\.c: "([^"]+)".*/\1/p' controller/reconcile/internal.h
    tr -d '\n\\' < tests/sim/rules.h | grep -oE 'X\([A-Z_0-9]+, +"[^"]+", *"' | sed -E 's/^X\([A-Z_0-9]+, +"([^"]*)".*/\1/'
)

# Commands: console blocks are run; others have to be listed. docs/operations.md has its own test, which runs them all.
commands() {
    awk -v page="$1" '
        /^```/ { lang = fenced ? "" : substr($0, 4); fenced = !fenced; next }
        fenced && lang == "sh" && /^\$ / { print page "\t" substr($0, 3) }
        !fenced && /^    (\$ |\.\/dev |helm |kubectl |jobreeve|build\/|tests\/|ctest |for |gdb )/ { sub(/^ +(\$ )?/, ""); print page "\t" $0 }' "$1"
}
for page in "${pages[@]}"; do
    case $page in docs/operations.md | tests/README.md) continue ;; esac
    while IFS=$'\t' read -r page command; do
        awk -F '\t' -v p="$page" -v c="$command" '!/^#/ && $1 == p && index(c, $2) == 1 { found = 1 } END { exit !found }' tests/docs/not_run.txt ||
            fault "$page: no test runs \`$command\`: fence it as console, or list it in tests/docs/not_run.txt"
    done < <(commands "$page")
done
while IFS=$'\t' read -r page command _; do
    case $page in \#*) continue ;; esac
    grep -qF -e "$command" "$page" || fault "tests/docs/not_run.txt: $page has no command \`$command\`"
done < tests/docs/not_run.txt

# The names of objects.md are in the sources and the chart, and theirs are in objects.md.
while IFS= read -r name; do
    grep -rqF -e "$name" --include='*.[ch]' --include='*.yaml' --include='*.tpl' common webhook controller devcluster charts ||
        grep -rqF -e "${name#*/}" --include='*.[ch]' common controller devcluster || fault "docs/reference/objects.md: $name is nowhere in the sources"
done < <(spans docs/reference/objects.md | grep -E '^[a-z.]+\.[a-z]+/[a-z-]+$')
while IFS= read -r name; do
    grep -qF -e "\`$name\`" docs/reference/objects.md || fault "docs/reference/objects.md lacks $name"
done < <(grep -rhoE --include='*.[ch]' --include='*.yaml' --include='*.tpl' '\bjobreeve\.dev/[a-z-]+' webhook controller charts/jobreeve/templates common | sort -u | grep -vx 'jobreeve.dev/controller')
while IFS= read -r reason; do
    grep -qF -e "\`$reason\`" docs/reference/objects.md || fault "docs/reference/objects.md lacks the event $reason"
done < <({ grep -rhoE 'jr_emit_event\([^"]*"(Normal|Warning)", *"[A-Za-z]+"' controller | sed -E 's/.*"([A-Za-z]+)"$/\1/'
    sed -nE 's/.*JR_REFUSAL_REASON "([A-Za-z]+)"/\1/p' controller/refusals.h; } | sort -u)

[ "$bad" = 0 ] && echo "${#pages[@]} pages: files, functions, links, headings and commands are there"
exit "$bad"
