/* SPDX-License-Identifier: Apache-2.0 */
#include "common/json/yaml.h"

#include "tests/unit/json/json_test.h"

/* What a stream was read into: its documents as JSON, one a line. */
struct sink {
    struct jr_buf out;
    enum jr_status st; /* what to answer */
};

static enum jr_status take(void *ctx, struct jr_doc *doc, struct jr_positions *pos,
                           struct jr_error *err)
{
    struct sink *s = ctx;
    enum jr_status st = jr_node_print(jr_doc_root(doc), &s->out);

    jr_buf_addc(&s->out, '\n');
    jr_positions_free(pos);
    jr_doc_free(doc);
    if (st == JR_OK && s->st != JR_OK)
        st = jr_fail(err, s->st, NULL, "enough");
    return st;
}

static void sink_done(struct sink *s)
{
    jr_buf_done(&s->out);
}

#define SINK JR_CLEANUP(sink_done) struct sink

static void sink_init(struct sink *s)
{
    *s = (struct sink){ 0 };
    jr_buf_init(&s->out, MAX_TEXT);
}

static void want_yaml(const char *name, struct jr_str text, const char *want)
{
    SINK s = { 0 };
    struct jr_error err = { 0 };

    sink_init(&s);
    if (jr_yaml_read(text, NULL, take, &s, &err) != JR_OK)
        fail_msg("%s: %s", name, err.msg);
    WANT_STR(name, s.out.p == NULL ? "" : s.out.p, want);
}

/* What sigs.k8s.io/yaml 1.6 makes of "a: <scalar>". */
static const struct {
    const char *yaml;
    const char *json;
} scalars[] = {
    { "text", "\"text\"" },
    { "", "null" },
    { "~", "null" },
    { "null", "null" },
    { "Null", "null" },
    { "NULL", "null" },
    { "nULL", "\"nULL\"" },
    { "true", "true" },
    { "True", "true" },
    { "TRUE", "true" },
    { "tRue", "\"tRue\"" },
    { "yes", "true" },
    { "Yes", "true" },
    { "YES", "true" },
    { "y", "true" },
    { "Y", "true" },
    { "on", "true" },
    { "On", "true" },
    { "ON", "true" },
    { "false", "false" },
    { "no", "false" },
    { "n", "false" },
    { "N", "false" },
    { "No", "false" },
    { "off", "false" },
    { "Off", "false" },
    { "OFF", "false" },
    { "oFF", "\"oFF\"" },
    { "\"yes\"", "\"yes\"" },
    { "'5'", "\"5\"" },
    { "''", "\"\"" },
    { "0", "0" },
    { "-0", "0" },
    { "+5", "5" },
    { "-5", "-5" },
    { "007", "7" },
    { "08", "8" },
    { "0o17", "15" },
    { "0o8", "\"0o8\"" },
    { "0x1F", "31" },
    { "-0X1f", "-31" },
    { "0x", "\"0x\"" },
    { "0b101", "5" },
    { "-0b11", "-3" },
    { "0b2", "\"0b2\"" },
    { "1_000", "1000" },
    { "1__0", "10" },
    { "0x_1F", "31" },
    { "_1", "\"_1\"" },
    { "9007199254740993", "9007199254740993" },
    { "9223372036854775807", "9223372036854775807" },
    { "9223372036854775808", "9223372036854775808" },
    { "-9223372036854775808", "-9223372036854775808" },
    { "-9223372036854775809", "-9223372036854776000" },
    { "18446744073709551615", "18446744073709551615" },
    { "18446744073709551616", "18446744073709552000" },
    { "1.0", "1" },
    { "-0.0", "-0" },
    { "1.", "1" },
    { ".5", "0.5" },
    { "-.5", "-0.5" },
    { "+.5e3", "500" },
    { "._5", "\"._5\"" },
    { ".5_", "\".5_\"" },
    { ".1_5", "0.15" },
    { ".", "\".\"" },
    { "1e3", "1000" },
    { "1e+3", "1000" },
    { "1e", "\"1e\"" },
    { "1e21", "1e+21" },
    { "1e20", "100000000000000000000" },
    { "1e-6", "0.000001" },
    { "1e-7", "1e-7" },
    { "5e-324", "5e-324" },
    { "1.7976931348623157e308", "1.7976931348623157e+308" },
    { "1e400", "\"1e400\"" },
    { "123456789.123", "123456789.123" },
    { "0.1", "0.1" },
    { "1.2.3", "\"1.2.3\"" },
    { "10.0.0.1", "\"10.0.0.1\"" },
    { "500m", "\"500m\"" },
    { "1Gi", "\"1Gi\"" },
    { "12:30:45", "\"12:30:45\"" },
    { "2001-01-01", "\"2001-01-01\"" },
    { "2001-12-14t21:59:43.10-05:00", "\"2001-12-14t21:59:43.10-05:00\"" },
    { "=", "\"=\"" },
    { "<<", "\"<<\"" },
    { "-x", "\"-x\"" },
    { "!!str 5", "\"5\"" },
    { "!!int \"5\"", "5" },
    { "!!float 5", "5" },
    { "!!bool y", "true" },
    { "!!null \"\"", "null" },
    { "!!timestamp 2001-01-01", "\"2001-01-01\"" },
    { "!custom 5", "\"5\"" },
    { "[1, 'a', {b: c}, ]", "[1,\"a\",{\"b\":\"c\"}]" },
    { "{b, c: }", "{\"b\":null,\"c\":null}" },
    { "{\"a\\0b\": 1, \"a\\0c\": 2, a: 3}", "{\"a\\u0000b\":1,\"a\\u0000c\":2,\"a\":3}" },
    { "[&k \"a\\0\", {*k : 1}]", "[\"a\\u0000\",{\"a\\u0000\":1}]" },
    { "\"a\\tb\\x41\\u00e9\\U0001F600\\0\\e\\N\"",
      "\"a\\tbA\u00e9\U0001f600\\u0000\\u001b\xc2\x85\"" },
    { "'it''s'", "\"it's\"" },
    { "|\n  one\n   two\n\n  three\n", "\"one\\n two\\n\\nthree\\n\"" },
    { "|-\n  one\n", "\"one\"" },
    { "|+\n  one\n", "\"one\\n\\n\"" },
    { ">\n  one\n  two\n", "\"one two\\n\"" },
    { "one\n  two", "\"one two\"" },
    { "x # comment", "\"x\"" },
};

