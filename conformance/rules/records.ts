import { STATUSES } from '../habits/status-words.js';
import { FIELDS, secretKeys } from '../helpers/record.js';
import { canonical, idAsShown } from '../model/exchange.js';
import {
  type Act,
  FIXED,
  GONE,
  type InternFacts,
  isStuck,
  MAKES,
  type RecordFields,
  SETTINGS,
  SHOWS,
  SHOWS_NOTHING,
} from '../model/intern.js';
import type { Model } from '../model/model.js';
import { isRecord } from '../probe/json.js';
import { lacking } from './lists.js';
import {
  all,
  each,
  holds,
  is,
  isBodyKnown,
  isDone,
  type Judgement,
  once,
  type Rule,
  recordsOf,
  rulesOf,
  type Seen,
  SHOW,
  shows,
} from './rule.js';

/** Records of interns that this traffic made: those of others may be older than the form. */
const ownRecords = once((seen, model): readonly RecordFields[] =>
  recordsOf(seen, model).filter(
    ({ id }) => seen.operation.name === 'create' || model.interns.get(String(id))?.made !== undefined,
  ),
);
const ofOwn = (judge: (record: RecordFields, seen: Seen, model: Model) => Judgement) => ({
  of: SHOW,
  judge: (seen: Seen, model: Model): Judgement => each(ownRecords(seen, model), (record) => judge(record, seen, model)),
});

/** Whether an answer repeats that of an earlier create: it is as old as that. */
const isReplay = (seen: Seen, record: RecordFields, model: Model): boolean =>
  seen.operation.name === 'create' && typeof record.id === 'string' && model.interns.get(record.id) !== undefined;

/** A text as it is expected: a service may trim the texts of a field, all of them. */
const textOf = (key: string, written: unknown, shown: unknown, model: Model): unknown => {
  const text = written === '' ? null : written;
  const trimmed = typeof text === 'string' ? text.trim() || null : text;
  return trimmed === shown && !model.keepsBlanks(key) ? shown : text;
};

/** A value as JSON: an empty text is as good as none. */
const plain = (value: unknown): string => JSON.stringify(value === '' || value === undefined ? null : value);

const where = (seen: Seen): string => `the record of ${seen.called}`;
/** ms within which nothing else is likely to change the status of an intern, and after which a read shows what was done. */
const SOON = 10_000;
const LATE_READ = 10_000;
/** ms in which no intern that was woken is put to rest for being idle. */
const AWAKE = 4_000;
/** ms after which a boot shows, and the reads that show none by then. */
const START = 15_000;
const READS = 5;
const TEXTS = ['description', 'instructions', 'model', 'last_failure_message'] as const;

/** The records of a read, with those of interns that their maker does not find, and that a list lacks which is not late. */
function readRecords(seen: Seen, model: Model): readonly RecordFields[] {
  const { answered, asked, id, operation } = seen;
  if (operation.name === 'list') {
    const found = model.lateOf('list') === 0 ? lacking(recordsOf(seen, model), seen, model) : undefined;
    const isOwn = ({ made }: InternFacts) => model.isBy(asked, made?.person) === true;
    const missing = found?.missing.filter((one) => one.lost === undefined && isOwn(one)) ?? [];
    return [...ownRecords(seen, model), ...missing.map((one) => ({ id: one.id, status: GONE }))];
  }
  if (operation.name !== 'get') return [];
  const maker = id === undefined ? undefined : model.interns.get(id)?.made?.person;
  const isGone = answered.status === 404 && model.isBy(asked, maker) === true;
  return isGone && !asked.regional ? [{ id, status: GONE }] : ownRecords(seen, model);
}

/**
 * Where an intern has come to in a short time, though nobody asked it for that: a lifecycle call by that name leads there.
 * Undefined: it has not, or something else may have led there.
 */
