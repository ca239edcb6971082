import { useEffect, useState } from 'preact/hooks';
import { readPasted } from '../pasted.js';
import type { ExplainSignature, Explanation, ForgeList, Forgery } from '../types.js';
import { Button } from '../ui/button.js';
import { useServices } from '../ui/context.js';
import { Field } from '../ui/field.js';
import { Icon, type IconName } from '../ui/icons.js';
import { ViewHead } from '../ui/parts.js';
import { useLatest } from '../ui/use-latest.js';

interface Form {
  pasted: string;
  method: string;
  path: string;
  body: string;
}

const STEP_ICONS: Readonly<Record<string, IconName>> = { passed: 'check', failed: 'close' };

function Fields({ signature }: { signature: ExplainSignature }) {
  return (
    <div class="scroll-x">
      <table>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Must be signed</th>
            <th scope="col">Was signed</th>
          </tr>
        </thead>
        <tbody>
          {signature.fields.map((field) => (
            <tr key={field.name} class={field.same === false ? 'differs' : ''}>
              <th scope="row">
                {field.name}
                <span class="quiet">{field.from}</span>
              </th>
              <td class="mono">{field.expected ?? '—'}</td>
              <td class="mono">
                {field.same === null ? 'not known' : field.same ? 'the same' : (field.signed ?? '—')}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Signature({ signature }: { signature: ExplainSignature }) {
  const difference = signature.first_difference;
  return (
    <section class="signature" aria-label={`Signature ${signature.version}`}>
      <h3>
        {signature.version} <span class="quiet mono">{signature.header}</span>
        <span class={`pill small ${signature.verifies ? 'good' : 'bad'}`}>
          <span class="dot" aria-hidden="true" />
          {signature.verifies ? 'verifies' : 'does not verify'}
        </span>
      </h3>
      {signature.problem && <p>{signature.problem}</p>}
      {difference && (
        <p class="difference">
          First difference at byte {difference.index}
          {difference.field && ` (${difference.field})`}: <code>{difference.expected ?? 'the end'}</code> must be there,{' '}
          <code>{difference.found ?? 'the end'}</code> was signed.
        </p>
      )}
      <Fields signature={signature} />
    </section>
  );
}

function Result({ explanation }: { explanation: Explanation }) {
  const good = explanation.verdict === 'accepted';
  return (
    <section class="panel stack" aria-label="Explanation" role="status">
      <p class={`verdict ${good ? 'good' : 'bad'}`}>
        <Icon name={good ? 'check' : 'close'} />
        <b>{good ? 'Accepted' : 'Refused'}</b>
        {explanation.reason && <code>{explanation.reason}</code>}
        {explanation.hint && <code>{explanation.hint}</code>}
      </p>
      <p>{explanation.summary}</p>
      <ol class="steps" aria-label="Checks of the daemon, in order">
        {explanation.steps.map((step) => (
          <li key={step.check} class={step.result.replaceAll(' ', '-')}>
            <Icon name={STEP_ICONS[step.result] ?? 'more'} size={16} />
            <b>{step.check}</b>
            <span class="quiet">{step.result}</span>
            <span>{step.detail}</span>
          </li>
        ))}
      </ol>
      {explanation.signatures.map((signature) => (
        <Signature key={signature.version} signature={signature} />
      ))}
    </section>
  );
}

/** A request made with a defect: what it must be answered, and the fields of the same request without the defect. */
function Forged({ forged: { made, twin } }: { forged: { made: Forgery; twin: Explanation } }) {
  const { expected, prior } = made;
  return (
    <section class="panel stack" aria-label="Made">
      <p>{made.description}</p>
      <p>
        A daemon must answer {expected.status} {expected.reason && <code>{expected.reason}</code>}
        {prior.length > 0 &&
          ', once it has accepted the request before this one. The explanation knows only what was sent'}
        .
      </p>
      <h3>Fields of the same request without the defect</h3>
      {twin.signatures.map((signature) => (
        <Fields key={signature.version} signature={signature} />
      ))}
    </section>
  );
}

/** Takes a signed request, and explains what a daemon would answer to it, down to the byte. */
export function ProofsView() {
  const { model } = useServices();
  const [form, setForm] = useState<Form>({ pasted: '', method: 'POST', path: '/api/invoke', body: '' });
  const [defects, setDefects] = useState<ForgeList['data']>([]);
  const [defect, setDefect] = useState('');
  const [explanation, setExplanation] = useState<Explanation | undefined>(undefined);
  const [forged, setForged] = useState<{ made: Forgery; twin: Explanation } | undefined>(undefined);
  const [problem, setProblem] = useState('');
  const begin = useLatest();
  const set = (change: Partial<Form>) => setForm({ ...form, ...change });
  useEffect(() => {
    model.api.control<ForgeList>('GET', 'signing/forge').then(
      ({ data }) => setDefects(data),
      () => {},
    );
  }, []);

  const explain = async (given: Form) => {
    const isLatest = begin();
    setExplanation(undefined);
    setProblem('');
    try {
      const { headers, method, path, body } = readPasted(given.pasted);
      const explained = await model.api.control<Explanation>('POST', 'signing/explain', {
        headers,
        method: method ?? given.method,
        path: path ?? given.path,
        body: body ?? given.body,
      });
      if (isLatest()) setExplanation(explained);
    } catch (error) {
      if (isLatest()) setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  const forge = () =>
    model.attempt(async () => {
      const made = await model.api.control<Forgery>('POST', 'signing/forge', { defect });
      const { headers, method, url, body } = made.request;
      const lines = Object.entries(headers).flatMap(([name, value]) =>
        [value].flat().map((each) => `${name}: ${each}`),
      );
      const next = { pasted: lines.join('\n'), method, path: new URL(url).pathname, body };
      setForm(next);
      await explain(next);
      const twin = await model.api.control<Explanation>('POST', 'signing/explain', {
        headers: made.twin.headers,
        method: made.twin.method,
        path: new URL(made.twin.url).pathname,
        body: made.twin.body,
      });
      setForged({ made, twin });
    });

  return (
    <div class="page">
      <ViewHead title="Proofs" sub="Paste a signed request, and read what the intern daemon says to it and why." />
      <div class="columns">
        <form
          class="panel stack"
          aria-label="Signed request"
          onSubmit={(event) => {
            event.preventDefault();
            setForged(undefined);
            void explain(form);
          }}
        >
          <Field
            label="Request"
            hint="A curl command, a request with its headers and body, header lines alone, or JSON"
          >
            {(ids) => (
              <textarea
                {...ids}
                class="mono"
                rows={9}
                spellcheck={false}
                placeholder={
                  'authorization: Bearer …\nx-svc-invoke-signature: …\nx-svc-invoke-timestamp: …\nx-svc-invoke-user: …'
                }
                value={form.pasted}
                onInput={(event) => set({ pasted: event.currentTarget.value })}
              />
            )}
          </Field>
          <p class="quiet">Where the request does not say:</p>
          <div class="grid">
            <Field label="Method">
              {(ids) => (
                <input {...ids} value={form.method} onInput={(event) => set({ method: event.currentTarget.value })} />
              )}
            </Field>
            <Field label="Path">
              {(ids) => (
                <input {...ids} value={form.path} onInput={(event) => set({ path: event.currentTarget.value })} />
              )}
            </Field>
          </div>
          <Field label="Body" hint="Exactly as it is sent">
            {(ids) => (
              <textarea
                {...ids}
                class="mono"
                rows={2}
                spellcheck={false}
                value={form.body}
                onInput={(event) => set({ body: event.currentTarget.value })}
              />
            )}
          </Field>
          {problem !== '' && <p role="alert">{problem}</p>}
          <div class="row end">
            <Button type="submit" tone="primary">
              Explain
            </Button>
          </div>
        </form>
        <div class="stack">
          {explanation && <Result explanation={explanation} />}
          {forged && <Forged forged={forged} />}
          <form
            class="panel stack"
            aria-label="Make one"
            onSubmit={(event) => {
              event.preventDefault();
              void forge();
            }}
          >
            <h2>None at hand?</h2>
            <p class="quiet">
              Make a request that is wrong in one way, and see it explained. The intern must be running.
            </p>
            <Field label="Defect" hint={defects.find((each) => each.defect === defect)?.description}>
              {(ids) => (
                <select {...ids} required value={defect} onChange={(event) => setDefect(event.currentTarget.value)}>
                  <option value="">Choose…</option>
                  {defects.map((each) => (
                    <option key={each.defect} value={each.defect}>
                      {each.defect}
                    </option>
                  ))}
                </select>
              )}
            </Field>
            <div class="row end">
              <Button type="submit">Make and explain</Button>
            </div>
          </form>
        </div>
      </div>
    </div>
  );
}
