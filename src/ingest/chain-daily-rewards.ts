import { z } from 'zod';
import { dayOfDate, spanOfChainDay } from '../chain/calendar.ts';
import { Network } from '../chain/networks.ts';
import { decode } from '../kernel/decode.ts';
import { flag, moment } from '../kernel/leaves.ts';
import { parseDate } from '../kernel/time.ts';
import { ChainDailyReward } from '../resources/chain-daily-rewards/record.ts';
import { futureFault, momentFault } from './given-time.ts';
import { type ColumnName, columnsOf, type Importer, isObject, snakeCased } from './importer.ts';
import { mergePlain, type PlainTable } from './plain-table.ts';

const { date, startEpoch, endEpoch } = ChainDailyReward.shape;
const Shape = ChainDailyReward.extend({
  network: Network,
  // Derived, so optional; checked when present.
  date: date.nullable(),
  startEpoch: startEpoch.nullable(),
  endEpoch: endEpoch.nullable(),
  startTimestamp: moment().nullable(),
  endTimestamp: moment().nullable(),
});
type GivenReward = z.infer<typeof Shape>;

const ImportedReward = Shape.pipe(z.custom<GivenReward>()).superRefine((row, context) => {
  const fault = (path: keyof GivenReward, message: string) =>
    context.addIssue({ code: 'custom', path: [path], message });
  const name = `day ${row.day} of ${row.network}`;
  const span = spanOfChainDay(row.network, row.day);
  for (const field of ['date', 'startEpoch', 'endEpoch'] as const) {
    if (row[field] !== null && row[field] !== span[field])
      fault(field, `is ${row[field]}; that of ${name} is ${span[field]}`);
  }
  for (const [field, begins, what] of [
    ['startTimestamp', span.start, name],
    ['endTimestamp', span.end, `the last slot of ${name}`],
  ] as const) {
    const given = row[field];
    const wrong = given === null ? undefined : momentFault(given, begins, what);
    if (wrong) fault(field, wrong);
  }
  const future = futureFault(row.day, span.start, 'a day');
  if (future) fault('day', future);
});
export type ImportedReward = z.infer<typeof ImportedReward>;
/** `computed`: whether a refresh computed the row. */
const Stored = Shape.omit({
  date: true,
  startEpoch: true,
  endEpoch: true,
  startTimestamp: true,
  endTimestamp: true,
}).extend({ computed: flag() });
const columns = columnsOf(Stored);
const table: PlainTable = {
  name: 'chain_daily_rewards',
  key: ['network', 'day'],
  columns,
  scope: ['network'],
};

function withDay(row: Record<string, unknown>): Record<string, unknown> {
  const network = Network.safeParse(row.network).data;
  const dated = typeof row.date === 'string' && parseDate(row.date) !== undefined;
  if ((row.day ?? null) !== null || !network || !dated) return row;
  return { ...row, day: dayOfDate(network, row.date as string) };
}

// No `replacesWhen`: responses may start at any day.
export const chainDailyRewardImporter: Importer<ImportedReward, ColumnName<z.infer<typeof Stored>>> = {
  resource: 'chain-daily-rewards',
  shape: Shape,
  check: (raw, { network }) => {
    const value = decode(Shape, raw);
    return ImportedReward.safeParse(isObject(value) ? withDay({ network, ...value }) : value);
  },
  columns,
  stored: (row) => ({ ...snakeCased(row), computed: false }),
  key: table.key,
  merge: (client, options) => mergePlain(client, table, options),
};
