// The emulator as its command line runs it: options as JSON in the first argument, the target on standard output.
import { createEmulator } from '../../dist/emulator/index.js';

const { listen, ...options } = JSON.parse(process.argv[2] ?? '{}');
const emulator = createEmulator(options);
await emulator.listen({ port: 0, replaceGlobals: true, ...listen });
console.log(JSON.stringify(emulator.target));
