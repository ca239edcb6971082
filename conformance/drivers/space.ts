import type { Ask } from './ask.js';
import type { Descriptor } from './emulator.js';

/** An emulator of the run's own within one that others use. */
export interface Space {
  readonly descriptor: Descriptor;
  end(): Promise<void>;
}

/**
 * Takes a space for the run, so that neither the interns nor the time of other users change. Undefined if the emulator
 * has no spaces.
 */
export async function takeSpace(options: {
  readonly ask: Ask;
  /** Up to and including /_emulator. */
  readonly control: string;
  readonly token: string | undefined;
}): Promise<Space | undefined> {
  const { ask, control, token } = options;
  const { origin } = new URL(control);
  const headers = {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  try {
    const made = await ask(`${control}/spaces`, headers, { method: 'POST', body: '{"clock":"virtual"}' });
    if (made.status !== 201) return undefined;
    const space = JSON.parse(made.text) as Record<string, unknown>;
    const { name } = space;
    if (typeof name !== 'string') return undefined;
    // The descriptor is the answer itself, or is in it.
    const target = (space.target ?? space) as Record<string, unknown>;
    // The typed address is the one that is known to lead there.
    const here = (url: unknown) => `${origin}${new URL(String(url)).pathname}`;
    return {
      descriptor: { ...target, base_url: here(target.base_url), control_url: here(target.control_url) },
      async end() {
        await ask(`${control}/spaces/${encodeURIComponent(name)}`, headers, { method: 'DELETE' }).catch(() => {});
      },
    };
  } catch {
    return undefined;
  }
}
