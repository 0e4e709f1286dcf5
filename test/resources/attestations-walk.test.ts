import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { epochsOfDay } from '../../src/chain/calendar.ts';
import { transaction } from '../../src/db/pool.ts';
import { attestationImporter, type ImportedAttestation } from '../../src/ingest/attestations.ts';
import { loadRows } from '../../src/ingest/import.ts';
import { attestationPages } from '../../src/resources/attestations/queries.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ template: 'empty' });
});
afterAll(() => gateway.close());

const sums = {
  ...{ totalUniqueAttestations: '1', sumMissedAttestations: '0', sumMissedSyncSignatures: null },
  ...{ sumCorrectHead: '1', sumCorrectTarget: '1', sumCorrectSource: '1', sumWrongHeadVotes: '0' },
  ...{ sumWrongTargetVotes: '0', sumLateTargetVotes: '0', sumLateSourceVotes: '0', sumInclusionDelay: '1' },
  ...{ sumSyncSignatureCount: null, sumEndEpochBalance: '32', sumEndEpochEffectiveBalance: '32' },
};
const dayOf = (id: string) => (number: number) => {
  const { first, last } = epochsOfDay('mainnet', 'chain', number);
  return {
    ...{ id, entityType: 'pool', network: 'mainnet', calendar: 'chain', hour: null, day: number },
    ...{ validatorCount: 1, avgAttesterEffectiveness: 99, startEpoch: first, endEpoch: last },
    ...sums,
  } as unknown as ImportedAttestation;
};
const store = (days: number[], id = 'walker') =>
  transaction(gateway.database.pool, (client) => loadRows(client, attestationImporter, days.map(dayOf(id))));

const page = async (after: string | null) => {
  const { data } = await gateway.graphql(
    `query ($after: String) {
      attestations(entityId: "walker", entityType: POOL, sortOrder: DESC, first: 2, after: $after) {
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
        `{ attestations(entityId: "walker", entityType: POOL, first: 1) { ${select} nodes { day } } }`,
      );
      expect(gateway.statements).toEqual(['attestationPages']);
      return data.attestations.totalCount;
    };
    expect(await count('totalCount')).toBe(5);
    expect(await count('')).toBeUndefined();
  });
});

describe('a page of days', () => {
  const years = [200, 565, 930, 1295, 1661]; // a day of each year from 2021 on

  /** The parts that PostgreSQL looks into for a page, by their years. */
  async function partsOf(sortOrder: 'asc' | 'desc', range: { after?: number; limit: number }) {
    let plan = '';
    const db = {
      async query({ text, values }: { text: string; values: unknown[] }) {
        const explained = { text: `explain (analyze, costs off) ${text}`, values };
        const { rows } = await gateway.database.pool.query(explained);
        plan = (rows as Record<string, string>[]).map((row) => row['QUERY PLAN']).join('\n');
        return { rows: [] };
      },
    };
    const open = { fromDay: null, toDay: null, fromDate: null, toDate: null };
    const query = { granularity: 'day', calendar: 'chain', sortBy: 'day', sortOrder, ...open } as const;
    await attestationPages(db, [{ network: 'mainnet', idType: 'pool', id: 'years' }], query, range, ['day']);
    const scans = [...plan.matchAll(/on attestation_days_(\d+) .*\((.*)\)/g)];
    return scans.filter(([, , done]) => done !== 'never executed').map(([, year]) => Number(year));
  }

  it.each([
    ['asc', {}, [2021, 2022]], // one row more than the page tells whether there are more
    ['desc', {}, [2025, 2024]],
    ['asc', { after: 565 }, [2022, 2023, 2024]], // the cursor's own year may have more
    ['desc', { after: 930 }, [2023, 2022, 2021]],
  ] as const)('looks into the years of its rows alone: %s %j', async (sortOrder, from, wanted) => {
    await store(years, 'years');
    expect((await partsOf(sortOrder, { ...from, limit: 1 })).sort()).toEqual([...wanted].sort());
  });
});
