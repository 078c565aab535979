#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks jobreeve about each dump of the corpus, and compares what it says with the expected answer.

answers.py [--variants] [-v] PROGRAM [FOLDER/NAME...]   all of corpus/ and generated/, or some

Nothing may be wrong: verdict, whose move, time (within 2 s), what is said and not said, and the commands. --variants asks about each dump again: without the objects that a plain user may not read, without
events, in the words of 1.36 or 1.33, whichever the dump doesn't have, shuffled, and among 2,000 events and 50 other Jobs; the verdict has to be the same, or "unknown" that names what wasn't seen.
Lines are cut where they are matched, as people read them: an expression doesn't reach into the next one."""
import datetime
import json
import os
import random
import re
import subprocess
import sys
import tempfile

CASES = {'corpus': 60, 'generated': 135}
VARIANTS = 849  # of all of them
ANY_COMMAND = 12  # dumps for which any command will do, or none
HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, '../../docs/why.schema.json'), encoding='utf-8') as schema_file:
    SCHEMA = json.load(schema_file)
with open(os.path.join(HERE, '../../docs/cli.md'), encoding='utf-8') as page:
    REASONS = set(re.findall(r'`([a-z-]+)`', page.read().split('### Reasons')[1].split('###')[0]))
ADMIN = {'Node', 'ResourceQuota', 'LimitRange', 'ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration', 'Workload', 'LocalQueue',
         'ClusterQueue', 'Namespace', 'StorageClass', 'PodGroup', 'DeviceClass'}


def parse(t):
    return datetime.datetime.fromisoformat(t.replace('Z', '+00:00'))


def ask(program, path, expected, *more):
    run = subprocess.run([program, 'why', '-f', path, '--now', expected['now'], *more, *expected['ask'].split()], capture_output=True,
                         text=True, check=False)
    if run.returncode != 0 or run.stderr:
        raise RuntimeError(f'exit code {run.returncode}: {run.stderr.strip()}')
    return run.stdout


def matches(expressions, text):
    return [e for e in expressions if re.search(e, text, re.IGNORECASE)]


TYPES = {'object': dict, 'array': list, 'string': str, 'integer': int, 'null': type(None)}


def violations(schema, value, at='answer'):
    """What of docs/why.schema.json does not hold, by the keywords that it uses."""
    types = schema.get('type', [])
    if types and not isinstance(value, tuple(TYPES[t] for t in ([types] if isinstance(types, str) else types))):
        return [f'{at}: {value!r} is no {types}']
    bad = [f'{at}: {value!r}' for ok in (value == schema.get('const', value), value in schema.get('enum', [value])) if not ok]
    if isinstance(value, str) and not re.search(schema.get('pattern', ''), value):
        bad.append(f'{at}: {value!r} does not match {schema["pattern"]}')
    if isinstance(value, int) and value < schema.get('minimum', value):
        bad.append(f'{at}: {value} is too small')
    if isinstance(value, list):
        bad += [f'{at}: too few'] if len(value) < schema.get('minItems', 0) else []
        for i, v in enumerate(value):
            bad += violations(schema.get('items', {}), v, f'{at}[{i}]')
    if isinstance(value, dict):
        bad += [f'{at}: no {k}' for k in schema.get('required', []) if k not in value]
        bad += [f'{at}: {k} is in no schema' for k in value if k not in schema.get('properties', {})]
        for k in set(value) & set(schema.get('properties', {})):
            bad += violations(schema['properties'][k], value[k], f'{at}.{k}')
    return bad


def compare(program, path, expected):
    """Returns what is wrong: schema, verdict, who, when, cause, false, next."""
    answer = json.loads(ask(program, path, expected, '-o', 'json'))
    text = ask(program, path, expected)
    commands = [n['command'] for n in answer['next']]
    faults = [('schema', v) for v in violations(SCHEMA, answer)]
    faults += [('schema', f'{c["id"]} is no reason of docs/cli.md') for c in answer['causes'] if c['id'] not in REASONS]
    if answer['verdict'] not in [expected['verdict'], *expected['verdict_ok']]:
        faults.append(('verdict', f'{answer["verdict"]}, expected {expected["verdict"]}'))
    if answer['who'] not in [expected['who'], *expected.get('who_ok', [])] and answer['verdict'] == expected['verdict']:
        faults.append(('who', f'{answer["who"]}, expected {expected["who"]}'))
    if expected['when'] and (not answer['when'] or abs((parse(answer['when']) - parse(expected['when'])).total_seconds()) > 2):
        faults.append(('when', f'{answer["when"]}, expected {expected["when"]}'))
    missing = [e for e in expected['must_mention'] if not matches([e], text)]
    if missing:
        faults.append(('cause', f'not mentioned: {missing}'))
    said = matches(expected['must_not_say'], text)
    if said:
        faults.append(('false', f'said: {said}'))
    if len(text.splitlines()) > 15:
        faults.append(('cause', f'{len(text.splitlines())} lines'))
    if expected['next_accept'] and not any(matches(expected['next_accept'], c) for c in commands):
        faults.append(('next', f'none accepted of {commands}'))
    rejected = [c for c in commands if matches(expected['next_reject'], c)]
    if rejected:
        faults.append(('next', f'rejected: {rejected}'))
    return faults, text, answer