static void types_scalars(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(scalars); i++) {
        JR_BUF text = { 0 };
        JR_BUF want = { 0 };

        jr_buf_init(&text, 10000);
        jr_buf_init(&want, 10000);
        jr_buf_addf(&text, "a: %s\n", scalars[i].yaml);
        jr_buf_addf(&want, "{\"a\":%s}\n", scalars[i].json);
        want_yaml(scalars[i].yaml, jr_buf_str(&text), want.p);
    }
}

static const struct {
    const char *name;
    const char *yaml;
    const char *json;
} documents[] = {
    { "nothing", "", "" },
    { "only a comment", "# nothing\n", "" },
    { "empty documents", "---\n---\n# x\n---\nnull\n---\na: 1\n---\n...\n", "{\"a\":1}\n" },
    { "several", "a: 1\n---\n- b\n---\n\"x\"\n", "{\"a\":1}\n[\"b\"]\n\"x\"\n" },
    { "with ends", "a: 1\n...\n---\nb: 2\n...\n", "{\"a\":1}\n{\"b\":2}\n" },
    { "directive of a later document", "a: 1\n...\n%YAML 1.1\n---\nb: 1\n",
      "{\"a\":1}\n{\"b\":1}\n" },
    { "separators", "--- \na: 1\n---\t# x\nb: 1\n", "{\"a\":1}\n{\"b\":1}\n" },
    { "binary", "a: !!binary aGVsbG8=\n", "{\"a\":\"hello\"}\n" },
    { "binary of several lines", "a: !!binary |\n  aGVs\n  bG8=\n", "{\"a\":\"hello\"}\n" },
    { "binary that is no text", "a: !!binary \"/w==\"\n", "{\"a\":\"\xef\xbf\xbd\"}\n" },
    { "binary of a number", "a: [!!binary MQ==, !!binary ]\n", "{\"a\":[\"1\",\"\"]}\n" },
    { "binary key", "!!binary aGVsbG8=: &x !!binary aGk=\nb: *x\n",
      "{\"hello\":\"hi\",\"b\":\"hi\"}\n" },
    { "keys that are the same in JSON", "1: a\n\"1\": b\n", "{\"1\":\"b\"}\n" },
    { "keys that are the same in JSON, true", "yes: a\n\"true\": b\n", "{\"true\":\"b\"}\n" },
    { "escapes", "a: \"b\\\\/c\"\nb: 'x\\/y'\nc: x\\/y\n",
      "{\"a\":\"b\\\\/c\",\"b\":\"x\\\\/y\",\"c\":\"x\\\\/y\"}\n" },
    { "byte order mark",
      "\xef\xbb\xbf"
      "a: 1\n",
      "{\"a\":1}\n" },
    { "byte order mark, several keys",
      "\xef\xbb\xbf"
      "a: 1\nb: 2\n",
      "{\"a\":1,\"b\":2}\n" },
    { "byte order marks of documents",
      "\xef\xbb\xbf"
      "a: 1\nb: 2\n--- # x\n"
      "\xef\xbb\xbf"
      "c: \xef\xbb\xbf\nd: 4\n---\n"
      "\xef\xbb\xbf"
      "e: 5\nf: 6\n",
      "{\"a\":1,\"b\":2}\n{\"c\":\"\xef\xbb\xbf\",\"d\":4}\n{\"e\":5,\"f\":6}\n" },
    { "byte order mark and JSON",
      "\xef\xbb\xbf"
      "{\"a\":1}",
      "{\"a\":1}\n" },
    { "Windows lines", "a: 1\r\nb:\r\n- x\r\n", "{\"a\":1,\"b\":[\"x\"]}\n" },
    { "manifest",
      "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: pi\n  labels:\n    "
      "app.kubernetes.io/name: pi\nspec:\n"
      "  backoffLimit: 4\n  template:\n    spec:\n      containers:\n      - name: pi\n        "
      "image: perl:5.34.0\n"
      "        command: [\"perl\",  \"-Mbignum=bpi\", \"-wle\", \"print bpi(2000)\"]\n      "
      "restartPolicy: Never\n",
      "{\"apiVersion\":\"batch/"
      "v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"pi\",\"labels\":{\"app.kubernetes.io/"
      "name\":\"pi\"}},"
      "\"spec\":{\"backoffLimit\":4,\"template\":{\"spec\":{\"containers\":[{\"name\":\"pi\","
      "\"image\":\"perl:5.34.0\","
      "\"command\":[\"perl\",\"-Mbignum=bpi\",\"-wle\",\"print "
      "bpi(2000)\"]}],\"restartPolicy\":\"Never\"}}}}\n" },
    { "keys that are no strings",
      "1: a\n-0x10: b\n1.50: c\ntrue: d\nno: e\n1e3: f\n1000000.5: g\n.inf: h\n0.00001: i\n",
      "{\"1\":\"a\",\"-16\":\"b\",\"1.5\":\"c\",\"true\":\"d\",\"false\":\"e\",\"1000\":\"f\",\"1."
      "0000005e+06\":\"g\",\".inf\":\"h\",\"1e-05\":\"i\"}\n" },
    { "quoted keys", "\"yes\": 1\n'5': 2\n? x\n: 3\n", "{\"yes\":1,\"5\":2,\"x\":3}\n" },
    { "anchors", "a: &x {p: [1]}\nb: *x\nc: [*x, &x 2, *x]\n",
      "{\"a\":{\"p\":[1]},\"b\":{\"p\":[1]},\"c\":[{\"p\":[1]},2,2]}\n" },
    { "alias as key", "a: &x why\n*x : c\n", "{\"a\":\"why\",\"why\":\"c\"}\n" },
    { "anchor on a key", "&k name: 1\nb: *k\n", "{\"name\":1,\"b\":\"name\"}\n" },
    { "merge, then more", "base: &b {p: 1, q: 2}\nx:\n  <<: *b\n  q: 3\n",
      "{\"base\":{\"p\":1,\"q\":2},\"x\":{\"p\":1,\"q\":3}}\n" },
    { "merge last counts, as in Go", "q: 3\n<<: {p: 1, q: 2}\n", "{\"p\":1,\"q\":2}\n" },
    { "merge of several", "<<: [{a: 1}, {a: 2, b: 2}]\n", "{\"b\":2,\"a\":1}\n" },
    { "merge twice", "<<: {a: 1}\n<<: {a: 3, b: 2}\n", "{\"a\":3,\"b\":2}\n" },
    { "merge of anchors inside", "<<: &m {a: &n [1]}\nb: *m\nc: *n\n",
      "{\"a\":[1],\"b\":{\"a\":[1]},\"c\":[1]}\n" },
    { "quoted << is a key", "\"<<\": {a: 1}\n", "{\"<<\":{\"a\":1}}\n" },
    { "JSON, whose numbers kubectl writes anew",
      "{\"a\": 1.0, \"b\": [true, 1e3, -2.50, 99999999999999999999, 1e400]}",
      "{\"a\":1,\"b\":[true,1000,-2.5,100000000000000000000,1e400]}\n" },
    { "JSON with tabs", "\t{\n\t\"a\": [\n\t\t1]\n\t}", "{\"a\":[1]}\n" },
    { "JSON stream", "{\"a\":1}\n{\"b\":2}[3]\n", "{\"a\":1}\n{\"b\":2}\n[3]\n" },
    { "JSON stream with null", "{\"a\":1} null\n[2]", "{\"a\":1}\n[2]\n" },
    { "JSON between ---", "{\"a\":1}\n---\n{\"b\":2}\n", "{\"a\":1}\n{\"b\":2}\n" },
    { "braces, but YAML", "{a: b, c: [d]}\n", "{\"a\":\"b\",\"c\":[\"d\"]}\n" },
    { "JSON, but for a comma", "{\"a\": 1,}\n", "{\"a\":1}\n" },
};

