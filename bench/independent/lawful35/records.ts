import type { Json } from '../call.js';
import { internsIn } from '../lawful30/helpers.js';
import { chained } from '../lawful31/helpers.js';
import type { Way } from '../world.js';
import { isOrdinary, shown } from './helpers.js';

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

export const epochs: Way = {
  name: 'times of interns are Unix milliseconds, and a text that is not there is empty',
  lawful: true,
  unpublished: true,
  quote: 'Complete field list, types and formats of the intern record: not shown.',
  wrong: (world) =>
    shown(world, (intern) => {
      for (const name of ['created_at', 'updated_at']) intern[name] = Date.parse(String(intern[name]));
      for (const name of ['description', 'instructions', 'model']) intern[name] ??= '';
    }),
};

export const records: readonly Way[] = [
  epochs,
  {
    name: 'a name may be anything of 1 to 100 characters',
    lawful: true,
    unpublished: true,
    quote: 'name | string | Changeable through `update_intern`.',
    wrong(world) {
      const inner = new Map<string, string>();
      const outer = new Map<string, string>();
      const named = (name: string) => {
        const known = inner.get(name) ?? `any-${(inner.size + 1).toString(36)}`;
        inner.set(name, known);
        outer.set(known, name);
        return known;
      };
      const asked = world.asked('create update', (call): Json | undefined => {
        const { name } = call.body;
        if (!isOrdinary(call) || typeof name !== 'string' || name === '' || name.length > 100) return undefined;
        if (NAME.test(name) && name.length > 1 && name.length < 18) return undefined;
        return { ...call.body, name: named(name) };
      });
      const answered = world.ok('list create get update', (body) => {
        for (const intern of internsIn(body)) intern.name = outer.get(String(intern.name)) ?? intern.name;
      });
      return chained(asked, answered);
    },
  },
  {
    name: 'a failure is a sentence with the step and a ticket around what it names',
    lawful: true,
    quote: 'When status is `destroy_failed` it may name `workspace_archive_failed`.',
    wrong: (world) =>
      shown(world, (intern) => {
        const message = intern.last_failure_message;
        if (typeof message === 'string') intern.last_failure_message = `Step 3 of 5 went wrong: ${message} (T-4711).`;
      }),
  },
];
