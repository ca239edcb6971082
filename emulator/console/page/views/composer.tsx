import { type Prompt, scriptNames, sendPrompt } from '../actions.js';
import { short } from '../format.js';
import type { Intern } from '../types.js';
import { Button } from '../ui/button.js';
import { useServices } from '../ui/context.js';
import { Select } from '../ui/field.js';
import { useForm } from '../ui/use-form.js';

interface Chosen extends Pick<Prompt, 'text' | 'mode' | 'how'> {
  /** Empty for the default, and for a new one. */
  script: string;
  session: string;
}

/** Sends a prompt as a client of the intern: which script takes it, whether it asks, which session it goes to. */
export function Composer({ intern, sessions }: { intern: Intern; sessions: readonly string[] }) {
  const { model } = useServices();
  const { values, set, field } = useForm({ text: '', script: '', mode: 'manual', how: 'chat', session: '' } as Chosen);
  const { text, script, mode, how, session } = values;
  const ready = intern.status === 'running';
  const sendable = model.connection.value !== 'lost' && (text.trim() !== '' || script !== '');
  const send = async () => {
    if (!sendable) return;
    set({ text: '' });
    const sent = await model.attempt(() =>
      sendPrompt(model, intern, {
        text: text.trim() === '' ? 'Hello' : text,
        mode,
        how,
        script: script === '' ? undefined : script,
        sessionId: session === '' ? undefined : session,
      }),
    );
    // A text that did not arrive comes back, unless something else was typed meanwhile.
    if (!sent) set(({ text: typed }) => (typed === '' ? { text } : {}));
  };
  return (
    <form
      class="stack close bar composer"
      aria-label="Prompt"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <div class="row measure">
        <textarea
          aria-label={`Prompt to ${intern.name}`}
          placeholder={ready ? `Say something to ${intern.name}…` : `${intern.name} is not running`}
          rows={2}
          value={text}
          onInput={(event) => set({ text: event.currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            void send();
          }}
        />
        <Button type="submit" tone="primary" icon="send" label="Send" disabled={!sendable} />
      </div>
      <div class="row wrap measure">
        <Select
          inline="labelled"
          label="Script"
          options={[['', 'default'], ...scriptNames(model)]}
          {...field('script')}
        />
        <Select
          inline="labelled"
          label="Approval"
          disabled={how === 'invoke'}
          options={['manual', 'self-drive']}
          {...field('mode')}
        />
        <Select
          inline="labelled"
          label="Session"
          options={[['', 'new'], ...sessions.map((id) => [id, short(id)] as const)]}
          {...field('session')}
        />
        <Select inline="labelled" label="By" options={['chat', 'invoke']} {...field('how')} />
      </div>
    </form>
  );
}
