import { expect } from 'vitest';
import type { Network } from '../../src/chain/networks.ts';
import { transaction } from '../../src/db/pool.ts';
import { attestationImporter, type ImportedAttestation } from '../../src/ingest/importers/attestations.ts';
import { loadRows } from '../../src/ingest/merge/load-rows.ts';
import type { Gateway } from './gateway.ts';

export type Given = { id: string; day: number; startEpoch: number; endEpoch: number } & Record<
  string,
  unknown
>;

export const checked = (row: Given) =>
  attestationImporter.check(
    {
      hour: null,
      validatorCount: 10,
      totalUniqueAttestations: '1',
      sumMissedAttestations: '0',
      sumMissedSyncSignatures: null,
      sumCorrectHead: '0',
      sumCorrectTarget: '0',
      sumCorrectSource: '0',
      sumWrongHeadVotes: '0',
      sumWrongTargetVotes: '0',
      sumLateTargetVotes: '0',
      sumLateSourceVotes: '0',
      avgAttesterEffectiveness: 95,
      sumInclusionDelay: '0',
      sumSyncSignatureCount: null,
      sumEndEpochBalance: '0',
      sumEndEpochEffectiveBalance: '0',
      ...row,
    },
    { network: 'mainnet', idType: 'pool' },
  );

/** A whole chain day. */
export const chainDay = (id: string, day: number, more = {}): Given => ({
  id,
  day,
  startEpoch: day * 225,
  endEpoch: day * 225 + 224,
  ...more,
});

export const pick = (row: any, ...names: string[]) => names.map((name) => row[name]);
export const ends = ['startEpoch', 'endEpoch', 'startSlot', 'endSlot', 'startTimestamp', 'endTimestamp'];

/** Loads attestations into a gateway's database, and reads its rows over time. */
export function attestationDays(gateway: Gateway) {
  async function load(...given: Given[]) {
    const rows: ImportedAttestation[] = given.map((row) => {
      const { data, error } = checked(row);
      expect(error?.issues).toBeUndefined();
      return data as ImportedAttestation;
    });
    await transaction(gateway.database.pool, (client) => loadRows(client, attestationImporter, rows));
  }

  async function rows(id: string, query: string, network: Network = 'mainnet'): Promise<any[]> {
    const path = `/v1/eth/entities/${encodeURIComponent(id)}/attestations?entityType=pool&limit=1000&${query}`;
    const { status, json } = await gateway.get(path, { 'x-service-network': network });
    expect([status, json.detail]).toEqual([200, undefined]);
    return json.results;
  }

  const spans = async (id: string, query: string) =>
    (await rows(id, query)).map((row) => [row.startDay, row.endDay, Number(row.totalUniqueAttestations)]);
  return { load, rows, spans };
}
