import { useState } from 'preact/hooks';
import { ApiError } from '../api.js';
import { reportedProblems, type ScriptProblem, syntaxProblems } from '../script-problems.js';
import { Button } from './button.js';
import { useServices } from './context.js';
import { Editor } from './editor.js';
import type { IconName } from './icons.js';

interface JsonEditorProps {
  label: string;
  /** The text as it is saved. */
  before: string;
  /** Saves a value, and says so. Problems that the emulator reports are shown at their lines. */
  save: (value: unknown) => Promise<string>;
  /** Takes back what was saved. */
  back?: { words: string; icon?: IconName; done: string; work: () => Promise<unknown> } | undefined;
}

/** A JSON text to read and to change. Unsaved text stays, even if the saved one changes elsewhere. */
export function JsonEditor({ label, before, save, back }: JsonEditorProps) {
  const { model } = useServices();
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const [reported, setReported] = useState<readonly ScriptProblem[]>([]);
  const text = typed ?? before;
  const wrong = syntaxProblems(text);
  const write = (value: string | undefined) => {
    setTyped(value);
    setReported([]);
  };
  const put = async () => {
    try {
      model.notify('done', await save(JSON.parse(text)));
      write(undefined);
    } catch (error) {
      if (error instanceof ApiError && error.status === 400) setReported(reportedProblems(text, error.message));
      else model.notify('error', error instanceof Error ? error.message : String(error));
    }
  };
  const takeBack = async () => {
    if (back && (await model.attempt(back.work, back.done))) write(undefined);
  };
  return (
    <>
      <Editor
        label={label}
        value={text}
        problems={text === '' ? [] : reported.length > 0 ? reported : wrong}
        onInput={write}
      />
      <div class="row end">
        {back && (
          <Button icon={back.icon} onClick={() => void takeBack()}>
            {back.words}
          </Button>
        )}
        <Button disabled={text === before} onClick={() => write(undefined)}>
          Undo changes
        </Button>
        <Button tone="primary" disabled={wrong.length > 0} onClick={() => void put()}>
          Save
        </Button>
      </div>
    </>
  );
}
