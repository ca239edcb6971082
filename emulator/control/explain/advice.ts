import type { SentRequest } from '../../contract/curl.js';
import type { RefusalKey } from '../../contract/daemon.js';
import { correctedBody, correctedQuery } from './corrected.js';
import { DAEMON_ADVICE } from './daemon-advice.js';
import { replyTo } from './examples.js';
import { type Advice, bodyOf, type Facts, withBody } from './facts.js';

const again = ({ entry }: Facts): SentRequest => entry.request;
const get = (path: (facts: Facts) => string) => (facts: Facts) => ({
  method: 'GET',
  url: facts.base + path(facts),
  headers: { authorization: 'Bearer' },
  body: null,
});
const intern = get(({ entry }) => `/interns/${entry.intern_id}`);
const interns = get(() => '/interns');
const withHeader = (name: string, value: string) => (facts: Facts) => ({
  ...facts.entry.request,
  headers: { ...facts.entry.request.headers, [name]: value },
});
const bearer = withHeader('authorization', 'Bearer');
const newBody =
  (change: (body: Record<string, unknown>, facts: Facts) => Record<string, unknown>) => (facts: Facts) => {
    const body = bodyOf(facts.entry.request);
    return body && withBody(facts.entry.request, change(body, facts));
  };
const boot = (facts: Facts): SentRequest =>
  facts.status === 'stopped' || facts.status === 'failed'
    ? { ...intern(facts), method: 'POST', url: `${intern(facts).url}/provision` }
    : intern(facts);
const isLeaving = (status: string | undefined) => status === undefined || status.startsWith('destroy');
const leaving = (status: string | undefined) =>
  `It is ${status ?? 'gone'}, and will not come back: use another intern, or create one.`;
const bootFirst = ({ status }: Facts) =>
  isLeaving(status)
    ? leaving(status)
    : status === 'running'
      ? 'It runs by now: send the same again.'
      : status === 'stopped' || status === 'failed'
        ? `It is ${status}: provision it, read it until its status is running, then send the same again.`
        : `It is ${status}: read it until its status is running, then send the same again. On a virtual clock advance the clock first.`;
const reply = (facts: Facts) =>
  facts.waiting && withBody({ ...facts.entry.request, method: 'POST' }, replyTo(facts.waiting, facts.toolName));
const fresh = (facts: Facts) =>
  withBody(facts.entry.request, { stream: true, messages: [{ role: 'user', content: 'hello' }] });
/** The path below the base, if only the base was missing. */
const based = ({ entry, base }: Facts) => {
  const { pathname, search } = new URL(entry.request.url);
  const below = /\/(interns|vault|scim)(\/|$).*/.exec(pathname)?.[0];
  return below === undefined ? undefined : { ...entry.request, url: base + below + search };
};

const FINAL_CHUNK =
  ' The session_id stands on the final chunk of the stream that asked, after its finish reason: read through [DONE].';
const CHAT = 'docs/chat-api.md';
const REPLY = 'docs/chat-api.md#answer-a-question';
const BAD_END = 'docs/chat-api.md#how-it-ends-badly';
const LIFE = 'docs/lifecycle-api.md';
const REFUSALS = 'docs/lifecycle-api.md#refusals';
const VAULT = 'docs/lifecycle-api.md#vault';
const SCIM = 'docs/lifecycle-api.md#scim';
const TROUBLE = 'docs/troubleshooting.md';

const retry = (what: string): Advice => ({
  in: 'state',
  at: 'service',
  do: `${what} It is retryable: wait (Retry-After, else a second and longer each time), then send the same again.`,
  send: again,
  page: BAD_END,
});

