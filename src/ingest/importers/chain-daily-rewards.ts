import type { z } from 'zod';
import { dayOfDate, EPOCHS_PER_DAY, spanOfChainDay } from '../../chain/calendar.ts';
import { Network } from '../../chain/networks.ts';
import * as Leaf from '../../kernel/leaves.ts';
import { parseDate } from '../../kernel/time.ts';
import { ChainDailyReward } from '../../resources/chain-daily-rewards/record.ts';
import { futureFaults, momentFaults } from '../importer/given-time.ts';
import type { Faults } from '../importer/importer.ts';
import { plainImporter } from '../merge/plain-table.ts';

const { date, startEpoch, endEpoch } = ChainDailyReward.shape;
const Shape = ChainDailyReward.extend({
  network: Network,
  date: date.nullable(),
  startEpoch: startEpoch.nullable(),
  endEpoch: endEpoch.nullable(),
  startTimestamp: Leaf.moment().nullable(),
  endTimestamp: Leaf.moment().nullable(),
  effectiveBalanceEpochs: Leaf.wideCount().nullable(),
});
type ImportedReward = z.infer<typeof Shape>;

function* faultsOf(row: ImportedReward): Faults {
  const name = `day ${row.day} of ${row.network}`;
  const span = spanOfChainDay(row.network, row.day);
  for (const field of ['date', 'startEpoch', 'endEpoch'] as const) {
    if (row[field] !== null && row[field] !== span[field])
      yield [field, `is ${row[field]}; that of ${name} is ${span[field]}`];
  }
  const [sum, atEnd] = [row.effectiveBalanceEpochs, row.sumEffectiveBalance];
  if (sum !== null && atEnd !== null && !isLike(BigInt(sum), BigInt(atEnd) * BigInt(EPOCHS_PER_DAY)))
    yield [
      'effectiveBalanceEpochs',
      `is ${sum}; ${EPOCHS_PER_DAY} epochs of sumEffectiveBalance ${atEnd} are ${BigInt(atEnd) * BigInt(EPOCHS_PER_DAY)}, and the sum is from half to twice of it`,
    ];
  yield* momentFaults('startTimestamp', row.startTimestamp, span.start, name);
  yield* momentFaults('endTimestamp', row.endTimestamp, span.end, `the last slot of ${name}`);
  yield* futureFaults('day', row.day, span.start, 'a day');
}

/** The effective balance of a network changes by much less within a day. */
const isLike = (sum: bigint, expected: bigint) => 2n * sum >= expected && sum <= 2n * expected;

function withDay(row: Record<string, unknown>): Record<string, unknown> {
  const network = Network.safeParse(row.network).data;
  const dated = typeof row.date === 'string' && parseDate(row.date) !== undefined;
  if ((row.day ?? null) !== null || !network || !dated) return row;
  return { ...row, day: dayOfDate(network, row.date as string) };
}

export const chainDailyRewardImporter = plainImporter({
  resource: 'chain-daily-rewards',
  shape: Shape,
  key: ['network', 'day'],
  columns: Shape.omit({
    date: true,
    startEpoch: true,
    endEpoch: true,
    startTimestamp: true,
    endTimestamp: true,
  }).extend({ computed: Leaf.flag() }),
  derived: { computed: () => false },
  tidied: withDay,
  faults: faultsOf,
});
