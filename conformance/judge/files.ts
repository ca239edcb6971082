import { readFileSync, statSync } from 'node:fs';
import { inWords } from '../../emulator/contract/system-error.js';
import { readRecordings } from '../drift/recordings.js';
import { UsageError } from '../framework/usage.js';
import type { Exchange } from '../model/exchange.js';
import { jsonOf } from '../probe/json.js';
import { exchangeBy, type Parts } from './exchange.js';
import { type HarExchange, readHar } from './har.js';
import type { Conversation, Judge } from './judge.js';
import { isWhole, partsOf, recordersIn, VIEWS } from './recording.js';

/** Bytes of a file above which it is not read. */
const MOST = 256 * 1024 * 1024;

/** The text of a file. @throws UsageError in one line that names it */
function textOf(file: string): string {
  try {
    const { size } = statSync(file);
    if (size === 0) throw new UsageError(`${file}: the file is empty`);
    if (size > MOST)
      throw new UsageError(`${file}: ${Math.round(size / 1024 / 1024)} MB, at most ${MOST / 1024 / 1024} MB are read`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${file} cannot be read: ${inWords(error)}`);
  }
}

/** Shows a conversation what was asked and answered, in the order of its times. */
function play(conversation: Conversation, all: readonly (readonly Exchange[])[]): void {
  const moments = all.flatMap((exchanges) => {
    const [first] = exchanges;
    if (first === undefined) return [];
    const { asked, answered } = first;
    const ask = {
      at: asked.at,
      order: 0,
      number: asked.number,
      does: () => conversation.asks(...exchanges.map((one) => one.asked)),
    };
    const see = {
      at: answered?.at ?? Number.POSITIVE_INFINITY,
      order: 1,
      number: asked.number,
      does: () => conversation.sees(...exchanges),
    };
    return [ask, see];
  });
  moments.sort((a, b) => (a.at === b.at ? a.order - b.order || a.number - b.number : a.at < b.at ? -1 : 1));
  for (const { does } of moments) does();
}

const sameEntry = ({ target, parts: { at, method, path, answer } }: HarExchange): string =>
  JSON.stringify([target, at, method, path, answer?.at, answer?.status]);

/**
 * Judges what files hold: recordings, and HAR files of browsers and proxies. Those of one deployment are judged in the order of
 * their times, and every recording on its own.
 *
 * @throws UsageError in one line for a file that is neither
 */
export function judgeFiles(judge: Judge, files: readonly string[], warn: (message: string) => void): void {
  const hars = new Map<string, Omit<Parts, 'number'>[]>();
  const met = new Set<string>();
  const recorded: { readonly file: string; readonly placed: ReturnType<typeof readRecordings> }[] = [];
  for (const file of files) {
    const text = textOf(file);
    const value = jsonOf(text);
    const isRecording = /^\s*\{\s*"format"\s*:/.test(text) || /^\s*\{[^\n]*"n"\s*:[^\n]*"request"\s*:/.test(text);
    if (isRecording) {
      recorded.push({ file, placed: readRecordings([file], warn) });
      continue;
    }
    if (value === undefined)
      throw new UsageError(
        `${file}: no HAR and no recording${/"entries"/.test(text) ? ': its JSON is cut or broken' : ''}`,
      );
    for (const one of readHar(value, file)) {
      if (one === undefined) {
        judge.ignores();
        continue;
      }
      if (met.has(sameEntry(one))) continue;
      met.add(sameEntry(one));
      hars.set(one.target, [...(hars.get(one.target) ?? []), one.parts]);
    }
  }
  const { tool_name: tool } = judge.profile;
  let number = 1;
  for (const [target, parts] of hars) {
    const all = [...parts].sort((a, b) => a.at - b.at);
    play(
      judge.open(target),
      all.map((one) => [exchangeBy({ ...one, number: number++ }, tool)]),
    );
  }
  for (const { file, placed } of recorded)
    for (const recorder of recordersIn(placed)) {
      const all = partsOf(recorder, number);
      number += recorder.length;
      const conversation = judge.open(file, { whole: isWhole(recorder), views: VIEWS.length });
      const exchanges = all.flatMap((views) => {
        if (views === undefined) judge.ignores();
        return views === undefined ? [] : [views.map((one) => exchangeBy(one, tool))];
      });
      play(conversation, exchanges);
    }
}
