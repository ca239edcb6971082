import type * as Z from 'zod';
import { configSchema as kitConfigSchema, SETTINGS } from '../conformance/cli/files.js';
import { RUN_FLAGS } from '../conformance/cli/flags.js';
import { configSchema } from '../emulator/cli/config.js';
import { clientCasesSchema } from '../emulator/contract/client-case.js';
import { chaosSchema } from '../emulator/contract/fault.js';
import { profileSchema } from '../emulator/contract/profile.js';
import * as script from '../emulator/contract/script.js';
import { seedSchema } from '../emulator/contract/seed.js';
import { stateSchema } from '../emulator/contract/state.js';
import { loadZod } from '../emulator/contract/with-zod.js';
import { exchangeSchema } from '../emulator/recording/format.js';

const z = loadZod();

/** A setting of the kit in a config file, by its flag. */
const settingOf = ({ type, describe = '' }: (typeof RUN_FLAGS)[string]) =>
  (type === 'boolean'
    ? z.boolean()
    : type === 'string'
      ? z.union([z.string(), z.number(), z.array(z.string())])
      : z.array(z.string())
  )
    .optional()
    .describe(describe);

/** The config file of the kit, out of the flags that it stands in for. */
const kitConfig = z.strictObject({
  $schema: z.string().optional(),
  url: z.string().optional().describe('base address, ending in /api/v1'),
  ...Object.fromEntries(
    Object.entries(RUN_FLAGS).flatMap(([name, flag]) =>
      SETTINGS.includes(name) ? [[name.replaceAll('-', '_'), settingOf(flag)]] : [],
    ),
  ),
  prompts: kitConfigSchema().shape.prompts.describe('wordings that lead an intern to a behaviour'),
});

/** The JSON Schemas that the package publishes, by the name of their file. */
const PUBLISHED: Readonly<Record<string, { schema: Z.ZodType; title: string }>> = {
  chaos: { schema: chaosSchema(), title: 'Chaos profile: faults that calls meet' },
  config: { schema: configSchema(), title: 'Config file of intern-emulator' },
  'conformance-config': { schema: kitConfig, title: 'Config file of intern-conformance' },
  profile: { schema: profileSchema(), title: 'Profile: the names of a deployment' },
  recording: { schema: exchangeSchema(), title: 'Recording: one line, an exchange with a deployment' },
  script: { schema: script.scriptSchema(), title: 'Script: how an emulated intern behaves' },
  'client-cases': { schema: clientCasesSchema, title: 'Cases of the client lab' },
  seed: { schema: seedSchema(), title: 'Seed: the world an emulator starts from' },
  state: { schema: stateSchema(), title: 'State: a store file or an export' },
};

/** Each published schema, and its text in `schemas/`. */
export const SCHEMAS = Object.entries(PUBLISHED).map(([name, { schema, title }]) => ({
  name,
  json: () => `${JSON.stringify({ title, ...z.toJSONSchema(schema, { io: 'input' }) }, null, 2)}\n`,
}));