static void reads_documents(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(documents); i++) {
        if (documents[i].json != NULL)
            want_yaml(documents[i].name, jr_str(documents[i].yaml), documents[i].json);
    }
}

static const struct {
    const char *name;
    const char *yaml;
    const char *msg;
    enum jr_status st;
} wrong[] = {
    { "duplicate", "a: 1\nb:\n  c: 1\n  d: 2\n  c: 3\n", "line 5, column 3: duplicate key \"c\"",
      JR_INVALID },
    { "duplicate by value", "1: a\n0x1: b\n", "line 2, column 1: duplicate key \"1\"", JR_INVALID },
    { "directive", "%YAML 1.1\n---\na: 1\n",
      "line 1, column 1: did not find expected <document start>: kubectl takes no directives",
      JR_SYNTAX },
    { "directive behind a comment", "# x\n%TAG ! tag:x,2000:\n---\na: 1\n",
      "line 2, column 1: did not find expected <document start>: kubectl takes no directives",
      JR_SYNTAX },
    { "separator with a tag", "a: 1\n--- !tag\nb: 2\n",
      "line 2, column 1: invalid Yaml document separator: !tag", JR_SYNTAX },
    { "separator with a value", "--- {a: 1}\n",
      "line 1, column 1: invalid Yaml document separator: {a: 1}", JR_SYNTAX },
    { "separator too long", "a: 1\n----\n", "line 2, column 1: invalid Yaml document separator: -",
      JR_SYNTAX },
    { "escaped slash", "\"\u00e9\": 1\na: \"b\\/c\"\n",
      "line 2, column 4: found unknown escape character '/'", JR_SYNTAX },
    { "escaped slash in a key", "\"b\\/c\": 1\n",
      "line 1, column 1: found unknown escape character '/'", JR_SYNTAX },
    { "duplicate around a merge", "a: 1\n<<: {a: 2}\na: 3\n",
      "line 3, column 1: duplicate key \"a\"", JR_INVALID },
    { "duplicate in JSON", "{\"a\":1,\n \"a\":2}", "line 2, column 6: duplicate key", JR_INVALID },
    { "null as a key", "~: 1\n", "line 1, column 1: this can't be a key", JR_INVALID },
    { "large key", "18446744073709551615: 1\n", "line 1, column 1: this can't be a key",
      JR_INVALID },
    { "a mapping as key", "{a: 1}: 2\n", "line 1, column 1: a key must be a scalar", JR_INVALID },
    { "a template", "a: {{ .Values.a }}\n",
      "line 1, column 5: a key must be a scalar (is it a template? {{ }} has to be rendered first)",
      JR_INVALID },
    { "UTF-16",
      "\xff\xfe"
      "a",
      "UTF-16: expected UTF-8", JR_SYNTAX },
    { "UTF-16, big end first",
      "\xfe\xff"
      "a",
      "UTF-16: expected UTF-8", JR_SYNTAX },
    { "duplicate with U+0000", "{\"a\\0\": 1, a: 2,\n\"a\\0\": 3}",
      "line 2, column 1: duplicate key \"a\"", JR_INVALID },
    { "no number", "a: .nan\n", "line 1, column 4: JSON has no number .nan", JR_INVALID },
    { "infinite", "a: -.inf\n", "line 1, column 4: JSON has no number -.inf", JR_INVALID },
    { "binary", "a: !!binary aGVsbG8\n",
      "line 1, column 4: !!binary value contains invalid base64 data", JR_INVALID },
    { "wrong tag", "a: !!int x\n", "line 1, column 4: can't read `x` as tag:yaml.org,2002:int",
      JR_INVALID },
    { "unknown anchor", "a: *x\n", "line 1, column 4: unknown anchor 'x'", JR_INVALID },
    { "anchor of another document", "a: &x 1\n---\nb: *x\n", "line 3, column 4: unknown anchor 'x'",
      JR_INVALID },
    { "anchor in itself", "a: &x [1, *x]\n", "line 1, column 11: anchor 'x' contains itself",
      JR_INVALID },
    { "merge of a scalar", "<<: 1\n",
      "line 1, column 5: \"<<\" needs a mapping or a sequence of mappings", JR_INVALID },
    { "merge of a list of scalars", "<<: [1]\n",
      "line 1, column 5: \"<<\" needs a mapping or a sequence of mappings", JR_INVALID },
    { "tab", "a:\n\t- b\n",
      "line 2, column 1: found character that cannot start any token while scanning for the next "
      "token",
      JR_SYNTAX },
    { "open quote", "a: \"x\n",
      "line 2, column 1: found unexpected end of stream while scanning a quoted scalar",
      JR_SYNTAX },
    { "bad indentation", "a:\n  b: 1\n c: 2\n",
      "line 3, column 2: did not find expected key while parsing a block mapping", JR_SYNTAX },
    { "bad UTF-8", "a: \xff\n", "line 1, column 1: invalid leading UTF-8 octet at offset 3",
      JR_SYNTAX },
    { "control character", "a: \x01\n",
      "line 1, column 1: control characters are not allowed at offset 3", JR_SYNTAX },
    { "JSON cut off", "{\"a\": [1, 2}", "line 1, column 12: expected ',' or ']'", JR_SYNTAX },
};

