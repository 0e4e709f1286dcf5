import { describe, expect, it } from 'vitest';
import { operator } from '../ingest/rows.ts';
import { HEAD, PATH, validators } from '../support/consolidation-chain.ts';
import { eventually } from '../support/eventually.ts';
import { gatewayForTest } from '../support/gateway.ts';
import { importText } from '../support/import.ts';

describe('a pool share that is renamed', () => {
  it('goes by its new name from then on, also where an answer was kept', async () => {
    const own = await gatewayForTest({ template: 'empty', settings: { CACHE: true } });
    const [source, target] = validators as [(typeof validators)[number], (typeof validators)[number]];
    const members = { pool: 'Pool A', nodeOperator: 'Able' };
    const load = async (resource: Parameters<typeof importText>[1], rows: unknown[], replace = false) =>
      expect((await importText(own, resource, JSON.stringify(rows), { replace })).faults).toEqual([]);
    const share = (name: string) =>
      operator(name, { idType: 'poolShare', timeWindow: 'all', poolId: 'Pool A', nodeOperatorId: 'Able' });
    await load('validators', [
      { ...source, ...members },
      { ...target, ...members },
    ]);
    await load('consolidations', [
      {
        epoch: HEAD,
        sourceValidatorIndex: source.validatorIndex,
        sourceValidatorPubkey: source.validatorPubkey,
        targetValidatorIndex: target.validatorIndex,
        targetValidatorPubkey: target.validatorPubkey,
        consolidatedBalance: '32000000000',
      },
    ]);
    await load('operators', [share('Before')]);
    const names = async () => {
      const { json } = await own.get(`${PATH}?entityType=poolShare`);
      return json.results.map(({ id }: { id: string }) => id);
    };
    await eventually(async () => {
      expect(own.revisions.trusted()).toBe(true);
      expect(await names()).toEqual(['Before']);
    });
    await load('operators', [share('Zafter')], true);
    await eventually(async () => expect(await names()).toEqual(['Zafter']));
  });
});
