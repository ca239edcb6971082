// OpenAI's client.
export const client = {
  package: 'openai',
  versions: ['4.104.0', '5.23.2', '6.49.0', '7.57.0'],
  adapter: 'clients/adapters/openai.ts',
  note: 'Its adapter joins the chunks.',
};