static void refuses(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(wrong); i++) {
        SINK s = { 0 };
        struct jr_error err = { 0 };

        sink_init(&s);
        WANT_STATUS(wrong[i].name, jr_yaml_read(jr_str(wrong[i].yaml), NULL, take, &s, &err),
                    wrong[i].st);
        WANT_STR(wrong[i].name, err.msg, wrong[i].msg);
        WANT_STATUS(wrong[i].name, jr_yaml_read(jr_str(wrong[i].yaml), NULL, take, &s, NULL),
                    wrong[i].st);
    }
}

static void stops_when_told(void **state)
{
    static const char *const streams[] = { "a: 1\n---\nb: 2\n", "{\"a\":1}{\"b\":2}" };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(streams); i++) {
        SINK s = { 0 };
        struct jr_error err = { 0 };

        sink_init(&s);
        s.st = JR_CANCELLED;
        WANT_STATUS("stop", jr_yaml_read(jr_str(streams[i]), NULL, take, &s, &err), JR_CANCELLED);
        WANT_STR("stop", err.msg, "enough");
        WANT_STR("stop", s.out.p, "{\"a\":1}\n");
    }
}

/* Nine lines that stand for a billion values, and other ways to ask for too much. */
static void limits(void **state)
{
    static const struct jr_yaml_limits small = { .max_bytes = 200,
                                                 .max_nodes = 20,
                                                 .max_depth = 5 };
    static const struct {
        const char *name;
        const char *yaml;
        enum jr_status st;
    } rows[] = {
        { "few", "[1,2,3]", JR_OK },
        { "as many as may be", "- [1,2,3,4,5,6,7,8]\n- [1,2,3,4,5,6,7,8]\n- 9", JR_OK },
        { "one more", "- [1,2,3,4,5,6,7,8]\n- [1,2,3,4,5,6,7,8]\n- 9\n- 10", JR_LIMIT },
        { "JSON: one more", "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]", JR_LIMIT },
        { "by aliases", "- &a [1,2,3,4]\n- *a\n- *a\n- *a\n", JR_LIMIT },
        { "by merges", "a: &a {p: 1, q: 2, r: 3, s: 4}\nb: {<<: *a}\nc: {<<: *a}\nd: {<<: *a}\n",
          JR_LIMIT },
        { "as deep as may be", "[[[[[1]]]]]", JR_OK },
        { "deeper", "[[[[[[1]]]]]]", JR_LIMIT },
        { "deeper, not JSON", "[[[[[[a]]]]]]", JR_LIMIT },
        { "deeper by an alias", "- &a [[[1]]]\n- [*a]\n- [[*a]]\n", JR_LIMIT },
        { "each document anew",
          "[1,2,3,4,5,6,7,8]\n---\n[1,2,3,4,5,6,7,8]\n---\n[1,2,3,4,5,6,7,8]\n", JR_OK },
        { "aliases of all documents: as many as may be",
          "[&a [1,2,3,4],*a]\n---\n[&a [1,2,3,4],*a]\n---\n[&a [1,2,3,4],*a,*a]\n", JR_OK },
        { "aliases of all documents: one more",
          "[&a [1,2,3,4],*a]\n---\n[&a [1,2,3,4],*a]\n---\n[&a [1,2,3],*a,*a]\n---\n[&a "
          "1,*a,*a,*a]",
          JR_LIMIT },
        { "merges of all documents",
          "{a: &a {p: 1, q: 2, r: 3}, b: {<<: *a}}\n---\n{a: &a {p: 1, q: 2, r: 3}, b: {<<: *a}}\n"
          "---\n{a: &a {p: 1, q: 2, r: 3}, b: {<<: *a}}\n",
          JR_LIMIT },
        { "a long key by aliases",
          "- &k "
          "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n"
          "- {*k : 1}\n- {*k : 1}\n- {*k : 1}\n- {*k : 1}\n- {*k : 1}\n",
          JR_LIMIT },
    };
    JR_BUF bomb = { 0 };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        SINK s = { 0 };

        sink_init(&s);
        WANT_STATUS(rows[i].name, jr_yaml_read(jr_str(rows[i].yaml), &small, take, &s, NULL),
                    rows[i].st);
    }
    jr_buf_init(&bomb, MAX_TEXT);
    jr_buf_adds(&bomb, "a: &a [x,x,x,x,x,x,x,x,x,x]\n");
    for (int c = 'b'; c <= 'j'; c++) {
        jr_buf_addf(&bomb, "%c: &%c [", c, c);
        for (int i = 0; i < 10; i++)
            jr_buf_addf(&bomb, "%s*%c", i == 0 ? "" : ",", c - 1);
        jr_buf_adds(&bomb, "]\n");
    }
    for (int wide = 0; wide < 2; wide++) {
        SINK s = { 0 };

        sink_init(&s);
        assert_int_equal(jr_yaml_read(jr_buf_str(&bomb), NULL, take, &s, NULL), JR_LIMIT);
        /* Few values, but long ones. */
        jr_buf_reset(&bomb);
        jr_buf_adds(&bomb, "a: &a ");
        for (int i = 0; i < 1000000; i++)
            jr_buf_addc(&bomb, 'x');
        jr_buf_adds(&bomb, "\nb:\n");
        for (int i = 0; i < 100; i++)
            jr_buf_adds(&bomb, "- *a\n");
    }
    jr_buf_reset(&bomb);
    for (int i = 0; i < 2000; i++)
        jr_buf_addf(&bomb, "- &a%d x\n", i);
    for (int wide = 0; wide < 2; wide++) {
        SINK s = { 0 };

        sink_init(&s);
        assert_int_equal(jr_yaml_read(jr_buf_str(&bomb), NULL, take, &s, NULL), JR_LIMIT);
        jr_buf_reset(&bomb);
        for (int i = 0; i < 100000; i++)
            jr_buf_addc(&bomb, '[');
    }
    jr_buf_reset(&bomb);
    for (int i = 0; i < (7 << 20) + 1; i++)
        jr_buf_addc(&bomb, ' ');
    assert_int_equal(jr_yaml_read(jr_buf_str(&bomb), NULL, take, NULL, NULL), JR_LIMIT);
}

