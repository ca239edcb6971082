import { expect, test } from 'vitest';
import { inBrowser, type Opened } from '../testing/browser.harness.js';

const conversation = ({ page }: Opened) => page.getByRole('region', { name: 'Conversation' });
const clock = ({ page }: Opened) => page.getByRole('region', { name: 'Clock' });

/** Sends a prompt as a person does. */
async function prompt({ page }: Opened, text: string, script?: string): Promise<void> {
  if (script !== undefined) await page.getByRole('combobox', { name: 'Script', exact: true }).selectOption(script);
  await page.getByRole('textbox', { name: /^Prompt to / }).fill(text);
  await page.keyboard.press('Enter');
}

const openIntern = async (opened: Opened) => {
  await opened.go(`#/interns/${opened.intern.id}`);
  await opened.page.getByRole('heading', { name: opened.intern.name }).waitFor();
};

inBrowser('the console, interns', (open) => {
  test('an intern is created, boots before one’s eyes, is suspended and provisioned again', async () => {
    const opened = await open();
    const { page, api } = opened;
    await page.getByRole('button', { name: 'New intern' }).click();
    const dialog = page.getByRole('dialog', { name: 'New intern' });
    await dialog.getByLabel('Name').fill('Not A Name');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog
      .getByRole('alert')
      .filter({ hasText: /name: expected lower-case words/ })
      .waitFor();
    await dialog.getByLabel('Name').fill('new-one');
    await dialog.getByLabel('Description').fill('Made by hand');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.waitFor({ state: 'hidden' });

    const intern = page.getByRole('region', { name: 'new-one' });
    await intern.getByText(/^(queued|provisioning)$/).waitFor();
    await api.advance(600);
    await intern.getByText('provisioning').waitFor();
    await intern.getByRole('progressbar', { name: 'Boot of new-one' }).waitFor();
    await clock(opened).getByRole('button', { name: '+5 min' }).click();
    await intern.getByText('running', { exact: true }).waitFor();

    await intern.getByRole('button', { name: 'Suspend' }).click();
    await intern.getByText('stopped', { exact: true }).waitFor();
    await intern.getByRole('button', { name: 'Provision' }).click();
    await intern.getByText(/^(queued|provisioning)$/).waitFor();
  });

  test('an intern whose archive fails is deleted once its loss is acknowledged', async () => {
    const { page, api, intern } = await open();
    await api.put(`/_emulator/interns/${intern.id}/script`, { name: 'teardown-fails' });
    await page.getByRole('link', { name: intern.name }).click();
    const shown = page.getByRole('region', { name: intern.name });
    const remove = async (acknowledge: boolean) => {
      await shown.getByRole('button', { name: 'Delete' }).click();
      const dialog = page.getByRole('dialog', { name: `Delete ${intern.name}?` });
      if (acknowledge) await dialog.getByRole('checkbox', { name: /acknowledge_workspace_loss/ }).check();
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await dialog.waitFor({ state: 'hidden' });
      await shown.getByText('destroying').waitFor();
      await api.advance(60_000);
    };
    await remove(false);
    await shown.getByText('destroy failed').waitFor();
    await shown
      .getByText(/workspace_archive_failed/)
      .first()
      .waitFor();
    await remove(true);
    await page.getByRole('heading', { name: 'This intern is gone' }).waitFor();
    expect((await api.get(`/interns/${intern.id}`)).status).toBe(404);
  });

  test('a run streams in as it does to any client', async () => {
    const opened = await open();
    await openIntern(opened);
    await conversation(opened).getByText('Nothing said yet').waitFor();
    const reply = opened.api.chat('script: slow\nfrom somewhere else');
    const run = conversation(opened).getByRole('article');
    await run.getByText('from somewhere else').waitFor();
    await run.getByText('alice', { exact: true }).waitFor();
    await run.getByText('at work').waitFor();
    const said = async () => (await run.getByRole('paragraph').allInnerTexts()).join('').length;
    const before = await said();
    await opened.api.advance(2_000);
    await expect.poll(said).toBeGreaterThan(before);
    await opened.api.advance(60_000);
    await run.getByText('finished').waitFor();
    const text = [...(await reply).text.matchAll(/"content":"([^"]*)"/g)].map(([, piece]) => piece).join('');
    // Its end and its last words may come one after the other.
    await expect
      .poll(async () => ((await run.textContent()) ?? '').replaceAll(/\s+/g, ' '))
      .toContain(text.trim().replaceAll(/\s+/g, ' '));
  });

  test('a prompt is sent to a script chosen from the list, in a mode, to a session', async () => {
    const opened = await open();
    const { page, api, intern } = opened;
    await openIntern(opened);
    await page.getByRole('combobox', { name: 'Approval' }).selectOption('self-drive');
    await prompt(opened, 'first words', 'echo');
    await conversation(opened).getByText('finished').waitFor();
    const [first] = (await api.get(`/_emulator/runs?intern_id=${intern.id}`)).json.data;
    expect((await api.get(`/_emulator/runs/${first.id}`)).json).toMatchObject({
      script: 'echo',
      approval_mode: 'self-drive',
    });
    await page.getByRole('combobox', { name: 'Session' }).selectOption(first.session_id);
    await page.getByRole('combobox', { name: 'Approval' }).selectOption('manual');
    await prompt(opened, 'second words');
    await expect.poll(async () => (await api.get('/_emulator/runs')).json.data.length).toBe(2);
    const [second] = (await api.get('/_emulator/runs')).json.data;
    expect(second.session_id).toBe(first.session_id);
    expect((await api.get(`/_emulator/runs/${second.id}`)).json.approval_mode).toBe('manual');
    await page.getByRole('combobox', { name: 'By', exact: true }).selectOption('invoke');
    await page.getByRole('combobox', { name: 'Session' }).selectOption('');
    await prompt(opened, 'on your own');
    await expect.poll(async () => (await api.get('/_emulator/runs')).json.data[0].origin).toBe('invoke');
    await conversation(opened).getByText('invoke', { exact: true }).waitFor();
  });

  test('the script that an intern behaves by is put on it and taken off', async () => {
    const opened = await open();
    await openIntern(opened);
    const script = async () => (await opened.api.get(`/_emulator/interns/${opened.intern.id}`)).json.script;
    const choice = opened.page.getByRole('combobox', { name: 'Behaves by' });
    await choice.selectOption('silent');
    await expect.poll(script).toBe('silent');
    await choice.selectOption('');
    await expect.poll(script).toBe(null);
  });

  test('a permission has a button for each offered option, and the answer goes on the stream', async () => {
    const opened = await open();
    await openIntern(opened);
    await prompt(opened, 'may you?', 'ask-permission');
    const question = conversation(opened).getByRole('region', { name: 'Pending question' });
    await question.getByText('5:00 left').waitFor();
    await expect.poll(() => opened.page.title()).toBe('(1) first-intern · Intern emulator');
    expect(await question.getByRole('button').allInnerTexts()).toEqual([
      'Allow once',
      'Allow always',
      'Reject once',
      'Reject always',
      'Cancel',
    ]);
    await opened.api.advance(60_000);
    await question.getByText('4:00 left').waitFor();
    await question.getByRole('button', { name: 'Allow once' }).click();
    await conversation(opened).getByText('finished').waitFor();
    await conversation(opened).getByText('Answered').waitFor();
    await question.waitFor({ state: 'detached' });
    const options = conversation(opened).getByRole('list', { name: 'Options' }).getByRole('listitem');
    expect(await options.allTextContents()).toEqual([
      'Allow once (chosen)',
      'Allow always',
      'Reject once',
      'Reject always',
    ]);
    expect((await opened.api.get('/_emulator/runs')).json.data[0]).toMatchObject({ status: 'ended', ended: 'stop' });
  });

  test('an intern is edited: what was changed is sent, and nothing else', async () => {
    const { page, api, intern } = await open({ view: '' });
    await page.getByRole('link', { name: /^first-intern/ }).click();
    await page.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit first-intern' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('No Good');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('renamed');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'renamed' }).waitFor();
    const { data } = (await api.get('/_emulator/journal?operation=update&caller=console&limit=1')).json;
    expect(JSON.parse(data[0].request.body)).toEqual({ name: 'renamed' });
    expect((await api.get(`/interns/${intern.id}`)).json.description).not.toBe(null);
  });

  test('a prompt that cannot be sent is kept, and nothing is shown as live while the emulator is gone', async () => {
    const { page, emulator } = await open();
    await page.getByRole('link', { name: /^first-intern/ }).click();
    const box = page.getByRole('textbox', { name: 'Prompt to first-intern' });
    await box.fill('typed while it was there');
    await emulator.close();
    await page.getByText('The emulator does not answer').waitFor();
    await page.getByText('last known: running').first().waitFor();
    await box.press('Enter');
    expect(await box.inputValue()).toBe('typed while it was there');
  });

  test('a question is a form with typed fields; the client that waited finds it answered', async () => {
    const opened = await open();
    const { api, intern, page } = opened;
    const fields = [
      { name: 'colour', type: 'string', required: true, options: ['red', 'blue'], label: 'Which colour' },
      { name: 'count', type: 'integer', required: true, label: 'How many' },
      { name: 'gift', type: 'boolean', label: 'As a gift' },
    ];
    const turn = [
      { ask: { kind: 'elicitation', message: 'What shall it be?', fields }, as: 'it' },
      { say: 'Ordered.' },
    ];
    await api.put('/_emulator/scripts/order', { name: 'order', turn });
    const asked = await api.chat('script: order');
    const session_id = /"session_id":"([^"]+)"/.exec(asked.text)?.[1];
    const tool_call_id = /"id":"([^"]+)","type":"function"/.exec(asked.text)?.[1];
    await openIntern(opened);
    const question = conversation(opened).getByRole('region', { name: 'Pending question' });
    await question.getByRole('heading', { name: 'What shall it be?' }).waitFor();
    await question.getByRole('combobox', { name: 'Which colour' }).selectOption('blue');
    await question.getByRole('spinbutton', { name: 'How many' }).fill('3');
    await question.getByRole('checkbox', { name: 'As a gift' }).check();
    await question.getByRole('button', { name: 'Answer' }).click();
    await conversation(opened).getByText('Ordered.').waitFor();
    const { transcript } = (await api.get(`/_emulator/runs/${(await api.get('/_emulator/runs')).json.data[0].id}`))
      .json;
    expect(transcript.find((line: { type: string }) => line.type === 'answer').answer).toEqual({
      action: 'accept',
      content: { colour: 'blue', count: 3, gift: true },
    });
    const late = await api.post(`/interns/${intern.id}/chat/completions`, {
      stream: true,
      session_id,
      messages: [{ role: 'tool', tool_call_id, content: '{"action":"decline"}' }],
    });
    expect([late.status, late.json.error.metadata.reason]).toEqual([409, 'interaction_not_pending']);
    // This refusal is in the conversation too, with a link to the request.
    await conversation(opened)
      .getByText(/was refused with 409 interaction_not_pending/)
      .waitFor();
    await conversation(opened).getByRole('article').last().getByRole('link', { name: 'request' }).click();
    await page.getByRole('region', { name: 'Why it was refused' }).waitFor();
  });

  test('a question is declined, or runs into its deadline', async () => {
    const opened = await open();
    await openIntern(opened);
    await prompt(opened, 'tell me', 'ask-question');
    const question = conversation(opened).getByRole('region', { name: 'Pending question' });
    await question.getByRole('button', { name: 'Decline' }).click();
    await conversation(opened).getByText('Decline', { exact: true }).last().waitFor();
    await conversation(opened).getByText('finished').waitFor();
    await prompt(opened, 'tell me again');
    await question.waitFor();
    await clock(opened).getByRole('button', { name: '+5 min' }).click();
    await conversation(opened).getByText('The run was cancelled: its deadline passed').waitFor();
  });

  test('a disconnect, a severed stream and a steer are shown where they happened', async () => {
    const opened = await open();
    const { page } = opened;
    await openIntern(opened);
    await prompt(opened, 'talk', 'slow');
    await conversation(opened).getByText('at work').waitFor();
    await opened.api.advance(1_000);
    const [{ session_id }] = (await opened.api.get('/_emulator/runs')).json.data;
    await page.getByRole('combobox', { name: 'Script', exact: true }).selectOption('');
    await page.getByRole('combobox', { name: 'Session' }).selectOption(session_id);
    await prompt(opened, 'a little to the left');
    const first = conversation(opened).getByRole('article').first();
    await first.getByText('Steered into the run').waitFor();
    await opened.api.advance(1_000);
    await first.getByText('(steered: a little to the left)').waitFor();
    await first.getByRole('button', { name: 'Disconnect' }).click();
    await first.getByText('console disconnected while this streamed').waitFor();
    await first.getByText('The run was cancelled').waitFor();
    const text = (await first.textContent()) ?? '';
    expect(text.indexOf('Steered into')).toBeLessThan(text.indexOf('console disconnected'));

    await page.getByRole('combobox', { name: 'Session' }).selectOption('');
    await prompt(opened, 'break', 'severed');
    await conversation(opened)
      .getByText(/the stream was severed/)
      .waitFor();
  });
});
