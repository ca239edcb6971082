import { isObject } from '../combinators/exchange.js';
import { inside, whenGone, wrap } from '../combinators/parts.js';
import { errors, rewriteJson } from '../combinators/replies.js';
import { rewriteBody, rewriteFields, rewriteTexts, withoutFields } from '../combinators/requests.js';
import { defineDeviations } from '../mutant.js';

const CREATE_FIELDS = ['name', 'workspace_id', 'description', 'instructions', 'provision', 'vault_id'];

export const FIELDS = defineDeviations({
  'name-of-3-at-least': {
    description: 'A name of 2 characters is refused.',
    mutant: rewriteTexts('create', ['name'], (name) => (name.length < 3 ? '' : name)),
  },
  'name-without-hyphens': {
    description: 'Hyphens of a name become underscores.',
    mutant: rewriteJson('create', (body) => ({ ...body, name: String(body.name).replaceAll('-', '_') })),
  },
  'name-not-unique': {
    description: 'Two interns of one creator may have one name.',
    mutant: wrap({ createInterns: (usual) => inside(usual, 'nameTaken', () => () => false) }),
  },
  'name-never-free-again': {
    description: 'The name of a deleted intern stays taken.',
    mutant: () => {
      const gone = new Set<string>();
      return whenGone(
        (row) => gone.add(`${row.creator} ${row.record.name}`),
        (usual) =>
          inside(
            usual,
            'nameTaken',
            (taken) => (creator, workspace, name, except) =>
              gone.has(`${creator} ${name}`) || taken(creator, workspace, name, except),
          ),
      );
    },
  },
  'text-counted-in-code-units': {
    description: 'Limits of texts count UTF-16 code units.',
    mutant: rewriteTexts(['create', 'update'], ['description'], (text) =>
      text.length > 2_000 ? 'x'.repeat(2_001) : text,
    ),
  },
  'fields-turned-into-text': {
    description: 'Numbers and booleans are taken for text.',
    mutant: rewriteFields(['create', 'update'], (body) =>
      Object.fromEntries(
        Object.entries(body).map(([key, value]) =>
          ['description', 'instructions'].includes(key) && ['number', 'boolean'].includes(typeof value)
            ? [key, String(value)]
            : [key, value],
        ),
      ),
    ),
  },
  'create-drops-unknown-fields': {
    description: 'Unknown fields of a create are ignored.',
    mutant: withoutFields('create', (name) => !CREATE_FIELDS.includes(name)),
  },
  'update-takes-what-is-no-object': {
    description: 'An update with a body that is not an object changes nothing and is 200.',
    mutant: rewriteBody('update', (value) => (isObject(value) ? value : {})),
  },
  'invalid-body-of-another-reason': {
    description: 'Invalid bodies of lifecycle operations have the reason bad_request.',
    mutant: errors({ reason: 'invalid_body', status: 400 }, { reason: 'bad_request' }),
  },
});
