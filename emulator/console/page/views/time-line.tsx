import { useState } from 'preact/hooks';
import { createStreamReader, type Piece } from '../completions.js';
import { size, span, timeOf } from '../format.js';
import { hexLines } from '../hex.js';
import type { Write } from '../types.js';
import { Button } from '../ui/button.js';

/** Writes that are shown at first: a stream may have thousands. */
const SHOWN = 200;

function Summary({ pieces }: { pieces: readonly Piece[] }) {
  return (
    <>
      {pieces.map((piece, index) => {
        const key = index;
        switch (piece.kind) {
          case 'content':
            return (
              <q key={key} class="text">
                {piece.text}
              </q>
            );
          case 'reasoning':
            return (
              <q key={key} class="text quiet">
                {piece.text}
              </q>
            );
          case 'ask':
            return (
              <span key={key} class="tag ask">
                {piece.tool}
              </span>
            );
          case 'finish':
            return (
              <span key={key} class={`tag ${piece.reason === 'error' ? 'bad' : ''}`}>
                finish: {piece.reason}
                {piece.error?.reason && ` (${piece.error.code} ${piece.error.reason})`}
              </span>
            );
          case 'final':
            return (
              <span key={key} class="tag">
                session_id{piece.usage ? ', usage' : ''}
              </span>
            );
          case 'done':
            return (
              <span key={key} class="tag">
                [DONE]
              </span>
            );
          case 'keepalive':
            return (
              <span key={key} class="tag quiet">
                : keepalive
              </span>
            );
          default:
            return (
              <q key={key} class="text">
                {piece.text}
              </q>
            );
        }
      })}
    </>
  );
}

function Hex({ text }: { text: string }) {
  return (
    <pre class="callout scroll-x hex">
      {hexLines(new TextEncoder().encode(text)).map((line) => (
        <span key={line.offset}>
          <span class="quiet">{line.offset}</span>
          <b>{line.hex}</b>
          <span>{line.text}</span>
        </span>
      ))}
    </pre>
  );
}

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
  const reader = createStreamReader();
  const rows = writes
    .slice(0, most)
    .map((write) => ({ write, pieces: reader.push(write), at: Date.parse(write.at) - began }));
  return (
    <div class="stack close time-line">
      <fieldset class="row">
        <legend class="unseen">Show writes as</legend>
        <Button small pressed={form === 'text'} onClick={() => setForm('text')}>
          Text
        </Button>
        <Button small pressed={form === 'hex'} onClick={() => setForm('hex')}>
          Hex
        </Button>
      </fieldset>
      <ol>
        {rows.map(({ write, pieces, at }, index) => (
          <li key={index}>
            <button
              type="button"
              class="bare"
              aria-expanded={picked === index}
              title={timeOf(write.at)}
              onClick={() => setPicked(picked === index ? undefined : index)}
            >
              <span class="quiet mono">+{span(at)}</span>
              <progress class="on-wide" aria-hidden="true" max={total} value={at} />
              <span class="row wrap">
                <Summary pieces={pieces} />
              </span>
              <span class="quiet mono">{size(write.bytes)}</span>
            </button>
            {picked === index && (form === 'hex' ? <Hex text={write.text} /> : <pre class="callout">{write.text}</pre>)}
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
