import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../api.js';
import { plural } from '../format.js';
import { laidOut } from '../json-layout.js';
import { linkTo } from '../router.js';
import { reportedProblems, type ScriptProblem, syntaxProblems } from '../script-problems.js';
import type { ScriptView } from '../types.js';
import { Button } from '../ui/button.js';
import { useServices } from '../ui/context.js';
import { Editor } from '../ui/editor.js';
import { Back, Empty, Split } from '../ui/parts.js';
import { MATCHES, MatchesEditor } from './matches.js';

const FROM: Readonly<Record<string, string>> = {
  control: 'put here',
  code: 'in code',
  file: 'from a file',
  stock: 'shipped',
};

/** The text of a new script. */
const FIRST = `{
  "name": "my-script",
  "turn": [
    { "say": "Let me see. ", "chunks": 3, "every": "200ms" },
    { "ask": { "kind": "permission", "operation": "shell", "options": ["allow_once", "reject_once"] }, "as": "ok" },
    { "when": { "ok": "allow_once" }, "then": [{ "say": "Done." }], "else": [{ "say": "Left alone." }] }
  ]
}
`;

interface ScriptEditorProps {
  /** Undefined for a new one. */
  script: ScriptView | undefined;
  onSaved: (script: ScriptView) => void;
}

function ScriptEditor({ script, onSaved }: ScriptEditorProps) {
  const { model } = useServices();
  /** Typed and unsaved text: it stays, even if the script changes elsewhere. */
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const [reported, setReported] = useState<readonly ScriptProblem[]>([]);
  const before = script === undefined ? FIRST : script.source === undefined ? '' : `${laidOut(script.source)}\n`;
  const text = typed ?? before;
  const write = (value: string | undefined) => {
    setTyped(value);
    setReported([]);
  };
  const problems = text === '' ? [] : reported.length > 0 ? reported : syntaxProblems(text);
  const save = async () => {
    let name: unknown;
    try {
      ({ name } = JSON.parse(text) as { name?: unknown });
    } catch {
      return setReported(syntaxProblems(text));
    }
    const path = `scripts/${encodeURIComponent(typeof name === 'string' && name !== '' ? name : (script?.name ?? 'unnamed'))}`;
    try {
      const saved = await model.api.control<ScriptView>('PUT', path, JSON.parse(text));
      await model.readScripts();
      model.notify('done', `${saved.name} is saved`);
      onSaved(saved);
      write(undefined);
    } catch (error) {
      if (error instanceof ApiError && error.status === 400) setReported(reportedProblems(text, error.message));
      else model.notify('error', error instanceof Error ? error.message : String(error));
    }
  };
  const remove = () =>
    model.attempt(async () => {
      await model.api.control('DELETE', `scripts/${encodeURIComponent(script?.name ?? '')}`);
      await model.readScripts();
      write(undefined);
    }, `${script?.name} is taken back`);
  if (script && script.source === undefined)
    return (
      <Empty icon="scripts" title={script.name}>
        <p>This script is written in code, so there is nothing to edit here. Put another of its name to replace it.</p>
      </Empty>
    );
  return (
    <>
      <Editor
        label={script ? `Script ${script.name}` : 'New script'}
        value={text}
        problems={problems}
        onInput={write}
      />
      <div class="row end">
        {script?.from === 'control' && (
          <Button icon="trash" onClick={() => void remove()}>
            Take back
          </Button>
        )}
        <Button disabled={text === before && script !== undefined} onClick={() => write(undefined)}>
          Undo changes
        </Button>
        <Button tone="primary" disabled={syntaxProblems(text).length > 0} onClick={() => void save()}>
          Save
        </Button>
      </div>
    </>
  );
}

/** The scripts that interns can behave by, to read and to change. */
export function ScriptsView({ id }: { id: string | undefined }) {
  const { model, router } = useServices();
  const [read, setRead] = useState<ScriptView | undefined>(undefined);
  const list = model.scripts.value;
  const isNew = id === 'new';
  const version = list.find(({ name }) => name === id);
  // The script shown before must not stay, even for a frame: text typed into it would be lost.
  const script = !isNew && read?.name === id ? read : undefined;
  useEffect(() => {
    if (id === undefined || isNew || id === MATCHES) return;
    let wanted = true;
    const show = (view?: ScriptView) => {
      if (wanted) setRead(view);
    };
    model.api.control<ScriptView>('GET', `scripts/${encodeURIComponent(id)}`).then(show, () => show());
    return () => {
      wanted = false;
    };
  }, [id, version?.from]);
  const origins = ['control', 'file', 'code', 'stock'].filter((origin) => list.some(({ from }) => from === origin));
  const link = (name: string, text: string, about: string | undefined) => (
    <li key={name}>
      <a href={linkTo('scripts', name)} aria-current={name === id ? 'true' : undefined}>
        {text}
      </a>
      {about && <span class="quiet small line">{about}</span>}
    </li>
  );
  return (
    <Split
      title="Scripts"
      open={id !== undefined}
      padded
      head={
        <Button small tone="primary" icon="plus" onClick={() => router.go('scripts', 'new')}>
          New script
        </Button>
      }
      list={
        <div class="names">
          {origins.map((origin) => (
            <section key={origin} aria-label={FROM[origin]}>
              <h2>{FROM[origin]}</h2>
              <ul>
                {list
                  .filter(({ from }) => from === origin)
                  .map(({ name, description }) => link(name, name, description))}
              </ul>
            </section>
          ))}
          <section aria-label="by the prompt">
            <h2>by what a prompt says</h2>
            <ul>{link(MATCHES, 'Matches', plural(model.matches.value.length, 'match', 'matches'))}</ul>
          </section>
        </div>
      }
    >
      {id === MATCHES ? (
        <MatchesEditor />
      ) : id === undefined ? (
        <Empty icon="scripts" title="Choose a script">
          <p>A script says how an intern talks, asks, boots and ends. Read one, change it, or write your own.</p>
        </Empty>
      ) : (
        <section class="stack" aria-label={isNew ? 'New script' : id}>
          <header class="row intern-title">
            <Back to="scripts" label="Back to the scripts" />
            <h2>{isNew ? 'New script' : id}</h2>
            {script && <span class="tag">{FROM[script.from]}</span>}
          </header>
          {script?.description && <p class="quiet">{script.description}</p>}
          {(script || isNew) && (
            <ScriptEditor
              key={id}
              script={script}
              onSaved={(saved) => {
                setRead(saved);
                router.go('scripts', saved.name);
              }}
            />
          )}
        </section>
      )}
    </Split>
  );
}
