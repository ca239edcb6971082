import { useState } from 'preact/hooks';
import { type Prompt, scriptNames, sendPrompt } from '../actions.js';
import { short } from '../format.js';
import type { Intern } from '../types.js';
import { Button } from '../ui/button.js';
import { useServices } from '../ui/context.js';
import { InlineSelect } from '../ui/field.js';

/** Sends a prompt as a client of the intern: which script takes it, whether it asks, which session it goes to. */
export function Composer({ intern, sessions }: { intern: Intern; sessions: readonly string[] }) {
  const { model } = useServices();
  const [text, setText] = useState('');
  const [script, setScript] = useState('');
  const [mode, setMode] = useState<Prompt['mode']>('manual');
  const [how, setHow] = useState<Prompt['how']>('chat');
  const [session, setSession] = useState('');
  const ready = intern.status === 'running';
  const offline = model.connection.value === 'lost';
  const send = () => {
    if (offline || (text.trim() === '' && script === '')) return;
    const prompt: Prompt = {
      text: text.trim() === '' ? 'Hello' : text,
      mode,
      how,
      script: script === '' ? undefined : script,
      sessionId: session === '' ? undefined : session,
    };
    setText('');
    void model
      .attempt(() => sendPrompt(model, intern, prompt))
      .then((sent) => {
        // A text that did not arrive comes back, unless something else was typed meanwhile.
        if (!sent) setText((typed) => (typed === '' ? text : typed));
      });
  };
  return (
    <form
      class="stack close bar composer"
      aria-label="Prompt"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div class="row measure">
        <textarea
          aria-label={`Prompt to ${intern.name}`}
          placeholder={ready ? `Say something to ${intern.name}…` : `${intern.name} is not running`}
          rows={2}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            send();
          }}
        />
        <Button
          type="submit"
          tone="primary"
          icon="send"
          label="Send"
          disabled={offline || (text.trim() === '' && script === '')}
        />
      </div>
      <div class="row wrap measure">
        <InlineSelect
          label="Script"
          value={script}
          options={[['', 'default'], ...scriptNames(model)]}
          onChange={setScript}
        />
        <InlineSelect
          label="Approval"
          value={mode}
          disabled={how === 'invoke'}
          options={['manual', 'self-drive']}
          onChange={(chosen) => setMode(chosen as Prompt['mode'])}
        />
        <InlineSelect
          label="Session"
          value={session}
          options={[['', 'new'], ...sessions.map((id) => [id, short(id)] as const)]}
          onChange={setSession}
        />
        <InlineSelect
          label="By"
          value={how}
          options={['chat', 'invoke']}
          onChange={(chosen) => setHow(chosen as Prompt['how'])}
        />
      </div>
    </form>
  );
}
