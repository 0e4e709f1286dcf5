import { describe, expect, it } from 'vitest';
import { schemaText } from '../../src/graphql/schema/index.ts';
import { openApiDocument } from '../../src/http/rest/openapi.ts';
import { routes } from '../../src/resources/index.ts';

// `npm run schema` writes both files anew.
describe('the published contracts', () => {
  it('schema.graphql is the schema that is served', async () => {
    await expect(schemaText()).toMatchFileSnapshot('../../schema.graphql');
  });

  it('openapi.json is the document that is served', async () => {
    const document = openApiDocument(routes, 'X-Service-Network', '0.0.0');
    await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot('openapi.json');
  });
});
