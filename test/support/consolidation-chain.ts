import { isLosslessNumber, parse } from 'lossless-json';
import { type Calendar, dateOfDay, dayOfEpoch } from '../../src/chain/calendar.ts';
import { TimeWindow } from '../../src/chain/windows.ts';
import type { entityClasses } from '../../src/resources/consolidations/record.ts';
import { hexDigits, pick, stream, whole } from '../../src/sample/random.ts';
import { operator } from '../ingest/rows.ts';

export const PATH = '/v1/eth/entityConsolidations';
export const CAPACITY = '/v1/eth/consolidationCapacity';
export const HEAD = 400_000;
const ELECTRA = 364_032;
export const STAKE = 35_600_000_123_456_789n; // 543 ETH of churn, 287 of them for consolidations
export const LIMIT = 287_000_000_000n;

const random = stream(5, 'consolidation totals');
const address = () => `0x${hexDigits(random, 40)}`;
const [depositors, withdrawals] = [[1, 2, 3, 4].map(address), [1, 2].map(address)];
export const [operators, pools] = [
  ['Able', 'Baker', 'Charlie', 'Dog', 'Easy'],
  ['Pool A', 'Pool B'],
];

/** Random validators: half of them to be consolidated into the others. */
export const validators = Array.from({ length: 400 }, (_, validatorIndex) => ({
  network: 'mainnet',
  validatorIndex,
  validatorPubkey: `0x${hexDigits(random, 96)}`,
  depositAddress: pick(random, depositors),
  withdrawalAddress: whole(random, 0, 4) ? pick(random, withdrawals) : null,
  nodeOperator: whole(random, 0, 5) ? pick(random, operators) : null,
  pool: whole(random, 0, 2) ? pick(random, pools) : null,
  activationEpoch: 1,
  exitEpoch: null,
  slashed: false,
}));
export const consolidations = validators.slice(0, 200).map((source, index) => {
  const target = pick(random, validators.slice(200)) as (typeof validators)[number];
  // a third in the last day, some after the newest balance
  const epoch = index % 3 ? whole(random, ELECTRA, HEAD) : whole(random, HEAD - 224, HEAD + 20);
  return {
    source,
    network: 'mainnet',
    epoch,
    sourceValidatorIndex: source.validatorIndex,
    sourceValidatorPubkey: source.validatorPubkey,
    targetValidatorIndex: target.validatorIndex,
    targetValidatorPubkey: target.validatorPubkey,
    consolidatedBalance: String(whole(random, 31_000_000_000, 2_000_000_000_000)),
  };
});
const shareName = (pool: string, nodeOperator: string) => `${pool} - ${nodeOperator}`;
export const shares = pools.flatMap((pool) =>
  operators.slice(0, 4).flatMap((nodeOperator) =>
    ['7d', 'all'].map((timeWindow) =>
      operator(shareName(pool, nodeOperator), {
        ...{ idType: 'poolShare', timeWindow, poolId: pool, nodeOperatorId: nodeOperator },
      }),
    ),
  ),
);

/** Which entity of a class a validator belongs to. */
function entityOf(row: (typeof validators)[number], idType: (typeof entityClasses)[number]): string | null {
  if (idType !== 'poolShare') return row[idType];
  // Easy has no summary of its shares: they have no name
  const named = row.pool && row.nodeOperator && row.nodeOperator !== 'Easy';
  return named ? shareName(row.pool as string, row.nodeOperator as string) : null;
}

/** The expected aggregation, computed with a plain loop. */
export function gathered(
  idType: (typeof entityClasses)[number],
  calendar: Calendar,
  within: (row: (typeof consolidations)[number]) => boolean = () => true,
): any[] {
  const groups = new Map<string, (typeof consolidations)[number][]>();
  for (const row of consolidations.filter(within)) {
    const id = entityOf(row.source, idType);
    if (id !== null) groups.set(id, [...(groups.get(id) ?? []), row]);
  }
  return [...groups].map(([id, rows]) => {
    const dates = rows.map((row) => dateOfDay('mainnet', dayOfEpoch('mainnet', calendar, row.epoch))).sort();
    return {
      id,
      idType,
      consolidationCount: rows.length,
      sourceValidatorCount: new Set(rows.map((row) => row.sourceValidatorIndex)).size,
      targetValidatorCount: new Set(rows.map((row) => row.targetValidatorIndex)).size,
      consolidatedBalance: rows.reduce((sum, row) => sum + BigInt(row.consolidatedBalance), 0n),
      startDate: dates[0],
      endDate: dates.at(-1),
    };
  });
}
export const byField = (field: string, order: 'asc' | 'desc') => (a: any, b: any) =>
  (Number(a[field] > b[field]) - Number(a[field] < b[field])) * (order === 'asc' ? 1 : -1) ||
  Number(a.id > b.id) - Number(a.id < b.id);

const bigKeys = /Balance$|^capacity$|Limit$/;
export const exactly = (text: string): any =>
  parse(text, (key, value) =>
    isLosslessNumber(value)
      ? bigKeys.test(key)
        ? BigInt(value.toString())
        : Number(value.toString())
      : value,
  );

/** The expected figures of the windows, computed with a plain loop. */
export const windows = TimeWindow.options.map((timeWindow) => {
  const days = { '1d': 1, '7d': 7, '30d': 30, all: null }[timeWindow];
  const first = days === null ? ELECTRA : HEAD - days * 225 + 1;
  const capacity = LIMIT * BigInt(HEAD - first + 1);
  const within = (row: (typeof consolidations)[number]) => row.epoch >= first && row.epoch <= HEAD;
  const rows = consolidations.filter(within);
  const consolidatedBalance = rows.reduce((sum, row) => sum + BigInt(row.consolidatedBalance), 0n);
  return {
    within,
    record: {
      timeWindow,
      latestEpoch: HEAD,
      consolidationChurnLimit: LIMIT,
      capacity,
      consolidatedBalance,
      consolidationCount: rows.length,
      capacityFilled: Number(consolidatedBalance) / Number(capacity),
    },
  };
});
