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
  'fault-of-another-status': errors({ of: 'chat', status: 408 }, { status: 504 }),
  // A fault is met once, whatever its times.
  'fault-for-one-call-only': wrap({ createFaults: (usual) => ({ add: (fault) => usual.add({ ...fault, times: 1 }) }) }),
  // A fault stays until it is cleared.
  'fault-for-ever': wrap({ createFaults: (usual) => ({ add: (fault) => usual.add({ ...fault, times: 1_000_000 }) }) }),
  'fault-without-envelope': rewriteReply((reply) =>
    reply.headers['x-emulator-detail'] === 'injected fault' ? typed(reply, 'text/plain', 'injected fault') : reply,
  ),
  'fault-used-up-by-refused-calls': holding('createFaults', (faults) =>
    rewriteReply((reply, { operation }) => {
      if (operation && [400, 401, 404].includes(reply.status)) faults()?.take(operation);
      return reply;
    }),
  ),
  // A delay is not waited for.
  'fault-without-delay': faults((fault) => ({ ...fault, delay: undefined })),
  // A fault that drops the connection answers 500 instead.
  'fault-answers-in-place-of-dropping': faults((fault) =>
    fault.disconnect ? { operation: fault.operation, times: 1, status: 500 } : fault,
  ),
});
