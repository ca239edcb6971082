import { sentIn } from '../model/creates.js';
import { canonical, idAsShown } from '../model/exchange.js';
import { FIXED, type InternFacts, MAKES } from '../model/intern.js';
import type { Model } from '../model/model.js';
import { isMember } from '../model/options.js';
import { idempotencyHeaderOf } from '../model/target.js';
import { isRecord } from '../probe/json.js';
import { isCreate } from './forms.js';
import { json, maybe, wrongObject } from './mistakes.js';
import { isReplay, ofOwn, textAsShown, where } from './records.js';
import {
  type AnyRule,
  each,
  eachIntern,
  holds,
  is,
  isBodyKnown,
  isDone,
  once,
  recordsOf,
  rulesOf,
  type Seen,
  SHOW,
  type Wrong,
} from './rule.js';

/** Characters from which a text is long. */
const LONG = 100;

/** A refusal of texts that a service, but no emulator of ours, may refuse. */
const mayRefuse = (says: string, isOne: (text: string, model: Model) => boolean) =>
  ({
    open: true,
    says,
    step: 'body',
    statuses: [400],
    of: ['create', 'update'],
    wrong: (seen: Seen, model: Model) =>
      maybe(
        model.options.ours !== true &&
          [seen.body?.description, seen.body?.instructions].some(
            (value) => typeof value === 'string' && isOne(value, model),
          ),
      ),
  }) as const;

const sameBody = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other);

/** Whether the creator of an intern also made, or makes, the one that the request names. */
function isOfCreator({ person }: { readonly person: string | undefined }, seen: Seen, model: Model): Wrong {
  if (seen.operation.name === 'create') return model.isBy(seen.asked, person);
  const own = seen.intern?.made?.person;
  return own === undefined || person === undefined ? undefined : own === person;
}

const isKeyed = ({ asked }: Seen, { options }: Model): boolean =>
  asked.header(idempotencyHeaderOf(options.profile)) !== undefined;

/** The intern of the same creator that has the name which a request gives. */
const namesake = once((seen, model): InternFacts | 'unknown' | undefined => {
  if (typeof seen.body?.name !== 'string') return seen.asked.body.kind === 'unknown' ? 'unknown' : undefined;
  const wanted = JSON.stringify(seen.body.name);
  const { asked } = seen;
  const creates = seen.operation.name === 'create';
  if (creates && model.createBy(asked) !== undefined) return undefined;
  // An intern from before the first exchange may have the name.
  let unsure = model.options.inUse === true;
  for (const intern of model.called(seen.body.name)) {
    if (intern.made === undefined || intern.id === seen.id) continue;
    const ofCreator = isOfCreator(intern.made, seen, model);
    const values = ofCreator === false ? undefined : intern.settings.name.since(asked.at);
    if (values?.has(wanted) !== true) continue;
    const phases = intern.phase.since(asked.at);
    if (phases !== undefined && phases.size === 1 && phases.has('gone')) continue;
    if (ofCreator === undefined || values.size > 1 || phases === undefined || phases.has('gone')) unsure = true;
    // An equal create may be a retry, even with a key that the service has forgotten.
    else if (creates && (!isKeyed(seen, model) || sameBody(seen.body, intern.made.body))) unsure = true;
    // 200 answers the retry of a create from before the first exchange.
    else if (creates && seen.answered.status === 200) unsure = true;
    else return intern;
  }
  return unsure ? 'unknown' : undefined;
});

/** ms in which every service knows the key of a create. */
const KEY_LASTS = 30_000;

