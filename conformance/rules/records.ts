import { STATUSES } from '../habits/status-words.js';
import { FIELDS, secretKeys } from '../helpers/record.js';
import { sentIn } from '../model/creates.js';
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
  type Setting,
  SHOWS,
  SHOWS_NOTHING,
} from '../model/intern.js';
import type { Model } from '../model/model.js';
import { isRecord } from '../probe/json.js';
import { lacking } from './lists.js';
import {
  all,
  each,
  eachIntern,
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

/** ms within which a service may begin the teardown of an intern that it accepted to delete. */
const STARTS = 2_000;

/** The records of interns that this traffic made. Older interns may have records of an older form. */
const ownRecords = once((seen, model): readonly RecordFields[] =>
  recordsOf(seen, model).filter(
    ({ id }) => seen.operation.name === 'create' || model.interns.get(String(id))?.made !== undefined,
  ),
);
const ofOwn = (judge: (record: RecordFields, seen: Seen, model: Model) => Judgement) => ({
  of: SHOW,
  judge: (seen: Seen, model: Model): Judgement =>
    eachIntern(ownRecords(seen, model), (record) => judge(record, seen, model)),
});

/** Whether a create repeats the answer to an earlier create. */
const isReplay = (seen: Seen, record: RecordFields, model: Model): boolean =>
  seen.operation.name === 'create' && typeof record.id === 'string' && model.interns.get(record.id) !== undefined;

/** The text that a record should show. A service may trim the texts of a field, if it trims all of them. */
const textOf = (key: string, written: unknown, shown: unknown, model: Model): unknown => {
  const text = written === '' ? null : written;
  const trimmed = typeof text === 'string' ? text.trim() || null : text;
  return trimmed === shown && !model.keepsBlanks(key) ? shown : text;
};

/** A value as JSON. An empty text counts as null. */
const plain = (value: unknown): string => JSON.stringify(value === '' || value === undefined ? null : value);

/** The exchanges that establish a setting, and later updates: an update of another setting may wrongly have changed it. */
const writesOf = ({ settings, updates }: InternFacts, key: Setting, before: number): readonly number[] => {
  const { because } = settings[key];
  const from = Math.min(...because);
  return [...new Set([...because, ...updates.filter((number) => number > from && number < before)])];
};

const where = (seen: Seen): string => `the record of ${seen.called}`;
/** ms within which only a call is likely to change the status of an intern. */
const SOON = 10_000;
/** ms after which a read shows the effect of a call. */
const LATE_READ = 10_000;
/** ms after a boot within which no service suspends the intern as idle. */
const AWAKE = 4_000;
/** ms after which a call, such as a provision, must show in reads. */
const START = 15_000;
/** This many reads without a sign of the call break the rule. */
const READS = 5;
const TEXTS = ['description', 'instructions', 'model', 'last_failure_message'] as const;

/** The records of a read. A missing intern counts as a record with the status GONE: its maker got 404, or a list lacks it. */
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
 * Whether an intern changed as if by the lifecycle call `name`, without such a call. Undefined if something else may explain the
 * change.
 */
function changeAsBy({ id, status }: RecordFields, name: Act['name'], { asked, operation }: Seen, model: Model) {
  const facts = model.interns.get(String(id));
  const { awaited, halted, lost, made, shown, moving = 0, moved, phase } = facts ?? {};
  // An accepted call may show late.
  if (shown === undefined || awaited !== undefined) return undefined;
  // A read of a new intern may be late.
  if (status === GONE && asked.at < (made?.at ?? 0) + model.lateOf('get')) return undefined;
  // An earlier exchange may have missed the intern already.
  const until = name === 'delete' && lost !== undefined && lost.at > shown.at ? lost.at : asked.at;
  if (until - shown.at > SOON || moving > 0) return undefined;
  // A call may explain it. Reads may be late, and a prompt may wake an intern after a while, but suspends none.
  const late = shown.sure && operation.name === 'get' && name !== 'provision' ? 0 : LATE_READ;
  const changed = name === 'suspend' ? halted : moved;
  // Two exchanges of a recording may have the same time.
  if (changed !== undefined && changed >= shown.at - late) return undefined;
  // Its own suspend was the latest call that may have changed it. It may show late even where new interns show at once.
  if (name === 'suspend' && halted !== undefined && halted === moved) return undefined;
  const mayBeNew = phase?.since(shown.at)?.has('new') !== false;
  // A create that asks for a boot may lead to it later.
  if (name === 'provision' && made?.body.provision === true && moved === undefined && mayBeNew) return undefined;
  // An intern that never booted may boot, or stop, by itself.
  if (name !== 'delete' && !model.restsUntilAsked && mayBeNew) return undefined;
  return { shown, until, does: MAKES[name].includes(String(status)) && !MAKES[name].includes(shown.status) };
}

/** The records of interns, in every answer that shows them. */
export const RECORDS: readonly Rule[] = [
  ...rulesOf('GET-1', {
    'path-names-it': {
      says: 'A read or an update answers with the intern that the path names.',
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
      says: 'No answer shows a credential of the run.',
      alone: true,
      judge: (seen, model) => shows(seen, model, 'credential', 'a credential'),
    },
    settings: {
      says: 'A record shows the settings that were written.',
      settles: 'between writes',
      ...ofOwn((record, seen, model) => {
        const facts = model.interns.get(String(record.id));
        const retried = isReplay(seen, record, model);
        // `as-asked` judges the answer to a create.
        if (seen.operation.name === 'create' && (!retried || facts?.made === undefined)) return undefined;
        return each(SETTINGS, (key) => {
          const now = facts?.settings[key].since(seen.asked.at);
          // A retried create may answer with the record as it was at first.
          const values = retried && now !== undefined ? new Set([...now, plain(facts?.made?.body[key])]) : now;
          const body = seen.operation.name === 'update' ? seen.body : undefined;
          if (values === undefined || !isBodyKnown(seen) || !(key in record) || (body !== undefined && key in body))
            return undefined;
          // Without a model of its own, an intern may show the one that the service chooses.
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
                because: facts === undefined ? [] : writesOf(facts, key, seen.asked.number),
              };
        });
      }),
    },
    fixed: {
      requirement: 'CREATE-1',
      says: 'Workspace, vault and time of creation of an intern never change.',
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
      says: 'A last_failure_message names workspace_archive_failed only after a teardown.',
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
      says: 'A delete that acknowledges the loss of the workspace deletes the intern, even if the archive fails.',
      ...ofOwn((record, seen, model) => {
        const { acknowledged, moving = 0, shown } = model.interns.get(String(record.id)) ?? {};
        if (acknowledged === undefined || moving > 0 || seen.operation.name === 'create') return undefined;
        // A late read cannot be older than an earlier one, which showed the teardown.
        const isNew = shown?.status === 'destroying' && shown.at > acknowledged.at;
        return seen.asked.at > acknowledged.at && isStuck(record) && (isNew || seen.asked.at > acknowledged.at + START)
          ? {
              what: `status of ${where(seen)}`,
              expected: 'that of an intern in teardown',
              actual: record.status,
              because: [acknowledged.number],
            }
          : 'kept';
      }),
    },
  }),
  ...rulesOf('CREATE-2', {
    'vault-of-its-own': {
      says: 'No two interns have the same private vault.',
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
      says: 'A refused create makes no intern.',
      of: SHOW,
      judge: (seen, model) =>
        eachIntern(recordsOf(seen, model), ({ name, status }) => {
          // An intern in teardown does not count.
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
        // A 409 means that the name is taken: by the intern of the first create.
        const isTaken = seen.answered.status === 409 && known.value.at < seen.asked.at;
        // The same JSON in other bytes may be another body to a service.
        if (isTaken && model.options.ours !== true && sentIn(seen.asked) !== known.value.sent) return undefined;
        if (!isDone(seen) && !isTaken) return undefined;
        const phases = model.interns.get(known.value.id)?.phase.since(seen.asked.at);
        // A service may forget the key with the intern.
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
      says: 'A create answers with the vault that it names as attached_vault_id.',
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
      says: 'A create with provision starts the intern at once: its answer does not show it stopped.',
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
      says: 'An update answers with the changed values.',
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
      says: 'The status of a record is the effect of the accepted lifecycle calls, and of no others.',
      settles: 'at the end',
      ...ofOwn((record, seen, model) => {
        const shown = SHOWS[String(record.status)];
        const facts = model.interns.get(String(record.id));
        if (shown === undefined || facts === undefined || isReplay(seen, record, model)) return undefined;
        if (seen.operation.name === 'create') return undefined;
        // Others may delete an intern.
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
            'An accepted provision starts a boot: the intern does not stay stopped.',
          ],
          [
            'suspend',
            'suspend-stops',
            'SUSP-1',
            'An accepted suspend stops the runtime: the intern does not keep running.',
          ],
          [
            'delete',
            'delete-tears-down',
            'DELETE-1',
            'An accepted delete starts the teardown: the intern does not stay as it is.',
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
            // A read may be late. An intern may boot and stop again between two reads.
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
    'shows-that-it-goes': {
      requirement: 'DELETE-1',
      level: 'P',
      says: 'A read after an accepted delete shows the teardown: destroying, until the intern is gone.',
      settles: 'between writes',
      ...ofOwn((record, seen, model) => {
        const { awaited } = model.interns.get(String(record.id)) ?? {};
        return awaited?.name !== 'delete' ||
          seen.operation.name !== 'get' ||
          seen.asked.at < awaited.at + (model.options.ours === true ? 0 : STARTS)
          ? undefined
          : holds(
              !SHOWS_NOTHING.delete.includes(String(record.status)),
              `status of ${where(seen)} that is deleted`,
              'that of an intern in teardown',
              record.status,
              [awaited.number],
            );
      }),
    },
    'refused-does-nothing': {
      says: 'A refused lifecycle call changes nothing.',
      of: ['get', 'list'],
      judge: (seen, model) =>
        eachIntern(readRecords(seen, model), (record) => {
          const { refused } = model.interns.get(String(record.id)) ?? {};
          const change = refused === undefined ? undefined : changeAsBy(record, refused.name, seen, model);
          if (refused === undefined || change === undefined) return undefined;
          if (refused.at <= change.shown.at || refused.at > seen.asked.at) return undefined;
          return holds(
            !change.does,
            `status of ${where(seen)} after a ${refused.name} that was refused`,
            `${change.shown.status}, as before`,
            record.status,
            [change.shown.number, refused.number],
          );
        }),
    },
    'no-other': {
      says: 'A lifecycle call changes only the intern that it names.',
      of: ['get', 'list'],
      judge: (seen, model) => {
        const records = readRecords(seen, model);
        if (records.length === 0) return undefined;
        const acts = [...model.acts.values()].reverse();
        return eachIntern(records, (record) =>
          each(['suspend', 'provision', 'delete'] as const, (name) => {
            const change = changeAsBy(record, name, seen, model);
            // Others may delete an intern, except at an emulator of ours.
            if (change === undefined || (name === 'delete' && model.options.ours !== true)) return undefined;
            const { moved = 0 } = model.interns.get(String(record.id)) ?? {};
            // A service may suspend an intern whose boot has ended, or one that was woken long ago.
            if (name === 'suspend' && (change.shown.status !== 'running' || change.until - moved > AWAKE))
              return undefined;
            const act = acts.find(
              (one) => one.name === name && one.id !== record.id && one.at > change.shown.at && one.at < change.until,
            );
            return act === undefined
              ? undefined
              : holds(
                  !change.does,
                  `status of ${where(seen)} after the ${name} of another`,
                  `${change.shown.status}, as before`,
                  record.status,
                  [change.shown.number, act.number],
                );
          }),
        );
      },
    },
    'stays-found': {
      says: 'An intern that is shown again existed in between: no request answered 404 to a caller who sees it.',
      of: SHOW,
      judge: (seen, model) =>
        eachIntern(recordsOf(seen, model), ({ id, status }) => {
          const { lost, made } = model.interns.get(String(id)) ?? {};
          // During a teardown only reads and deletes may find the intern.
          const goes = MAKES.delete.includes(String(status)) && lost?.by !== 'get' && lost?.by !== 'delete';
          // A retried create may show an intern that is gone.
          if (lost === undefined && made !== undefined && seen.operation.reads === true) return 'kept';
          return seen.operation.name === 'create' ||
            lost === undefined ||
            goes ||
            lost.by.startsWith('list') ||
            lost.at > seen.asked.at
            ? undefined
            : is(`status of an earlier ${lost.by}`, 'that of an existing intern', 404, [
                made?.number ?? 0,
                lost.number,
              ]);
        }),
    },
    found: {
      says: 'A caller who sees an intern finds it until it is deleted.',
      settles: 'at the end',
      of: ['get'],
      judge: (seen, model) => {
        const { intern, answered, asked } = seen;
        // Others may delete an intern, except at an emulator of ours.
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
