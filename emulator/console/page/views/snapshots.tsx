import { useState } from 'preact/hooks';
import { counted } from '../../../contract/counted.js';
import { momentOf } from '../format.js';
import type { ListedSnapshot } from '../types.js';
import { Button } from '../ui/button.js';
import { useServices } from '../ui/context.js';
import { Form, Input } from '../ui/field.js';
import { Panel } from '../ui/parts.js';
import { useRead } from '../ui/use-read.js';

/** Always exists, and stays. */
const START = 'start';

const holds = (snapshot: ListedSnapshot): string =>
  'unusable' in snapshot
    ? `cannot be used: ${snapshot.unusable}`
    : [
        momentOf(snapshot.now),
        counted(snapshot.interns, 'intern'),
        counted(snapshot.scripts, 'script'),
        counted(snapshot.faults, 'fault'),
      ].join(', ');

export function Snapshots() {
  const { model } = useServices();
  const [name, setName] = useState('');
  const path = (of: string) => `snapshots/${encodeURIComponent(of)}`;
  const { value: snapshots = [], again } = useRead(() => model.api.list<ListedSnapshot>('snapshots'), [], {
    tells: true,
  });
  const does = (method: string, at: string, done: string) =>
    model.attempt(async () => {
      await model.api.control(method, at);
      await again();
    }, done);
  return (
    <Panel
      title="Snapshots"
      note="Interns, keys, scripts, faults, limits, clock and randomness: after a restore, the same requests get the same answers. Open runs end."
    >
      <ul class="frame rows" aria-label="Kept snapshots">
        {snapshots.map((snapshot) => (
          <li key={snapshot.name}>
            <div class="grow">
              <b>{snapshot.name}</b>
              <p class="quiet">{holds(snapshot)}</p>
            </div>
            <div class="row">
              <Button
                small
                disabled={'unusable' in snapshot}
                onClick={() =>
                  model.attempt(async () => {
                    await model.api.control('POST', `${path(snapshot.name)}/restore`);
                    await model.load();
                  }, `${snapshot.name} is restored`)
                }
              >
                Restore<span class="unseen"> {snapshot.name}</span>
              </Button>
              {snapshot.name !== START && (
                <Button
                  small
                  icon="trash"
                  label={`Delete ${snapshot.name}`}
                  onClick={() => does('DELETE', path(snapshot.name), `${snapshot.name} is deleted`)}
                />
              )}
            </div>
          </li>
        ))}
      </ul>
      <Form
        label="New snapshot"
        submit="Take a snapshot"
        onSubmit={async () => {
          const kept = await does('PUT', path(name), `${name} is taken`);
          if (kept) setName((typed) => (typed === name ? '' : typed));
        }}
      >
        <Input
          label="Name"
          required
          hint="Letters, digits, dots, underscores and hyphens, at most 64. A snapshot of that name is replaced."
          value={name}
          onChange={setName}
        />
      </Form>
    </Panel>
  );
}
