import type { Alterable } from './alterations.js';
import { errors, served } from './change.js';
import { defineDeviations } from './deviation.js';

export const FAULTS = defineDeviations([
  {
    name: 'fault-of-another-status',
    requirement: 'EMU-6',
    description: 'A fault 408 of chat comes as 504.',
    alters: errors(({ status, request }) =>
      status === 408 && request.url.includes('/chat/') ? { status: 504 } : undefined,
    ),
    caughtBy: ['faults/chat-statuses'],
  },
  {
    name: 'fault-for-one-call-only',
    requirement: 'EMU-6',
    description: 'A fault is met once, whatever its times.',
    alters: { faults: (usual) => ({ ...usual, add: (fault) => usual.add({ ...fault, times: 1 }) }) },
    caughtBy: ['faults/every-operation', 'faults/list-and-clear', 'faults/chat-statuses', 'sign/server-failure'],
  },
  {
    name: 'fault-for-ever',
    requirement: 'EMU-6',
    description: 'A fault stays until it is cleared.',
    alters: { faults: (usual) => ({ ...usual, add: (fault) => usual.add({ ...fault, times: 1_000_000 }) }) },
    caughtBy: [
      'faults/every-operation',
      'faults/scim-form',
      'faults/list-and-clear',
      'faults/chat-statuses',
      'faults/only-their-operation',
      'faults/refused-use-none',
      'faults/dropped',
    ],
  },
  {
    name: 'fault-without-envelope',
    requirement: 'EMU-6',
    description: 'A fault is answered in plain text.',
    alters: served((answer) =>
      answer.headers['x-emulator-detail'] === 'injected fault'
        ? { ...answer, body: 'injected fault', headers: { ...answer.headers, 'content-type': 'text/plain' } }
        : answer,
    ),
    caughtBy: [
      'faults/every-operation',
      'faults/scim-form',
      'faults/chat-statuses',
      'sign/server-failure',
      'scim/failure',
    ],
  },
  {
    name: 'fault-of-any-operation',
    requirement: 'EMU-6',
    description: 'A fault is met by the next call, whatever its operation.',
    alters: {
      faults: (usual) => ({
        ...usual,
        take: (operation) => usual.take(operation) ?? usual.take(operation === 'chat' ? 'invoke' : 'chat'),
      }),
    },
    caughtBy: ['faults/only-their-operation'],
  },
  {
    name: 'fault-used-up-by-refused-calls',
    requirement: 'EMU-6',
    description: 'A call that is refused uses a fault up.',
    alters: () => {
      let take: Alterable['faults']['take'] = () => undefined;
      return {
        faults(usual) {
          take = usual.take;
          return usual;
        },
        pipeline: (serve) => async (request, resource, framed) => {
          const answer = await serve(request, resource, framed);
          const operation = resource.routes.find((row) => row.method === request.method)?.operation;
          if (operation && [400, 401, 404].includes(answer.status)) take(operation);
          return answer;
        },
      };
    },
    caughtBy: ['faults/refused-lifecycle-calls', 'faults/refused-use-none', 'order/fault-before-state'],
  },
  {
    name: 'fault-without-delay',
    requirement: 'EMU-6',
    description: 'A delay is not waited for.',
    alters: {
      faults: (usual) => ({
        ...usual,
        take(operation) {
          const fault = usual.take(operation);
          return fault && { ...fault, delay: undefined };
        },
      }),
    },
    caughtBy: ['faults/delayed-lifecycle-calls', 'faults/delay', 'sign/times-out-after-10s'],
  },
  {
    name: 'fault-answers-in-place-of-dropping',
    requirement: 'EMU-6',
    description: 'A fault that drops the connection answers 500 instead.',
    alters: {
      faults: (usual) => ({
        ...usual,
        take(operation) {
          const fault = usual.take(operation);
          return fault?.disconnect ? { operation, times: 1, status: 500 } : fault;
        },
      }),
    },
    caughtBy: ['faults/dropped-lifecycle-calls', 'faults/dropped'],
  },
]);