function cameTo({ id, status }: RecordFields, name: Act['name'], { asked, operation }: Seen, model: Model) {
  const facts = model.interns.get(String(id));
  const { awaited, lost, made, shown, moving = 0, moved, phase } = facts ?? {};
  // A call that was accepted for this intern may show late.
  if (shown === undefined || awaited !== undefined) return undefined;
  // A read of a new intern may be late.
  if (status === GONE && asked.at < (made?.at ?? 0) + model.lateOf('get')) return undefined;
  // It was not there any more by then.
  const until = name === 'delete' && lost !== undefined && lost.at > shown.at ? lost.at : asked.at;
  if (until - shown.at > SOON || moving > 0) return undefined;
  // Another call may have done it, and reads may be late, unless none was. A prompt may wake an intern after a while.
  const late = shown.sure && operation.name === 'get' && name !== 'provision' ? 0 : LATE_READ;
  if (moved !== undefined && moved > shown.at - late) return undefined;
  // An intern that never booted may do so by itself, or come to rest.
  if (name !== 'delete' && !model.restsUntilAsked && phase?.since(shown.at)?.has('new') !== false) return undefined;
  return { shown, until, does: MAKES[name].includes(String(status)) && !MAKES[name].includes(shown.status) };
}

/** Resources and their fields: the record of an intern, wherever it is shown. */
export const RECORDS: readonly Rule[] = [
  ...rulesOf('GET-1', {
    'path-names-it': {
      says: 'A record that is read or updated is that of the intern in the path.',
      alone: true,
      of: ['get', 'update'],
      judge: (seen) =>
        isDone(seen) && seen.id !== undefined && seen.json !== undefined
          ? is(`id of ${where(seen)}`, idAsShown(seen.id, seen.json.id), seen.json.id)
          : undefined,
    },
    types: {
      says: 'Name and status are strings; description, instructions, model and last_failure_message are strings or null.',
      alone: true,
      ...ofOwn((record, seen) =>
        all(
          holds(typeof record.name === 'string' && record.name !== '', `name of ${where(seen)}`, 'a name', record.name),
          holds(
            typeof record.status === 'string' && record.status !== '',
            `status of ${where(seen)}`,
            'a status',
            record.status,
          ),
          each(TEXTS, (key) =>
            holds(
              record[key] === undefined || record[key] === null || typeof record[key] === 'string',
              `${key} of ${where(seen)}`,
              'a text or null',
              record[key],
            ),
          ),
        ),
      ),
    },
    'published-form': {
      level: 'P',
      says: 'A record has the published fields, in their formats.',
      alone: true,
      ...ofOwn((record, seen, { options: { ownStatuses = () => [] } }) =>
        all(
          holds(ownStatuses().length === 0, `status of ${where(seen)}`, 'a published status', ownStatuses().join(', ')),
          each(Object.entries(FIELDS), ([field, right]) =>
            holds(right(record[field]), `${field} of ${where(seen)}`, 'the form of the published API', record[field]),
          ),
          record.status === 'running'
            ? holds(record.hostname !== null, `hostname of ${where(seen)} that runs`, 'a hostname', null)
            : undefined,
          holds(
            Date.parse(String(record.updated_at)) >= Date.parse(String(record.created_at)),
            `updated_at of ${where(seen)}`,
            'no earlier than created_at',
            record.updated_at,
          ),
        ),
      ),
    },
    'no-credential': {
      says: 'No answer of the lifecycle shows a credential or the content of a vault.',
      alone: true,
      of: [...SHOW, 'delete', 'provision', 'suspend'],
      judge: (seen) =>
        isDone(seen) && seen.json !== undefined
          ? is(`secret fields of ${seen.called}`, [], secretKeys(seen.json))
          : undefined,
    },
    'no-known-credential': {
      says: 'No answer shows a credential that the caller was given.',
      alone: true,
      judge: (seen, model) => shows(seen, model, 'credential', 'a credential'),
    },
    settings: {
      says: 'A record shows the settings that its intern was given.',
      settles: 'between writes',
      ...ofOwn((record, seen, model) => {
        const facts = model.interns.get(String(record.id));
        const retried = isReplay(seen, record, model);
        // `as-asked` judges the values that it was created with.
        if (seen.operation.name === 'create' && (!retried || facts?.made === undefined)) return undefined;
        return each(SETTINGS, (key) => {
          const now = facts?.settings[key].since(seen.asked.at);
          // A retried create may answer what it answered first.
          const values = retried && now !== undefined ? new Set([...now, plain(facts?.made?.body[key])]) : now;
          const body = seen.operation.name === 'update' ? seen.body : undefined;
          if (values === undefined || !isBodyKnown(seen) || !(key in record) || (body !== undefined && key in body))
            return undefined;
          // A service may show the model that it will choose.
          if (key === 'model' && (values.has('null') || values.size === 0)) return undefined;
          const shown = plain(record[key]);
          const isShown = (value: string) => plain(textOf(key, JSON.parse(value), record[key], model)) === shown;
          return values.has(shown) || [...values].some(isShown)
            ? 'kept'
            : {
                what: `${key} of ${where(seen)}`,
                expected:
                  values.size === 1 ? JSON.parse([...values][0] ?? 'null') : 'one of the values that were written',
                actual: record[key],
                because: facts?.settings[key].because ?? [],
              };
        });
      }),
    },
    fixed: {
      requirement: 'CREATE-1',
      says: 'Workspace, vault and time of creation of an intern stay as they were first shown.',
      ...ofOwn((record, seen, model) => {
        const facts = model.interns.get(String(record.id));
        return each(FIXED, (key) => {
          const first = facts?.fixed.get(key);
          return first === undefined || !(key in record)
            ? undefined
            : is(`${key} of ${where(seen)}`, first.value, record[key], [first.number]);
        });
      }),
    },
    'failure-message': {
      requirement: 'DELETE-3',
      says: 'A last_failure_message that names workspace_archive_failed is that of a teardown.',
      alone: true,
      ...ofOwn(({ last_failure_message: why, status }, seen) =>
        typeof why === 'string' &&
        why.includes('workspace_archive_failed') &&
        STATUSES.some((known) => known === status)
          ? holds(
              status === 'destroy_failed' || status === 'destroying',
              `status of ${where(seen)} whose archive failed`,
              'destroy_failed',
              status,
            )
          : undefined,
      ),
    },
  }),
  ...rulesOf('DELETE-3', {
    acknowledged: {
      says: 'A delete that acknowledges the loss of the workspace deletes the intern: its archive cannot fail any more.',
      ...ofOwn((record, seen, model) => {
        const { acknowledged, moving = 0, shown } = model.interns.get(String(record.id)) ?? {};
        if (acknowledged === undefined || moving > 0 || seen.operation.name === 'create') return undefined;
        // A read may be late, but not by so much that an earlier read has shown the teardown.
        const isNew = shown?.status === 'destroying' && shown.at > acknowledged.at;
        return seen.asked.at > acknowledged.at && isStuck(record) && (isNew || seen.asked.at > acknowledged.at + START)
          ? {
              what: `status of ${where(seen)}`,
              expected: 'that of one that goes',
              actual: record.status,
              because: [acknowledged.number],
            }
          : 'kept';
      }),
    },
  }),
  ...rulesOf('CREATE-2', {
    'vault-of-its-own': {
      says: 'The private vault of an intern is that of no other intern.',
      ...ofOwn(({ id, vault_id }, seen, model) => {
        const owner = typeof vault_id === 'string' ? model.vaults.get(vault_id) : undefined;
        return owner === undefined
          ? undefined
          : holds(owner.value === id, `vault_id of ${where(seen)}`, 'a vault that no other intern has', vault_id, [
              owner.number,
            ]);
      }),
    },
    'has-a-vault': {
      level: 'P',
      says: 'Creating an intern also creates its private vault.',
      alone: true,
      of: ['create'],
      judge: (seen) =>
        isDone(seen) && seen.json !== undefined
          ? holds(
              typeof seen.json.vault_id === 'string' && seen.json.vault_id !== '',
              `vault_id of ${where(seen)}`,
              'a vault',
              seen.json.vault_id,
            )
          : undefined,
    },
  }),
  ...rulesOf('CREATE-1', {
    'as-asked': {
      says: 'A created intern has the name, description and instructions of its create, in the workspace that it names.',
      of: ['create'],
      judge: (seen, model) => {
        const { body, json } = seen;
        if (!isDone(seen) || json === undefined || body === undefined) return undefined;
        if (isReplay(seen, json, model)) return undefined;
        return each(['name', 'description', 'instructions', 'workspace_id'], (key) =>
          key in body && (key in json || key === 'name')
            ? is(
                `${key} of ${where(seen)}`,
                key === 'workspace_id' ? idAsShown(body[key], json[key]) : textOf(key, body[key], json[key], model),
                json[key] === '' ? null : json[key],
                [seen.asked.number],
              )
            : undefined,
        );
      },
    },
    'refused-makes-none': {
      says: 'A create that is refused makes no intern.',
      of: SHOW,
      judge: (seen, model) =>
        each(recordsOf(seen, model), ({ name, status }) => {
          // An intern that is being taken away does not count.
          if (seen.operation.reads !== true || MAKES.delete.includes(String(status))) return undefined;
          const refused = model.refusedName(name);
          if (refused === undefined) return model.hasRefused && seen.operation.name === 'list' ? 'kept' : undefined;
          return {
            what: `names in ${where(seen)}`,
            expected: 'none that was refused',
            actual: name,
            because: [refused],
          };
        }),
    },
  }),
  ...rulesOf('CREATE-4', {
    'same-intern': {
      says: 'A create that repeats the key and the body of an earlier one answers with its intern.',
      of: ['create'],
      judge: (seen, model) => {
        const known = model.createBy(seen.asked);
        if (known === undefined || seen.json === undefined || !isRecord(seen.body) || !isRecord(known.value.body))
          return undefined;
        if (canonical(seen.body) !== canonical(known.value.body)) return undefined;
        // Its name is taken, by its own intern.
        const isTaken = seen.answered.status === 409 && known.value.at < seen.asked.at;
        if (!isDone(seen) && !isTaken) return undefined;
        const phases = model.interns.get(known.value.id)?.phase.since(seen.asked.at);
        // A key may be forgotten with its intern.
        if (phases === undefined || phases.has('going') || phases.has('gone')) return undefined;
        return isTaken
          ? { what: 'a create that is retried', expected: 'its intern', actual: 409, because: [known.number] }
          : is(`id of ${where(seen)} that is retried`, known.value.id, seen.json.id, [known.number]);
      },
    },
  }),
  ...rulesOf('CREATE-2', {
    'attached-as-asked': {
      level: 'P',
      says: 'A create that names a vault answers with it as the attached one.',
      alone: true,
      of: ['create'],
      judge: (seen) =>
        isDone(seen) && seen.json !== undefined && isBodyKnown(seen)
          ? is(`attached_vault_id of ${where(seen)}`, seen.body?.vault_id ?? null, seen.json.attached_vault_id ?? null)
          : undefined,
    },
  }),
  ...rulesOf('CREATE-3', {
    'starts-at-once': {
      level: 'P',
      says: 'A create with provision starts it at once: it does not answer with an intern that is stopped.',
      of: ['create'],
      judge: (seen, model) =>
        seen.answered.status === 201 &&
        seen.body?.provision === true &&
        seen.json !== undefined &&
        model.options.partial !== true &&
        !isReplay(seen, seen.json, model)
          ? holds(seen.json.status !== 'stopped', `status of ${where(seen)} with provision`, 'a boot', seen.json.status)
          : undefined,
    },
  }),
  ...rulesOf('CREATE-1', {
    'first-is-201': {
      level: 'P',
      says: 'A create that makes an intern is answered 201.',
      of: ['create'],
      judge: (seen, model) =>
        isDone(seen) && seen.json !== undefined && isBodyKnown(seen)
          ? model.isFirst(seen, seen.json)
            ? is(`status of ${seen.called}`, 201, seen.answered.status)
            : undefined
          : undefined,
    },
  }),
  ...rulesOf('UPDATE-1', {
    'as-asked': {
      says: 'An update answers with what it changed.',
      alone: true,
      of: ['update'],
      judge: (seen, model) => {
        const { body, json } = seen;
        if (!isDone(seen) || json === undefined || body === undefined) return undefined;
        return each(SETTINGS, (key) =>
          key in body && key in json && !(key === 'model' && body[key] === null)
            ? is(
                `${key} of ${where(seen)}`,
                textOf(key, body[key], json[key], model),
                json[key] === '' ? null : json[key],
                [seen.asked.number],
              )
            : undefined,
        );
      },
    },
  }),
  ...(
    [
      ['PROV-1', 'provision', 'provisioning'],
      ['SUSP-1', 'suspend', 'suspended'],
      ['DELETE-1', 'delete', 'deleting'],
    ] as const
  ).flatMap(([id, name, key]) =>
    rulesOf(id, {
      answer: {
        level: 'P',
        says: `A ${name} that is accepted answers {${key}: true}.`,
        alone: true,
        of: [name],
        judge: (seen) =>
          isDone(seen) ? is(`${key} in the answer of ${seen.called}`, true, seen.json?.[key]) : undefined,
      },
    }),
  ),
  ...rulesOf('LIFE-1', {
    status: {
      says: 'A record shows what the lifecycle calls that were accepted made of its intern, and nothing that no call asked for.',
      settles: 'at the end',
      ...ofOwn((record, seen, model) => {
        const shown = SHOWS[String(record.status)];
        const facts = model.interns.get(String(record.id));
        if (shown === undefined || facts === undefined || isReplay(seen, record, model)) return undefined;
        if (seen.operation.name === 'create') return undefined;
        // Others may take an intern away.
        if (model.options.ours !== true && shown.some((phase) => phase === 'going' || phase === 'stuck'))
          return undefined;
        const phases = facts.phase.since(seen.asked.at);
        return phases === undefined
          ? undefined
          : holds(
              shown.some((phase) => phases.has(phase)),
              `status of ${where(seen)}`,
              `an intern that is ${[...phases].join(' or ')}`,
              record.status,
              [facts.made?.number ?? 0, ...facts.phase.because],
            );
      }),
    },
    ...Object.fromEntries(
      (
        [
          [
            'provision',
            'provision-starts',
            'PROV-1',
            'A provision that is accepted starts a boot: its intern does not stay stopped.',
          ],
          [
            'suspend',
            'suspend-stops',
            'SUSP-1',
            'A suspend that is accepted stops the runtime: its intern does not run on.',
          ],
          [
            'delete',
            'delete-tears-down',
            'DELETE-1',
            'A delete that is accepted starts the teardown: its intern does not stay as it is.',
          ],
        ] as const
      ).map(([name, id, requirement, says]) => [
        id,
        {
          requirement,
          says,
          settles: 'by itself',
          ...ofOwn((record, seen, model) => {
            const { awaited } = model.interns.get(String(record.id)) ?? {};
            if (awaited?.name !== name || seen.operation.name !== 'get' || seen.asked.at < awaited.at) return undefined;
            const moves = !SHOWS_NOTHING[name].includes(String(record.status));
            // One read may be late, and an intern that nobody looked at may have stopped again.
            const stopped = name === 'provision' && model.dealings.mayHaveStopped(String(record.id));
            return !moves && (stopped || seen.asked.at < awaited.at + START || awaited.reads < READS)
              ? undefined
              : holds(
                  moves,
                  `status of ${where(seen)} after an accepted ${name}`,
                  `what a ${name} leads to`,
                  record.status,
                  [awaited.number],
                );
          }),
        },
      ]),
    ),
    'refused-does-nothing': {
      says: 'A lifecycle call that is refused changes nothing.',
      of: ['get', 'list'],
      judge: (seen, model) =>
        each(readRecords(seen, model), (record) => {
          const { refused } = model.interns.get(String(record.id)) ?? {};
          const came = refused === undefined ? undefined : cameTo(record, refused.name, seen, model);
          if (refused === undefined || came === undefined) return undefined;
          if (refused.at < came.shown.at || refused.at > seen.asked.at) return undefined;
          return holds(
            !came.does,
            `status of ${where(seen)} after a ${refused.name} that was refused`,
            `${came.shown.status}, as before`,
            record.status,
            [came.shown.number, refused.number],
          );
        }),
    },
    'no-other': {
      says: 'A lifecycle call changes the intern that it names: no other comes to where it leads.',
      of: ['get', 'list'],
      judge: (seen, model) => {
        const records = readRecords(seen, model);
        if (records.length === 0) return undefined;
        const acts = [...model.acts.values()].reverse();
        return each(records, (record) =>
          each(['suspend', 'provision', 'delete'] as const, (name) => {
            const came = cameTo(record, name, seen, model);
            // Elsewhere others may take an intern away.
            if (came === undefined || (name === 'delete' && model.options.ours !== true)) return undefined;
            const { moved = 0 } = model.interns.get(String(record.id)) ?? {};
            // A boot may come to rest by itself, and an intern that was woken long ago for being idle.
            if (name === 'suspend' && (came.shown.status !== 'running' || came.until - moved > AWAKE)) return undefined;
            const act = acts.find(
              (one) => one.name === name && one.id !== record.id && one.at > came.shown.at && one.at < came.until,
            );
            return act === undefined
              ? undefined
              : holds(
                  !came.does,
                  `status of ${where(seen)} after the ${name} of another`,
                  `${came.shown.status}, as before`,
                  record.status,
                  [came.shown.number, act.number],
                );
          }),
        );
      },
    },
    'stays-found': {
      says: 'An intern that is shown again was there all the time: no request of a caller who sees it misses it in between.',
      of: SHOW,
      judge: (seen, model) =>
        each(recordsOf(seen, model), ({ id, status }) => {
          const { lost, made } = model.interns.get(String(id)) ?? {};
          // While others tear it down, it may be found by reads of itself alone.
          const goes = MAKES.delete.includes(String(status)) && lost?.by !== 'get' && lost?.by !== 'delete';
          // A retried create gives its first answer, whatever became of its intern.
          if (lost === undefined && made !== undefined && seen.operation.reads === true) return 'kept';
          return seen.operation.name === 'create' ||
            lost === undefined ||
            goes ||
            lost.by.startsWith('list') ||
            lost.at > seen.asked.at
            ? undefined
            : is(`status of an earlier ${lost.by}`, 'that of an intern that is there', 404, [
                made?.number ?? 0,
                lost.number,
              ]);
        }),
    },
    found: {
      says: 'An intern that was created, and not deleted, is found by a caller who sees it.',
      settles: 'at the end',
      of: ['get'],
      judge: (seen, model) => {
        const { intern, answered, asked } = seen;
        // Elsewhere others may take an intern away.
        if (intern?.made === undefined || model.options.ours !== true) return undefined;
        if (answered.status !== 404 && answered.status >= 300) return undefined;
        const phases = intern.phase.since(asked.at);
        if (
          phases === undefined ||
          phases.has('gone') ||
          seen.caller?.kind !== 'key' ||
          model.isVisible(asked, intern) !== true
        )
          return undefined;
        if (seen.caller.workspace !== intern.workspace || asked.regional) return undefined;
        return holds(
          answered.status !== 404,
          `status of ${seen.called}`,
          'the record of an intern that was not deleted',
          404,
          [intern.made.number, ...intern.phase.because],
        );
      },
    },
  }),
];
