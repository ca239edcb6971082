import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { closing } from '../../../test/closing.js';
import { systemHost } from '../../probe/time.js';
import { openChannel } from './channel.js';
import type { Ask } from './inside.js';

/** Sends lines to a channel; resolves once it has hung up. */
const refused = (port: number, text: string) =>
  new Promise<void>((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {}).on('close', () => resolve());
    socket.resume().write(text);
  });

test('who names no run is not heard, and what cannot be read ends the connection', async () => {
  const channel = closing(await openChannel());
  const members = channel.of('known');
  await refused(channel.port, 'guessed\n');
  await refused(channel.port, 'x'.repeat(100_000));
  await refused(channel.port, `known\n${'y'.repeat(100_000)}`);
  await refused(channel.port, 'known\nno JSON\n');
  // As a process does that is killed.
  await new Promise<void>((resolve) => {
    const socket = connect(channel.port, '127.0.0.1', () => {
      socket.on('close', () => resolve()).write('known\n');
      systemHost.later(100, () => socket.resetAndDestroy());
    });
  });
  await systemHost.sleep(300);
  expect(await members.forward(1_000, 1, () => {})).toBe(undefined);
});

test('a process that is late with its answer works: its time is neither run forward nor taken for the real one', async () => {
  const channel = await openChannel();
  const socket = connect(channel.port, '127.0.0.1');
  try {
    const members = channel.of('late');
    socket.write('late\n');
    await systemHost.sleep(300);
    expect(await members.forward(1_000, 1, () => {})).toBe(false);
  } finally {
    socket.destroy();
    channel.close();
  }
});

test('the process that waits alone goes as far as nothing is due in another, and the others follow', async () => {
  const channel = await openChannel();
  const asked: string[] = [];
  /** A process that has a timer due, and runs ahead by 500 ms where it may run ahead at all. */
  const joined = (name: string, talks: number, next: number, children = 0) => {
    const socket = connect(channel.port, '127.0.0.1');
    socket.write('both\n');
    socket.setEncoding('utf8').on('data', (text: string) => {
      for (const line of text.trim().split('\n')) {
        const { id, skip, most } = JSON.parse(line) as Ask;
        if (skip + most > 0) asked.push(`${name} ${skip} ${most}`);
        if (most > 0) socket.write('{"ahead":300}\n{"ahead":200}\n');
        if (skip > 0) socket.write(`{"ahead":${skip}}\n`);
        socket.write(`${JSON.stringify({ id, next, still: true, talks, met: talks > 0, children })}\n`);
      }
    });
    return socket;
  };
  const members = channel.of('both');
  const sockets = [joined('waits', 1, 499), joined('rests', 0, 9_000)];
  try {
    await systemHost.sleep(300);
    const ahead: number[] = [];
    expect(await members.forward(60_000, 1, (ms) => void ahead.push(ms))).toBe(true);
    expect(asked).toEqual(['waits 0 9000', 'rests 500 0']);
    expect(ahead).toEqual([300, 200]);
    // Two that wait go by the timer that is due first, together.
    sockets.push(joined('waits too', 1, 700));
    await systemHost.sleep(300);
    asked.splice(0);
    expect(await members.forward(60_000, 2, () => {})).toBe(true);
    expect(asked).toEqual(['waits 0 499', 'rests 500 0', 'waits too 500 0']);
    // A program that asks again and again leaps, unless a process of another kind may be at work.
    asked.splice(0);
    expect(await members.forward(60_000, 0, () => {}, 2_000)).toBe(true);
    expect(asked).toEqual(['waits 2000 0', 'rests 2000 0', 'waits too 2000 0']);
    sockets.push(joined('has children', 0, 700, 4));
    await systemHost.sleep(300);
    expect(await members.forward(60_000, 0, () => {}, 2_000)).toBe(undefined);
  } finally {
    for (const socket of sockets) socket.destroy();
    channel.close();
  }
});
