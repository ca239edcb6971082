import { useState } from 'preact/hooks';
import { type Prompt, sendPrompt } from '../actions.js';
import { short } from '../format.js';
import type { Intern } from '../types.js';
import { Button } from '../ui/button.js';
import { useServices } from '../ui/context.js';
import { ScriptOptions } from '../ui/script-options.js';

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
        // What did not arrive is not lost, unless something else was typed meanwhile.
        if (!sent) setText((typed) => (typed === '' ? text : typed));
      });
  };
  return (
    <form
      class="composer"
      aria-label="Prompt"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div class="composer-box">
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
      <div class="composer-options">
        <label>
          <span>Script</span>
          <select value={script} onChange={(event) => setScript(event.currentTarget.value)}>
            <option value="">default</option>
            <ScriptOptions />
          </select>
        </label>
        <label>
          <span>Approval</span>
          <select
            value={mode}
            disabled={how === 'invoke'}
            onChange={(event) => setMode(event.currentTarget.value as Prompt['mode'])}
          >
            <option value="manual">manual</option>
            <option value="self-drive">self-drive</option>
          </select>
        </label>
        <label>
          <span>Session</span>
          <select value={session} onChange={(event) => setSession(event.currentTarget.value)}>
            <option value="">new</option>
            {sessions.map((id) => (
              <option key={id} value={id}>
                {short(id)}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>By</span>
          <select value={how} onChange={(event) => setHow(event.currentTarget.value as Prompt['how'])}>
            <option value="chat">chat</option>
            <option value="invoke">invoke</option>
          </select>
        </label>
      </div>
    </form>
  );
}
