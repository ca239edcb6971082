import { credentialOf, OWN_HEADERS } from '../../contract/curl.js';
import { freshId, reach } from './api.js';
import type { Model } from './model.js';
import type { Ask, ClockView, Entry, Fault, Intern, Run } from './types.js';

/** The credential that the page uses for an intern: a member's of its workspace, else the intern's own. */
export async function keyFor(model: Model, intern: Pick<Intern, 'id' | 'workspace_id'>): Promise<string> {
  const target = await model.knownTarget();
  if (intern.workspace_id === target.workspace_id) return target.credentials.api_key;
  if (target.credentials.foreign_api_key && intern.workspace_id === target.foreign_workspace_id)
    return target.credentials.foreign_api_key;
  return (await model.api.control<{ api_key: string }>('GET', `interns/${intern.id}`)).api_key;
}

/** A browser has six connections to one address, and events and short calls need the others. */
const MOST_STREAMS = 4;

/** Reads a stream to its end, as its client: leaving it would cancel the run. */
async function follow(model: Model, id: string, leave: AbortController, ask: () => Promise<Response>): Promise<void> {
  if (model.own.value.size >= MOST_STREAMS)
    throw new Error(
      `This page reads ${MOST_STREAMS} streams already, and a browser has few connections: disconnect one first`,
    );
  model.own.value = new Map(model.own.value).set(id, leave);
  try {
    const reader = (await ask()).body?.getReader();
    while (reader && !(await reader.read()).done);
  } catch (error) {
    if (!leave.signal.aborted) throw error;
  } finally {
    const left = new Map(model.own.value);
    left.delete(id);
    model.own.value = left;
  }
}

export interface Prompt {
  text: string;
  mode: 'manual' | 'self-drive';
  /** Put before the prompt, for this run alone. */
  script: string | undefined;
  sessionId: string | undefined;
  how: 'chat' | 'invoke';
}

/** Sends a turn, and keeps reading the stream that answers it. */
async function chat(model: Model, intern: Intern, turn: object): Promise<void> {
  const key = await keyFor(model, intern);
  const id = `console-${freshId()}`;
  const leave = new AbortController();
  const path = `/interns/${intern.id}/chat/completions`;
  const sent = { body: { stream: true, ...turn }, id, signal: leave.signal };
  await follow(model, id, leave, () => model.api.call('POST', path, key, sent));
}

/** A call about an intern, with the credential that the page uses for it. */
const callOn = async (model: Model, intern: Intern, method: string, below = '', body?: object): Promise<Response> =>
  model.api.call(method, `/interns/${intern.id}${below}`, await keyFor(model, intern), { body });

/** Sends a prompt; a stream that answers it is read to its end. */
export async function sendPrompt(model: Model, intern: Intern, prompt: Prompt): Promise<void> {
  const text = prompt.script === undefined ? prompt.text : `script: ${prompt.script}\n${prompt.text}`;
  const session = prompt.sessionId === undefined ? {} : { session_id: prompt.sessionId };
  if (prompt.how === 'invoke') await callOn(model, intern, 'POST', '/invoke', { input: text, ...session });
  else
    await chat(model, intern, {
      ...session,
      ...(prompt.mode === 'manual' ? { approval_mode: 'manual' } : {}),
      messages: [{ role: 'user', content: text }],
    });
}

const TOOLS: Readonly<Record<string, string>> = { openrouter: 'openrouter.provide_input' };
/** The name of the tool call that an answer echoes; the emulator does not look at it. */
const toolOf = (model: Model): string => TOOLS[model.target.value?.profile ?? ''] ?? 'service.provide_input';

/** Answers a pending question; the stream that goes on where it paused is read to its end. */
export async function sendAnswer(
  model: Model,
  intern: Intern,
  run: Pick<Run, 'session_id'>,
  question: { id: string; ask: Ask },
  content: string,
): Promise<void> {
  const asked = { name: toolOf(model), arguments: JSON.stringify(question.ask) };
  const tool_calls = [{ id: question.id, type: 'function', function: asked }];
  await chat(model, intern, {
    session_id: run.session_id,
    messages: [
      { role: 'assistant', content: null, tool_calls },
      { role: 'tool', tool_call_id: question.id, content },
    ],
  });
}

