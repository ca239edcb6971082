// Ruby's net/http, its stream read with eventsource-parser.
import { byCommand } from './by-command.mjs';
import { requestOf, withParser } from './by-fetch.mjs';

export const client = {
  title: "Ruby's net/http",
  versions: ['installed'],
  version: ['ruby', '-e', 'puts RUBY_VERSION'],
  with: withParser,
  layers: ['sse', 'chat'],
  needs: { command: ['ruby', '--version'], get: 'apt-get install ruby' },
};

export default async () =>
  byCommand((run) => {
    const { url, headers } = requestOf(run);
    const script = new URL('../../../clients/real/net_http.rb', import.meta.url).pathname;
    return ['ruby', script, url, JSON.stringify(headers)];
  });