export const ADVICE: Readonly<Record<RefusalKey, Advice>> = {
  ...DAEMON_ADVICE,
  regional: {
    in: 'header',
    at: 'host',
    do: 'Send it to the host of the service, not to a regional name.',
    send: (facts) => ({
      ...facts.entry.request,
      url: facts.base + new URL(facts.entry.request.url).pathname.replace(/^.*?\/api\/v1/, ''),
    }),
    page: TROUBLE,
  },
  unauthorized: {
    in: 'header',
    at: 'authorization',
    do: 'Send "Authorization: Bearer" with an API key of the seed. A management key is for SCIM alone.',
    send: bearer,
    page: TROUBLE,
  },
  not_found: {
    in: 'path',
    at: 'id',
    do: 'List the interns that the key sees, and use one of their ids, or use a key of the workspace of this intern. A caller outside the programme sees none; the own key of an intern sees that intern alone.',
    send: interns,
    page: REFUSALS,
  },
  path_not_found: {
    in: 'path',
    at: 'path',
    do: ({ base }) => `Put every path below ${base}. GET /_emulator/openapi.json lists the paths.`,
    send: based,
    page: TROUBLE,
  },
  workspace_not_found: {
    in: 'body',
    at: 'workspace_id',
    do: ({ workspaceId }) =>
      `Name the workspace of the key: it sees no other. The workspace of the first key is ${workspaceId}.`,
    send: (facts) =>
      facts.entry.operation === 'list'
        ? correctedQuery({ ...facts, fields: [{ path: ['workspace_id'], message: '' }] })
        : newBody((body, { workspaceId }) => ({ ...body, workspace_id: workspaceId }))(facts),
    page: `${LIFE}#create`,
  },
  session_not_found: {
    in: 'body',
    at: 'session_id',
    do: 'Use a session_id that an invoke answered to this same caller on this intern. Leave it out to begin a session.',
    send: newBody(({ session_id: _, ...body }) => body),
    page: `${CHAT}#steer-or-start-without-reading`,
  },
  secret_not_found: {
    in: 'path',
    at: 'name',
    do: 'List the secrets of this vault, and use one of their names. A copy takes those of the workspace.',
    send: ({ entry }) => ({
      ...entry.request,
      method: 'GET',
      url: entry.request.url.replace(/(\/interns\/[^/]*)?\/secrets\/copy$|\/secrets\/.*$/, '/secrets'),
      body: null,
    }),
    page: VAULT,
  },
  method_not_allowed: {
    in: 'method',
    at: 'method',
    do: ({ entry }) => `This path takes ${entry.response.headers.allow}: use one of them.`,
    page: TROUBLE,
  },
  personal_identity_required: {
    in: 'header',
    at: 'authorization',
    do: 'Send an OAuth token of the login whose grant carries vault:read, not an API key: a key names no person.',
    send: bearer,
    page: 'docs/proofs.md#logging-in',
  },
  payload_too_large: {
    in: 'body',
    at: 'body',
    do: 'Send a body of at most 1048576 bytes.',
    page: REFUSALS,
  },
  unsupported_media_type: {
    in: 'header',
    at: 'content-type',
    do: 'Declare the body: "Content-Type: application/json".',
    send: withHeader('content-type', 'application/json'),
    page: REFUSALS,
  },
  invalid_body: {
    in: 'body',
    at: 'body',
    do: 'Correct what is named, and send the rest as it was.',
    send: correctedBody,
    page: REFUSALS,
  },
  invalid_query: {
    in: 'query',
    at: 'query',
    do: 'Correct the parameter, or leave it out if it is optional.',
    send: correctedQuery,
    page: `${LIFE}#list`,
  },
  invalid_idempotency_key: {
    in: 'header',
    at: 'idempotency-key',
    do: 'Send a key of 1 to 255 characters: a new one for each create, the same one for its retries.',
    send: (facts) => withHeader(facts.idempotencyHeader, 'create-1')(facts),
    page: `${LIFE}#create`,
  },
  bad_request: {
    in: 'body',
    at: 'last message',
    do: ({ entry, fields }) =>
      fields.length > 0 || bodyOf(entry.request) === undefined
        ? `Correct what is named, and send the rest as it was.${fields.some(({ path }) => path[0] === 'session_id') ? FINAL_CHUNK : ''}`
        : 'Correct the prompt. GET /_emulator/scripts lists the scripts that a first line "script: name" may name.',
    send: (facts) => {
      if (facts.fields.length > 0 || bodyOf(facts.entry.request) === undefined) return correctedBody(facts);
      return facts.entry.operation === 'chat' ? fresh(facts) : undefined;
    },
    page: CHAT,
  },
  unacceptable_answer: {
    in: 'body',
    at: 'content of the tool message',
    do: ({ waiting }) =>
      waiting
        ? 'Answer with what the question accepts. It is still open, and its deadline is the same.'
        : 'The question is closed by now: send a new prompt.',
    send: (facts) => reply(facts) ?? fresh(facts),
    page: REPLY,
  },
  idempotency_key_reused: {
    in: 'header',
    at: 'idempotency-key',
    do: 'Use a new key for another body. The same key with the same body is a retry: it is answered with the intern that the first request made.',
    send: (facts) => withHeader(facts.idempotencyHeader, `${facts.entry.id}-new`)(facts),
    page: `${LIFE}#create`,
  },
  name_conflict: {
    in: 'body',
    at: 'name',
    do: 'Use another name, or the intern that has this one: list them.',
    send: newBody((body) => ({ ...body, name: `${String(body.name).slice(0, 15)}-2` })),
    page: `${LIFE}#create`,
  },
  vault_unavailable: {
    in: 'body',
    at: 'vault_id',
    do: 'Leave vault_id out, or name a vault of this workspace.',
    send: newBody(({ vault_id: _, ...body }) => body),
    page: VAULT,
  },
  vault_full: { in: 'state', at: 'vault', do: 'Delete a secret of this vault first.', page: VAULT },
  secret_unbound: {
    in: 'state',
    at: 'secret',
    do: 'Store the secret again with hosts, then copy it.',
    page: VAULT,
  },
  vault_writes_disabled: {
    in: 'state',
    at: 'vault',
    do: 'Vault writes were turned off here: PUT /_emulator/settings {"vault_writes": "on"} turns them on.',
    page: VAULT,
  },
  intern_busy: {
    in: 'state',
    at: 'status',
    do: ({ entry, status }) =>
      entry.operation === 'provision' && (status === 'running' || status === 'queued' || status === 'provisioning')
        ? `It is ${status} already: there is nothing to provision. Read it until its status is running.`
        : isLeaving(status)
          ? leaving(status)
          : `It is ${status} now. Read it until its status allows this: provision takes stopped and failed, suspend takes running.`,
    send: intern,
    page: `${LIFE}#boot-and-suspend`,
  },
  intern_not_ready: { in: 'state', at: 'status', do: bootFirst, send: boot, page: `${LIFE}#boot-and-suspend` },
  intern_not_running: { in: 'state', at: 'status', do: bootFirst, send: boot, page: 'docs/proofs.md' },
  daemon_unreachable: {
    in: 'state',
    at: 'daemon',
    do: 'The lifecycle of its script makes the daemon unreachable: tell the user, or take the script off (DELETE /_emulator/interns/{id}/script).',
    page: 'docs/scripts.md',
  },
  interaction_unknown: {
    in: 'body',
    at: 'tool_call_id',
    do: ({ waiting }) =>
      waiting
        ? 'Send the id of the tool call that the stream carried, with the session_id of its final chunk. This run waits for an answer.'
        : 'No run of this intern waits for an answer. Send a prompt, and read its stream through [DONE]: the tool call has the id, the final chunk the session_id.',
    send: (facts) => reply(facts) ?? fresh(facts),
    page: REPLY,
  },
  interaction_not_pending: {
    in: 'state',
    at: 'question',
    do: 'The question was answered already, or its run has ended: by its deadline, a suspend or a restart. Send a new prompt, and answer its question once, in time.',
    send: (facts) => reply(facts) ?? fresh(facts),
    page: REPLY,
  },
  attachment_failed: {
    in: 'state',
    at: 'stream',
    do: 'Read the stream that is open through data: [DONE] first. Then answer, once.',
    page: REPLY,
  },
  attachment_gone: {
    in: 'state',
    at: 'stream',
    do: 'The rest of this run is lost: send a new prompt.',
    send: fresh,
    page: REPLY,
  },
  busy: retry('Another run of this intern streams: an intern has one turn at a time. Read that stream to its end.'),
  too_many_waiting: retry('64 runs of this intern wait on questions. Answer them, or let their deadlines pass.'),
  rate_limited: {
    in: 'state',
    at: 'turn limiter',
    do: ({ entry }) =>
      `Wait ${entry.response.headers['retry-after'] ?? '60'} s (Retry-After), then send the same again. PUT /_emulator/limits {"turns_per_minute": 0} turns the limit off here.`,
    send: again,
    page: TROUBLE,
  },
  timeout: retry('It took longer than the operation may.'),
  run_ended: { in: 'state', at: 'run', do: 'Send a new prompt.', page: BAD_END },
  stream_severed: { in: 'state', at: 'run', do: 'Send a new prompt.', page: BAD_END },
  intern_unreachable: retry('The script made the intern unreachable.'),
  turn_failed: {
    in: 'state',
    at: 'script',
    do: 'The script of the run made the turn fail. Tell the user; send the same again only where the answer says retryable. Another script: a first line "script: echo".',
    page: BAD_END,
  },
  turn_timeout: retry('The script took too long to accept the prompt.'),
  upstream_unavailable: {
    in: 'state',
    at: 'service',
    do: 'Send the same body with the same idempotency key again: that completes the intern which was begun, and never makes a second one.',
    send: again,
    page: `${LIFE}#create`,
  },
  service_unavailable: retry('The state was replaced, or the emulator is closing.'),
  gateway_timeout: retry('The operation timed out.'),
  internal_error: { ...retry('The emulator failed: its log says where.'), page: TROUBLE },
  malformed_request: { in: 'request', at: 'request', do: 'Send well-formed HTTP.', page: TROUBLE },
  misdirected: {
    in: 'header',
    at: 'host',
    do: 'Call it by a loopback name, or start the emulator with --allow-host.',
    page: TROUBLE,
  },
  request_timeout: retry('The request was not sent to its end in time.'),
  expectation_failed: { in: 'header', at: 'expect', do: 'Leave the Expect header out.', page: TROUBLE },
  headers_too_large: { in: 'header', at: 'headers', do: 'Send fewer or shorter headers.', page: TROUBLE },
  scim_unauthorized: {
    in: 'header',
    at: 'authorization',
    do: 'Send "Authorization: Bearer" with the management key: an API key opens no SCIM.',
    send: bearer,
    page: SCIM,
  },
  scim_not_found: {
    in: 'path',
    at: 'id',
    do: 'List the groups or the mappings of the organization, and use one of their ids.',
    send: get(({ fields }) => (fields[0]?.path[0] === 'scim_group_id' ? '/scim/groups' : '/scim/group-mappings')),
    page: SCIM,
  },
  scim_mapping_conflict: {
    in: 'body',
    at: 'role',
    do: 'Change the role of the mapping that exists, or ask for the role that it has.',
    page: SCIM,
  },
  scim_internal: { ...retry('The emulator failed: its log says where.'), page: TROUBLE },
};
