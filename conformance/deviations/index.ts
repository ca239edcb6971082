/** The deviations: mutants of the emulator, each wrong in one named way, that the checks of the kit have to catch. */
import { AS_MET } from './areas/as-met.js';
import { AUTH } from './areas/auth.js';
import { BASE } from './areas/base.js';
import { BODIES } from './areas/bodies.js';
import { CHAT_ANSWERS } from './areas/chat-answers.js';
import { CHAT_CONTENT } from './areas/chat-content.js';
import { CHAT_DEADLINES } from './areas/chat-deadlines.js';
import { CHAT_ENDINGS } from './areas/chat-endings.js';
import { CHAT_LOCK } from './areas/chat-lock.js';
import { CHAT_MODES } from './areas/chat-modes.js';
import { CHAT_NOT_TAKEN } from './areas/chat-not-taken.js';
import { CHAT_QUESTIONS } from './areas/chat-questions.js';
import { CHAT_REFUSALS } from './areas/chat-refusals.js';
import { CHAT_REQUESTS } from './areas/chat-requests.js';
import { CHAT_SESSIONS } from './areas/chat-sessions.js';
import { CHAT_STREAM } from './areas/chat-stream.js';
import { CONTROL } from './areas/control.js';
import { CREATE } from './areas/create.js';
import { DAEMON } from './areas/daemon.js';
import { DELETE } from './areas/delete.js';
import { DISCONNECT } from './areas/disconnect.js';
import { FAULTS } from './areas/faults.js';
import { FIELDS } from './areas/fields.js';
import { IDEMPOTENCY } from './areas/idempotency.js';
import { INVOKE } from './areas/invoke.js';
import { KEEPALIVE } from './areas/keepalive.js';
import { LIMITER } from './areas/limiter.js';
import { LIST } from './areas/list.js';
import { PROOF } from './areas/proof.js';
import { PROVISION } from './areas/provision.js';
import { SCIM } from './areas/scim.js';
import { SCIM_DIRECTORY } from './areas/scim-directory.js';
import { SCRIPTS } from './areas/scripts.js';
import { SIGN } from './areas/sign.js';
import { SIGN_IDENTITY } from './areas/sign-identity.js';
import { SIGN_REFUSALS } from './areas/sign-refusals.js';
import { SUSPEND } from './areas/suspend.js';
import { UNFINISHED } from './areas/unfinished.js';
import { UPDATE } from './areas/update.js';
import { VAULT } from './areas/vault.js';
import { VAULT_CONTENTS } from './areas/vault-contents.js';
import { VISIBILITY } from './areas/visibility.js';
import type { Deviation } from './mutant.js';

/** The deviations of each area, under the name of its file. */
export const AREAS: Readonly<Record<string, readonly Deviation[]>> = {
  base: BASE,
  auth: AUTH,
  visibility: VISIBILITY,
  list: LIST,
  create: CREATE,
  fields: FIELDS,
  idempotency: IDEMPOTENCY,
  unfinished: UNFINISHED,
  update: UPDATE,
  provision: PROVISION,
  suspend: SUSPEND,
  delete: DELETE,
  'chat-stream': CHAT_STREAM,
  'chat-content': CHAT_CONTENT,
  'chat-endings': CHAT_ENDINGS,
  'chat-questions': CHAT_QUESTIONS,
  'chat-modes': CHAT_MODES,
  'chat-answers': CHAT_ANSWERS,
  'chat-refusals': CHAT_REFUSALS,
  'chat-deadlines': CHAT_DEADLINES,
  'chat-not-taken': CHAT_NOT_TAKEN,
  'chat-sessions': CHAT_SESSIONS,
  'chat-lock': CHAT_LOCK,
  keepalive: KEEPALIVE,
  disconnect: DISCONNECT,
  limiter: LIMITER,
  invoke: INVOKE,
  sign: SIGN,
  'sign-identity': SIGN_IDENTITY,
  'sign-refusals': SIGN_REFUSALS,
  daemon: DAEMON,
  scim: SCIM,
  'scim-directory': SCIM_DIRECTORY,
  vault: VAULT,
  'vault-contents': VAULT_CONTENTS,
  proof: PROOF,
  bodies: BODIES,
  'chat-requests': CHAT_REQUESTS,
  scripts: SCRIPTS,
  faults: FAULTS,
  control: CONTROL,
  'as-met': AS_MET,
};

/** Every deviation, area by area. */
export const deviations: readonly Deviation[] = Object.values(AREAS).flat();
