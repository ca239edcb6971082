import type { Intern } from '../../emulator/contract/intern.js';
import { equal, ok, oneOf } from '../model/assert.js';
import { heard } from '../requests/chat.js';
import { checksOf } from '../run/check.js';
import * as expect from '../run/expect.js';
import { asleep, onStopped, provisioned } from './steps/interns.js';

const BUSY = { status: 409, reason: 'intern_busy', retryable: false } as const;

/** The number of reads of a boot. */
const LOOKS = 8;
/** Least reads of a boot after its first one, which may show nothing yet, and most boots to get them. */
const ENOUGH = 2;
const BOOTS = 3;

export const PROVISION = checksOf('PROV-1', 'P', {
  'provision/first-boot': {
    level: 'S',
    title: 'A created intern does not run before provision, and runs after it.',
    ...onStopped(['running'], async (ctx, intern) => {
      const { interns, chat } = ctx;
      await asleep(ctx, intern.id, await heard(await chat(intern.id, 'Hello.')), 'chat before the boot');
      await provisioned(ctx, intern);
      await interns.until(intern.id, ['running']);
      const t = await (await chat(intern.id, 'Hello.')).end();
      expect.finish(t, 'stop', 'chat after the boot');
    }),
  },
  'provision/at-create': {
    requirement: 'CREATE-3',
    level: 'S',
    title: 'Provisioning starts at once if the create asks for it.',
    needs: ['running'],
    async run({ api, interns }) {
      const made = expect.intern(await api.create(interns.body({ provision: true })), expect.CREATED, 'the create');
      await interns.until(made.id, ['running']);
    },
  },
  'provision/waits': {
    requirement: 'CREATE-3',
    title: 'Without provision, or with false, an intern waits for a provision call, and boots then.',
    needs: ['running', 'clock'],
    async run({ api, interns, wait }) {
      const made = [await interns.stopped(), await interns.stopped({ provision: false })];
      await wait(3_600_000);
      for (const { id } of made) {
        const waiting = expect.intern(await api.get(id), 200, 'the read an hour later');
        equal([waiting.status, waiting.hostname, waiting.progress], ['stopped', null, null], 'the waiting intern');
        expect.status(await api.provision(id), 202, 'the provision');
        await interns.until(id, ['running']);
      }
    },
  },
  'provision/shows-progress': {
    title: 'The record of a booting intern shows its progress.',
    ...onStopped(['running'], async ({ api, interns, settle, assume }, intern) => {
      const seen: Intern['progress'][] = [];
      let shown = false;
      for (let boot = 0; boot < BOOTS && seen.length < ENOUGH && !shown; boot++) {
        if (boot > 0) {
          expect.done(await api.suspend(intern.id), 'the suspend');
          await interns.untilSuspended(intern.id);
        }
        expect.done(await api.provision(intern.id), 'the provision');
        for (let read = 0, first = true; read < LOOKS; read++) {
          const now = expect.intern(await api.get(intern.id, { soon: true }), 200, 'the read of one that boots');
          if (now.status === 'running') break;
          if (now.status === 'provisioning') {
            shown ||= (now.progress ?? null) !== null;
            if (!first) seen.push(now.progress);
            first = false;
          }
          await settle();
        }
        await interns.until(intern.id, ['running']);
      }
      assume(seen.length >= ENOUGH || shown, 'a boot that is seen to go on', undefined, seen.length);
      if (seen.length >= ENOUGH) ok(shown, 'progress while provisioning', 'where it stands', seen);
    }),
  },
  'provision/takes-a-second': {
    level: 'C',
    title: 'A boot takes 1 s on the clock, not a millisecond less, in at least two steps.',
    needs: ['control', 'running', 'clock'],
    async run({ api, interns, clock }) {
      for (const at of ['create', 'provision'] as const) {
        const intern = await interns.stopped(at === 'create' ? { provision: true } : {});
        if (at === 'provision') expect.status(await api.provision(intern.id), 202, 'the provision');
        const read = async () => expect.intern(await api.get(intern.id), 200, 'the read');
        oneOf((await read()).status, ['queued', 'provisioning'], `status at once after ${at}`);
        const steps = new Set<number>();
        for (const ms of [1, 99, 100, 100, 100, 100, 100, 100, 100, 100, 99]) {
          await clock.advance(ms);
          const { status, progress } = await read();
          oneOf(status, ['queued', 'provisioning'], 'status within the second');
          if (progress !== null) steps.add(progress.step_number);
        }
        ok(steps.size >= 2, 'progress steps of a boot', 'at least two', [...steps]);
        await clock.advance(1);
        equal((await read()).status, 'running', `status 1 s after ${at}`);
      }
    },
  },
  'provision/race': {
    title: 'Of provisions sent at once one starts the boot; the others are 409.',
    ...onStopped(['running'], async ({ api, interns, race, upTo }, intern) => {
      const answers = await race(upTo(5, 3), () => api.provision(intern.id));
      const started = answers.filter(({ status }) => status < 300);
      equal(started.length, 1, 'provisions that were accepted');
      for (const answer of answers) if (answer.status >= 300) expect.error(answer, BUSY, 'a provision that came late');
      await interns.until(intern.id, ['running']);
    }),
  },
  'provision/scripted-failure-message': {
    requirement: 'EMU-9',
    level: 'C',
    title: 'A scripted boot takes its time, shows its steps, and fails with its message.',
    needs: ['control', 'clock', 'write'],
    async run({ api, interns, control, clock }) {
      const steps = ['Creating disk', 'Starting runtime'];
      const boot = { after: '2s', steps, ends: 'failed', message: 'no disk left' };
      const name = await control.script({ lifecycle: { boot } });
      const intern = await interns.stopped({ instructions: `script: ${name}` });
      expect.status(await api.provision(intern.id), 202, 'the provision');
      const labels = new Set<string>();
      for (let ms = 0; ms < 1_900; ms += 100) {
        await clock.advance(100);
        const { status, progress } = expect.intern(await api.get(intern.id), 200, 'the read');
        oneOf(status, ['queued', 'provisioning'], 'status within the boot');
        if (progress !== null) labels.add(progress.step_label);
        if (progress !== null) equal(progress.total_steps, 2, 'total_steps');
      }
      equal([...labels], steps, 'labels of the steps');
      await clock.advance(100);
      const failed = expect.intern(await api.get(intern.id), 200, 'the read');
      equal([failed.status, failed.last_failure_message], ['failed', 'no disk left'], 'status and message');
    },
  },
  'provision/hanging-boot': {
    requirement: 'EMU-9',
    level: 'C',
    title: 'boot-hangs: the intern stays provisioning, whatever time passes, and can be deleted.',
    needs: ['control', 'clock', 'write'],
    async run({ api, interns, clock }) {
      const intern = await interns.stopped({ instructions: 'script: boot-hangs', provision: true });
      await clock.advance(3_600_000);
      const { status } = expect.intern(await api.get(intern.id), 200, 'the read an hour later');
      equal(status, 'provisioning', 'status an hour later');
      expect.error(await api.suspend(intern.id), BUSY, 'a suspend of a booting intern');
      expect.status(await api.remove(intern.id), 202, 'the delete');
      await interns.untilGone(intern.id);
    },
  },
});
