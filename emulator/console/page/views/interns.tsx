import { useState } from 'preact/hooks';
import { linkTo } from '../router.js';
import type { Intern } from '../types.js';
import { Button } from '../ui/button.js';
import { useServices } from '../ui/context.js';
import { Empty, Progress, Split, StatusPill } from '../ui/parts.js';
import { InternView } from './intern.js';
import { CreateDialog } from './intern-dialogs.js';

function InternCard({ intern, selected }: { intern: Intern; selected: boolean }) {
  const { model } = useServices();
  const runs = [...model.runs.value.values()].filter((run) => run.intern_id === intern.id);
  const waiting = runs.filter((run) => run.status === 'waiting').length;
  const running = runs.filter((run) => run.status === 'running').length;
  return (
    <li>
      <a class="stack close card" href={linkTo('interns', intern.id)} aria-current={selected ? 'true' : undefined}>
        <span class="row between">
          <b class="ellipsis">{intern.name}</b>
          <StatusPill status={intern.status} />
        </span>
        {intern.description && <span class="quiet small ellipsis">{intern.description}</span>}
        <Progress intern={intern} />
        {(waiting > 0 || running > 0) && (
          <span class="row">
            {waiting > 0 && <span class="tag ask">{waiting === 1 ? 'asks a question' : `${waiting} questions`}</span>}
            {running > 0 && <span class="tag live">{running === 1 ? 'at work' : `${running} at work`}</span>}
          </span>
        )}
      </a>
    </li>
  );
}

export function InternsView({ id }: { id: string | undefined }) {
  const { model } = useServices();
  const [creating, setCreating] = useState(false);
  const list = model.internList.value;
  const intern = id === undefined ? undefined : model.interns.value.get(id);
  const loaded = model.target.value !== undefined;
  return (
    <>
      <Split
        title="Interns"
        open={id !== undefined}
        head={
          <Button small tone="primary" icon="plus" onClick={() => setCreating(true)}>
            New intern
          </Button>
        }
        list={
          list.length > 0 ? (
            <ul class="stack close fill names">
              {list.map((each) => (
                <InternCard key={each.id} intern={each} selected={each.id === id} />
              ))}
            </ul>
          ) : (
            loaded && (
              <Empty icon="interns" title="No interns">
                Create one here or with POST /interns, or reset to get the seeded one back.
              </Empty>
            )
          )
        }
      >
        {intern ? (
          <InternView key={intern.id} intern={intern} />
        ) : (
          loaded && (
            <Empty icon="interns" title={id === undefined ? 'Choose an intern' : 'This intern is gone'}>
              {id === undefined
                ? 'Its runs show here as a conversation with all its clients: your client, a test, or you.'
                : 'It was deleted, or the emulator was reset.'}
            </Empty>
          )
        )}
      </Split>
      {creating && <CreateDialog onClose={() => setCreating(false)} />}
    </>
  );
}