/* Would take minutes if anything were quadratic. */
static void many_members(void **state)
{
    JR_BUF text = { 0 };
    SINK s = { 0 };

    (void)state;
    sink_init(&s);
    jr_buf_init(&text, MAX_TEXT);
    for (int i = 0; i < 50000; i++)
        jr_buf_addf(&text, "key%d: {}\n", i);
    assert_int_equal(jr_yaml_read(jr_buf_str(&text), NULL, take, &s, NULL), JR_OK);
    jr_buf_adds(&text, "key77: {}\n");
    assert_int_equal(jr_yaml_read(jr_buf_str(&text), NULL, take, &s, NULL), JR_INVALID);
}

static const struct {
    const char *json;
    const char *yaml;
} printed[] = {
    { "{}", "{}\n" },
    { "[]", "[]\n" },
    { "null", "null\n" },
    { "\"x\"", "x\n" },
    { "-1.50", "-1.50\n" },
    { "{\"a\":1,\"b\":{\"c\":[]},\"d\":{}}", "a: 1\nb:\n  c: []\nd: {}\n" },
    { "{\"l\":[1,{\"a\":1,\"b\":[2]},[3,[4]],{}]}",
      "l:\n- 1\n- a: 1\n  b:\n  - 2\n- - 3\n  - - 4\n- {}\n" },
    { "{\"s\":[\"perl:5.34.0\",\"-Mbignum=bpi\",\"print bpi(2000)\",\"a "
      "b\",\"x:y\",\"a#b\",\"--flag=1\",\"http://x/\",\"100m\",\"1Gi\",\"10.0.0.1\"]}",
      "s:\n- perl:5.34.0\n- -Mbignum=bpi\n- print bpi(2000)\n- a b\n- x:y\n- a#b\n- --flag=1\n- "
      "http://x/\n- 100m\n- 1Gi\n- 10.0.0.1\n" },
    { "[\"\",\" x\",\"x \",\"- x\",\"-\",\"?\",\": x\",\"x:\",\"x: y\",\"x "
      "#y\",\"#\",\"{a\",\"*a\",\"&a\",\"!a\",\"%a\",\"@a\",\"`a\",\"'a\",\"|\",\"---\",\"...\",\"="
      "\",\"<<\"]",
      "- \"\"\n- \" x\"\n- \"x \"\n- \"- x\"\n- \"-\"\n- \"?\"\n- \": x\"\n- \"x:\"\n- \"x: y\"\n- "
      "\"x #y\"\n- \"#\"\n- \"{a\"\n- \"*a\"\n- \"&a\"\n- \"!a\"\n- \"%a\"\n- \"@a\"\n- \"`a\"\n- "
      "\"'a\"\n- \"|\"\n- \"---\"\n- \"...\"\n- \"=\"\n- \"<<\"\n" },
    { "[\"yes\",\"n\",\"null\",\"~\",\"5\",\"0x1F\",\"1e3\",\"1_000\",\".inf\",\"12:30\",\"2001-01-"
      "01\",\"0b1\",\"-.5\"]",
      "- \"yes\"\n- \"n\"\n- \"null\"\n- \"~\"\n- \"5\"\n- \"0x1F\"\n- \"1e3\"\n- \"1_000\"\n- "
      "\".inf\"\n- \"12:30\"\n- \"2001-01-01\"\n- \"0b1\"\n- \"-.5\"\n" },
    { "{\"true\":1,\"\":2,\"a b\":3,\"a: b\":4,\"app.kubernetes.io/name\":5,\"5\":6}",
      "\"true\": 1\n\"\": 2\na b: 3\n\"a: b\": 4\napp.kubernetes.io/name: 5\n\"5\": 6\n" },
    { "{\"c\":[\"one\\n  two\\n\\nthree\\n\",\"x\\ny\",\"z\\n\\n\"],\"d\":\"\\nfirst\",\"e\":\" "
      "a\\nb\",\"f\":\"a\\n\\tb\"}",
      "c:\n- |\n  one\n    two\n\n  three\n- |-\n  x\n  y\n- |+\n  z\n\nd: \"\\nfirst\"\ne: \" "
      "a\\nb\"\nf: \"a\\n\\tb\"\n" },
    { "[\"\u00e9\U0001f600\",\"\\u007f\\u0000\\t\\\"\\\\\",\"\u2028\ufeff\"]",
      "- \u00e9\U0001f600\n- \"\\u007F\\u0000\\t\\\"\\\\\"\n- \"\\u2028\\uFEFF\"\n" },
};

