import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { systemHost } from '../../probe/time.js';
import { openChannel } from './channel.js';

/** Sends lines to a channel; resolves once it has hung up. */
const refused = (port: number, text: string) =>
  new Promise<void>((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {}).on('close', () => resolve());
    socket.resume().write(text);
  });

test('who names no run is not heard, and what cannot be read ends the connection', async () => {
  const channel = await openChannel();
  try {
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
    await systemHost.sleep(50);
    expect(await members.forward([1], 1_000, 1, () => {})).toBe(undefined);
  } finally {
    channel.close();
  }
});

test('a process that is late with its answer works: its time is neither run forward nor taken for the real one', async () => {
  const channel = await openChannel();
  const socket = connect(channel.port, '127.0.0.1');
  try {
    const members = channel.of('late');
    socket.write('late\n');
    await systemHost.sleep(50);
    expect(await members.forward([1], 1_000, 1, () => {})).toBe(false);
  } finally {
    socket.destroy();
    channel.close();
  }
});
