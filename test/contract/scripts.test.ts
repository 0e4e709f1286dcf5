import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const scripts = readdirSync('scripts', { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.mjs') && !name.includes('node_modules'),
);

it.each(scripts)(
  'scripts/%s imports only modules that the build makes, and what they export',
  async (script) => {
    const text = readFileSync(`scripts/${script}`, 'utf8');
    for (const [, module] of text.matchAll(/\bdist\/([\w/-]+)\.js\b/g))
      expect(existsSync(`src/${module}.ts`), module).toBe(true);
    for (const [, names, module] of text.matchAll(/import \{([^}]+)\} from '[./]+\/dist\/([\w/-]+)\.js'/g)) {
      const exported = Object.keys(await import(resolve(`src/${module}.ts`)));
      const imported = (names as string).split(',').map((name) => name.trim().split(' as ')[0] as string);
      expect(exported, module).toEqual(expect.arrayContaining(imported.filter((name) => name !== '')));
    }
  },
);
