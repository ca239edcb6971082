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
import { useServices } from '../ui/context.js';
import { Check, Form, Input, type Option, Select } from '../ui/field.js';

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

export function NewFault() {
  const { model } = useServices();
  const [form, setForm] = useState(EMPTY);
  const set = (change: Partial<FaultForm>) => setForm({ ...form, ...change });
  const select = (label: string, value: string, options: readonly Option[], choose: (value: string) => void) => (
    <Select label={label} value={value} options={options} onChange={choose} />
  );
  const number = (label: string, key: 'times' | 'after' | 'chance', bounds: { min: number; max?: number }) => (
    <Input
      label={label}
      type="number"
      {...bounds}
      required
      value={form[key]}
      onInput={(value) => set({ [key]: value })}
    />
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
    <Form
      panel
      title="New fault"
      submit="Add fault"
      tone="primary"
      onSubmit={() => model.attempt(() => addFaults(model, [faultOf(form)]), sentenceOf(faultOf(form)))}
    >
      {select('The next', form.operation, OPERATIONS, choose)}
      <div class="grid">
        {!OF_NO_INTERN.has(form.operation) &&
          select('To', form.intern, [['', 'any intern'], ...interns], (intern) => set({ intern }))}
        {select('What happens', form.effect, effects, (effect) => set({ effect: effect as FaultForm['effect'] }))}
        {form.effect === 'status' &&
          select('Status', String(form.status), STATUSES, (status) => set({ status: Number(status) }))}
        {form.effect === 'delay' && (
          <Input
            label="By"
            hint="On the emulator’s clock"
            required
            value={form.delay}
            onInput={(delay) => set({ delay })}
          />
        )}
        {form.effect === 'disconnect' && select('Where', form.disconnect, places, (disconnect) => set({ disconnect }))}
        {form.effect === 'step' && select('Which', form.at, ['vault', 'provisioner'], (at) => set({ at }))}
        {!form.always && number('How many times', 'times', { min: 1 })}
        {number('After so many calls', 'after', { min: 0 })}
        {number('Chance in %', 'chance', { min: 1, max: 100 })}
      </div>
      <Check label="Every time" checked={form.always} onChange={(always) => set({ always })} />
    </Form>
  );
}
