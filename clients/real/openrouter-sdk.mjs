// OpenRouter's SDK.
export const client = {
  package: '@openrouter/sdk',
  versions: ['0.13.67', '1.3.19'],
  adapter: 'clients/adapters/openrouter.ts',
  note: 'Its adapter joins the chunks.',
};
