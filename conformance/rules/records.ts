import { idAsShown } from '../model/exchange.js';
import { type InternFacts, type RecordFields, SETTINGS, type Setting } from '../model/intern.js';
import type { Model } from '../model/model.js';
import { FIELDS, secretKeys } from '../model/record.js';
import { isUpdate } from './forms.js';
import { maybe, wrongObject } from './mistakes.js';
import {
  type AnyRule,
  all,
  each,
  eachIntern,
  holds,
  is,
  isBodyKnown,
  isDone,
  type Judgement,
  once,
  recordsOf,
  rulesOf,
  type Seen,
  SHOW,
  shows,
} from './rule.js';

/** The records of interns that this traffic made. Older interns may have records of an older form. */
export const ownRecords = once((seen, model): readonly RecordFields[] =>
  recordsOf(seen, model).filter(
    ({ id }) => seen.operation.name === 'create' || model.interns.get(String(id))?.made !== undefined,
  ),
);

export const ofOwn = (judge: (record: RecordFields, seen: Seen, model: Model) => Judgement) => ({
  of: SHOW,
  judge: (seen: Seen, model: Model): Judgement =>
    eachIntern(ownRecords(seen, model), (record) => judge(record, seen, model)),
});

/** Whether a create repeats the answer to an earlier create. */
export const isReplay = (seen: Seen, record: RecordFields, model: Model): boolean =>
  seen.operation.name === 'create' && typeof record.id === 'string' && model.interns.get(record.id) !== undefined;

/** The text that a record should show. A service may trim the texts of a field, if it trims all of them. */
export const textAsShown = (key: string, written: unknown, shown: unknown, model: Model): unknown => {
  const text = written === '' ? null : written;
  const trimmed = typeof text === 'string' ? text.trim() || null : text;
  return trimmed === shown && !model.keepsBlanks(key) ? shown : text;
};

/** ms after which a list shows what a read shows. */
const SHOWN = 5_000;

/** A value as JSON. An empty text counts as null. */
const plain = (value: unknown): string => JSON.stringify(value === '' || value === undefined ? null : value);

/** The exchanges that establish a setting, and later updates: an update of another setting may wrongly have changed it. */
const writesOf = ({ settings, updates }: InternFacts, key: Setting, before: number): readonly number[] => {
  const { because } = settings[key];
  const from = Math.min(...because);
  return [...new Set([...because, ...updates.filter((number) => number > from && number < before)])];
};

export const where = (seen: Seen): string => `the record of ${seen.called}`;

const TEXTS = ['description', 'instructions', 'model', 'last_failure_message'] as const;

/** get_intern and update_intern: the records of interns, in every answer that shows them. */
export const RECORDS: readonly AnyRule[] = [
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
        const late = seen.operation.name === 'list' && model.options.ours !== true ? SHOWN : 0;
        // `as-asked` judges the answer to a create.
        if (seen.operation.name === 'create' && (!retried || facts?.made === undefined)) return undefined;
        return each(SETTINGS, (key) => {
          const now = facts?.settings[key].since(seen.asked.at - late);
          // A retried create may answer with the record as it was at first.
          const values = retried && now !== undefined ? new Set([...now, plain(facts?.made?.body[key])]) : now;
          const body = seen.operation.name === 'update' ? seen.body : undefined;
          if (values === undefined || !isBodyKnown(seen) || !(key in record) || (body !== undefined && key in body))
            return undefined;
          // Without a model of its own, an intern may show the one that the service chooses.
          if (key === 'model' && (values.has('null') || values.size === 0)) return undefined;
          const shown = plain(record[key]);
          const isShown = (value: string) => plain(textAsShown(key, JSON.parse(value), record[key], model)) === shown;
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
    'taken-away': {
      open: true,
      says: 'An intern may not be found: a read may be late, and others may have deleted it.',
      step: 'visibility',
      statuses: [404],
      reason: 'not_found',
      wrong: ({ caller, intern }, { options }) =>
        // A missing or invalid key is refused before the service looks for the intern.
        maybe(options.ours !== true && intern?.made !== undefined && caller !== null && caller?.kind !== 'invalid'),
    },
  }),
  ...rulesOf('UPDATE-1', ['update'], {
    'as-asked': {
      says: 'An update answers with the changed values.',
      alone: true,
      judge: (seen, model) => {
        const { body, json } = seen;
        if (!isDone(seen) || json === undefined || body === undefined) return undefined;
        return each(SETTINGS, (key) =>
          key in body && key in json && !(key === 'model' && body[key] === null)
            ? is(
                `${key} of ${where(seen)}`,
                textAsShown(key, body[key], json[key], model),
                json[key] === '' ? null : json[key],
                [seen.asked.number],
              )
            : undefined,
        );
      },
    },
    'update-body': {
      level: 'P',
      says: 'An update with a value or field that is not published is refused with 400.',
      step: 'body',
      statuses: [400],
      reason: 'invalid_body',
      wrong: wrongObject(isUpdate),
    },
  }),
];
