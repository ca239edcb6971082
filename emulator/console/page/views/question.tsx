import { useState } from 'preact/hooks';
import { sendAnswer } from '../actions.js';
import { countdown, words } from '../format.js';
import type { Ask, Intern, PermissionAsk, QuestionAsk, QuestionField, Run } from '../types.js';
import { Button } from '../ui/button.js';
import { useServices } from '../ui/context.js';
import { Check, Input, Select } from '../ui/field.js';
import { Icon } from '../ui/icons.js';
import { useNow } from '../ui/ticking.js';

interface QuestionProps {
  intern: Intern;
  run: Run | undefined;
  question: { id: string; ask: Ask };
  answer: unknown;
}

type Value = string | boolean;

const NUMBERS = {
  number: { type: 'number', step: 'any', hint: 'A number' },
  integer: { type: 'number', step: 1, hint: 'A whole number' },
} as const;
const numberOf = (type: QuestionField['type']) => (type === 'number' || type === 'integer' ? NUMBERS[type] : undefined);

interface FieldControlProps {
  field: QuestionField;
  value: Value | undefined;
  onChange: (value: Value) => void;
}

function FieldControl({ field: { name, label = name, type, options, required }, value, onChange }: FieldControlProps) {
  if (type === 'boolean' && !options) return <Check label={label} value={value === true} onChange={onChange} />;
  const shared = { label, required, value: String(value ?? ''), onChange };
  if (!options) return <Input {...shared} {...numberOf(type)} />;
  const places = options.map((option, index) => [String(index), String(option)] as const);
  return <Select {...shared} options={[['', required ? 'Choose…' : 'None'], ...places]} />;
}

/** The answer to a field, of the type that it asks for; undefined for none. */
function answerTo({ type, options, required }: QuestionField, value: Value = ''): unknown {
  if (type === 'boolean' && !options) return value === true;
  if (value === '') return required && !options ? '' : undefined;
  if (options) return options[Number(value)];
  return numberOf(type) ? Number(value) : value;
}

interface FormProps<A> {
  ask: A;
  send: (content: string) => void;
  busy: boolean;
}

function Permission({ ask, send, busy }: FormProps<PermissionAsk>) {
  return (
    <div class="row wrap">
      {ask.options.map((option) => (
        <Button
          key={option}
          disabled={busy}
          tone={option.startsWith('allow') ? 'primary' : 'plain'}
          onClick={() => send(option)}
        >
          {words(option)}
        </Button>
      ))}
      <Button tone="ghost" disabled={busy} onClick={() => send('cancel')}>
        Cancel
      </Button>
    </div>
  );
}

function Elicitation({ ask, send, busy }: FormProps<QuestionAsk>) {
  const [values, setValues] = useState<Record<string, Value>>({});
  const submit = (event: Event) => {
    event.preventDefault();
    const content = Object.fromEntries(ask.fields.map((field) => [field.name, answerTo(field, values[field.name])]));
    send(JSON.stringify({ action: 'accept', content }));
  };
  return (
    <form class="stack" onSubmit={submit}>
      <div class="grid">
        {ask.fields.map((field) => (
          <FieldControl
            key={field.name}
            field={field}
            value={values[field.name]}
            onChange={(value) => setValues({ ...values, [field.name]: value })}
          />
        ))}
      </div>
      <div class="row wrap">
        <Button type="submit" tone="primary" disabled={busy}>
          Answer
        </Button>
        <Button disabled={busy} onClick={() => send('{"action":"decline"}')}>
          Decline
        </Button>
        <Button tone="ghost" disabled={busy} onClick={() => send('{"action":"cancel"}')}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

/** The options of a question, with the choice that was made. */
function Offered({ ask, answer }: { ask: Ask; answer: unknown }) {
  const content = (answer as { content?: Record<string, unknown> } | undefined)?.content ?? {};
  const choice = (option: unknown, chosen: boolean) => (
    <li key={String(option)} class={chosen ? 'tag good' : 'tag'}>
      {chosen && <Icon name="check" size={13} />}
      {typeof option === 'string' ? words(option) : String(option)}
      {chosen && <span class="unseen"> (chosen)</span>}
    </li>
  );
  if (ask.kind === 'permission')
    return (
      <ul class="row wrap" aria-label="Options">
        {ask.options.map((option) => choice(option, option === answer))}
      </ul>
    );
  return (
    <>
      {ask.fields.map(({ name, label, options }) => (
        <div key={name} class="row wrap">
          <span class="quiet">{label ?? name}</span>
          {options ? (
            <ul class="row wrap" aria-label={`Options of ${label ?? name}`}>
              {options.map((option) => choice(option, option === content[name]))}
            </ul>
          ) : (
            content[name] !== undefined && <span>{String(content[name])}</span>
          )}
        </div>
      ))}
    </>
  );
}

function TimeLeft({ deadline }: { deadline: string }) {
  const { model } = useServices();
  const left = Date.parse(deadline) - useNow();
  const mode = model.clock.value?.mode;
  return (
    <span class={`row away ${left < 60_000 ? 'soon' : ''}`} title={`Until ${deadline}`}>
      <Icon name="clock" size={15} />
      {countdown(left)} left{mode === 'real' ? '' : ', the clock stands still'}
    </span>
  );
}

/** A question of an intern: a form while it waits for the answer, and afterwards the question. */
export function Question({ intern, run, question, answer }: QuestionProps) {
  const { model } = useServices();
  const [busy, setBusy] = useState(false);
  const { ask } = question;
  const pending = run?.status === 'waiting' && run.question?.id === question.id;
  const send = (content: string) => {
    if (!run) return;
    setBusy(true);
    void model.attempt(() => sendAnswer(model, intern, run, question, content)).then(() => setBusy(false));
  };
  const title = ask.kind === 'permission' ? `May it use ${ask.operation}?` : ask.message;
  return (
    <section
      class={`stack close frame question${pending ? ' pending' : ''}`}
      aria-label={pending ? 'Pending question' : 'Question'}
    >
      <header class="row wrap small">
        <Icon name="question" />
        <span class="label">{ask.kind === 'permission' ? 'Asks for permission' : 'Asks a question'}</span>
        {pending && run.question && <TimeLeft deadline={run.question.deadline} />}
      </header>
      <h3>{title}</h3>
      {pending && ask.kind === 'permission' && <Permission ask={ask} send={send} busy={busy} />}
      {!pending && <Offered ask={ask} answer={answer} />}
      {pending && ask.kind === 'elicitation' && <Elicitation ask={ask} send={send} busy={busy} />}
    </section>
  );
}
