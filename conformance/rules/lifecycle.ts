import { STATUSES } from '../habits/status-words.js';
import {
  type Act,
  GONE,
  type InternFacts,
  isStuck,
  MAKES,
  type RecordFields,
  SHOWS,
  SHOWS_NOTHING,
} from '../model/intern.js';
import type { Model } from '../model/model.js';
import { isDelete } from './forms.js';
import { called, lacking, ofList } from './lists.js';
import { isNotIn, isWithoutKey, phasesOf, wrongObject } from './mistakes.js';
import { isReplay, ofOwn, ownRecords, where } from './records.js';
import {
  type AnyRule,
  each,
  eachIntern,
  holds,
  is,
  isDone,
  recordsOf,
  rulesOf,
  type Seen,
  SHOW,
  type Wrong,
} from './rule.js';

function goneNow(seen: Seen): Wrong {
  const phases = phasesOf(seen);
  if (phases === undefined) return seen.intern === undefined ? false : undefined;
  return phases.has('gone') ? (phases.size === 1 ? true : undefined) : false;
}

/** ms within which a service may begin the teardown of an intern that it accepted to delete. */
const STARTS = 2_000;

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

/** delete, provision and suspend, and the status of interns. */
export const LIFECYCLE: readonly AnyRule[] = [
  ...rulesOf('DELETE-1', {
    'none-that-is-gone': {
      says: 'No list has an intern whose teardown ended.',
      settles: 'at the end',
      ...ofList((rows, seen, model) =>
        eachIntern(rows, ({ id }) => {
          const facts = model.interns.get(String(id));
          const phases = facts?.made === undefined ? undefined : facts.phase.since(seen.asked.at);
          return phases === undefined
            ? undefined
            : holds(
                !(phases.size === 1 && phases.has('gone')),
                `interns of ${called(seen)}`,
                'none that is gone',
                id,
                facts?.phase.because,
              );
        }),
      ),
    },
    'shows-that-it-goes': {
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
    gone: {
      says: 'An intern whose teardown has ended answers 404.',
      step: 'visibility',
      statuses: [404],
      reason: 'not_found',
      // A missing or invalid key is refused before the service looks for the intern.
      wrong: (seen) =>
        seen.id === undefined || seen.operation.area === 'scim' || isWithoutKey(seen) === true ? false : goneNow(seen),
    },
  }),
  ...rulesOf('DELETE-2', {
    'delete-body': {
      says: 'The only field of a delete is the boolean acknowledge_workspace_loss: anything else is refused with 400.',
      step: 'body',
      statuses: [400],
      reason: 'invalid_body',
      of: ['delete'],
      wrong: wrongObject(isDelete),
    },
  }),
  ...rulesOf('DELETE-3', {
    'failure-message': {
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
  ...rulesOf('PROV-1', {
    'provision-runs': {
      level: 'P',
      says: 'An intern that boots or runs is not provisioned: 409.',
      step: 'state',
      statuses: [409],
      reason: 'intern_busy',
      of: ['provision'],
      wrong: (seen, model) => isNotIn(seen, model, 'new', 'off', 'failed', 'stuck'),
    },
  }),
  ...rulesOf('SUSP-1', {
    'suspend-rests': {
      level: 'P',
      says: 'An intern that does not run is not suspended: 409.',
      step: 'state',
      statuses: [409],
      reason: 'intern_busy',
      of: ['suspend'],
      wrong: (seen, model) => isNotIn(seen, model, 'up'),
    },
  }),
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
  ...(
    [
      [
        'PROV-1',
        'provision',
        'provisioning',
        'provision-starts',
        'An accepted provision starts a boot: the intern does not stay stopped.',
      ],
      [
        'SUSP-1',
        'suspend',
        'suspended',
        'suspend-stops',
        'An accepted suspend stops the runtime: the intern does not keep running.',
      ],
      [
        'DELETE-1',
        'delete',
        'deleting',
        'delete-tears-down',
        'An accepted delete starts the teardown: the intern does not stay as it is.',
      ],
    ] as const
  ).flatMap(([id, name, key, effect, says]) =>
    rulesOf(id, {
      answer: {
        level: 'P',
        says: `A ${name} that is accepted answers {${key}: true}.`,
        alone: true,
        of: [name],
        judge: (seen) =>
          isDone(seen) ? is(`${key} in the answer of ${seen.called}`, true, seen.json?.[key]) : undefined,
      },
      [effect]: {
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
    }),
  ),
];
