import { laidOut } from '../json-layout.js';
import type { Match } from '../types.js';
import { useServices } from '../ui/context.js';
import { JsonEditor } from '../ui/json-editor.js';
import { Back } from '../ui/parts.js';

/** The name of this view in the page's address; no script has a name that begins with a hyphen. */
export const MATCHES = '-matches';

const EXAMPLE = '[{ "when": { "contains": "deploy", "turn": 1 }, "script": "ask-permission" }]\n';

const saying = ({ contains, regex, session, turn }: Match['when']): string =>
  [
    contains !== undefined && `contains “${contains}”`,
    regex !== undefined && `matches ${regex}`,
    session !== undefined && `is of session ${session}`,
    turn !== undefined && `is number ${turn} of its session`,
  ]
    .filter((text) => text !== false)
    .join(' and ');

export function MatchesEditor() {
  const { model } = useServices();
  const matches = model.matches.value;
  return (
    <section class="stack" aria-label="Matches">
      <header class="row">
        <Back to="scripts" label="Back to the scripts" />
        <h2 class="title">Scripts by what a prompt says</h2>
      </header>
      <p class="quiet">
        Of several that a prompt meets, the first counts. A script put on the intern and a first line “script: NAME” go
        before. Conditions: contains, regex (RE2), session, turn.
      </p>
      {matches.length > 0 && (
        <ol class="frame rows" aria-label="Matches in their order">
          {matches.map(({ when, script }, index) => (
            <li key={index}>
              <span class="tag">{script}</span>
              <span>if the prompt {saying(when)}</span>
            </li>
          ))}
        </ol>
      )}
      <JsonEditor
        label="Matches"
        before={matches.length === 0 ? EXAMPLE : `${laidOut(matches)}\n`}
        save={async (value) => {
          await model.api.control('PUT', 'matches', value);
          return 'The matches are saved';
        }}
        back={{
          words: 'Those of the start',
          done: 'Back to the matches of the start',
          work: () => model.api.control('DELETE', 'matches'),
        }}
      />
    </section>
  );
}
