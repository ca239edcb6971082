import { text } from '../../conformance/cli/arguments.js';
import { createDoor, type Door } from '../agents/door.js';
import { oneLine } from '../contract/visible.js';
import { emulatorFor } from './attach.js';
import type { CommandModule } from './command.js';
import { flagTable, resolveSettings } from './settings.js';
import { untilStopped } from './signals.js';

/** `intern-emulator mcp`: the agents' door over standard input and output, which carry nothing else (AGENT-1). */
const mcp: CommandModule = {
  flags: {
    control: text('Control URL of a running emulator'),
    ...flagTable({ port: 'a free one', daemonPort: 'a free one', clock: 'auto' }),
  },
  async run({ argv, io }) {
    const given = resolveSettings(argv, io);
    const token = given.controlToken ?? (io.env.INTERN_CONTROL_TOKEN || undefined);
    const { control, base, fetch, close: closeEmulator } = await emulatorFor(argv, given, token, io);
    const door: Door = createDoor(
      { fetch, control, base: () => base },
      {
        token,
        checks: async () => (await import('../../conformance/cli/checks.js')).CHECKS,
        stdio: true,
        mayRun: true,
        listens: true,
      },
    );
    const { serveStdio, StdioServerTransport } = await import('@modelcontextprotocol/server/stdio');
    const { createMcpServer } = await import('../agents/server.js');
    // The host is gone, or sent what no message is: a line that does not end closes the transport, which then reads no more.
    const transport = new StdioServerTransport();
    const close = transport.close.bind(transport);
    const over = new Promise<void>((resolve) => {
      transport.close = () => close().finally(resolve);
    });
    const served = serveStdio(() => createMcpServer(door), {
      transport,
      onerror: ({ message }) => io.err(`intern-emulator: mcp: ${oneLine(message)}\n`),
    });
    return untilStopped(
      async () => {
        await served.close();
        await closeEmulator();
      },
      io.exit,
      { also: over },
    );
  },
};

export default mcp;
