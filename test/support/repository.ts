import { existsSync, readFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);
export const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
export const isInRepository = (path: string) => existsSync(new URL(path, root));

/** The sources of the compiled files that a command names. */
export function sourcesOf(command: string): string[] {
  return [...command.matchAll(/\bdist\/([\w/-]+)\.js\b/g)].map((match) => `src/${match[1]}.ts`);
}
