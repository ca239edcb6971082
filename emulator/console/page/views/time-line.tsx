import { useState } from 'preact/hooks';
import { createStreamReader, type Piece } from '../completions.js';
import { size, span, timeOf } from '../format.js';
import { hexLines } from '../hex.js';
import type { Write } from '../types.js';
import { Button } from '../ui/button.js';

/** Writes that are shown at first: a stream may have thousands. */
const SHOWN = 200;

const Said = ({ piece }: { piece: Piece }) =>
  piece.kind === 'mark' ? (
    <span class={`tag ${piece.tone}`}>{piece.text}</span>
  ) : (
    <q class={piece.kind === 'reasoning' ? 'said quiet' : 'said'}>{piece.text}</q>
  );

interface TimeLineProps {
  start: string;
  writes: readonly Write[];
  open: boolean;
}

/** The writes of a stream along its time: when each left, what it says, and its bytes. */
export function TimeLine({ start, writes, open }: TimeLineProps) {
  const [picked, setPicked] = useState<number | undefined>(undefined);
  const [form, setForm] = useState<'text' | 'hex'>('text');
  const [most, setMost] = useState(SHOWN);
  const began = Date.parse(start);
  const last = writes.at(-1);
  const total = Math.max(1, last ? Date.parse(last.at) - began : 1);
  const read = createStreamReader();
  const rows = writes
    .slice(0, most)
    .map((write) => ({ write, pieces: read(write.text), at: Date.parse(write.at) - began }));
  return (
    <div class="stack close">
      <fieldset class="row">
        <legend class="unseen">Show writes as</legend>
        <Button small pressed={form === 'text'} onClick={() => setForm('text')}>
          Text
        </Button>
        <Button small pressed={form === 'hex'} onClick={() => setForm('hex')}>
          Hex
        </Button>
      </fieldset>
      <ol class="rows">
        {rows.map(({ write, pieces, at }, index) => (
          <li key={index} class="wrap">
            <button
              type="button"
              class="bare row"
              aria-expanded={picked === index}
              title={timeOf(write.at)}
              onClick={() => setPicked(picked === index ? undefined : index)}
            >
              <span class="cell quiet mono">+{span(at)}</span>
              <progress class="cell on-wide" aria-hidden="true" max={total} value={at} />
              <span class="row wrap grow">
                {pieces.map((piece, at) => (
                  <Said key={at} piece={piece} />
                ))}
              </span>
              <span class="quiet mono">{size(write.bytes)}</span>
            </button>
            {picked === index && (
              <pre class={`callout grow ${form}`}>
                {form === 'hex' ? hexLines(new TextEncoder().encode(write.text)).join('\n') : write.text}
              </pre>
            )}
          </li>
        ))}
      </ol>
      {writes.length > most && (
        <Button small onClick={() => setMost(most + 1_000)}>
          {`Show more writes (${writes.length - most})`}
        </Button>
      )}
      {open && <p class="quiet">The stream is open: more may come.</p>}
    </div>
  );
}
