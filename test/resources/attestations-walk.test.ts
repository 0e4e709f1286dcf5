import { describe, expect, it } from 'vitest';
import { epochsOfDay } from '../../src/chain/calendar.ts';
import { transaction } from '../../src/db/pool.ts';
import { attestationImporter, type ImportedAttestation } from '../../src/ingest/importers/attestations.ts';
import { loadRows } from '../../src/ingest/merge/load-rows.ts';
import { useGateway } from '../support/gateway.ts';

const gateway = useGateway({ template: 'empty' });

const sums = {
  ...{ totalUniqueAttestations: '1', sumMissedAttestations: '0', sumMissedSyncSignatures: null },
  ...{ sumCorrectHead: '1', sumCorrectTarget: '1', sumCorrectSource: '1', sumWrongHeadVotes: '0' },
  ...{ sumWrongTargetVotes: '0', sumLateTargetVotes: '0', sumLateSourceVotes: '0', sumInclusionDelay: '1' },
  ...{ sumSyncSignatureCount: null, sumEndEpochBalance: '32', sumEndEpochEffectiveBalance: '32' },
};
const day = (number: number) => {
  const { first, last } = epochsOfDay('mainnet', 'chain', number);
  return {
    ...{ id: 'walker', entityType: 'pool', network: 'mainnet', calendar: 'chain', hour: null, day: number },
    ...{ validatorCount: 1, avgAttesterEffectiveness: 99, startEpoch: first, endEpoch: last },
    ...sums,
  } as unknown as ImportedAttestation;
};
const store = (days: number[]) =>
  transaction(gateway.database.pool, (client) => loadRows(client, attestationImporter, days.map(day)));

const page = async (after: string | null) => {
  const { data } = await gateway.graphql(
    `query ($after: String) {
      attestations(operatorId: "walker", idType: POOL, first: 2, after: $after) {
        nodes { day } pageInfo { endCursor hasNextPage }
      }
    }`,
    { after },
  );
  return data.attestations;
};

describe('days read newest first', () => {
  it('come once each, though a new day lands between two pages', async () => {
    await store([1700, 1701, 1702, 1703]);
    const first = await page(null);
    await store([1704]);
    const second = await page(first.pageInfo.endCursor);
    const days = [...first.nodes, ...second.nodes].map((node: any) => node.day);
    expect(days).toEqual([1703, 1702, 1701, 1700]);
    expect(second.pageInfo.hasNextPage).toBe(false);
  });

  it('are counted only where totalCount is asked for', async () => {
    const count = async (select: string) => {
      gateway.statements.length = 0;
      const { data } = await gateway.graphql(
        `{ attestations(operatorId: "walker", idType: POOL, first: 1) { ${select} nodes { day } } }`,
      );
      expect(gateway.statements).toEqual(['attestationPages']);
      return data.attestations.totalCount;
    };
    expect(await count('totalCount')).toBe(5);
    expect(await count('')).toBeUndefined();
  });
});
