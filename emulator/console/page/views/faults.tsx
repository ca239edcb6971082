import { useState } from 'preact/hooks';
import { addFaults } from '../actions.js';
import type { Fault } from '../types.js';
import { Button } from '../ui/button.js';
import { useServices } from '../ui/context.js';
import { Field } from '../ui/field.js';
import { Empty, ViewHead } from '../ui/parts.js';

const OPERATIONS = [
  'list',
  'create',
  'get',
  'update',
  'delete',
  'provision',
  'suspend',
  'chat',
  'invoke',
  'daemon',
  'sign',
  'scim',
];
const STATUSES = [408, 429, 500, 502, 503, 504];

/** What can happen to a call, and what of it a fault then says. */
const EFFECTS = {
  status: 'answers an error',
  delay: 'answers late',
  disconnect: 'loses its connection',
  step: 'fails at a step of the create',
} as const;
type Effect = keyof typeof EFFECTS;

const DISCONNECTS = ['before-headers', 'mid-event', 'before-done', 'reset'];

/** Bad days, each several faults at once. */
const CHAOS: readonly { name: string; does: string; faults: Fault[] }[] = [
  {
    name: 'Flaky service',
    does: 'the next 3 of list, get and create answer 503',
    faults: ['list', 'get', 'create'].map((operation) => ({ operation, status: 503, times: 3 })),
  },
  {
    name: 'Bad network',
    does: 'the next chats lose their connection: before an answer, in the middle of an event, before the end',
    faults: DISCONNECTS.map((disconnect) => ({ operation: 'chat', disconnect })),
  },
  {
    name: 'Overloaded',
    does: 'the next 5 chats answer 429, and the list takes 5 seconds',
    faults: [
      { operation: 'chat', status: 429, times: 5 },
      { operation: 'list', delay: '5s', times: 5 },
    ],
  },
  {
    name: 'Half a create',
    does: 'the next create stops before its vault, the one after before its provisioner',
    faults: [
      { operation: 'create', at: 'vault' },
      { operation: 'create', at: 'provisioner' },
    ],
  },
];

export function sentenceOf(fault: Fault): string {
  const effects = [
    fault.status !== undefined && `answers ${fault.status}`,
    fault.delay !== undefined && `waits ${typeof fault.delay === 'number' ? `${fault.delay} ms` : fault.delay}`,
    fault.disconnect !== undefined &&
      `loses its connection ${fault.disconnect === true ? 'before-headers' : fault.disconnect}`,
    fault.at !== undefined && `fails at the ${fault.at}`,
  ].filter((text) => text !== false);
  const times =
    fault.times === undefined || fault.times === 1
      ? 'The next'
      : fault.times === 'always'
        ? 'Every'
        : `Each of the next ${fault.times}`;
  const to = fault.intern_id === undefined ? '' : ` to ${fault.intern_id.slice(0, 8)}`;
  const chance = fault.probability === undefined ? '' : `, with a chance of ${Math.round(fault.probability * 100)} %`;
  const after = fault.after === undefined || fault.after === 0 ? '' : `, after ${fault.after} more`;
  return `${times} ${fault.operation}${to} ${effects.join(' and ')}${fault.reset ? ', by a reset' : ''}${chance}${after}`;
}

interface Form {
  operation: string;
  effect: Effect;
  status: number;
  delay: string;
  disconnect: string;
  at: string;
  times: string;
}

const faultOf = (form: Form): Fault => ({
  operation: form.operation,
  times: Number(form.times),
  ...(form.effect === 'status' && { status: form.status }),
  ...(form.effect === 'delay' && { delay: form.delay }),
  ...(form.effect === 'disconnect' && { disconnect: form.disconnect }),
  ...(form.effect === 'step' && { at: form.at }),
});

