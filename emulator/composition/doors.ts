import type { InternRow } from '../contract/state.js';
import type { Events } from '../control/events.js';
import type { Sequence } from '../control/sequence.js';
import type { Disturber } from '../disturbances/disturber.js';
import type { Factories } from '../factories.js';
import { createApp } from '../http/app.js';
import { matchRegional } from '../http/hosts.js';
import { createJournal, type Journal } from '../http/journal.js';
import { createRequestIds } from '../http/request-ids.js';
import { createRouter } from '../http/router.js';
import { type EmulatorOptions, loadChaos, loadCors, loadRegionalHosts } from '../options/options.js';
import { withReplay, withReplayedInterns } from '../recording/replay/serve.js';
import type { LifecyclePlan } from '../scripts/behaviour.js';
import { daemonRecord, journalRefusal } from '../serving/log.js';
import { runningParts } from '../state/seed.js';
import type { Ground, GroundDeps } from './ground.js';

type Made<K extends keyof Factories> = ReturnType<Factories[K]>;

export interface DoorsDeps extends Pick<GroundDeps, 'lifetime' | 'mount' | 'factories' | 'log'> {
  readonly ground: Ground;
  readonly accounts: Made<'createAccounts'>;
  readonly resolve: Parameters<Factories['createPipeline']>[0]['resolve'];
  readonly interns: Made<'createInterns'>;
  readonly provisioning: Made<'createProvisioning'>;
  readonly create: Made<'createCreate'>;
  readonly runs: Made<'createRuns'>;
  readonly limiter: Made<'createLimiter'>;
  readonly directory: Made<'createDirectory'>;
  readonly vaults: Made<'createVaults'>;
  readonly scripts: Made<'createScriptRegistry'>;
  readonly plan: (row: InternRow) => LifecyclePlan;
  readonly events: Events;
  readonly next: Sequence['next'];
  readonly nameOf: (internId: string) => string | undefined;
  readonly delayed: Parameters<Factories['createPipeline']>[0]['delayed'];
}

export type Doors = ReturnType<typeof openDoors>;

/** The parts that receive requests: the interface with its faults and journal, replayed recordings, proofs, daemons. */
export function openDoors(options: EmulatorOptions, deps: DoorsDeps) {
  const { lifetime, mount, factories, log, ground, accounts, resolve, interns, provisioning, create } = deps;
  const { runs, limiter, directory, vaults, scripts, plan, events, nameOf, delayed } = deps;
  const { profile, seed, settings, clock, heavyWork, store, randomOf, random, signingKey, keptNonces, daemonOrigin } =
    ground;
  const { onRequest } = options;

  const requestIds = createRequestIds(randomOf('requests'));

  // Proofs, and the daemons that verify them. If recordings are replayed, daemons know their interns too.
  const replayed = options.replay && withReplayedInterns(store.collection('interns'), clock, randomOf('replay'));
  const proofs = factories.createProofs({
    clock,
    heavyWork,
    random: randomOf('proofs'),
    profile,
    signingKey,
    interns: replayed ?? store.collection('interns'),
    subjects: () => seed.members.map((member) => member.oauth_subject),
    settings,
    daemonOrigin,
    requireV2: options.requireV2,
    kept: keptNonces,
    lifecyclePlan: plan,
    requestId: requestIds.next,
    log,
    // The journal reports its requests to the log.
    onRequest({ refused, ...request }) {
      if (refused) journalRefusal(journal, { ...request, refused });
      else onRequest?.(daemonRecord(request, clock.now(), accounts.redact), nameOf(request.internId ?? ''));
    },
  });

  const faults = factories.createFaults({
    changed: () => events.changed('fault', 'faults'),
    random: randomOf('faults'),
    initial: loadChaos(options.chaos),
  });
  const journal: Journal = createJournal(clock, accounts, deps.next, mount.prefix);
  const { resolveTurn } = scripts;
  const basePath = new URL(mount.addresses().base_url).pathname;
  const routes = factories.createRoutes({
    interns: { interns, provisioning, store, profile, create },
    chat: { clock, random: randomOf('chat'), runs, limiter, profile, settings, resolveTurn },
    daemon: { clock, random, store, daemonOrigin, lifecyclePlan: plan, log },
    sign: { clock, random: randomOf('nonces'), signer: proofs.signer, limiter, profile },
    scim: { directory, store, basePath },
    vault: { vaults, interns, store },
  });
  const resourceOf = createRouter(routes, factories.createPathFinder);
  const cors = loadCors(options.cors, profile);
  const disturber: Disturber = factories.createDisturber({
    clock,
    random: randomOf('disturbances'),
    resourceOf,
    faults,
    journal,
    runs,
    provisioning,
    settings,
    intern: interns.get,
    joins({ record: { workspace_id } }) {
      const name = `colleagues-${random.uuid().slice(0, 8)}`;
      const caller = { id: 'colleague', kind: 'api_key', workspaceId: workspace_id, programme: true } as const;
      const { intern } = create({ caller, body: { name, provision: false }, key: undefined });
      const row = interns.get(intern.id);
      const record = { status: 'running', hostname: `${name}.interns.localhost` } as const;
      if (row) interns.put(row, record, { booted: { model: null, instructions: null }, ...runningParts(random) });
    },
    puts(id, script) {
      const row = interns.get(id);
      if (row) interns.put(row, undefined, { script });
    },
    requestId: requestIds.next,
    cors: cors.headers,
    log,
    load: options.disturbances,
  });
  const regional = matchRegional(loadRegionalHosts(options.regionalHosts));
  const pipeline = factories.createPipeline({
    clock,
    heavyWork,
    requestIds,
    settings,
    interns,
    scope: lifetime.state,
    faults,
    journal,
    resolve,
    regional,
    basePath,
    redact: accounts.redact,
    cors,
    log,
    delayed,
  });
  const emulated = createApp(resourceOf, pipeline, { requestId: random.uuid, log });
  const { app, replay } = withReplay(
    emulated,
    options.replay &&
      replayed && {
        options: options.replay,
        interns: replayed,
        clock,
        random: randomOf('replayed'),
        profile,
        signer: proofs.signer,
        daemonOrigin,
        journal,
        requestId: random.uuid,
        regional,
        log,
      },
  );

  return {
    requestIds,
    proofs,
    faults,
    journal,
    routes,
    cors,
    disturber,
    regional,
    app,
    replay,
  };
}
