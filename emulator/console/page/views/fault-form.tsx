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
import { useForm } from '../ui/use-form.js';

const EMPTY: FaultForm = {
  operation: 'create',
  intern: '',
  effect: 'status',
  status: '503',
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
  const { values: form, set, field } = useForm(EMPTY);
  const effects = EFFECTS.filter(([effect]) => effect !== 'step' || form.operation === 'create');
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
      <Select label="The next" value={form.operation} options={OPERATIONS} onChange={choose} />
      <div class="grid">
        {!OF_NO_INTERN.has(form.operation) && (
          <Select label="To" options={[['', 'any intern'], ...interns]} {...field('intern')} />
        )}
        <Select label="What happens" options={effects} {...field('effect')} />
        {form.effect === 'status' && <Select label="Status" options={STATUSES} {...field('status')} />}
        {form.effect === 'delay' && <Input label="By" hint="On the emulator’s clock" required {...field('delay')} />}
        {form.effect === 'disconnect' && <Select label="Where" options={places} {...field('disconnect')} />}
        {form.effect === 'step' && <Select label="Which" options={['vault', 'provisioner']} {...field('at')} />}
        {!form.always && <Input label="How many times" type="number" min={1} required {...field('times')} />}
        <Input label="After so many calls" type="number" min={0} required {...field('after')} />
        <Input label="Chance in %" type="number" min={1} max={100} required {...field('chance')} />
      </div>
      <Check label="Every time" {...field('always')} />
    </Form>
  );
}