static void prints(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(printed); i++) {
        DOC *doc = must_parse(printed[i].json, jr_str(printed[i].json));
        JR_BUF out = { 0 };

        jr_buf_init(&out, 100000);
        assert_int_equal(jr_yaml_print(jr_doc_root(doc), &out), JR_OK);
        WANT_STR(printed[i].json, out.p, printed[i].yaml);
    }
}

static void prints_long_keys(void **state)
{
    DOC *doc = NULL;
    JR_BUF key = { 0 };
    JR_BUF out = { 0 };
    JR_BUF want = { 0 };

    (void)state;
    jr_buf_init(&key, 10000);
    jr_buf_init(&out, 10000);
    jr_buf_init(&want, 10000);
    for (int i = 0; i < 3000; i++)
        jr_buf_addc(&key, 'k');
    assert_int_equal(jr_doc_new(&doc), JR_OK);
    assert_int_equal(jr_set_strn(jr_doc_root(doc), jr_buf_str(&key), JR_S("v")), JR_OK);
    assert_int_equal(jr_yaml_print(jr_doc_root(doc), &out), JR_OK);
    jr_buf_addf(&want, "{\"%s\":\"v\"}\n", key.p);
    want_yaml("long key", jr_buf_str(&out), want.p);
    out.max = out.n + 5;
    assert_int_equal(jr_yaml_print(jr_doc_root(doc), &out), JR_LIMIT);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_scalars), cmocka_unit_test(reads_documents),
        cmocka_unit_test(refuses),       cmocka_unit_test(stops_when_told),
        cmocka_unit_test(limits),        cmocka_unit_test(many_members),
        cmocka_unit_test(prints),        cmocka_unit_test(prints_long_keys),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