/**
 * Sends a request of the journal again, as it was but for its id and its credential, which the journal does not hold. A
 * stream is read to its end in the background. Returns the new id.
 */
export async function sendAgain(model: Model, entry: Entry): Promise<string> {
  const { method, url, headers, body } = entry.request;
  const { credentials } = await model.knownTarget();
  const row = entry.intern_id === null ? undefined : model.interns.value.get(entry.intern_id);
  const named: Readonly<Record<string, string>> = {
    INTERN_MANAGEMENT_KEY: credentials.management_key,
    INTERN_OAUTH_TOKEN: credentials.oauth_token,
  };
  const key = named[credentialOf(entry)] ?? (row ? await keyFor(model, row) : credentials.api_key);
  // A client's request it is, and is listed with them.
  const id = `again-${freshId()}`;
  const kept = Object.entries(headers).filter(([name]) => !OWN_HEADERS.test(name) && name !== 'authorization');
  const { pathname, search } = new URL(url, location.href);
  const leave = new AbortController();
  const ask = () =>
    reach(pathname + search, {
      method,
      headers: {
        ...Object.fromEntries(kept),
        ...('authorization' in headers ? { authorization: `Bearer ${key}` } : {}),
        'x-request-id': id,
      },
      ...(body === null || body === '' ? {} : { body }),
      signal: leave.signal,
    });
  if (entry.writes === undefined) await ask();
  else void model.attempt(() => follow(model, id, leave, ask));
  return id;
}

export const lifecycle = (model: Model, intern: Intern, what: 'provision' | 'suspend') =>
  callOn(model, intern, 'POST', `/${what}`);

export const deleteIntern = (model: Model, intern: Intern, acknowledge: boolean) =>
  callOn(model, intern, 'DELETE', '', acknowledge ? { acknowledge_workspace_loss: true } : undefined);

export const updateIntern = (
  model: Model,
  intern: Intern,
  change: Partial<Pick<Intern, 'name' | 'description' | 'instructions' | 'model'>>,
) => callOn(model, intern, 'PATCH', '', change);

export interface NewIntern {
  name: string;
  /** Undefined for the first available one. */
  workspace_id: string | undefined;
  description: string;
  instructions: string;
  provision: boolean;
}

export async function createIntern(model: Model, intern: NewIntern): Promise<Intern> {
  const { name, description, instructions, provision } = intern;
  const workspace_id = intern.workspace_id ?? (await model.knownTarget()).workspace_id;
  const body = {
    name,
    workspace_id,
    provision,
    ...(description === '' ? {} : { description }),
    ...(instructions === '' ? {} : { instructions }),
  };
  const key = await keyFor(model, { id: '', workspace_id });
  return (await (await model.api.call('POST', '/interns', key, { body })).json()) as Intern;
}

/** Every script, to choose from. */
export const scriptNames = (model: Model): string[] => model.scripts.value.map(({ name }) => name);

export const putScriptOn = <View>(model: Model, intern: Intern, name: string | null): Promise<View> =>
  model.api.control('PUT', `interns/${intern.id}/script`, { name });

export async function moveClock(model: Model, body: { advance: string } | { freeze: true } | { resume: true }) {
  model.setClock(await model.api.control<ClockView>('POST', 'clock', body));
}

export async function addFaults(model: Model, faults: readonly Fault[]): Promise<void> {
  for (const fault of faults) await model.api.control('POST', 'faults', fault);
}

/** Lets these be the only faults. Nothing is taken back where one of them cannot be used. */
export async function replaceFaults(model: Model, faults: readonly unknown[]): Promise<void> {
  const before = await model.api.list<Fault>('faults');
  await model.api.control('DELETE', 'faults');
  try {
    await model.api.control('POST', 'faults', faults);
  } catch (error) {
    if (before.length > 0) await model.api.control('POST', 'faults', before);
    throw error;
  }
}

export async function reset(model: Model): Promise<void> {
  await model.api.control('POST', 'reset');
  await model.load();
}
