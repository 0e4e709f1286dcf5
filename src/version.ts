import { readFileSync } from 'node:fs';

/** The version of the package, for the OpenAPI document and the command line. */
export const version: string = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
).version;
