import assert from 'node:assert/strict';
import { type App, clientOf, type Intern, newIntern, Refused, replyOf } from './parts.js';

export const waiting: readonly App[] = [
  {
    name: 'waits-for-running-alone',
    defect: 'It polls until the status is running, whatever else the status becomes.',
    hurts: 'It hangs for ever once a boot fails.',
    shows: /boot-fails/,
    allowed: 'Full set of status values and transitions: not shown.',
    async program(context) {
      const { json, sleep } = clientOf(context);
      const made = await json<Intern>('POST', '/interns', newIntern(context.target, 'booter', { provision: true }));
      while ((await json<Intern>('GET', `/interns/${made.id}`)).status !== 'running') await sleep(500);
      context.print('booted');
    },
  },
  {
    name: 'ready-after-two-seconds',
    defect: 'It takes an intern for running two seconds after the create, and ignores what the invoke answers.',
    hurts: 'The task is never started, and the user hears that it was.',
    shows: /of invoke/,
    allowed: 'Provisioning may start at once or wait for a later provision call. (No time is given.)',
    async program({ target, fetch, print, emulator }) {
      const headers = { authorization: `Bearer ${target.credentials.api_key}`, 'content-type': 'application/json' };
      const post = (path: string, body: object) =>
        fetch(`${target.base_url}${path}`, {
          method: 'POST',
          headers,
          body: JSON.stringify(body),
          signal: AbortSignal.timeout(35_000),
        });
      const made = await post('/interns', newIntern(target, 'runner', { provision: true }));
      if (made.status !== 201) throw new Error('not made');
      const { id } = (await made.json()) as Intern;
      await emulator.clock.advance(2000);
      await post(`/interns/${id}/invoke`, { input: 'Tidy up' });
      print('Your task has started.');
    },
  },
  {
    name: 'ready-when-not-provisioning',
    defect: 'An intern counts as ready as soon as it is neither queued nor provisioning.',
    hurts: 'The user hears “ready” of an intern whose boot failed.',
    shows: /boot-fails/,
    allowed: 'Full set of status values and transitions: not shown.',
    async program(context) {
      const { json, sleep } = clientOf(context);
      const made = await json<Intern>('POST', '/interns', newIntern(context.target, 'early', { provision: true }), {
        'idempotency-key': 'early',
      });
      for (let polls = 0; polls < 200; polls++) {
        const { status } = await json<Intern>('GET', `/interns/${made.id}`);
        if (status !== 'queued' && status !== 'provisioning') {
          context.print('early is ready');
          return;
        }
        await sleep(1000);
      }
      throw new Error('it does not boot');
    },
  },
  {
    name: 'busy-for-ever',
    defect: 'Each 409 of a prompt is taken for “busy”, and tried again every five seconds without end.',
    hurts: 'A bot that never answers again after a colleague has suspended its intern.',
    shows: /more than 10|did not end/,
    allowed: 'suspend_intern: Stops the runtime and keeps its disk and configuration for a later provision call.',
    async program(context) {
      const { chat, prompt, sleep } = clientOf(context);
      for (;;) {
        try {
          context.print((await replyOf(await chat(prompt('What is new?')))).text);
          return;
        } catch (error) {
          if (!(error instanceof Refused && error.status === 409)) throw error;
          await sleep(5000);
        }
      }
    },
  },
  {
    name: 'not-found-yet',
    defect: 'A 404 of an intern is taken for “not visible yet”, and the wait goes on.',
    hurts: 'It hangs if a colleague deletes the intern.',
    shows: /deleted of/,
    allowed: 'delete_intern: Starts safe teardown of the intern, its runtime and its private vault.',
    async program(context) {
      const { json, sleep, call } = clientOf(context);
      const { id } = await json<Intern>('POST', '/interns', newIntern(context.target, 'seeker'), {
        'idempotency-key': 'seeker',
      });
      await call('POST', `/interns/${id}/provision`);
      for (;;) {
        const intern = await json<Intern>('GET', `/interns/${id}`).catch((error) => {
          if (error instanceof Refused && error.status === 404) return undefined;
          throw error;
        });
        if (intern?.status === 'running') break;
        if (intern?.status === 'failed') throw new Error('the boot failed');
        await sleep(2000);
      }
      context.print('found and running');
    },
  },
  {
    name: 'gone-after-twenty-polls',
    defect: 'A delete is awaited for twenty polls, and then called done.',
    hurts: 'The user believes that the intern and its secrets are gone, and they are there.',
    shows: /teardown-fails/,
    allowed: 'Known status value of an intern: destroy_failed.',
    async program(context) {
      const { json, sleep, call } = clientOf(context);
      const { id } = await json<Intern>('POST', '/interns', newIntern(context.target, 'brief'), {
        'idempotency-key': 'brief',
      });
      await call('DELETE', `/interns/${id}`);
      for (let polls = 0; polls < 20; polls++) {
        const found = await json<Intern>('GET', `/interns/${id}`).catch((error) => {
          if (error instanceof Refused && error.status === 404) return undefined;
          throw error;
        });
        if (!found) break;
        await sleep(1000);
      }
      context.print('brief and its secrets are gone');
    },
  },
  {
    name: 'loses-the-workspace-by-itself',
    defect: 'It acknowledges the loss of a workspace at the first failed delete, and asks nobody.',
    hurts: 'Files without a backup are deleted.',
    shows: /teardown-fails/,
    allowed: 'Deletes the intern, accepting that its workspace is not backed up.',
    async program(context) {
      const { json, sleep, call } = clientOf(context);
      const { id } = await json<Intern>('POST', '/interns', newIntern(context.target, 'keeper'), {
        'idempotency-key': 'keeper',
      });
      await call('DELETE', `/interns/${id}`);
      for (let polls = 0; polls < 60; polls++) {
        const found = await json<Intern>('GET', `/interns/${id}`).catch((error) => {
          if (error instanceof Refused && error.status === 404) return undefined;
          throw error;
        });
        if (!found) {
          context.print('deleted');
          return;
        }
        if (found.status === 'destroy_failed')
          await call('DELETE', `/interns/${id}`, { acknowledge_workspace_loss: true });
        await sleep(1000);
      }
      throw new Error('still there');
    },
  },
  {
    name: 'watcher-without-catch',
    defect: 'A watcher of the status runs beside the work, and nobody handles its rejection until the work is done.',
    hurts: 'The whole process dies by an unhandled rejection, with the work of everybody.',
    shows: /^quiet/,
    allowed: '500: The request could not be completed.',
    async program(context) {
      const { json, sleep, chat, prompt, id } = clientOf(context);
      let watched = true;
      async function watch() {
        while (watched) {
          assert.equal((await json<Intern>('GET', `/interns/${id}`)).status, 'running');
          await sleep(100);
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      }
      const watcher = watch();
      const reply = await replyOf(await chat(prompt('script: slow')));
      watched = false;
      await watcher;
      assert.ok(reply.text);
      context.print('worked');
    },
  },
];
