/** The mutants: emulators, each wrong in one named way, that the checks of the kit have to catch. */
import { AS_MET } from './areas/as-met.js';
import { AUTH } from './areas/auth.js';
import { BASE } from './areas/base.js';
import { BODIES } from './areas/bodies.js';
import { CHAT_ANSWERS } from './areas/chat-answers.js';
import { CHAT_ENDINGS } from './areas/chat-endings.js';
import { CHAT_QUESTIONS } from './areas/chat-questions.js';
import { CHAT_REQUESTS, CHAT_SESSIONS } from './areas/chat-sessions.js';
import { CHAT_STREAM, KEEPALIVE } from './areas/chat-stream.js';
import { CONTROL } from './areas/control.js';
import { CREATE } from './areas/create.js';
import { CREATES_AGAIN } from './areas/creates-again.js';
import { DAEMON, PROOF } from './areas/daemon.js';
import { DISCONNECT } from './areas/disconnect.js';
import { INVOKE } from './areas/invoke.js';
import { LIFECYCLE } from './areas/lifecycle.js';
import { LIMITER } from './areas/limiter.js';
import { LIST } from './areas/list.js';
import { SCIM, SCIM_DIRECTORY } from './areas/scim.js';
import { FAULTS, SCRIPTS } from './areas/scripts.js';
import { SIGN } from './areas/sign.js';
import { UPDATE } from './areas/update.js';
import { VAULT } from './areas/vault.js';
import { VAULT_CONTENTS } from './areas/vault-contents.js';
import { VISIBILITY } from './areas/visibility.js';
import type { Mutant } from './mutant.js';

/** The mutants of each area. */
export const AREAS: Readonly<Record<string, readonly Mutant[]>> = {
  base: BASE,
  auth: AUTH,
  visibility: VISIBILITY,
  list: LIST,
  create: CREATE,
  'creates-again': CREATES_AGAIN,
  update: UPDATE,
  lifecycle: LIFECYCLE,
  'chat-stream': CHAT_STREAM,
  keepalive: KEEPALIVE,
  'chat-endings': CHAT_ENDINGS,
  'chat-questions': CHAT_QUESTIONS,
  'chat-answers': CHAT_ANSWERS,
  'chat-sessions': CHAT_SESSIONS,
  'chat-requests': CHAT_REQUESTS,
  disconnect: DISCONNECT,
  limiter: LIMITER,
  invoke: INVOKE,
  sign: SIGN,
  daemon: DAEMON,
  proof: PROOF,
  scim: SCIM,
  'scim-directory': SCIM_DIRECTORY,
  vault: VAULT,
  'vault-contents': VAULT_CONTENTS,
  bodies: BODIES,
  scripts: SCRIPTS,
  faults: FAULTS,
  control: CONTROL,
  'as-met': AS_MET,
};

/** Every mutant, area by area. */
export const mutants: readonly Mutant[] = Object.values(AREAS).flat();
