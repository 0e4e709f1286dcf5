import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const scripts = readdirSync('scripts', { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.mjs') && !name.includes('node_modules'),
);

it.each(scripts)('scripts/%s imports only modules that the build makes', (script) => {
  for (const [, module] of readFileSync(`scripts/${script}`, 'utf8').matchAll(/\bdist\/([\w/-]+)\.js\b/g))
    expect(existsSync(`src/${module}.ts`), module).toBe(true);
});
