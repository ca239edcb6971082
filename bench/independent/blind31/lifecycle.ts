import { failed } from '../answers.js';
import { parsed, withBody } from '../call.js';
import type { Way } from '../world.js';
import { bytesOf, isMember, runsOf, seen, tokenOf } from './helpers.js';

const NO_FIELD = 'It takes no request body; a body carrying any field is refused with 400.';

export const lifecycle: readonly Way[] = [
  {
    // The body is looked at when the answer is made.
    name: 'a suspend that is refused for a field in its body has stopped the runtime',
    quote: NO_FIELD,
    wrong: (world) => async (call, next) => {
      const response = await next();
      if (call.op !== 'suspend' || response.status !== 400 || Object.keys(call.body).length === 0) return response;
      const done = await world.ask('POST', `/interns/${call.id}/suspend`, { as: tokenOf(call) });
      if (done.ok) world.hit();
      return response;
    },
  },
  {
    // Fields that are null count as left out.
    name: 'a provision takes a body whose fields are null',
    quote: NO_FIELD,
    wrong: (world) =>
      world.asked('provision', ({ body, text }) => {
        const values = Object.values(body);
        return parsed(text) !== undefined && values.length > 0 && values.every((value) => value === null)
          ? {}
          : undefined;
      }),
  },
  {
    // The runtime held them.
    name: 'a suspended intern has neither model nor instructions any more',
    quote: 'Stops the runtime and keeps its disk and configuration for a later provision call.',
    wrong: (world) => async (call, next) => {
      const response = await next();
      if (call.op !== 'suspend' || !response.ok) return response;
      const now = await seen(world, call);
      if (now?.model == null && now?.instructions == null) return response;
      const body = { model: null, instructions: null };
      const lost = await world.ask('PATCH', `/interns/${call.id}`, { as: tokenOf(call), body });
      if (lost.ok) world.hit();
      return response;
    },
  },
  {
    name: 'a delete of an intern that boots is refused with 409',
    quote: 'Any visible intern',
    wrong: (world) =>
      world.instead('delete', async (call) => {
        if (call.regional || !isMember(call) || (call.text !== '' && parsed(call.text) === undefined)) return undefined;
        const now = await seen(world, call);
        return now?.status === 'queued' || now?.status === 'provisioning'
          ? failed(409, 'The intern is in a state that does not allow this', 'intern_busy')
          : undefined;
      }),
  },
  {
    name: 'a delete of an intern with a question open is refused with 409',
    quote: 'Any visible intern',
    wrong: (world) =>
      world.instead('delete', async (call) => {
        if (call.regional || !isMember(call) || (await seen(world, call)) === undefined) return undefined;
        return (await runsOf(world, call.id)).some(({ status }) => status === 'waiting')
          ? failed(409, 'The intern is in a state that does not allow this', 'intern_busy')
          : undefined;
      }),
  },
  {
    // The option is read by the first teardown alone.
    name: 'acknowledging the loss after the archive failed has no effect',
    quote: 'Deletes the intern, accepting that its workspace is not backed up.',
    wrong: (world) => async (call, next) => {
      if (call.op !== 'delete' || call.body.acknowledge_workspace_loss !== true) return next();
      if ((await seen(world, call))?.status !== 'destroy_failed') return next();
      world.hit();
      return next(withBody(call, { ...call.body, acknowledge_workspace_loss: false }));
    },
  },
  {
    // Provisioning asks whether the intern runs, and nothing else.
    name: 'a provision while an intern is torn down brings it back',
    quote: 'Starts safe teardown of the intern, its runtime and its private vault.',
    factories: (usual, hit) => ({
      createProvisioning(interns, deps) {
        const provisioning = usual.createProvisioning(interns, deps);
        return {
          ...provisioning,
          provision(row) {
            if (row.record.status !== 'destroying') return provisioning.provision(row);
            hit();
            return provisioning.provision(interns.put(row, { status: 'stopped' }));
          },
        };
      },
    }),
  },
  {
    // Somebody wants to talk to it.
    name: 'a prompt to a suspended intern is refused, and resumes it',
    quote: 'Stops the runtime and keeps its disk and configuration for a later provision call.',
    wrong: (world) => {
      const suspended = new Set<string>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'suspend' && response.ok) suspended.add(call.id);
        if (call.op === 'provision' && response.ok) suspended.delete(call.id);
        if ((call.op !== 'chat' && call.op !== 'invoke') || response.status !== 409 || !suspended.has(call.id))
          return response;
        suspended.delete(call.id);
        const woken = await world.ask('POST', `/interns/${call.id}/provision`, { as: tokenOf(call) });
        if (woken.ok) world.hit();
        return response;
      };
    },
  },
  {
    name: 'a delete with a body of exactly 1048576 bytes is refused with 413',
    quote: 'The 1048576-byte cap, 413 and 415 rules apply.',
    wrong: (world) =>
      world.instead('delete', async (call) =>
        bytesOf(call.text) === 1_048_576 && !call.regional && (await seen(world, call)) !== undefined
          ? failed(413, 'Request body exceeds 1048576 bytes', 'payload_too_large')
          : undefined,
      ),
  },
];
