import { isObject } from '../combinators/exchange.js';
import { inside, whenGone, wrap } from '../combinators/parts.js';
import { errors, rewriteJson } from '../combinators/replies.js';
import { rewriteBody, rewriteFields, rewriteTexts, withoutFields } from '../combinators/requests.js';
import { defineDeviations } from '../mutant.js';

const CREATE_FIELDS = ['name', 'workspace_id', 'description', 'instructions', 'provision', 'vault_id'];

export const FIELDS = defineDeviations({
  // A name of 2 characters is refused.
  'name-of-3-at-least': rewriteTexts('create', ['name'], (name) => (name.length < 3 ? '' : name)),
  // Hyphens of a name become underscores.
  'name-without-hyphens': rewriteJson('create', (body) => ({ ...body, name: String(body.name).replaceAll('-', '_') })),
  // Two interns of one creator may have one name.
  'name-not-unique': wrap({ createInterns: (usual) => inside(usual, 'nameTaken', () => () => false) }),
  // The name of a deleted intern stays taken.
  'name-never-free-again': () => {
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
  // Limits of texts count UTF-16 code units.
  'text-counted-in-code-units': rewriteTexts(['create', 'update'], ['description'], (text) =>
    text.length > 2_000 ? 'x'.repeat(2_001) : text,
  ),
  'fields-turned-into-text': rewriteFields(['create', 'update'], (body) =>
    Object.fromEntries(
      Object.entries(body).map(([key, value]) =>
        ['description', 'instructions'].includes(key) && ['number', 'boolean'].includes(typeof value)
          ? [key, String(value)]
          : [key, value],
      ),
    ),
  ),
  // Unknown fields of a create are ignored.
  'create-drops-unknown-fields': withoutFields('create', (name) => !CREATE_FIELDS.includes(name)),
  // An update with a body that is not an object changes nothing and is 200.
  'update-takes-what-is-no-object': rewriteBody('update', (value) => (isObject(value) ? value : {})),
  // Invalid bodies of lifecycle operations have the reason bad_request.
  'invalid-body-of-another-reason': errors({ reason: 'invalid_body', status: 400 }, { reason: 'bad_request' }),
});
