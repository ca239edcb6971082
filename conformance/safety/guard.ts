import { Certain, Unmet } from '../framework/assert.js';
import type { CredentialName } from '../probe/request.js';
import type { Asked, Leaving, Made, OwnInterns, Refusal } from './own-interns.js';

/** An answer, as far as it is looked at. */
export interface Heard {
  readonly url: string;
  readonly status: number;
  readonly json: unknown;
}

export interface GuardOptions {
  readonly own: OwnInterns;
  /**
   * Reads an intern before the first write to it, where nothing has shown it yet. Undefined where the target belongs to the
   * run alone, as an emulator does that is under its control.
   */
  read?: ((id: string, as: CredentialName) => Promise<Heard>) | undefined;
  /** Lets ms pass between two reads: a replica may not have it yet. */
  wait?(ms: number): Promise<void>;
}

/** Holds what a run sends to the rule of {@link OwnInterns}. Whoever sends calls both, for every request. */
export interface Guard {
  /**
   * Before a request leaves.
   *
   * @returns what a create asks for
   * @throws Unmet where it would write to an intern that the run did not make
   * @throws Certain where the target has answered a create with another's intern
   */
  before(request: Leaving): Promise<Asked | undefined>;
  /**
   * After an answer, with what `before` returned for its request.
   *
   * @returns what the answer to a create gave the run
   * @throws Certain where it is no intern of its own
   */
  after(asked: Asked | undefined, answer: Heard): Made | undefined;
}

const NEVER = 'Nothing was written to it.';
const quoted = (name: unknown) => (name === undefined ? 'no name' : JSON.stringify(name));
const breaks = { requirement: 'CREATE-1', level: 'S' } as const;

function refused({ because, id, name, asked }: Refusal): Error {
  const need = 'an intern of its own';
  if (because === 'every intern') return new Unmet(need, 'it would write to all interns at once');
  if (because === 'not made') return new Unmet(need, `it would write to ${id}, which this run has not made`);
  if (because === 'renamed')
    return new Unmet(need, `somebody else has renamed ${id} to ${quoted(name)}: nothing more is written to it`, 'race');
  return new Certain({
    what: 'the intern that a create answered',
    expected: `an intern named ${quoted(asked)}`,
    actual: `${id} is read as ${quoted(name)}. ${NEVER}`,
    breaks,
  });
}

const HOW = {
  'no plain id': 'its id is no plain id (letters, digits and . _ ~ : @ = + -)',
  'another name': 'it bears another name',
  'there before': 'it was there before the create was sent',
  'made for another create': 'it was made for another create',
} as const;

/** Names within the published rules (CREATE-5). Of any other a service may make a name of its own. */
const REGULAR = /^(?=.{2,17}$)[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

function notOwn({ because, id, name, asked }: Extract<Made, { kind: 'not own' }>): Certain {
  return new Certain({
    what: 'the answer to a create',
    expected: `a new intern named ${quoted(asked)}`,
    actual: `the intern ${JSON.stringify(id)}, named ${quoted(name)}: ${HOW[because]}. ${NEVER}`,
    breaks,
  });
}

/** ms between the reads of an intern that cannot be read yet. */
const PAUSES = [0, 500, 1_000, 2_000, 4_000];

export function createGuard({ own, read, wait }: GuardOptions): Guard {
  const reading = new Map<string, Promise<string>>();
  const readFirst = async (id: string, as: CredentialName): Promise<string> => {
    let got = 'is not read';
    for (const pause of read === undefined ? [] : PAUSES) {
      if (pause > 0) await wait?.(pause);
      const answer = await read?.(id, as);
      got = `answers ${answer?.status}`;
      if (answer !== undefined && answer.status < 300) own.shows(answer.url, answer.json);
      if (answer?.status !== 404) break;
    }
    return got;
  };
  /** Once for all writes that wait for it. */
  const readOnce = (id: string, as: CredentialName): Promise<string> => {
    const under = reading.get(id) ?? readFirst(id, as).finally(() => reading.delete(id));
    reading.set(id, under);
    return under;
  };
  return {
    async before(request) {
      let permit = own.leaves(request);
      if (permit.kind === 'own' && permit.unread && read !== undefined) {
        const { id } = permit;
        const got = await readOnce(id, permit.as);
        permit = own.leaves(request);
        if (permit.kind === 'own' && permit.unread)
          throw new Unmet('an intern of its own', `nothing shows that ${id} is the run's: its read ${got}`);
      }
      if (permit.kind === 'refused') throw refused(permit.refusal);
      return permit.kind === 'create' ? permit.asked : undefined;
    },
    after(asked, { url, status, json }) {
      if (asked === undefined) {
        if (status < 300) own.shows(url, json);
        return undefined;
      }
      const made = own.answered(asked, status, json);
      if (made.kind !== 'not own') return made;
      const ofItsOwn = made.because === 'another name' && !REGULAR.test(asked.name ?? '');
      if (ofItsOwn) return made;
      throw notOwn(made);
    },
  };
}
