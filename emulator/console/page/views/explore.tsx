import { useEffect, useRef, useState } from 'preact/hooks';
import { replaceFaults } from '../actions.js';
import { type Explored, type ExploredFinding, LARGEST, readExplored, type Schedule } from '../explored.js';
import { sentenceOf } from '../faults.js';
import { plural, size } from '../format.js';
import { MARKS, shortened, sideBySide, type TimeLineEntry } from '../side-by-side.js';
import { Button } from '../ui/button.js';
import { useServices } from '../ui/context.js';
import { Input } from '../ui/field.js';
import { Empty, Folded, ViewHead } from '../ui/parts.js';

/** How many findings are listed. */
const LISTED = 200;

/** Sets the faults of a schedule, so that the program meets them under a debugger. */
function Serve({ schedule }: { schedule: Schedule }) {
  const { model } = useServices();
  return (
    <div class="row">
      <Button
        small
        icon="faults"
        onClick={() =>
          void model.attempt(
            () => replaceFaults(model, schedule.faults),
            'The next calls meet it: start your program against this emulator',
          )
        }
      >
        Serve it here
      </Button>
      <span class="quiet small">in the place of the faults still to come</span>
    </div>
  );
}

const Cell = ({ entry }: { entry: TimeLineEntry | undefined }) => (
  <td class={entry?.kind === 'disturbance' ? 'disturbance' : undefined}>{entry && MARKS[entry.kind] + entry.text}</td>
);

function Runs({ straight, finding }: { straight: readonly TimeLineEntry[]; finding: ExploredFinding }) {
  return (
    <table class="even runs" aria-label={`Both runs: ${finding.sentence}`}>
      <thead>
        <tr>
          <th scope="col">undisturbed</th>
          <th scope="col">disturbed</th>
        </tr>
      </thead>
      <tbody>
        {shortened(sideBySide(finding.straight ?? straight, finding.timeLine), 5).map((row, at) =>
          typeof row === 'number' ? (
            <tr key={at} class="equal">
              <td colSpan={2}>… {plural(row, 'line')} alike</td>
            </tr>
          ) : (
            <tr key={at} class={row.equal ? 'equal' : undefined}>
              <Cell entry={row.left} />
              <Cell entry={row.right} />
            </tr>
          ),
        )}
      </tbody>
    </table>
  );
}

function Findings({
  label,
  straight,
  findings,
  open,
}: {
  label: string;
  straight: readonly TimeLineEntry[];
  findings: readonly ExploredFinding[];
  /** The first one stands open. */
  open: boolean;
}) {
  return (
    <ul class="stack close" aria-label={label}>
      {findings.slice(0, LISTED).map((finding, at) => (
        <Folded
          key={at}
          open={open && at === 0}
          summary={
            <>
              <span class="tag bad">{finding.law}</span> {finding.sentence}
              {finding.count > 1 && <span class="quiet"> (the smallest of {finding.count} schedules like it)</span>}
            </>
          }
        >
          {() => (
            <div class="stack">
              {finding.says !== '' && <p class="quiet">{finding.says}</p>}
              <Runs straight={straight} finding={finding} />
              <Serve schedule={finding.schedule} />
            </div>
          )}
        </Folded>
      ))}
    </ul>
  );
}

function Shown({ explored, name }: { explored: Explored; name: string }) {
  if (explored.kind === 'schedule')
    return (
      <section class="panel stack" aria-label="Schedule">
        <h2>{explored.schedule.name}</h2>
        {explored.schedule.faults.map((fault, at) => (
          <p key={at} class="quiet">
            {sentenceOf(fault)}
          </p>
        ))}
        <Serve schedule={explored.schedule} />
        <p class="quiet">Its run is in the report that explore writes beside it, with --report json=FILE.</p>
      </section>
    );
  const { headline, run, breaches, findings, unnoticed, straight, warnings } = explored;
  return (
    <section class="stack" aria-label="Report">
      <h2>{headline === '' ? name : headline}</h2>
      <p>
        {headline === '' ? '' : `${name}: `}
        {plural(run, 'schedule')} tried, {breaches} of them broke a law ({plural(findings.length, 'finding')}).
        {findings.length > LISTED && ` The first ${LISTED} are shown.`}
      </p>
      {warnings.length > 0 && (
        <ul class="quiet">
          {warnings.map((text, at) => (
            <li key={at}>{text}</li>
          ))}
        </ul>
      )}
      <Findings label="Findings" straight={straight} findings={findings} open />
      {unnoticed.length > 0 && <h2>It passed, and its user heard nothing</h2>}
      <Findings label="Unnoticed" straight={straight} findings={unnoticed} open={findings.length === 0} />
    </section>
  );
}

/** A report of `explore`: its findings, each with its run beside the undisturbed one, to be served here again (EXP-7). */
export function ExploreView() {
  const [loaded, setLoaded] = useState<{ name: string; explored: Explored; of: number } | undefined>(undefined);
  const [problem, setProblem] = useState('');
  const read = (file: File | undefined) => {
    if (file === undefined) return;
    setProblem('');
    const work = async () => {
      if (file.size > LARGEST) throw new Error(`expected at most ${size(LARGEST)}, found ${size(file.size)}`);
      const explored = readExplored(await file.text());
      setLoaded((before) => ({ name: file.name, explored, of: (before?.of ?? 0) + 1 }));
    };
    work().catch((error: Error) => setProblem(`${file.name}: ${error.message}`));
  };
  const chosen = useRef<HTMLInputElement>(null);
  const latest = useRef(read);
  latest.current = read;
  // A file that is dropped anywhere would otherwise take the place of the page.
  useEffect(() => {
    const over = (event: DragEvent) => event.preventDefault();
    const drop = (event: DragEvent) => {
      event.preventDefault();
      latest.current(event.dataTransfer?.files[0]);
    };
    document.addEventListener('dragover', over);
    document.addEventListener('drop', drop);
    return () => {
      document.removeEventListener('dragover', over);
      document.removeEventListener('drop', drop);
    };
  }, []);
  return (
    <div class="stack page">
      <ViewHead
        title="Explore"
        sub="What a program did when something went wrong, beside what it does when nothing does."
      />
      <section class="panel stack" aria-label="Open">
        <Input
          label="Report or schedule"
          hint="Choose it, or drop it anywhere here. It stays in this page."
          type="file"
          accept="application/json,.json"
          box={chosen}
          onInput={() => {
            read(chosen.current?.files?.[0]);
            if (chosen.current) chosen.current.value = '';
          }}
        />
        {problem !== '' && <p role="alert">{problem}</p>}
      </section>
      {loaded === undefined ? (
        <Empty icon="explore" title="Nothing opened yet">
          <p>
            <code>npx intern-emulator explore --report json=explore.json -- npm test</code> makes a report; a schedule
            of each finding is in <code>.intern-explore</code>.
          </p>
        </Empty>
      ) : (
        <Shown key={loaded.of} explored={loaded.explored} name={loaded.name} />
      )}
    </div>
  );
}
