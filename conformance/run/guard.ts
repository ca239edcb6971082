import { gist } from '../framework/assert.js';
import { Finding } from '../framework/finding.js';
import { lacking, raced } from '../framework/skip.js';
import type { Given, Heard, Leaving, Ownership, Refusal } from '../model/ownership.js';
import type { CredentialName } from '../probe/request.js';

export interface GuardOptions {
  readonly own: Ownership;
  /**
   * Reads an intern before the first write to it, where nothing has shown it yet: the status of the answer, which the owner has
   * seen. Undefined where the target belongs to the run alone, as an emulator does that is under its control.
   */
  read?: ((id: string, as: CredentialName) => Promise<number>) | undefined;
  /** Lets ms pass between two reads: a replica may not have it yet. */
  wait?(ms: number): Promise<void>;
}

/** A finding of what a create gave: nothing was written to it. */
const notMade = (of: string, asked: string | undefined, because: string, saw: unknown): Finding =>
  new Finding({
    wanted: { kind: 'effect', words: `a new intern named ${JSON.stringify(asked)}` },
    got: gist(`another's, to which nothing was written: ${because}`, saw),
    of,
    breaks: { requirement: 'CREATE-1', level: 'S' },
  });

function refused({ because, id = '', name, asked }: Refusal): Error {
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

/** Names within the published rules (CREATE-5). Of any other a service may make a name of its own. */
const REGULAR = /^(?=.{2,17}$)[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

const notOwn = ({ because, id, name, asked }: Extract<Given, { kind: 'not own' }>): Finding =>
  notMade('the answer to a create', asked, HOW[because], { id, name });

/** ms between the reads of an intern that cannot be read yet. */
const PAUSES = [0, 500, 1_000, 2_000, 4_000];

/** Keeps the requests of a run to the rule of {@link Ownership}. The sender calls both, for every request. */
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
  /** Once for all writes that wait for it. */
  const readOnce = (id: string, as: CredentialName): Promise<number | undefined> => {
    const under = reading.get(id) ?? readFirst(id, as).finally(() => reading.delete(id));
    reading.set(id, under);
    return under;
  };
  return {
    /**
     * Before a request leaves.
     *
     * @throws Skipped where it would write to an intern that the run did not make
     * @throws Finding, a proven one, where the target has answered a create with another's intern
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
     * After an answer.
     *
     * @returns what the answer to a create gave the run
     * @throws Finding, a proven one, where it is no intern of its own
     */
    after(answer: Heard): Given | undefined {
      const given = own.sees(answer);
      if (given?.kind !== 'not own') return given;
      const ofItsOwn = given.because === 'another name' && !REGULAR.test(given.asked ?? '');
      if (ofItsOwn) return given;
      throw notOwn(given);
    },
  };
}
