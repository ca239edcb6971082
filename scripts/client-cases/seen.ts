/** Threads about real clients that got a case wrong. Only what was read stands here. */
export const SEEN: Readonly<Record<string, readonly string[]>> = {
  'sse-crlf': ['hey-api/hey-api#3054'],
  'sse-crlf-split': ['rexxars/eventsource-parser#17', 'Effect-TS/effect#6954', 'petarzarkov/dunx#115'],
  'sse-mixed-ends': ['Effect-TS/effect#7670'],
  'sse-empty-data': ['petarzarkov/dunx#115'],
  'sse-utf8-cut': [
    'braintrustdata/braintrust-sdk-javascript#2091',
    'agentclientprotocol/python-sdk#135',
    'mastra-ai/mastra#20224',
  ],
  'sse-utf8': ['api7/aisix#111', 'danielmiessler/Fabric#2203'],
  'sse-u2028': ['florimondmanca/httpx-sse#34', 'mpetazzoni/sseclient#9', 'langgenius/dify#39008'],
  'sse-u0085': ['langgenius/dify#39008', 'modelscope/evalscope#1642'],
  'sse-vt-ff': ['Soju06/codex-lb#1010'],
  'sse-comment-after-id': ['florimondmanca/httpx-sse#35'],
  'sse-end-no-blank': ['openai/openai-node#2726', 'openai/openai-node#2725', 'earendil-works/pi#9047'],
  'sse-end-no-line-end': ['openai/openai-node#2725', 'google-gemini/gemini-cli#29059'],
  'sse-retry-only': ['openai/openai-python#2722', 'openai/openai-python#3833'],
  'sse-comment-frame': ['openai/openai-go#621'],
};
