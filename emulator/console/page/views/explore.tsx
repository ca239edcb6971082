import { useState } from 'preact/hooks';
import { counted } from '../../../contract/counted.js';
import { MARKS, shortened, sideBySide, type TimeLineEntry } from '../../../contract/side-by-side.js';
import { replaceFaults } from '../actions.js';
import { type Explored, type ExploredFinding, LARGEST, readExplored, type Schedule } from '../explored.js';
import { sentenceOf } from '../faults.js';
import { size } from '../format.js';
import { Button } from '../ui/button.js';
import { useServices } from '../ui/context.js';
import { FileField } from '../ui/field.js';
import { Empty, Folded, Page, Panel, Table } from '../ui/parts.js';

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
          model.attempt(
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
    <Table class="even runs" label={`Both runs: ${finding.sentence}`} columns={['undisturbed', 'disturbed']}>
      {shortened(sideBySide(finding.straight ?? straight, finding.timeLine), 5).map((row, at) =>
        typeof row === 'number' ? (
          <tr key={at} class="equal">
            <td colSpan={2}>… {counted(row, 'line')} alike</td>
          </tr>
        ) : (
          <tr key={at} class={row.equal ? 'equal' : undefined}>
            <Cell entry={row.left} />
            <Cell entry={row.right} />
          </tr>
        ),
      )}
    </Table>
  );
}

interface FindingsProps {
  label: string;
  straight: readonly TimeLineEntry[];
  findings: readonly ExploredFinding[];
  /** The first one stands open. */
  open: boolean;
}

function Findings({ label, straight, findings, open }: FindingsProps) {
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
      <Panel label="Schedule" title={explored.schedule.name}>
        {explored.schedule.faults.map((fault, at) => (
          <p key={at} class="quiet">
            {sentenceOf(fault)}
          </p>
        ))}
        <Serve schedule={explored.schedule} />
        <p class="quiet">Its run is in the report that explore writes beside it, with --report json=FILE.</p>
      </Panel>
    );
  const { headline, run, breaches, findings, unnoticed, straight, warnings } = explored;
  return (
    <section class="stack" aria-label="Report">
      <h2>{headline === '' ? name : headline}</h2>
      <p>
        {headline === '' ? '' : `${name}: `}
        {counted(run, 'schedule')} tried, {breaches} of them broke a law ({counted(findings.length, 'finding')}).
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
  const read = async (file: File) => {
    if (file.size > LARGEST) throw new Error(`expected at most ${size(LARGEST)}, found ${size(file.size)}`);
    const explored = readExplored(await file.text());
    setLoaded((before) => ({ name: file.name, explored, of: (before?.of ?? 0) + 1 }));
  };
  return (
    <Page title="Explore" sub="What a program did when something went wrong, beside what it does when nothing does.">
      <section class="panel stack" aria-label="Open">
        <FileField
          droppable
          label="Report or schedule"
          hint="Choose it, or drop it anywhere here. It stays in this page."
          read={read}
        />
      </section>
      {loaded === undefined ? (
        <Empty icon="explore" title="Nothing opened yet">
          <code>npx intern-emulator explore --report json=explore.json -- npm test</code> makes a report; a schedule of
          each finding is in <code>.intern-explore</code>.
        </Empty>
      ) : (
        <Shown key={loaded.of} explored={loaded.explored} name={loaded.name} />
      )}
    </Page>
  );
}
