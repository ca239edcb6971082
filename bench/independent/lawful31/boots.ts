import type { Random } from '../../../emulator/clock/random.js';
import { ERRORS, Refusal } from '../../../emulator/contract/errors.js';
import type { Way } from '../world.js';
import { messageIn } from './helpers.js';

const WARM = 5_000;
const UNREACHABLE = ERRORS.daemon_unreachable.message;

/** Another source of randomness whose UUIDs have another form. */
const withIds = (random: Random, uuid: () => string): Random => Object.create(random, { uuid: { value: uuid } });

export const boots: readonly Way[] = [
  {
    // An intern that runs may not be reached: both texts have an answer for that, and none says how long it lasts.
    name: 'an intern cannot be reached in the first five seconds after its boot',
    lawful: true,
    quote: 'unreachable before that → 502 `intern_unreachable` (retryable) … not reachable → 409 `intern_unreachable`',
    wrong: (world) => async (call, next) => {
      const response = await next();
      const unreachable = call.op.startsWith('daemon') && (await messageIn(response)) === UNREACHABLE;
      if (unreachable) world.hit();
      return response;
    },
    factories: (usual, hit) => {
      const booted = new Map<string, number>();
      let now = () => 0;
      const isCold = (id: string) => now() - (booted.get(id) ?? Number.NEGATIVE_INFINITY) < WARM;
      return {
        createScriptRegistry: (deps) => {
          const registry = usual.createScriptRegistry(deps);
          return {
            ...registry,
            resolveLifecycle(row) {
              const plan = registry.resolveLifecycle(row);
              return row.record.status === 'running' && isCold(row.id) ? { ...plan, daemon: 'unreachable' } : plan;
            },
          };
        },
        createProvisioning: (interns, deps) => {
          now = deps.clock.now;
          const move: typeof interns.move = (row, event, record, change) => {
            if (event === 'boot_succeeded') booted.set(row.id, now());
            return interns.move(row, event, record, change);
          };
          return usual.createProvisioning({ ...interns, move }, deps);
        },
        createRuns: (deps) => {
          const runs = usual.createRuns(deps);
          const reach = (id: string) => {
            if (deps.intern(id)?.record.status !== 'running' || !isCold(id)) return;
            hit();
            throw new Refusal('intern_unreachable', { headers: { 'retry-after': '3' } });
          };
          return {
            ...runs,
            async prompt(request) {
              reach(request.intern.id);
              return runs.prompt(request);
            },
            async invoke(request) {
              if (request.sessionId !== undefined)
                runs.ownedSession(request.intern.id, request.sessionId, request.callerId);
              reach(request.intern.id);
              return runs.invoke(request);
            },
          };
        },
      };
    },
  },
  {
    // A UUID of version 7 is one; the form of the others is stated nowhere, but for the length of a session id.
    name: 'interns have UUIDs of version 7, sessions, calls and nonces long tokens',
    lawful: true,
    quote: '`id` uuid … `session_id` (1–256 chars, no control characters) … The single-use id',
    factories: (usual, hit) => ({
      createCreate: (interns, provisioning, deps) => {
        const { random, clock } = deps;
        const uuid = () => {
          hit();
          const at = Math.floor(clock.now()).toString(16).padStart(12, '0');
          return `${at.slice(0, 8)}-${at.slice(8)}-7${random.uuid().slice(15)}`;
        };
        return usual.createCreate(interns, provisioning, { ...deps, random: withIds(random, uuid) });
      },
      createRuns: (deps) => {
        const { random } = deps;
        const token = () => `eyJ2IjoxfQ==.${random.bytes(150).toString('base64')}~:`;
        return usual.createRuns({ ...deps, random: withIds(random, token) });
      },
      createProofs: (deps) => {
        const proofs = usual.createProofs(deps);
        return {
          ...proofs,
          signer: {
            sign(request) {
              const { route, timestamp } = request;
              if (route === undefined) return proofs.signer.sign(request);
              return proofs.signer.sign({ ...request, route: { ...route, nonce: `${timestamp}:${route.nonce}==` } });
            },
          },
        };
      },
    }),
  },
];
