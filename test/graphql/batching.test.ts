import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useGateway } from '../support/gateway.ts';

const gateway = useGateway();
// In the sample, one validator is slashed while it sits in a sync committee, but it belongs to no pool.
beforeAll(async () => {
  const { rows } = await gateway.database.pool.query({
    text: `update validators v set pool = 'Alder Liquid' from slashings s, sync_committees c
      where v.network = 'mainnet' and s.network = v.network and c.network = v.network
        and s.validator_index = v.validator_index and v.validator_index = any(c.validators)
      returning v.validator_index`,
    values: [],
  });
  expect(rows.length).toBe(1);
});
beforeEach(() => {
  gateway.statements.length = 0;
});

const query = `query ($first: Int!) {
  operators(window: THIRTY_DAYS, idType: POOL, first: $first) {
    nodes {
      operatorId
      attestations(first: 30) { nodes { date sumMissedAttestations } }
      slashings(first: 5) {
        nodes {
          validatorIndex
          validator {
            validatorPubkey
            syncCommitteeRewards(first: 3) { nodes { consensusSlot reward } }
          }
        }
      }
    }
  }
}`;

describe('a query over four levels', () => {
  it.each([1, 10, 40])('is one statement for each connection and link, for %i operators', async (first) => {
    const { data, errors } = await gateway.graphql(query, { first });
    expect(errors).toBeUndefined();
    expect(gateway.statements.toSorted()).toEqual([
      'attestationPages',
      'operatorPages',
      'operatorSlashingPages',
      'validatorRewardPages',
      'validatorsByIndex',
    ]);
    const slashings = data.operators.nodes.flatMap((node: any) => node.slashings.nodes);
    expect(slashings.length).toBeGreaterThan(0);
    for (const slashing of slashings) expect(slashing.validator).not.toBeNull();
    const rewards = slashings.flatMap(({ validator }: any) => validator.syncCommitteeRewards.nodes);
    expect(rewards.length).toBeGreaterThan(0);
    for (const { reward } of rewards) expect(reward).toMatch(/^-?\d+$/);
  });
});
