import { gist } from '../model/assert.js';
import { Finding } from '../model/finding.js';
import type { RecordFields } from '../model/intern.js';
import {
  type CreateOutcome,
  type Heard,
  type Leaving,
  type NotAllowed,
  type Ownership,
  same,
} from '../model/ownership.js';
import { lacking, raced } from '../model/skip.js';
import { isRecord, jsonOf } from '../probe/json.js';
import type { CredentialName } from '../probe/request.js';

interface GuardOptions {
  readonly own: Ownership;
  /**
   * Reads an intern that no answer has shown, before the first write to it. Resolves with the status. Undefined for an emulator
   * under control, which belongs to the run alone.
   */
  read?: ((id: string, as: CredentialName) => Promise<number>) | undefined;
  /** Waits between two reads, in ms: a replica may not know the intern yet. */
  wait?(ms: number): Promise<void>;
}

/** The finding that a create answered with another's intern. Nothing was written to it. */
const notMade = (of: string, asked: string | undefined, because: string, saw: unknown): Finding =>
  new Finding({
    wanted: { kind: 'effect', words: `a new intern named ${JSON.stringify(asked)}` },
    got: gist(`another's, to which nothing was written: ${because}`, saw),
    of,
    breaks: { requirement: 'CREATE-1', level: 'S' },
  });

function refused({ because, id = '', name, asked }: NotAllowed): Error {
  if (because === 'every intern') return lacking({ kind: 'not-ours', how: 'all' });
  if (because === 'another thing') return lacking({ kind: 'not-ours', how: 'thing' });
  if (because === 'not made') return lacking({ kind: 'not-ours', how: 'not-made', id });
  if (because === 'renamed') return raced({ kind: 'renamed', id, name });
  return notMade('the intern that a create answered', asked, 'it is read as another', { id, name });
}

const HOW = {
  'no plain id': 'its id is no plain id (letters, digits and . _ ~ : @ = + -)',
  'another name': 'it bears another name',
  'there before': 'it was there before the create was sent',
  'made for another create': 'it was made for another create',
} as const;

/** Names within the published rules (CREATE-5). A service may turn any other name into one of its own. */
const REGULAR = /^(?=.{2,17}$)[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

const notOwn = ({ because, id, name, asked }: Extract<CreateOutcome, { kind: 'not own' }>): Finding =>
  notMade('the answer to a create', asked, HOW[because], { id, name });

/** ms before each further read of an intern that a replica does not know yet. */
const PAUSES = [0, 500, 1_000, 2_000, 4_000];

/** Enforces {@link Ownership}. The sender calls `before` and `after` for every request. */
export function createGuard({ own, read, wait }: GuardOptions) {
  const reading = new Map<string, Promise<number | undefined>>();
  const readFirst = async (id: string, as: CredentialName): Promise<number | undefined> => {
    let status: number | undefined;
    for (const pause of read === undefined ? [] : PAUSES) {
      if (pause > 0) await wait?.(pause);
      status = await read?.(id, as);
      if (status !== 404) break;
    }
    return status;
  };
  /** Concurrent writes share one read. */
  const readOnce = (id: string, as: CredentialName): Promise<number | undefined> => {
    const under = reading.get(id) ?? readFirst(id, as).finally(() => reading.delete(id));
    reading.set(id, under);
    return under;
  };
  return {
    /**
     * Called before a request is sent.
     *
     * @throws Skipped if it would write to an intern that the run did not make
     * @throws Finding, a proven one, if the target has answered a create with another's intern
     */
    async before(request: Leaving): Promise<void> {
      let permit = own.permits(request);
      if (permit.kind === 'own' && permit.unread && read !== undefined) {
        const { id } = permit;
        const read = await readOnce(id, permit.as);
        permit = own.permits(request);
        if (permit.kind === 'own' && permit.unread)
          throw lacking({ kind: 'not-ours', how: 'unread', id, ...(read === undefined ? {} : { read }) });
      }
      if (permit.kind === 'refused') throw refused(permit.refusal);
    },
    /**
     * Called after an answer.
     *
     * @returns the outcome of a create
     * @throws Finding, a proven one, if a create answered with another's intern
     */
    after(answer: Heard): CreateOutcome | undefined {
      const given = own.sees(answer);
      if (given?.kind !== 'not own') return given;
      const ofItsOwn = given.because === 'another name' && !REGULAR.test(given.asked ?? '');
      if (ofItsOwn) return given;
      throw notOwn(given);
    },
  };
}

/** Marks of the run's own entries in lists that also show entries of others. */
interface OwnMarks {
  /** The prefix of the names of its secrets. */
  readonly prefix: string;
  /** The group, and the mapping, that the caller named. */
  readonly group?: string | undefined;
  readonly mapping?: string | undefined;
}

/** Lists of a workspace or an organization, and the test for the run's own entries. */
const LISTS: readonly { readonly path: RegExp; own(entry: RecordFields, marks: OwnMarks): boolean }[] = [
  {
    path: /\/vault\/+secrets\/*$/i,
    own: ({ name }, { prefix }) => typeof name === 'string' && name.toLowerCase().includes(prefix),
  },
  {
    path: /\/scim\/+group-mappings\/*$/i,
    own: ({ id, scim_group_id }, { group, mapping }) => same(id, mapping) || same(scim_group_id, group),
  },
  { path: /\/scim\/+groups\/*$/i, own: ({ id }, { group }) => same(id, group) },
];

const listAt = (method: string, path: string) =>
  method === 'GET' ? LISTS.find((list) => list.path.test(path)) : undefined;

/** Whether a request asks for a list that shows entries of others, too. `path` has no query. */
export const showsOthers = (method: string, path: string): boolean => listAt(method, path) !== undefined;

/** A JSON value with every text removed. */
function withoutTexts(value: unknown): unknown {
  if (typeof value === 'string') return '[not shown]';
  if (Array.isArray(value)) return value.map(withoutTexts);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutTexts(inner)]));
}

/** A list with the run's own entries. An entry of another organization stays without its texts, because it is a breach. */
function shownOf(text: string, own: (entry: RecordFields) => boolean): string {
  const body = jsonOf(text);
  if (body === undefined) return '[not shown]';
  if (!isRecord(body) || !Array.isArray(body.data)) return JSON.stringify(withoutTexts(body));
  const mine = body.data.filter((entry) => isRecord(entry) && own(entry));
  const organization = mine.find((entry) => isRecord(entry))?.organization_id;
  const stranger = (entry: RecordFields) => typeof organization === 'string' && entry.organization_id !== organization;
  const data = body.data.flatMap((entry) =>
    isRecord(entry) && !stranger(entry) ? (own(entry) ? [entry] : []) : [withoutTexts(entry)],
  );
  return JSON.stringify({ ...body, data });
}

/** Headers that describe the bytes of a body. */
const OF_THE_BYTES = ['content-length', 'content-encoding', 'etag', 'content-md5', 'digest', 'repr-digest'];

/**
 * The answer to a request as the kit may see it. A list of a workspace's secrets, or of an organization's groups and
 * mappings, keeps only the run's own entries. Entries of others reach no check, no evidence and no report.
 */
export async function onlyOwn({ method, url }: Request, answer: Response, marks: OwnMarks): Promise<Response> {
  const list = answer.ok ? listAt(method, new URL(url).pathname) : undefined;
  if (list === undefined) return answer;
  const text = shownOf(await answer.text(), (entry) => list.own(entry, marks));
  const headers = new Headers(answer.headers);
  for (const name of OF_THE_BYTES) headers.delete(name);
  return new Response(text, { status: answer.status, headers });
}
