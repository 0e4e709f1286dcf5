import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { schemaText } from '../../src/graphql/schema/index.ts';
import { deprecationTable } from '../support/deprecations.ts';
import { document } from '../support/interface-page.ts';

// `npm run schema` writes both files anew.
describe('the published contracts', () => {
  it('schema.graphql is the schema that is served', async () => {
    await expect(schemaText()).toMatchFileSnapshot('../../schema.graphql');
  });

  it('docs/deprecation.md has a table of all that is deprecated', async () => {
    const page = readFileSync(new URL('../../docs/deprecation.md', import.meta.url), 'utf8');
    const text = page.split(/^\| of /m)[0];
    await expect(`${text}${deprecationTable()}`).toMatchFileSnapshot('../../docs/deprecation.md');
  });

  it('openapi.json is the document that is served', async () => {
    await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot('openapi.json');
  });
});
