import type { Check } from '../framework/check.js';
import { CREDENTIAL_NAMES, type CredentialName, internPath, type Send } from '../probe/request.js';
import type { RunContext } from './session.js';

const CREDENTIALS: ReadonlySet<string> = new Set(CREDENTIAL_NAMES);

/**
 * The API key prompts. While its turns are held back (CHAT-17) the peer does, where it sees the interns of the run. Who has
 * begun goes on, since a session is somebody's, and a check that names a credential is about who sends.
 *
 * @returns who sends a prompt to an intern
 */
export function createPrompter({ driver, session }: RunContext, check: Check) {
  const { turns, unusable } = session;
  const peer = 'peer_api_key';
  const names = check.needs.some((need) => CREDENTIALS.has(need));
  const free = async (id: string): Promise<CredentialName> => {
    if (!turns('api_key').paused() || turns(peer).paused() || unusable(peer) !== undefined) return 'api_key';
    session.learnt.peerSees ??= session.running.send({ path: internPath(id), as: peer }).then(
      ({ status }) => status === 200,
      () => false,
    );
    return (await session.learnt.peerSees) ? peer : 'api_key';
  };
  let prompts = 0;
  let who: Promise<CredentialName> | undefined;
  return async (id: string): Promise<Pick<Send, 'as' | 'other'>> => {
    if (names || driver.control !== undefined || driver.credential(peer) === undefined) return {};
    prompts++;
    who ??= free(id);
    return {
      as: await who,
      other() {
        if (prompts === 1) who = free(id);
        return who;
      },
    };
  };
}
export type Prompter = ReturnType<typeof createPrompter>;
