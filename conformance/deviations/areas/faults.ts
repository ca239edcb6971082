import { holding, type Part, wrap } from '../combinators/parts.js';
import { errors, rewriteReply, typed } from '../combinators/replies.js';
import { defineDeviations, type Mutant } from '../mutant.js';

type Fault = NonNullable<ReturnType<Part<'createFaults'>['take']>>;

/** Changes what an operation meets. */
const faults = (change: (fault: Fault) => Fault): Mutant =>
  wrap({
    createFaults: (usual) => ({
      take(operation) {
        const fault = usual.take(operation);
        return fault && change(fault);
      },
    }),
  });

export const FAULTS = defineDeviations({
  'fault-of-another-status': {
    description: 'A fault 408 of chat comes as 504.',
    mutant: errors({ of: 'chat', status: 408 }, { status: 504 }),
  },
  'fault-for-one-call-only': {
    description: 'A fault is met once, whatever its times.',
    mutant: wrap({ createFaults: (usual) => ({ add: (fault) => usual.add({ ...fault, times: 1 }) }) }),
  },
  'fault-for-ever': {
    description: 'A fault stays until it is cleared.',
    mutant: wrap({ createFaults: (usual) => ({ add: (fault) => usual.add({ ...fault, times: 1_000_000 }) }) }),
  },
  'fault-without-envelope': {
    description: 'A fault is answered in plain text.',
    mutant: rewriteReply((reply) =>
      reply.headers['x-emulator-detail'] === 'injected fault' ? typed(reply, 'text/plain', 'injected fault') : reply,
    ),
  },
  'fault-used-up-by-refused-calls': {
    description: 'A call that is refused uses a fault up.',
    mutant: holding('createFaults', (faults) =>
      rewriteReply((reply, { operation }) => {
        if (operation && [400, 401, 404].includes(reply.status)) faults()?.take(operation);
        return reply;
      }),
    ),
  },
  'fault-without-delay': {
    description: 'A delay is not waited for.',
    mutant: faults((fault) => ({ ...fault, delay: undefined })),
  },
  'fault-answers-in-place-of-dropping': {
    description: 'A fault that drops the connection answers 500 instead.',
    mutant: faults((fault) => (fault.disconnect ? { operation: fault.operation, times: 1, status: 500 } : fault)),
  },
});
