import { useState } from 'preact/hooks';
import { readPasted } from '../pasted.js';
import type { ExplainSignature, Explanation, ForgeList, Forgery } from '../types.js';
import { useServices } from '../ui/context.js';
import { Form, Input, Select } from '../ui/field.js';
import { Icon } from '../ui/icons.js';
import { Page, Panel, Pill, Table } from '../ui/parts.js';
import { useForm } from '../ui/use-form.js';
import { useLatest } from '../ui/use-latest.js';
import { useRead } from '../ui/use-read.js';

interface Pasted {
  pasted: string;
  method: string;
  path: string;
  body: string;
}

const STEP_TONES: Readonly<Record<string, string>> = { passed: 'good', failed: 'bad' };

function Fields({ signature }: { signature: ExplainSignature }) {
  return (
    <Table class="even" columns={['Field', 'Must be signed', 'Was signed']}>
      {signature.fields.map((field) => (
        <tr key={field.name} class={field.same === false ? 'bad' : undefined}>
          <th scope="row">
            {field.name}
            <br />
            <span class="quiet small">{field.from}</span>
          </th>
          <td class="mono">{field.expected ?? '—'}</td>
          <td class="mono">{field.same === null ? 'not known' : field.same ? 'the same' : (field.signed ?? '—')}</td>
        </tr>
      ))}
    </Table>
  );
}

function Signature({ signature }: { signature: ExplainSignature }) {
  const difference = signature.first_difference;
  return (
    <section class="stack close" aria-label={`Signature ${signature.version}`}>
      <h3 class="row wrap">
        {signature.version} <span class="quiet mono">{signature.header}</span>
        <Pill tone={signature.verifies ? 'good' : 'bad'}>{signature.verifies ? 'verifies' : 'does not verify'}</Pill>
      </h3>
      {signature.problem && <p>{signature.problem}</p>}
      {difference && (
        <p>
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
      <p class={`row wrap callout ${good ? 'good' : 'bad'}`}>
        <Icon name={good ? 'check' : 'close'} />
        <b>{good ? 'Accepted' : 'Refused'}</b>
        {explanation.reason && <code>{explanation.reason}</code>}
        {explanation.hint && <code>{explanation.hint}</code>}
      </p>
      <p>{explanation.summary}</p>
      <ol class="rows" aria-label="Checks of the daemon, in order">
        {explanation.steps.map(({ check, result, detail }) => (
          <li key={check}>
            <Pill tone={STEP_TONES[result] ?? ''}>{result}</Pill>
            <b>{check}</b>
            <span>{detail}</span>
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
    <Panel label="Made" title={made.description}>
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
    </Panel>
  );
}

/** Takes a signed request, and explains what a daemon would answer to it, down to the byte. */
export function ProofsView() {
  const { model } = useServices();
  const { values: form, set, field } = useForm<Pasted>({ pasted: '', method: 'POST', path: '/api/invoke', body: '' });
  const [defect, setDefect] = useState('');
  const [explanation, setExplanation] = useState<Explanation | undefined>(undefined);
  const [forged, setForged] = useState<{ made: Forgery; twin: Explanation } | undefined>(undefined);
  const begin = useLatest();
  const { value: defects = [] } = useRead(() => model.api.list<ForgeList['data'][number]>('signing/forge'), []);
  const explained = (request: object) => model.api.control<Explanation>('POST', 'signing/explain', request);
  const explain = async (given: Pasted) => {
    const isLatest = begin();
    setExplanation(undefined);
    const { headers, method = given.method, path = given.path, body = given.body } = readPasted(given.pasted);
    const next = await explained({ headers, method, path, body });
    if (isLatest()) setExplanation(next);
  };
  const forge = () =>
    model.attempt(async () => {
      const made = await model.api.control<Forgery>('POST', 'signing/forge', { defect });
      const { headers, method, url, body } = made.request;
      const lines = Object.entries(headers).flatMap(([name, value]) =>
        [value].flat().map((each) => `${name}: ${each}`),
      );
      const next = { pasted: lines.join('\n'), method, path: new URL(url).pathname, body };
      set(next);
      await explain(next);
      const { url: at, ...twin } = made.twin;
      setForged({ made, twin: await explained({ ...twin, path: new URL(at).pathname }) });
    });

  return (
    <Page title="Proofs" sub="Paste a signed request, and read what the intern daemon says to it and why.">
      <div class="columns">
        <Form
          panel
          label="Signed request"
          submit="Explain"
          tone="primary"
          onSubmit={() => {
            setForged(undefined);
            return explain(form);
          }}
        >
          <Input
            label="Request"
            hint="A curl command, a request with its headers and body, header lines alone, or JSON"
            class="mono"
            rows={9}
            placeholder={
              'authorization: Bearer …\nx-svc-invoke-signature: …\nx-svc-invoke-timestamp: …\nx-svc-invoke-user: …'
            }
            {...field('pasted')}
          />
          <p class="quiet">Where the request does not say:</p>
          <div class="grid">
            <Input label="Method" {...field('method')} />
            <Input label="Path" {...field('path')} />
          </div>
          <Input label="Body" hint="Exactly as it is sent" class="mono" rows={2} {...field('body')} />
        </Form>
        <div class="stack">
          {explanation && <Result explanation={explanation} />}
          {forged && <Forged forged={forged} />}
          <Form
            panel
            label="Make one"
            title="None at hand?"
            note="Make a request that is wrong in one way, and see it explained. The intern must be running."
            submit="Make and explain"
            onSubmit={forge}
          >
            <Select
              label="Defect"
              hint={defect && <code>{defect}</code>}
              required
              value={defect}
              options={[['', 'Choose…'], ...defects.map((each) => [each.defect, each.description] as const)]}
              onChange={setDefect}
            />
          </Form>
        </div>
      </div>
    </Page>
  );
}