function FaultForm() {
  const { model } = useServices();
  const [form, setForm] = useState<Form>({
    operation: 'create',
    effect: 'status',
    status: 503,
    delay: '5s',
    disconnect: 'before-headers',
    at: 'vault',
    times: '1',
  });
  const set = (change: Partial<Form>) => setForm({ ...form, ...change });
  const select = (
    label: string,
    key: 'operation' | 'effect' | 'disconnect' | 'at',
    options: readonly (readonly [string, string])[],
  ) => (
    <Field label={label}>
      {(ids) => (
        <select {...ids} value={form[key]} onChange={(event) => set({ [key]: event.currentTarget.value })}>
          {options.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
  const same = (names: readonly string[]) => names.map((name) => [name, name] as const);
  const effects = Object.entries(EFFECTS).filter(([effect]) => effect !== 'step' || form.operation === 'create');
  return (
    <form
      class="panel stack"
      aria-label="New fault"
      onSubmit={(event) => {
        event.preventDefault();
        void model.attempt(() => addFaults(model, [faultOf(form)]), sentenceOf(faultOf(form)));
      }}
    >
      <h2>New fault</h2>
      <div class="grid">
        {select('The next', 'operation', same(OPERATIONS))}
        {select('What happens', 'effect', effects)}
        {form.effect === 'status' && (
          <Field label="Status">
            {(ids) => (
              <select
                {...ids}
                value={form.status}
                onChange={(event) => set({ status: Number(event.currentTarget.value) })}
              >
                {STATUSES.map((status) => (
                  <option key={status} value={status}>
                    {status}
                  </option>
                ))}
              </select>
            )}
          </Field>
        )}
        {form.effect === 'delay' && (
          <Field label="By" hint="On the emulator’s clock">
            {(ids) => (
              <input
                {...ids}
                required
                value={form.delay}
                onInput={(event) => set({ delay: event.currentTarget.value })}
              />
            )}
          </Field>
        )}
        {form.effect === 'disconnect' &&
          select('Where', 'disconnect', same(form.operation === 'chat' ? DISCONNECTS : ['before-headers', 'reset']))}
        {form.effect === 'step' && select('Which', 'at', same(['vault', 'provisioner']))}
        <Field label="How many times">
          {(ids) => (
            <input
              {...ids}
              type="number"
              min={1}
              required
              value={form.times}
              onInput={(event) => set({ times: event.currentTarget.value })}
            />
          )}
        </Field>
      </div>
      <div class="row end">
        <Button type="submit" tone="primary">
          Add fault
        </Button>
      </div>
    </form>
  );
}

/** Makes the emulator fail in chosen ways, and shows what is still to come. */
export function FaultsView() {
  const { model } = useServices();
  const faults = model.faults.value;
  const clear = () =>
    model.attempt(async () => {
      await model.api.control('DELETE', 'faults');
      await model.readFaults();
    }, 'All faults are taken back');
  return (
    <div class="page">
      <ViewHead title="Faults" sub="What the next calls meet. A call that is refused anyway uses none up.">
        {faults.length > 0 && (
          <Button small icon="trash" onClick={() => void clear()}>
            Take all back
          </Button>
        )}
      </ViewHead>
      {faults.length > 0 ? (
        <ol class="list" aria-label="Faults still to come">
          {faults.map((fault, index) => (
            <li key={index}>
              <span class="tag bad">{fault.operation}</span>
              <span>{sentenceOf(fault)}</span>
            </li>
          ))}
        </ol>
      ) : (
        <Empty icon="faults" title="All goes well">
          <p>Add a fault, or choose a bad day below, and see what your client makes of it.</p>
        </Empty>
      )}
      <div class="columns">
        <FaultForm />
        <section class="panel stack" aria-label="Chaos">
          <h2>Chaos</h2>
          <p class="quiet">Several faults at once.</p>
          <ul class="choices">
            {CHAOS.map((profile) => (
              <li key={profile.name}>
                <div>
                  <b>{profile.name}</b>
                  <p class="quiet">{profile.does}</p>
                </div>
                <Button
                  small
                  onClick={() =>
                    void model.attempt(() => addFaults(model, profile.faults), `${profile.name}: ${profile.does}`)
                  }
                >
                  Add<span class="unseen"> {profile.name}</span>
                </Button>
              </li>
            ))}
          </ul>
        </section>
      </div>
    </div>
  );
}
