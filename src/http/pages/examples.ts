import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('examples/', import.meta.url);
const textOf = (file: string) => readFileSync(new URL(file, folder), 'utf8');

/** By the name of the operation. */
const variablesOf: Record<string, Record<string, unknown>> = JSON.parse(textOf('variables.json'));

/** In the order of the names of the files. */
export const exampleQueries: { query: string; variables?: Record<string, unknown> }[] = readdirSync(folder)
  .filter((file) => file.endsWith('.graphql'))
  .sort()
  .map((file) => {
    const query = textOf(file);
    const [, name = ''] = /^(?:query|mutation|subscription) (\w+)/m.exec(query) ?? [];
    const variables = variablesOf[name];
    return variables ? { query, variables } : { query };
  });
