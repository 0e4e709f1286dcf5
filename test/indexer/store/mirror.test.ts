import { expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../../src/indexer/store/index.ts';
import { createDatabase, startGateway } from '../../support/gateway.ts';
import { mirrorFrom } from '../../support/mirror.ts';
import { madeFacts, madeRegistry, savedAs } from './made-facts.ts';
import { NETWORK, query } from './rows.ts';

it('a mirror leaves alone what an index has written, and says so, unless it has --replace', async () => {
  const service = await startGateway();
  onTestFinished(() => service.close());
  const { json } = await service.get('/v0/eth/blocks?size=1', { 'X-Service-Network': NETWORK });
  const epoch = Math.floor(json.data[0].consensusSlot / 32) - 1;
  const { pool, drop } = await createDatabase('empty');
  onTestFinished(drop);
  const made = { size: 20 };
  await openStore(pool, NETWORK).write(madeFacts(made, epoch), savedAs('x'), madeRegistry(made));
  const blocks = async () => (await query(pool, 'select * from blocks order by slot')).rows;
  const before = await blocks();
  const mirror = (replace: boolean) =>
    mirrorFrom(pool, service.url, {
      ...{ token: service.token, networks: [NETWORK], resources: ['blocks'], blockSlots: 200, replace },
    });
  const refused = await mirror(false);
  expect(refused.complete).toBe(false);
  expect(refused.failures).toMatchObject([{ resource: 'blocks', network: NETWORK }]);
  expect(refused.failures[0]?.error).toMatch(
    /nothing loaded; \d+ of the blocks of hoodi are of epochs that stakegraph index has written .*--replace/,
  );
  expect(await blocks()).toEqual(before);
  expect(await mirror(true)).toMatchObject({ complete: true, failures: [] });
  expect(await blocks()).not.toEqual(before);
});
