// Node's own fetch (and node:http2) with eventsource-parser, in each of Node's versions.
export const client = {
  title: "Node's fetch with eventsource-parser",
  versions: ['20', '22', '24'],
  with: { 'eventsource-parser': '3.1.1' },
  adapter: 'clients/adapters/fetch.ts',
};
