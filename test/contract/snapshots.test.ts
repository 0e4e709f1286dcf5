import { describe, expect, it } from 'vitest';
import { schemaText } from '../../src/graphql/run/schema.ts';
import { document } from '../support/interface-page.ts';

// `npm run schema` writes both files again.
describe('the published contracts', () => {
  it('schema.graphql is the schema that is served', async () => {
    await expect(schemaText()).toMatchFileSnapshot('../../schema.graphql');
  });

  it('openapi.json is the document that is served', async () => {
    await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot('openapi.json');
  });
});