def asked(item, expected):
    name = expected['ask'].split()[0].split('/')[1]
    return item['kind'] in ('Job', 'CronJob') and item['metadata']['name'] == name


def stranger(i, kind, namespace, now):
    """Another Job, or an event about one."""
    meta = {'name': f'other-{i}', 'namespace': namespace, 'uid': f'00000000-0000-0000-0000-{i:012d}', 'creationTimestamp': now}
    if kind == 'Job':
        return {'apiVersion': 'batch/v1', 'kind': 'Job', 'metadata': meta,
                'spec': {'parallelism': 1, 'completions': 1, 'template': {'spec': {'containers': [{'name': 'main', 'image': 'x'}]}}},
                'status': {'active': 1, 'startTime': now}}
    reason, message = random.choice([('FailedScheduling', '0/3 nodes are available: 3 Insufficient cpu.'),
                                     ('FailedCreate', 'Error creating: pods "x" is forbidden: exceeded quota: q, requested: pods=1, '
                                      'used: pods=1, limited: pods=1'), ('BackOff', 'Back-off pulling image "y"')])
    about = random.choice(['Job', 'Pod'])
    return {'apiVersion': 'v1', 'kind': 'Event', 'metadata': meta, 'reason': reason, 'message': message, 'type': 'Warning', 'count': 3,
            'firstTimestamp': now, 'lastTimestamp': now,
            'involvedObject': {'kind': about, 'namespace': namespace, 'name': f'other-{i % 50}'}}


# Words that differ between 1.33 and 1.36 (words.csv), but for taints.
IN_1_33 = {' and can be accessed by the pod': '',
           'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod':
           'node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode'}
TAINT = r'(\d+) node\(s\) had untolerated taint'


def words_of_1_33(text, item, dump):
    taints = [t for n in dump['items'] if n['kind'] == 'Node' for t in n['spec'].get('taints') or [] if t['effect'] != 'PreferNoSchedule']
    for now, before in IN_1_33.items():
        text = text.replace(now, before)
    if text in ('Container created', 'Container started'):
        container = item.get('involvedObject', item.get('regarding', {})).get('fieldPath', 'spec.containers{main}').split('{')[1][:-1]
        text = {'Container created': f'Created container: {container}', 'Container started': f'Started container {container}'}[text]
    if taints:
        text = text.replace('had untolerated taint(s)', f'had untolerated taint {{{taints[0]["key"]}: {taints[0].get("value", "")}}}')
    return text


def words_of_1_36(text, item, dump):
    for now, before in IN_1_33.items():
        if before:
            text = text.replace(before, now)
    text = re.sub(r'^(Created|Started) container:? \S+$', lambda m: f'Container {m.group(1).lower()}', text)
    text = re.sub(r'^(Container image "[^"]+" already present on machine)$', r'\1 and can be accessed by the pod', text)
    tainted = re.findall(TAINT + r' \{[^}]*\}', text)
    if tainted:
        first, *more = re.split(TAINT + r' \{[^}]*\}(?:, )?', text)
        text = f'{first}{sum(map(int, tainted))} node(s) had untolerated taint(s), {"".join(more[1::2])}'.replace(', .', '.')
        text = re.sub(r', $', '', text)
    return text


def in_other_words(dump, expected):
    """The items with what components say as the other of 1.33 and 1.36 has it."""
    translate = words_of_1_36 if expected['kubernetes'] == '1.33' else words_of_1_33

    def walk(value, item):
        if isinstance(value, dict):
            return {k: translate(v, item, dump) if k in ('message', 'note') and isinstance(v, str) else walk(v, item) for k, v in value.items()}
        return [walk(v, item) for v in value] if isinstance(value, list) else value

    return [walk(i, i) for i in dump['items']]


def variants(dump, expected):
    items = dump['items']
    namespace = expected['ask'].split()[-1]
    yield 'without what admins read', [i for i in items if i['kind'] not in ADMIN or asked(i, expected)], True
    yield 'without events', [i for i in items if i['kind'] != 'Event'], True
    translated = in_other_words(dump, expected)
    if translated != items:
        yield 'in the words of another version', translated, True
    yield 'shuffled', random.sample(items, len(items)), False
    others = [stranger(i, 'Job', namespace, expected['now']) for i in range(50)]
    others += [stranger(i, 'Event', namespace, expected['now']) for i in range(2000)]
    yield 'among others', random.sample(items + others, len(items) + len(others)), False


