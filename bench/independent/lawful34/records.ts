import type { Json } from '../call.js';
import { internsIn } from '../lawful30/helpers.js';
import type { Way } from '../world.js';

const RECORDS = 'list get create update';
const INTERNS = `${RECORDS} provision suspend delete invoke daemon daemon-alias`;
/** The fields that are stated, and what a caller needs to tell interns apart. */
const STATED = ['id', 'name', 'description', 'instructions', 'model', 'status', 'last_failure_message', 'created_at'];
const IDS = '0123456789abcdefghjkmnpqrstvwxyz';

export const records: readonly Way[] = [
  {
    // That a vault, a host and a progress are shown is published; that the vault exists is stated.
    name: 'a record has the stated fields, an id and a time, and no others',
    lawful: true,
    unpublished: true,
    quote: 'Complete field list, types and formats of the intern record: not shown.',
    wrong: (world) =>
      world.ok(RECORDS, (body) => {
        for (const intern of internsIn(body))
          for (const field of Object.keys(intern)) if (!STATED.includes(field)) delete intern[field];
      }),
  },
  {
    // As serializers of Go and Kotlin do it: what is null is left out.
    name: 'a field of an intern that has no value is left out',
    lawful: true,
    unpublished: true,
    quote: 'Complete field list, types and formats of the intern record: not shown.',
    wrong: (world) =>
      world.ok(RECORDS, (body) => {
        for (const intern of internsIn(body))
          for (const [field, value] of Object.entries(intern)) if (value === null) delete intern[field];
      }),
  },
  {
    // As Python writes a time. Milliseconds and `Z` are stated for SCIM mappings alone.
    name: 'times of interns have microseconds and an offset',
    lawful: true,
    unpublished: true,
    quote: 'Complete field list, types and formats of the intern record: not shown.',
    wrong: (world) =>
      world.ok(RECORDS, (body) => {
        for (const intern of internsIn(body))
          for (const field of ['created_at', 'updated_at'])
            intern[field] = String(intern[field]).replace(/Z$/, '000+00:00');
      }),
  },
  {
    name: 'ids of interns have a prefix and are no UUIDs',
    lawful: true,
    unpublished: true,
    quote: 'Path parameter `internId`: string, at least 1 character',
    factories: (usual, hit) => ({
      createCreate: (interns, provisioning, deps) => {
        const made = () => {
          hit();
          return `int_${[...deps.random.bytes(20)].map((byte) => IDS[byte % IDS.length]).join('')}`;
        };
        const put: typeof interns.put = (row, record, change) => {
          if (interns.get(row.id) !== undefined) return interns.put(row, record, change);
          const id = made();
          return interns.put({ ...row, id, record: { ...row.record, id } }, record, change);
        };
        return usual.createCreate({ ...interns, put }, provisioning, deps);
      },
    }),
  },
  {
    // The model of an intern without one of its own is nowhere stated, nor whether the record shows it.
    name: 'an intern without a model shows the default one',
    lawful: true,
    quote: 'model | string | Changeable through `update_intern`.',
    wrong: (world) =>
      world.ok(RECORDS, (body) => {
        for (const intern of internsIn(body)) intern.model ??= 'acme/standard-2';
      }),
  },
  {
    // As forms do it: what a text says is the same.
    name: 'descriptions and instructions are trimmed',
    lawful: true,
    quote: 'Changes name, description, instructions or model.',
    wrong: (world) =>
      world.asked('create update', ({ body, text }) => {
        const changed: Json = { ...body };
        for (const field of ['description', 'instructions'])
          if (typeof body[field] === 'string') changed[field] = body[field].trim();
        return text.length < 1_000_000 && JSON.stringify(changed) !== JSON.stringify(body) ? changed : undefined;
      }),
  },
  {
    // A media type of a vendor with the suffix `+json` is one of JSON.
    name: 'interns are answered under a media type of the vendor',
    lawful: true,
    quote: 'Request and response bodies are JSON unless a stream is stated.',
    wrong: (world) =>
      world.head(INTERNS, (headers, _call, { ok }) => {
        if (ok && headers.get('content-type') === 'application/json')
          headers.set('content-type', 'application/vnd.interns.v1+json');
      }),
  },
  {
    // The fields of these are not shown at all: here they say how the intern is.
    name: 'suspend, provision and delete answer with the intern itself',
    lawful: true,
    unpublished: true,
    quote: 'Fields of the responses of list, delete, provision and suspend: not shown.',
    wrong: (world) =>
      world.later('suspend provision delete', async ({ ok, status, headers }, { id, request }) => {
        if (!ok) return undefined;
        const authorization = request.headers.get('authorization') ?? '';
        const shown = await world.ask('GET', `/interns/${id}`, { as: authorization.replace(/^Bearer +/i, '') });
        if (!shown.ok) return undefined;
        const other = new Headers(headers);
        other.delete('content-length');
        return Response.json({ intern: await shown.json() }, { status, headers: other });
      }),
  },
  {
    name: 'a list has its interns and its next page under other names',
    lawful: true,
    unpublished: true,
    quote: 'Fields of the responses of list, delete, provision and suspend: not shown.',
    wrong: (world) =>
      world.ok('list', (body) => {
        const { data, has_more, next_cursor } = body;
        for (const field of Object.keys(body)) delete body[field];
        Object.assign(body, { interns: data, page: { more: has_more, next: next_cursor ?? null } });
      }),
  },
  {
    // The header of the signature stays; the daemon access record has an origin and a token under other names.
    name: 'the daemon access record names its origin and its token otherwise',
    lawful: true,
    unpublished: true,
    quote: 'Fields of the daemon-access record beyond an origin and a daemon token: not shown.',
    wrong: (world) =>
      world.ok('daemon daemon-alias', (body) => {
        const { origin, token } = body;
        for (const field of Object.keys(body)) delete body[field];
        Object.assign(body, { daemon_origin: origin, daemon_token: token, token_type: 'Bearer' });
      }),
  },
];
