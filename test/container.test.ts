import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const ROOT = resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

test('one machine makes the image of every platform: the last stage only copies, and nothing installed is native', () => {
  const [build = '', image = ''] = read('Dockerfile')
    .split(/^FROM /m)
    .slice(1);
  expect(build).toMatch(/^--platform=\$BUILDPLATFORM /);
  expect(image).not.toMatch(/^(RUN|ADD)\b/m);
  interface Locked {
    readonly dev?: boolean;
    readonly [limit: string]: unknown;
  }
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };
  const installed = Object.entries(packages).filter(([path, { dev }]) => path.startsWith('node_modules/') && !dev);
  expect(installed.map(([path]) => path)).toContain('node_modules/jose');
  const bound = installed
    .filter(([, locked]) => !locked.devOptional && !locked.peer)
    .filter(([, locked]) => ['os', 'cpu', 'libc', 'hasInstallScript'].some((limit) => limit in locked));
  expect(bound).toEqual([]);
});

test('the container writes to its volume alone, has no capability, and is reached from this machine alone', () => {
  expect(read('Dockerfile')).toMatch(/^USER 10001:10001$[\s\S]*^VOLUME \/data$/m);
  const { interns } = parse(read('compose.yaml')).services;
  expect(interns).toMatchObject({
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges'],
    volumes: ['interns:/data'],
  });
  expect(interns.environment.INTERN_EMULATOR_CONTROL_TOKEN).toMatch(/\S/);
  const published = [interns.ports, [...read('Dockerfile').matchAll(/-p (\S+)/g)].map(([, port]) => port)].flat();
  expect(published).toHaveLength(4);
  for (const port of published) expect(port).toMatch(/^127\.0\.0\.1:/);
});
