/* SPDX-License-Identifier: Apache-2.0 */
/* Writes JSON into a buffer. */
#include "common/json/write.h"

#include "common/json/scan.h"

static void separate(struct jr_writer *w)
{
    if (w->comma)
        jr_buf_addc(w->out, ',');
    w->comma = true;
}

void jr_w_object(struct jr_writer *w)
{
    separate(w);
    jr_buf_addc(w->out, '{');
    w->comma = false;
}

void jr_w_object_end(struct jr_writer *w)
{
    jr_buf_addc(w->out, '}');
    w->comma = true;
}

void jr_w_array(struct jr_writer *w)
{
    separate(w);
    jr_buf_addc(w->out, '[');
    w->comma = false;
}

void jr_w_array_end(struct jr_writer *w)
{
    jr_buf_addc(w->out, ']');
    w->comma = true;
}

void jr_w_keyn(struct jr_writer *w, struct jr_str key)
{
    separate(w);
    jr_put_quoted(key, w->out);
    jr_buf_addc(w->out, ':');
    w->comma = false;
}

void jr_w_key(struct jr_writer *w, const char *key)
{
    jr_w_keyn(w, jr_str(key));
}

void jr_w_kobject(struct jr_writer *w, const char *key)
{
    jr_w_key(w, key);
    jr_w_object(w);
}

void jr_w_karray(struct jr_writer *w, const char *key)
{
    jr_w_key(w, key);
    jr_w_array(w);
}

void jr_w_str(struct jr_writer *w, struct jr_str v)
{
    separate(w);
    jr_put_quoted(v, w->out);
}

void jr_w_i64(struct jr_writer *w, int64_t v)
{
    separate(w);
    jr_buf_add_i64(w->out, v);
}

void jr_w_bool(struct jr_writer *w, bool v)
{
    jr_w_raw(w, v ? JR_S("true") : JR_S("false"));
}

void jr_w_null(struct jr_writer *w)
{
    jr_w_raw(w, JR_S("null"));
}

void jr_w_raw(struct jr_writer *w, struct jr_str json)
{
    separate(w);
    jr_buf_add(w->out, json);
}

void jr_w_time(struct jr_writer *w, struct jr_time t)
{
    char text[JR_TIME_MAX];

    if (jr_time_set(t))
        jr_w_str(w, jr_str(jr_time_format(t, text)));
    else
        jr_w_null(w);
}

void jr_w_kstr(struct jr_writer *w, const char *key, struct jr_str v)
{
    jr_w_key(w, key);
    jr_w_str(w, v);
}

void jr_w_opt_kstr(struct jr_writer *w, const char *key, struct jr_str v)
{
    if (v.n > 0)
        jr_w_kstr(w, key, v);
}

void jr_w_ki64(struct jr_writer *w, const char *key, int64_t v)
{
    jr_w_key(w, key);
    jr_w_i64(w, v);
}

void jr_w_kbool(struct jr_writer *w, const char *key, bool v)
{
    jr_w_key(w, key);
    jr_w_bool(w, v);
}

void jr_w_opt_ki32(struct jr_writer *w, const char *key, struct jr_opt_i32 v)
{
    if (v.set)
        jr_w_ki64(w, key, v.v);
}

void jr_w_opt_ktime(struct jr_writer *w, const char *key, struct jr_time t)
{
    if (!jr_time_set(t))
        return;
    jr_w_key(w, key);
    jr_w_time(w, t);
}

/* The escape of an ASCII byte that needs one. */
static struct jr_str escape(unsigned char c, char out[8])
{
    static const char hex[] = "0123456789abcdef";
    static const char prefix[4] = { '\\', 'u', '0', '0' };

    switch (c) {
    case '"':
        return JR_S("\\\"");
    case '\\':
        return JR_S("\\\\");
    case '\b':
        return JR_S("\\b");
    case '\f':
        return JR_S("\\f");
    case '\n':
        return JR_S("\\n");
    case '\r':
        return JR_S("\\r");
    case '\t':
        return JR_S("\\t");
    default:
        memcpy(out, prefix, sizeof(prefix));
        out[4] = hex[c >> 4];
        out[5] = hex[c & 15];
        return (struct jr_str){ out, 6 };
    }
}

/* A string without escapes, for which there is room: nearly all of them. */
static void put_plain(struct jr_str s, struct jr_buf *out)
{
    char *o = out->p + out->n;

    *o++ = '"';
    if (s.n > 0)
        memcpy(o, s.p, s.n);
    o += s.n;
    *o++ = '"';
    *o = '\0';
    out->n += s.n + 2;
}

void jr_put_quoted(struct jr_str s, struct jr_buf *out)
{
    const char *p = s.p, *end = s.n == 0 ? s.p : s.p + s.n, *run = p;

    if (jr_buf_reserve(out, s.n + 2) == JR_OK && jr_scan_plain(p, end) == end) {
        put_plain(s, out);
        return;
    }
    jr_buf_addc(out, '"');
    while ((p = jr_scan_plain(p, end)) < end) {
        char small[8];
        struct jr_str esc = JR_S("\xef\xbf\xbd");
        size_t n = 1;

        if ((unsigned char)*p >= 0x80) {
            n = jr_utf8_length(p, end);
            if (n > 0) {
                p += n;
                continue;
            }
            n = 1;
        } else {
            esc = escape((unsigned char)*p, small);
        }
        jr_buf_add(out, (struct jr_str){ run, (size_t)(p - run) });
        jr_buf_add(out, esc);
        p += n;
        run = p;
    }
    jr_buf_add(out, (struct jr_str){ run, (size_t)(end - run) });
    jr_buf_addc(out, '"');
}

enum jr_status jr_json_quote(struct jr_str s, struct jr_buf *out)
{
    jr_put_quoted(s, out);
    return out->failed;
}
