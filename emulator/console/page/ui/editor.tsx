import { useRef } from 'preact/hooks';

export interface Problem {
  line: number;
  message: string;
}

interface EditorProps {
  label: string;
  value: string;
  problems: readonly Problem[];
  readOnly?: boolean;
  onInput: (value: string) => void;
}

/** A text with numbered lines, whose problems are shown at their lines. */
export function Editor({ label, value, problems, readOnly, onInput }: EditorProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLDivElement>(null);
  const count = value.split('\n').length;
  const wrong = new Set(problems.map(({ line }) => line));
  const goTo = (line: number) => {
    const { current } = area;
    if (!current) return;
    const lines = value.split('\n');
    const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
    current.focus();
    current.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  };
  return (
    <div class="stack close">
      <div class="editor">
        <div class="stack flush gutter" ref={gutter} aria-hidden="true">
          {Array.from({ length: count }, (_, index) => (
            <span key={index} class={wrong.has(index + 1) ? 'wrong' : ''}>
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
          readOnly={readOnly}
          rows={Math.min(30, Math.max(12, count + 1))}
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
          onScroll={(event) => {
            if (gutter.current) gutter.current.scrollTop = event.currentTarget.scrollTop;
          }}
        />
      </div>
      <ul class="stack close" id="editor-problems" aria-label="Problems" aria-live="polite">
        {problems.map((problem) => (
          <li key={`${problem.line} ${problem.message}`}>
            <button type="button" class="bare callout bad" onClick={() => goTo(problem.line)}>
              <b>Line {problem.line}</b> {problem.message}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