def compare_variants(program, expected, dump, answer):
    faults, n = [], 0
    for name, items, blind in variants(dump, expected):
        n += 1
        with tempfile.NamedTemporaryFile('w', suffix='.json') as f:
            json.dump({'apiVersion': 'v1', 'kind': 'List', 'items': items}, f)
            f.flush()
            other = json.loads(ask(program, f.name, expected, '-o', 'json'))
        if other['verdict'] in [answer['verdict'], expected['verdict'], *expected['verdict_ok']]:
            if blind or other['causes'][0]['id'] == answer['causes'][0]['id']:
                continue
            faults.append((name, f'first {other["causes"][0]["id"]}, was {answer["causes"][0]["id"]}'))
        elif not (blind and other['verdict'] == 'unknown' and other['unseen']):
            faults.append((name, f'{other["verdict"]} ({other["causes"][0]["id"]}), was {answer["verdict"]}'))
    return faults, n


def check_compare(program, path, expected):
    """Each kind of fault is noticed: an answer that is right is held against a wrong expectation."""
    answer = json.loads(ask(program, path, expected, '-o', 'json'))
    wrong = dict(expected, verdict='none', verdict_ok=[], who_ok=[], when='2001-01-01T00:00:00Z', must_mention=['no such words'], must_not_say=['.'],
                 next_accept=['no such words'], next_reject=['.'])
    noticed = {kind for kind, _ in compare(program, path, wrong)[0]}
    noticed |= {kind for kind, _ in compare(program, path, dict(expected, verdict=answer['verdict'], who='no such actor'))[0]}
    for broken in (dict(answer, verdict='none'), dict(answer, version=2), dict(answer, more=1), dict(answer, causes=[]), dict(answer, who=1)):
        if not violations(SCHEMA, broken):
            sys.exit('the schema takes a wrong answer')
    if len(REASONS) < 100 or 'no-such-reason' in REASONS:
        sys.exit(f'docs/cli.md lists {len(REASONS)} reasons')
    if noticed != {'verdict', 'who', 'when', 'cause', 'false', 'next'}:
        sys.exit(f'the comparison only notices {sorted(noticed)}')


def main():
    args = [a for a in sys.argv[1:] if not a.startswith('-')]
    verbose, with_variants = '-v' in sys.argv, '--variants' in sys.argv
    program = args[0]
    names = args[1:]
    for folder, cases in {} if names else CASES.items():
        found = sorted(f'{folder}/{f[:-9]}' for f in os.listdir(os.path.join(HERE, folder)) if f.endswith('.expected'))
        if len(found) != cases:
            sys.exit(f'{len(found)} dumps in {folder}, expected {cases}')
        names += found
    random.seed(1)
    wrong = {'schema': 0, 'verdict': 0, 'who': 0, 'when': 0, 'cause': 0, 'false': 0, 'next': 0}
    n_variants = bad_variants = any_command = 0
    for name in names:
        path = os.path.join(HERE, name + '.json')
        with open(path[:-5] + '.expected', encoding='utf-8') as f:
            expected = json.load(f)
        if name == names[0]:
            check_compare(program, path, expected)
        faults, text, answer = compare(program, path, expected)
        any_command += not expected['next_accept']
        for kind in {k for k, _ in faults}:
            wrong[kind] += 1
        for kind, why in faults:
            print(f'{name}: {kind}: {why}')
        if verbose or (faults and len(names) < 60):
            print(text)
            print(json.dumps(answer['next'], indent=1))
        if with_variants:
            with open(path, encoding='utf-8') as f:
                bad, n = compare_variants(program, expected, json.load(f), answer)
            n_variants += n
            bad_variants += len(bad)
            for variant, why in bad:
                print(f'{name} {variant}: {why}')
    n = len(names)
    if n == sum(CASES.values()) and any_command != ANY_COMMAND:
        sys.exit(f'{any_command} dumps ask for no command, expected {ANY_COMMAND}')
    if with_variants and len(names) == sum(CASES.values()) and n_variants != VARIANTS:
        sys.exit(f'{n_variants} variants, expected {VARIANTS}')
    print(f'{n} dumps; wrong: ' + ', '.join(f'{k} {v}' for k, v in wrong.items()) +
          (f'; {bad_variants} of {n_variants} variants differ' if with_variants else ''))
    sys.exit(1 if any(wrong.values()) or bad_variants else 0)


main()
