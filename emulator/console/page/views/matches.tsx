import { useState } from 'preact/hooks';
import { ApiError } from '../api.js';
import { laidOut } from '../json-layout.js';
import { reportedProblems, type ScriptProblem, syntaxProblems } from '../script-problems.js';
import type { Match } from '../types.js';
import { Button } from '../ui/button.js';
import { useServices } from '../ui/context.js';
import { Editor } from '../ui/editor.js';
import { Back } from '../ui/parts.js';

/** Its place in the page; no script has a name that begins with a hyphen. */
export const MATCHES = '-matches';

const EXAMPLE = '[{ "when": { "contains": "deploy", "turn": 1 }, "script": "ask-permission" }]\n';

/** A condition in words. */
const saying = ({ contains, regex, session, turn }: Match['when']): string =>
  [
    contains !== undefined && `contains “${contains}”`,
    regex !== undefined && `matches ${regex}`,
    session !== undefined && `is of session ${session}`,
    turn !== undefined && `is number ${turn} of its session`,
  ]
    .filter((text) => text !== false)
    .join(' and ');

/** The rows that choose a script by the text of a prompt: read, and changed as JSON. */
export function MatchesEditor() {
  const { model } = useServices();
  const matches = model.matches.value;
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const [reported, setReported] = useState<readonly ScriptProblem[]>([]);
  const before = matches.length === 0 ? EXAMPLE : `${laidOut(matches)}\n`;
  const text = typed ?? before;
  const write = (value: string | undefined) => {
    setTyped(value);
    setReported([]);
  };
  const put = async () => {
    try {
      await model.api.control('PUT', 'matches', JSON.parse(text));
      await model.readMatches();
      model.notify('done', 'The matches are saved');
      write(undefined);
    } catch (error) {
      if (error instanceof ApiError && error.status === 400)
        setReported(reportedProblems(text, error.message.replace(/^matches: /, '')));
      else model.notify('error', error instanceof Error ? error.message : String(error));
    }
  };
  const clear = () =>
    model.attempt(async () => {
      await model.api.control('DELETE', 'matches');
      await model.readMatches();
      write(undefined);
    }, 'Back to the matches of the start');
  return (
    <section class="stack" aria-label="Matches">
      <header class="row intern-title">
        <Back to="scripts" label="Back to the scripts" />
        <h2>Scripts by what a prompt says</h2>
      </header>
      <p class="quiet">
        Of several that a prompt meets, the first counts. A script put on the intern and a first line “script: NAME” go
        before. Conditions: contains, regex (RE2), session, turn.
      </p>
      {matches.length > 0 && (
        <ol class="list" aria-label="Matches in their order">
          {matches.map(({ when, script }, index) => (
            <li key={index}>
              <span class="tag">{script}</span>
              <span>if the prompt {saying(when)}</span>
            </li>
          ))}
        </ol>
      )}
      <Editor
        label="Matches"
        value={text}
        problems={reported.length > 0 ? reported : syntaxProblems(text)}
        onInput={write}
      />
      <div class="row end">
        <Button onClick={() => void clear()}>Those of the start</Button>
        <Button tone="primary" disabled={syntaxProblems(text).length > 0} onClick={() => void put()}>
          Save
        </Button>
      </div>
    </section>
  );
}
