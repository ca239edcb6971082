import { equal, isObject, ok, oneOf } from '../model/assert.js';
import { checksOf } from '../run/check.js';
import * as expect from '../run/expect.js';

const DURATIONS: readonly (readonly [unknown, number])[] = [
  [1, 1],
  [250, 250],
  ['250ms', 250],
  ['1s', 1_000],
  ['5m', 300_000],
  ['1h', 3_600_000],
];

const instant = (value: unknown): number => (typeof value === 'number' ? value : Date.parse(String(value)));

export const CLOCK = checksOf('EMU-2', {
  'emulator/advance': {
    title: 'advance takes milliseconds or a duration, and answers the new time.',
    needs: ['control', 'clock'],
    async run({ control, clock }) {
      const first = (await (await control.call('GET', '/clock')).json()) as Record<string, unknown>;
      oneOf(first.mode, ['real', 'virtual', 'frozen'], 'mode of the clock');
      for (const [advance, ms] of DURATIONS) {
        const before = await clock.now();
        const response = await control.call('POST', '/clock', { advance });
        equal(response.status, 200, `status of advance ${advance}`);
        const json: unknown = await response.json();
        isObject(json, `answer of advance ${advance}`);
        const passed = instant(json.now) - before;
        if (first.mode === 'real')
          ok(passed >= ms && passed < ms + 5_000, `ms that passed in ${advance}`, `${ms}`, passed);
        else equal(passed, ms, `ms that passed in ${advance}`);
        equal(json.mode, first.mode, 'mode of the clock');
      }
    },
  },
  'emulator/virtual-stands-still': {
    title: 'A virtual or frozen clock stands still until it is advanced. Records and boots follow it.',
    needs: ['control', 'clock', 'running'],
    async run({ api, interns, control, clock, settle, unmet }) {
      const { mode } = (await (await control.call('GET', '/clock')).json()) as { mode: unknown };
      if (mode === 'real') return unmet('clock', 'the clock of the emulator runs by itself');
      const before = await clock.now();
      const intern = await interns.stopped();
      expect.status(await api.provision(intern.id), 202, 'the provision');
      for (let round = 0; round < 3; round++) await settle();
      equal(await clock.now(), before, 'the time after some requests');
      const read = expect.intern(await api.get(intern.id), 200, 'the read');
      oneOf(read.status, ['queued', 'provisioning'], 'status without an advance');
      equal(Date.parse(intern.created_at), before, 'created_at');
    },
  },
  'emulator/advance-settles': {
    title: 'advance answers once its effects have settled: a boot, and the run that follows it.',
    needs: ['control', 'clock', 'running'],
    async run({ api, interns, control, clock }) {
      const turn = [{ say: 'a' }, { wait: '3s' }, { say: 'b' }, { wait: '4s' }, { say: 'c' }];
      const name = await control.script({ turn });
      const intern = await interns.running();
      expect.status(await api.invoke(intern.id, { input: `script: ${name}` }), 202, 'an invoke');
      const other = await interns.stopped();
      expect.status(await api.provision(other.id), 202, 'a provision');
      await clock.advance(6_999);
      equal((await control.runs(intern.id))[0]?.status, 'running', 'the run 1 ms before its end');
      equal(expect.intern(await api.get(other.id), 200, 'the read').status, 'running', 'status of the booted intern');
      await clock.advance(1);
      const [run] = await control.runs(intern.id);
      equal([run?.status, run?.ended], ['ended', 'stop'], 'the run at its end');
    },
  },
  'emulator/reset-leaves-the-clock': {
    requirement: 'EMU-7',
    title: 'A reset does not change the clock: neither its time nor whether it stands still.',
    needs: ['control', 'clock', 'disposable', 'write'],
    async run(ctx) {
      const { control, clock, interns } = ctx;
      const shown = async () => {
        const { now, mode } = (await (await control.call('GET', '/clock')).json()) as Record<string, unknown>;
        return { now: instant(now), mode };
      };
      // Twice: neither the start of the clock nor the time that the first reset left may come back.
      for (const ms of [7_654_321, 86_400_000]) {
        await clock.advance(ms);
        const before = await shown();
        await ctx.reset();
        const after = await shown();
        equal(after.mode, before.mode, 'mode of the clock after a reset');
        const passed = after.now - before.now;
        if (before.mode === 'real')
          ok(passed >= 0 && passed < 5_000, 'ms that a reset moves the clock by', 'those that pass', passed);
        else equal(passed, 0, 'ms that a reset moves the clock by');
        const { created_at } = await interns.stopped();
        ok(Date.parse(created_at) >= before.now, 'created_at after a reset', 'the time of the clock', created_at);
      }
    },
  },
});
