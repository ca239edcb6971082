import { Refusal } from '../contract/errors.js';
import {
  type CreateBody,
  createBodySchema,
  type DeleteBody,
  deleteBodySchema,
  type Intern,
  type UpdateBody,
  updateBodySchema,
} from '../contract/intern.js';
import { idempotencyHeader, type Profile } from '../contract/profile.js';
import { isRecord } from '../contract/record.js';
import { type CreateRequest, type CreateResult, isReplay } from '../domain/create.js';
import type { Interns } from '../domain/interns.js';
import type { Provisioning } from '../domain/provisioning.js';
import type { Store } from '../store/store.js';
import { checked } from './checked.js';
import { type ListQuery, listPage, parseListQuery } from './list.js';
import { json, type PlainResponse } from './response.js';
import { type RequestParts, type Route, route } from './route.js';

export interface InternRoutesDeps {
  readonly interns: Interns;
  readonly provisioning: Provisioning;
  readonly store: Store;
  readonly profile: Profile;
  create(request: CreateRequest): CreateResult;
}

const JSON_BODY = { read: true, json: 'required', invalid: 'invalid_body' } as const;
const OPTIONAL_BODY = { ...JSON_BODY, blank: 'none' } as const;

/** Records are never changed, only replaced, so the text of one stays valid. */
function recordAnswers(): (record: Intern) => PlainResponse {
  const texts = new WeakMap<Intern, string>();
  return (record) => {
    let text = texts.get(record);
    if (text === undefined) {
      text = JSON.stringify(record);
      texts.set(record, text);
    }
    return { status: 200, body: text, headers: { 'content-type': 'application/json' } };
  };
}

/** A body with any field is refused; an absent body, white space and `{}` have no field (BODY-1). */
function parseNoFields(parts: RequestParts): undefined {
  const value = parts.json();
  if (value === undefined) return undefined;
  if (!isRecord(value) || Object.keys(value).length > 0)
    throw new Refusal('invalid_body', { detail: 'body: this operation takes no fields' });
  return undefined;
}

function idempotencyKey(headers: Headers, name: string): string | undefined {
  const key = headers.get(name);
  if (key === null) return undefined;
  if (key.length < 1 || key.length > 255) throw new Refusal('invalid_idempotency_key');
  return key;
}

/** The lifecycle operations: LIST, CREATE, GET, UPDATE, DELETE, PROV and SUSP of the contract. */
export function internRoutes({ interns, provisioning, store, profile, create }: InternRoutesDeps): Route[] {
  const keyHeader = idempotencyHeader(profile);
  const createBody = createBodySchema(profile);
  const recordAnswer = recordAnswers();
  const posted = (operation: 'provision' | 'suspend', said: object, status: number) =>
    route<undefined>({
      operation,
      method: 'POST',
      path: `/interns/:id/${operation}`,
      body: OPTIONAL_BODY,
      parse: parseNoFields,
      async handle({ intern }) {
        provisioning[operation](intern);
        await store.commit();
        return json(said, status);
      },
    });
  return [
    route<ListQuery>({
      operation: 'list',
      method: 'GET',
      path: '/interns',
      parse: ({ query }) => parseListQuery(query),
      authorize({ caller, input }) {
        if (input.workspaceId !== undefined && input.workspaceId.toLowerCase() !== caller.workspaceId)
          throw new Refusal('workspace_not_found', {
            fields: [{ path: ['workspace_id'], message: 'another workspace' }],
          });
      },
      handle: ({ caller, input }) => json(listPage(interns.list(caller), input)),
    }),
    route<{ body: CreateBody; key: string | undefined }>({
      operation: 'create',
      method: 'POST',
      path: '/interns',
      body: JSON_BODY,
      parse: (parts) => ({
        body: checked(createBody, parts.json()),
        key: idempotencyKey(parts.headers, keyHeader),
      }),
      authorize({ caller, input }) {
        const named = input.body.workspace_id?.toLowerCase() ?? caller.workspaceId;
        if (named !== caller.workspaceId) throw new Refusal('workspace_not_found');
      },
      meetsFault: ({ caller, input }, step) =>
        (step !== 'provisioner' || input.body.provision === true) &&
        !isReplay(store.collection('idempotency'), { caller, ...input }),
      async handle(call) {
        const { caller, input, failsAt } = call;
        let result: CreateResult;
        try {
          result = create({ caller, ...input, ...(failsAt ? { failsAt } : {}) });
        } catch (error) {
          // The steps before the failed one stay done, so that the retry can resume there.
          await store.commit();
          throw error;
        }
        await store.commit();
        call.onIntern(result.intern.id);
        return json(result.intern, result.created ? 201 : 200);
      },
    }),
    route<undefined>({
      operation: 'get',
      method: 'GET',
      path: '/interns/:id',
      parse: () => undefined,
      handle: ({ intern }) => recordAnswer(intern.record),
    }),
    route<UpdateBody>({
      operation: 'update',
      method: 'PATCH',
      path: '/interns/:id',
      body: JSON_BODY,
      parse: (parts) => checked(updateBodySchema, parts.json()),
      async handle({ intern, input }) {
        const { record } = interns.update(intern, input);
        await store.commit();
        return json(record);
      },
    }),
    route<DeleteBody>({
      operation: 'delete',
      method: 'DELETE',
      path: '/interns/:id',
      body: OPTIONAL_BODY,
      parse(parts) {
        const value = parts.json();
        return value === undefined ? {} : checked(deleteBodySchema, value);
      },
      async handle({ intern, input }) {
        provisioning.destroy(intern, input.acknowledge_workspace_loss ?? false);
        await store.commit();
        return json({ deleting: true }, 202);
      },
    }),
    posted('provision', { provisioning: true }, 202),
    posted('suspend', { suspended: true }, 200),
  ];
}
