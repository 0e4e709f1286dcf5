import { builder } from '../ingest/rows.ts';
import type { Gateway } from './gateway.ts';
import { importText } from './import.ts';

const BUILDERS = 25;
export const BUILDER = builder(1);
/** Slots long before those of the sample data. */
export const BID_SLOTS = [1_000, 1_001, 1_002];

const hex = (digit: string, bytes: number) => `0x${digit.repeat(bytes * 2)}`;
const bid = {
  ...{ validatorIndex: 7, consensusProposerDuty: 'proposed', consensusBlockRoot: hex('a', 32) },
  ...{ executionProposerDuty: 'missed', payloadStatus: 'empty', bidValue: 70_000_000 },
  ...{ bidBuilderIndex: 1, bidBuilderPubkey: BUILDER.pubkey, bidPayment: 'unpaid' },
  ...{ bidExecutionPayment: 3_000_000, bidFeeRecipient: hex('c', 20) },
};
const full = {
  ...{ executionProposerDuty: 'proposed', payloadStatus: 'full', bidPayment: 'settled' },
  ...{ executionBlockHash: hex('b', 32), totalTransactions: 9 },
};
const own = { bidBuilderIndex: null, bidBuilderPubkey: null, bidPayment: null, bidValue: 0 };

/** Builders, and blocks that are full, empty, and of the proposer's own payload; the sample data has none. */
export async function importBuilders(gateway: Gateway): Promise<void> {
  const builders = Array.from({ length: BUILDERS }, (_, at) =>
    builder(at + 1, {
      ...{ bidCount: 100 + at, fullCount: 90 + at, withheldCount: 10, sumPaidValue: 600_000_000 - at },
      ...(at % 5 === 4 && { withdrawableEpoch: 400_000, executionAddress: hex('d', 20) }),
    }),
  );
  const blocks = [bid, { ...bid, ...full }, { ...bid, ...full, ...own }].map((row, at) => ({
    ...row,
    consensusSlot: BID_SLOTS[at],
  }));
  for (const [resource, rows] of [
    ['builders', builders],
    ['blocks', blocks],
  ] as const) {
    const { faults } = await importText(gateway, resource, JSON.stringify(rows));
    if (faults.length > 0) throw new Error(JSON.stringify(faults));
  }
}
