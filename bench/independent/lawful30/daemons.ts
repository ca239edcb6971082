import { rewritten } from '../../../emulator/wire/answer.js';
import { withRequest } from '../../../emulator/wire/request.js';
import { isJson, type Json } from '../call.js';
import type { Way } from '../world.js';
import { bearer, internsIn } from './helpers.js';

const FAST = 3;

const later = (at: unknown): string => new Date(Date.parse(String(at)) + FAST * 1_000).toISOString();

export const daemons: readonly Way[] = [
  {
    // One token per boot is chosen; each of these is good until the intern stops.
    name: 'each reveal has another daemon token',
    lawful: true,
    quote: 'Returns the daemon origin and token. … (C: one token per boot)',
    wrong: (world) => {
      let count = 0;
      return world.ok('daemon daemon-alias', (body) => {
        count += 1;
        const salt = Math.floor(world.setting.random() * 2 ** 48).toString(36);
        body.token = `dmn_${count}${salt}.${String(body.token)}`;
      });
    },
    daemons: () => async (call, next) => {
      const inner = /^dmn_[0-9a-z]+\.(.+)$/.exec(bearer(call.request))?.[1];
      return next(
        inner === undefined ? undefined : withRequest(call.request, { headers: { authorization: `Bearer ${inner}` } }),
      );
    },
  },
  {
    // Time of signing and of records is the service's; no sentence ties its clock to the caller's to the second.
    name: 'the clock of the service is three seconds fast',
    lawful: true,
    quote: 'x-svc-invoke-timestamp: Time of signing.',
    factories: (usual, hit) => ({
      createProofs: (deps) => {
        const proofs = usual.createProofs(deps);
        return {
          ...proofs,
          signer: {
            sign(request) {
              hit();
              return proofs.signer.sign({ ...request, timestamp: request.timestamp + FAST });
            },
          },
        };
      },
    }),
    wrong: () => async (call, next) => {
      const response = await next();
      if (!response.ok || !/^(list|get|create|update|chat)$/.test(call.op)) return response;
      return rewritten(response, {
        json(body) {
          if (!isJson(body)) return;
          for (const intern of internsIn(body))
            Object.assign(intern, { created_at: later(intern.created_at), updated_at: later(intern.updated_at) });
        },
        text(event) {
          if (!event.startsWith('data: {')) return `${event}\n\n`;
          const chunk = JSON.parse(event.slice(6)) as Json;
          return `data: ${JSON.stringify({ ...chunk, created: Number(chunk.created) + FAST })}\n\n`;
        },
      });
    },
  },
];
