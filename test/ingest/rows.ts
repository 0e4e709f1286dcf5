import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** A summary as a service of this kind answers it. */
export const operator = (id: string, change: Record<string, unknown> = {}) => ({
  id,
  idType: 'pool',
  timeWindow: '7d',
  validatorCount: 10,
  avgCorrectness: 0.99,
  avgInclusionDelay: 1.01,
  avgUptime: 0.995,
  avgValidatorEffectiveness: 97.5,
  clientPercentages: [{ client: 'Prysm', percentage: 1 }],
  networkPenetration: 0.01,
  relayerPercentages: [],
  nodeOperatorCount: null,
  operatorTags: [],
  displayName: null,
  aprPercentage: 3.1,
  sumEndEpochBalance: 320_000_000_000,
  sumEndEpochEffectiveBalance: 320_000_000_000,
  ...change,
});

export const share = (id: string, change: Record<string, unknown> = {}) =>
  operator(id, { idType: 'poolShare', ...change });

export const slashing = (validatorIndex: number, change: Record<string, unknown> = {}) => ({
  validatorIndex,
  validatorPubkey: `0x${validatorIndex.toString(16).padStart(96, '0')}`,
  slashingEpoch: 1_000 + validatorIndex,
  withdrawableEpoch: 9_192 + validatorIndex,
  balanceBeforeSlashing: 32_000_000_000,
  balanceBeforeWithdrawal: 31_000_000_000,
  slashingPenalties: 1_000_000_000,
  ...change,
});

export const builder = (index: number, change: Record<string, unknown> = {}) => ({
  index,
  pubkey: `0x${index.toString(16).padStart(96, '0')}`,
  executionAddress: `0x${'ab'.repeat(20)}`,
  balance: 100_000_000_000 + index,
  depositEpoch: 353_024,
  withdrawableEpoch: null,
  bidCount: 10,
  fullCount: 8,
  withheldCount: 2,
  paidCount: 9,
  sumBidValue: 700_000_000,
  sumFullValue: 600_000_000,
  sumWithheldValue: 100_000_000,
  sumPaidValue: 650_000_000,
  ...change,
});

/** The v0 body that holds these rows as its whole list. */
export const body = (data: unknown[], change: Record<string, unknown> = {}) => ({
  page: { from: 0, to: data.length, size: 200 },
  total: data.length,
  data,
  next: null,
  ...change,
});

/** Writes files of one test file into a folder of its own; content that is not text or bytes becomes JSON. */
export function useFiles() {
  const folder = mkdtempSync(join(tmpdir(), 'stakegraph-import-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let count = 0;
  return async (content: unknown, name = `${(count += 1)}.json`): Promise<string> => {
    const path = join(folder, name);
    const raw = typeof content === 'string' || Buffer.isBuffer(content);
    await writeFile(path, raw ? content : JSON.stringify(content));
    return path;
  };
}
