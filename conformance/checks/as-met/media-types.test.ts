import { expect, test } from 'vitest';
import { MEDIA_TYPES_AS_MET } from './media-types.js';
import { found, met, watchOf } from './met.harness.js';

const update = (status: number, type: string, path = '/interns/own-1') =>
  met('PATCH', path, status, {}, { json: {}, sent: type });
const seen = (...all: ReturnType<typeof met>[]) => found(watchOf(MEDIA_TYPES_AS_MET, 'as-met/media-type'), ...all);
const OF = 'the content type of PATCH /interns/{internId}';

test.each(['application/json; charset=utf-8', 'application/json;charset=utf-8', 'Application/JSON'])(
  'what takes JSON takes it as %s',
  (type) => {
    expect(seen(update(200, 'application/json'), update(200, type))).toEqual([]);
    expect(seen(update(200, 'application/json'), update(415, type))).toEqual([OF]);
  },
);

test('another type is refused, and where no JSON was taken nothing is known', () => {
  expect(seen(update(200, 'application/json'), update(415, 'application/jsonp'), update(415, 'text/plain'))).toEqual(
    [],
  );
  expect(seen(update(415, 'Application/JSON'))).toEqual([]);
});

test('of chat and invoke nothing is stated', () => {
  const chat = (status: number) => update(status, 'Application/JSON', '/interns/own-1/invoke');
  expect(seen(chat(200), chat(415))).toEqual([]);
});

const declares = (type: string | undefined, status = 200, json: unknown = {}) =>
  found(
    watchOf(MEDIA_TYPES_AS_MET, 'as-met/content-type'),
    met('POST', '/interns/own-1/suspend', status, json, {
      headers: type === undefined ? {} : { 'content-type': type },
    }),
  );

test.each(['application/json', 'application/json; charset=utf-8', 'application/problem+json', 'Application/JSON'])(
  'JSON is declared as %s',
  (type) => expect(declares(type)).toEqual([]),
);

test.each(['text/plain', 'text/html; charset=utf-8', 'application/jsonp', undefined])(
  'JSON is not declared by %s',
  (type) => expect(declares(type)).toEqual(['content-type of a 200 of POST /interns/{internId}/suspend']),
);

test('what is no JSON, and what something on the way answers, need not declare it', () => {
  expect(declares('text/html', 404, null)).toEqual([]);
  expect(declares('text/plain', 502, 'away')).toEqual([]);
});