/** create_intern: the new intern, its vault, retries, names. */
export const CREATE: readonly AnyRule[] = [
  ...rulesOf('CREATE-1', {
    fixed: {
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
                key === 'workspace_id'
                  ? idAsShown(body[key], json[key])
                  : textAsShown(key, body[key], json[key], model),
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
    'workspace-is-explicit': {
      says: 'An intern is created in an explicit workspace: a create that names none is refused with 400.',
      // The published client documents a default.
      level: 'P',
      step: 'body',
      statuses: [400],
      reason: 'invalid_body',
      of: ['create'],
      wrong: (seen, { options }) =>
        options.profile.default_workspace !== true && wrongObject((row) => 'workspace_id' in row)(seen),
    },
    role: {
      open: true,
      says: 'A service may let only some members create interns.',
      step: 'kind',
      statuses: [403],
      of: ['create'],
      wrong: (seen, model) =>
        maybe(
          seen.caller !== null &&
            (seen.caller === undefined || isMember(seen.caller)) &&
            model.options.ours !== true &&
            !model.hasCreated(seen.asked),
        ),
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
    'vault-attached': {
      open: true,
      says: 'A vault may not be attachable.',
      step: 'named',
      statuses: [400, 404, 409],
      of: ['create'],
      wrong: ({ body }) => maybe(body !== undefined && 'vault_id' in body),
    },
  }),
  ...rulesOf('CREATE-3', {
    waits: {
      says: 'Provisioning starts at once, or waits for a later provision call: an intern that waits does not boot by itself.',
      ...ofOwn((record, seen, model) => {
        const { moved, moving = 0, refused, waits } = model.interns.get(String(record.id)) ?? {};
        if (waits === undefined || moved !== undefined || moving > 0 || refused !== undefined) return undefined;
        // A service that boots its interns by itself may keep one waiting for a place.
        if (model.bootsSoon) return undefined;
        return holds(
          record.status !== 'provisioning' && record.status !== 'running',
          `status of ${where(seen)} that waits for a provision`,
          'stopped',
          record.status,
          [waits.number],
        );
      }),
    },
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
  ...rulesOf('CREATE-4', ['create'], {
    'same-intern': {
      says: 'A create that repeats the key and the body of an earlier one answers with its intern.',
      judge: (seen, model) => {
        const known = model.createBy(seen.asked);
        if (known === undefined || seen.json === undefined || !isRecord(seen.body) || !isRecord(known.value.body))
          return undefined;
        if (canonical(seen.body) !== canonical(known.value.body)) return undefined;
        // A 409 means that the name is taken: by the intern of the first create.
        const isTaken = seen.answered.status === 409 && known.value.at < seen.asked.at;
        // Only the published API says that a key lasts.
        const isOld = seen.asked.at - known.value.at > KEY_LASTS && !model.options.profile.published;
        if (isTaken && isOld) return undefined;
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
    'idempotency-key': {
      level: 'P',
      says: 'An idempotency key of more than 255 characters is refused with 400.',
      step: 'body',
      statuses: [400],
      reason: 'invalid_body',
      wrong({ asked }, { options }) {
        const key = asked.header(idempotencyHeaderOf(options.profile));
        // A service may take an empty key for no key.
        return key === '' ? undefined : key !== undefined && key.length > 255;
      },
    },
    'key-reused': {
      level: 'P',
      says: 'An idempotency key that comes with another body is refused with 409.',
      step: 'state',
      statuses: [409],
      reason: 'idempotency_key_reused',
      wrong: (seen, model) => {
        const known = model.createBy(seen.asked);
        // Another workspace may be refused first, as one that the caller cannot see.
        if (
          known !== undefined &&
          isRecord(known.value.body) &&
          seen.body?.workspace_id !== known.value.body.workspace_id
        )
          return undefined;
        return known !== undefined && json(seen, (value) => isRecord(value) && !sameBody(value, known.value.body));
      },
    },
  }),
  ...rulesOf('CREATE-5', {
    'create-body': {
      says: 'A create with a name, text or field that is not published is refused with 400.',
      step: 'body',
      statuses: [400],
      reason: 'invalid_body',
      of: ['create'],
      wrong: wrongObject(isCreate),
    },
    characters: mayRefuse('A service may refuse texts for their characters.', (text) =>
      /^$|[^A-Za-z0-9 .,]/.test(text),
    ),
    length: mayRefuse(
      'A service that does not declare the published limits may refuse long texts.',
      (text, { options }) => !options.profile.published && text.length > LONG,
    ),
    'name-taken': {
      says: 'A name that another intern of the creator has is refused with 409.',
      step: 'state',
      statuses: [409],
      reason: 'name_conflict',
      of: ['create', 'update'],
      wrong: (seen, model) => {
        const found = namesake(seen, model);
        return found === 'unknown' ? undefined : found !== undefined;
      },
      other: (seen, model) => {
        const found = namesake(seen, model);
        return found === 'unknown' ? undefined : found;
      },
    },
  }),
];
