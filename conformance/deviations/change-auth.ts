import type { Caller } from '../../emulator/domain/caller.js';
import type { Interns } from '../../emulator/domain/interns.js';
import type { Alterations } from './alterations.js';
import { after } from './change.js';

/** Changes who a token belongs to. */
export const callers = (
  change: (caller: Caller | undefined, token: string, interns: Interns) => Caller | undefined,
): Alterations => ({
  pipelineDeps: (deps) => ({
    ...deps,
    resolve: (token) => after(deps.resolve(token), (caller) => change(caller, token, deps.interns)),
  }),
});

/** Changes what a caller sees. */
export const visible = (
  change: (caller: Caller, id: string, interns: Interns) => ReturnType<Interns['visible']>,
): Alterations => ({
  interns: (usual) => ({ ...usual, visible: (caller, id) => change(caller, id, usual) }),
});
