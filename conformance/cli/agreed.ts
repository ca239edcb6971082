import { visible } from '../../emulator/contract/visible.js';
import { baseAddress } from '../drivers/connect.js';
import { UsageError } from '../framework/usage.js';
import type { Io } from './io.js';
import type { Settings } from './settings.js';

/**
 * Lets a credential go to an address that a file names only where somebody names it beside the file: a file may come
 * from anywhere, and name anything. `naming` are the words of the command line that would.
 *
 * @throws UsageError where nobody has
 */
export async function agreed(
  { file, url, naming }: { readonly file: string; readonly url: string; readonly naming: string },
  { credentials, controlToken }: Pick<Settings, 'credentials' | 'controlToken'>,
  io: Io,
): Promise<void> {
  if (Object.keys(credentials).length === 0 && controlToken === undefined) return;
  const { INTERN_BASE_URL: named } = io.env;
  if (named !== undefined && baseAddress(named) === baseAddress(url)) return;
  const only = `only ${file} names the address ${url}`;
  if (io.ask === undefined) throw new UsageError(visible(`${only}; to send credentials there, name it too: ${naming}`));
  const said = await io.ask(visible(`Send credentials to ${url}? Only ${file} names that address. [y/N] `));
  if (!/^\s*y(es)?\s*$/i.test(said)) throw new UsageError(visible(`${only}, and nothing was sent there`));
}
