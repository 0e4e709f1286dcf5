import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { importText } from '../support/import.ts';

let gateway: Gateway;
/** A validator with days, and one without. */
let known: { index: number; pubkey: string };
let idle: number;
const ask = async (text: string) => {
  const { rows } = await gateway.database.pool.query({ text, values: [] });
  return rows[0] as Record<string, any>;
};
beforeAll(async () => {
  gateway = await startGateway();
  const days =
    'select from validator_days d where d.network = v.network and d.validator_index = v.validator_index';
  known = (await ask(`select validator_index as index, validator_pubkey as pubkey from validators v
    where network = 'mainnet' and exists (${days}) order by 1 limit 1`)) as typeof known;
  idle = (
    await ask(`select validator_index as index from validators v
    where network = 'mainnet' and not exists (${days}) order by 1 limit 1`)
  ).index;
});
afterAll(() => gateway.close());

const list = (id: number | string, query = 'limit=1000') =>
  gateway.get(`/v1/eth/entities/${id}/attestations?entityType=validator&${query}`);

describe('attestations of the class validator', () => {
  it('are those of the stored days, by index and by public key, on both APIs', async () => {
    const { status, json } = await list(known.index);
    expect([status, json.pages]).toEqual([200, 1]);
    expect(json.results.length).toBeGreaterThan(10);
    expect((await list(known.pubkey)).json.results).toEqual(json.results);
    expect((await list(known.pubkey.toUpperCase().replace('0X', '0x'))).json.results).toEqual(json.results);
    const nodes = '{ totalCount nodes { id day totalUniqueAttestations avgAttesterEffectiveness } }';
    gateway.statements.length = 0;
    const { data } = await gateway.graphql(
      `{ attestations(operatorId: "${known.pubkey}", idType: VALIDATOR, first: 1000) ${nodes}
        validator(by: { index: ${known.index} }) { attestations(first: 1000) ${nodes} } }`,
    );
    expect(data.attestations.totalCount).toBe(json.results.length);
    const figures = ({ day, totalUniqueAttestations, avgAttesterEffectiveness }: any) => [
      ...[day, String(totalUniqueAttestations), avgAttesterEffectiveness],
    ];
    const newestFirst = json.results.map(figures).reverse();
    expect(data.attestations.nodes.map(figures)).toEqual(newestFirst);
    expect(data.validator.attestations.nodes.map(figures)).toEqual(newestFirst);
    expect(new Set(json.results.map(({ id }: any) => id))).toEqual(new Set([String(known.index)]));
  });

  it('take a bounded number of statements', async () => {
    gateway.statements.length = 0;
    await list(known.pubkey);
    expect(gateway.statements.toSorted()).toEqual([
      'attestedEntities',
      'validatorAttestationPages',
      'validatorsByPubkey',
    ]);
  });

  it('are an empty list for a validator without days or for hours, and 404 for an unknown one', async () => {
    for (const answer of [await list(idle), await list(known.index, 'granularity=hour')])
      expect([answer.status, answer.json.results]).toEqual([200, []]);
    for (const unknown of [2_000_000_000, `0x${'12'.repeat(48)}`, 'nobody']) {
      const { status, json } = await list(unknown);
      expect([status, json.detail]).toEqual([404, expect.stringContaining('Validator "')]);
    }
  });

  it('are those of the validator as an entity, if any are stored', async () => {
    const { json } = await list(known.index, 'limit=1');
    const imported = { ...json.results[0], entityType: 'validator', totalUniqueAttestations: '1234567' };
    await importText(gateway, 'attestations', JSON.stringify([imported]));
    for (const id of [known.index, known.pubkey])
      expect((await list(id)).json.results.map((row: any) => String(row.totalUniqueAttestations))).toEqual([
        '1234567',
      ]);
  });
});
