import { useRef, useState } from 'preact/hooks';
import { ApiError, errorText } from '../api.js';
import { problemsOf } from '../script-problems.js';
import { Button } from './button.js';
import { useServices } from './context.js';
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

/**
 * A JSON text with numbered lines, to read and to change. Unsaved text stays, even if the saved one changes elsewhere.
 */
export function JsonEditor({ label, before, save, back }: JsonEditorProps) {
  const { model } = useServices();
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const [reported, setReported] = useState('');
  const area = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLDivElement>(null);
  const text = typed ?? before;
  const lines = text.split('\n');
  const wrong = problemsOf(text);
  const problems = text === '' ? [] : problemsOf(text, reported);
  const write = (value: string | undefined) => {
    setTyped(value);
    setReported('');
  };
  const put = async () => {
    try {
      model.notify('done', await save(JSON.parse(text)));
      write(undefined);
    } catch (error) {
      if (error instanceof ApiError && error.status === 400) setReported(error.message);
      else model.notify('error', errorText(error));
    }
  };
  const takeBack = async () => {
    if (back && (await model.attempt(back.work, back.done))) write(undefined);
  };
  const goTo = (line: number) => {
    const start = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0);
    area.current?.focus();
    area.current?.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  };
  return (
    <>
      <div class="editor">
        <div class="stack flush gutter" ref={gutter} aria-hidden="true">
          {lines.map((_, index) => (
            <span key={index} class={problems.some(({ line }) => line === index + 1) ? 'wrong' : ''}>
              {index + 1}
            </span>
          ))}
        </div>
        <textarea
          ref={area}
          aria-label={label}
          aria-invalid={problems.length > 0}
          aria-errormessage={problems.length > 0 ? 'editor-problems' : undefined}
          spellcheck={false}
          wrap="off"
          rows={Math.min(30, Math.max(12, lines.length + 1))}
          value={text}
          onInput={(event) => write(event.currentTarget.value)}
          onScroll={(event) => {
            if (gutter.current) gutter.current.scrollTop = event.currentTarget.scrollTop;
          }}
        />
      </div>
      <ul class="stack close" id="editor-problems" aria-label="Problems" aria-live="polite">
        {problems.map(({ line, message }) => (
          <li key={`${line} ${message}`}>
            <button type="button" class="bare callout bad" onClick={() => goTo(line)}>
              <b>Line {line}</b> {message}
            </button>
          </li>
        ))}
      </ul>
      <div class="row end">
        {back && (
          <Button icon={back.icon} onClick={takeBack}>
            {back.words}
          </Button>
        )}
        <Button disabled={text === before} onClick={() => write(undefined)}>
          Undo changes
        </Button>
        <Button tone="primary" disabled={wrong.length > 0} onClick={put}>
          Save
        </Button>
      </div>
    </>
  );
}
