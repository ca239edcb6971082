// aimock with one fixture: a reply of as many chunks as the emulator's script makes, without latency.
import { LLMock } from '@copilotkit/aimock';

const { content, chunkSize } = JSON.parse(process.argv[2]);
const mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent', latency: 0, chunkSize });
mock.onMessage(/.*/, { content });
await mock.start();
console.log(JSON.stringify({ url: mock.url }));
