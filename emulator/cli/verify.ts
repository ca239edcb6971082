import type { CommandModule } from './command.js';
import { explainReceived, receivedOptions } from './received.js';

/** `intern-emulator verify`: verifies a request as a daemon would. Status 0 if it would be accepted, 1 if not. */
const verify: CommandModule = {
  flags: receivedOptions,
  async run({ argv, io }) {
    const { verdict, reason, hint, summary } = await explainReceived(argv, io);
    const marks = [reason, hint].filter(Boolean).join(', ');
    io.out(`${verdict}${marks === '' ? '' : ` (${marks})`}: ${summary}\n`);
    return verdict === 'accepted' ? 0 : 1;
  },
};

export default verify;
