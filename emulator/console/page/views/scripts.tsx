import { counted } from '../../../contract/counted.js';
import { laidOut } from '../json-layout.js';
import { linkTo } from '../router.js';
import type { ScriptView } from '../types.js';
import { Button } from '../ui/button.js';
import { useServices } from '../ui/context.js';
import { JsonEditor } from '../ui/json-editor.js';
import { Back, Empty, Split } from '../ui/parts.js';
import { useRead } from '../ui/use-read.js';
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
  const pathOf = (name: string) => `scripts/${encodeURIComponent(name)}`;
  if (script && script.source === undefined)
    return (
      <Empty icon="scripts" title={script.name}>
        This script is written in code, so there is nothing to edit here. Put another of its name to replace it.
      </Empty>
    );
  return (
    <JsonEditor
      label={script ? `Script ${script.name}` : 'New script'}
      before={script === undefined ? FIRST : `${laidOut(script.source)}\n`}
      save={async (value) => {
        const name = (value as { name?: unknown } | null)?.name;
        const path = pathOf(typeof name === 'string' && name !== '' ? name : (script?.name ?? 'unnamed'));
        const saved = await model.api.control<ScriptView>('PUT', path, value);
        onSaved(saved);
        return `${saved.name} is saved`;
      }}
      back={
        script?.from === 'control'
          ? {
              words: 'Take back',
              icon: 'trash',
              done: `${script.name} is taken back`,
              work: () => model.api.control('DELETE', pathOf(script.name)),
            }
          : undefined
      }
    />
  );
}

export function ScriptsView({ id }: { id: string | undefined }) {
  const { model, router } = useServices();
  const list = model.scripts.value;
  const isNew = id === 'new';
  const version = list.find(({ name }) => name === id);
  const { value: read, again } = useRead(
    async () =>
      id === undefined || isNew || id === MATCHES
        ? undefined
        : model.api.control<ScriptView>('GET', `scripts/${encodeURIComponent(id)}`),
    [id, version?.from],
  );
  // The script shown before must not stay, even for a frame: text typed into it would be lost.
  const script = !isNew && read?.name === id ? read : undefined;
  const origins = ['control', 'file', 'code', 'stock'].filter((origin) => list.some(({ from }) => from === origin));
  const link = (name: string, text: string, about: string | undefined) => (
    <li key={name}>
      <a class="link" href={linkTo('scripts', name)} aria-current={name === id ? 'page' : undefined}>
        {text}
      </a>
      {about && <p class="quiet small ellipsis">{about}</p>}
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
        <div class="fill names">
          {origins.map((origin) => (
            <section key={origin} aria-label={FROM[origin]}>
              <h2 class="quiet small">{FROM[origin]}</h2>
              <ul>
                {list
                  .filter(({ from }) => from === origin)
                  .map(({ name, description }) => link(name, name, description))}
              </ul>
            </section>
          ))}
          <section aria-label="by the prompt">
            <h2 class="quiet small">by what a prompt says</h2>
            <ul>{link(MATCHES, 'Matches', counted(model.matches.value.length, 'match', 'matches'))}</ul>
          </section>
        </div>
      }
    >
      {id === MATCHES ? (
        <MatchesEditor />
      ) : id === undefined ? (
        <Empty icon="scripts" title="Choose a script">
          A script says how an intern talks, asks, boots and ends. Read one, change it, or write your own.
        </Empty>
      ) : (
        <section class="stack" aria-label={isNew ? 'New script' : id}>
          <header class="row">
            <Back to="scripts" label="Back to the scripts" />
            <h2 class="title">{isNew ? 'New script' : id}</h2>
            {script && <span class="tag">{FROM[script.from]}</span>}
          </header>
          {script?.description && <p class="quiet">{script.description}</p>}
          {(script || isNew) && (
            <ScriptEditor
              key={id}
              script={script}
              onSaved={(saved) => {
                void again(async () => saved);
                router.go('scripts', saved.name);
              }}
            />
          )}
        </section>
      )}
    </Split>
  );
}
