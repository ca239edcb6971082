import { useState } from 'preact/hooks';
import { addFaults } from '../actions.js';
import {
  DISCONNECTS,
  EFFECTS,
  type FaultForm,
  faultOf,
  OF_NO_INTERN,
  OPERATIONS,
  STATUSES,
  sentenceOf,
} from '../faults.js';
import { Button } from '../ui/button.js';
import { useServices } from '../ui/context.js';
import { Check, Field, Select } from '../ui/field.js';

const EMPTY: FaultForm = {
  operation: 'create',
  intern: '',
  effect: 'status',
  status: 503,
  delay: '5s',
  disconnect: 'before-headers',
  at: 'vault',
  times: '1',
  always: false,
  after: '0',
  chance: '100',
};

type Option = readonly [value: string, text: string];
const same = (names: readonly (string | number)[]): Option[] => names.map((name) => [String(name), String(name)]);

/** Makes one fault: which calls meet it, and its effect. */
export function NewFault() {
  const { model } = useServices();
  const [form, setForm] = useState(EMPTY);
  const set = (change: Partial<FaultForm>) => setForm({ ...form, ...change });
  const select = (label: string, value: string, options: readonly Option[], choose: (value: string) => void) => (
    <Select label={label} value={value} options={options} onChange={choose} />
  );
  const number = (label: string, key: 'times' | 'after' | 'chance', from: number, to?: number, hint?: string) => (
    <Field label={label} {...(hint === undefined ? {} : { hint })}>
      {(ids) => (
        <input
          {...ids}
          type="number"
          min={from}
          max={to}
          required
          value={form[key]}
          onInput={(event) => set({ [key]: event.currentTarget.value })}
        />
      )}
    </Field>
  );
  const effects = Object.entries(EFFECTS).filter(([effect]) => effect !== 'step' || form.operation === 'create');
  const interns = [...model.interns.value.values()].map(({ id, name }): Option => [id, name]);
  const places = form.operation === 'chat' ? DISCONNECTS : ['before-headers', 'reset'];
  const choose = (operation: string) => {
    const kept = form.effect === 'step' && operation !== 'create' ? 'status' : form.effect;
    const still = operation === 'chat' || ['before-headers', 'reset'].includes(form.disconnect);
    set({ operation, effect: kept, ...(still ? {} : { disconnect: 'before-headers' }) });
  };
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
        {select('The next', form.operation, same(OPERATIONS), choose)}
        {!OF_NO_INTERN.has(form.operation) &&
          select('To', form.intern, [['', 'any intern'], ...interns], (intern) => set({ intern }))}
        {select('What happens', form.effect, effects, (effect) => set({ effect: effect as FaultForm['effect'] }))}
        {form.effect === 'status' &&
          select('Status', String(form.status), same(STATUSES), (status) => set({ status: Number(status) }))}
        {form.effect === 'delay' && (
          <Field label="By" required hint="On the emulator’s clock">
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
          select('Where', form.disconnect, same(places), (disconnect) => set({ disconnect }))}
        {form.effect === 'step' && select('Which', form.at, same(['vault', 'provisioner']), (at) => set({ at }))}
        {!form.always && number('How many times', 'times', 1)}
        {number('After so many calls', 'after', 0)}
        {number('Chance in %', 'chance', 1, 100, 'Of each call after those, from the seed')}
      </div>
      <Check label="Every time" checked={form.always} onChange={(always) => set({ always })} />
      <div class="row end">
        <Button type="submit" tone="primary">
          Add fault
        </Button>
      </div>
    </form>
  );
}
