import type pg from 'pg';
import type { z } from 'zod';
import { dateOfDay, SLOTS_PER_EPOCH } from '../../chain/calendar.ts';
import { EFFECTIVE_BALANCE_INCREMENT, MAX_EFFECTIVE_BALANCE_ELECTRA } from '../../chain/churn.ts';
import { Network } from '../../chain/networks.ts';
import * as Leaf from '../../kernel/leaves.ts';
import { ValidatorDay } from '../../periods/validator-day.ts';
import { refreshSetDays } from '../../resources/private-sets/set-days.ts';
import {
  columnsOf,
  type Faults,
  type ImportCounts,
  type Importer,
  type MergeOptions,
  rowChecker,
} from '../importer/importer.ts';
import { MAX_DAY, periodFaults } from '../importer/period-rules.ts';
import { withColocated } from '../merge/colocated.ts';
import { mergePlain } from '../merge/plain-table.ts';
import { type PlainTable, withinDates } from '../merge/staging.ts';
import { type SummedDay, startFromStored, startOfNextDays } from './start-balances.ts';
import { noteChangedDays } from './validator-months.ts';

const Shape = ValidatorDay.extend({
  network: Network,
  day: ValidatorDay.shape.day.max(MAX_DAY),
  date: Leaf.date().nullable(),
});

const atMost = [
  ['sumCorrectHead', 'totalUniqueAttestations'],
  ['sumCorrectTarget', 'totalUniqueAttestations'],
  ['sumCorrectSource', 'totalUniqueAttestations'],
  ['sumWrongHeadVotes', 'totalUniqueAttestations'],
  ['sumWrongTargetVotes', 'totalUniqueAttestations'],
] as const;
const lateVotes = ['sumLateTargetVotes', 'sumLateSourceVotes'] as const;
const SLOTS_TO_INCLUDE = 64; // since Deneb (EIP-7045): until the end of the next epoch
const MAX_SEATS = 512;
const perSlots = [
  ['sumMissedSyncSignatures', MAX_SEATS],
  ['sumSyncSignatureCount', MAX_SEATS],
  ['proposedCount', 1],
  ['missedProposalCount', 1],
] as const;

export type ImportedValidatorDay = z.infer<typeof Shape>;

const INCREMENT = Number(EFFECTIVE_BALANCE_INCREMENT);
const MAX_EFFECTIVE = Number(MAX_EFFECTIVE_BALANCE_ELECTRA);
/** A validator that reaches this effective balance is ejected, and loses little more until it leaves. */
const EJECTION_BALANCE = 16 * INCREMENT;

/** Refuses a mean, ETH in place of Gwei, and sums over other epochs. */
function sumFault(sum: number, duties: number, atEnd: number): string | undefined {
  if (sum % INCREMENT !== 0)
    return `is ${sum}; effective balances are whole ETH, so their sum is a multiple of ${INCREMENT} Gwei`;
  const [least, most] = [duties * Math.min(atEnd, EJECTION_BALANCE), duties * MAX_EFFECTIVE];
  if (sum >= least && sum <= most) return undefined;
  return `is ${sum}; the effective balances of ${duties} epochs with duties add up to ${least} to ${most} Gwei`;
}

function faultsOf(row: ImportedValidatorDay): Faults {
  const { network, day, startEpoch, endEpoch } = row;
  const calendar = row.utc ? 'utc' : 'chain';
  const faults = [...periodFaults({ network, calendar, hour: null, day, startEpoch, endEpoch })];
  const wrong = (field: keyof ImportedValidatorDay, message: string) => faults.push([field, message]);
  if (row.date !== null) {
    const day = dateOfDay(row.network, row.day);
    if (row.date !== day) wrong('date', `is ${row.date}; on ${row.network} this row's is ${day}`);
  }
  const epochs = row.endEpoch - row.startEpoch + 1;
  const attested = row.totalUniqueAttestations;
  const duties = attested + row.sumMissedAttestations;
  if (duties > epochs) wrong('totalUniqueAttestations', `with those missed is ${duties} in ${epochs} epochs`);
  // Sync committee duty can continue after an exit.
  if (duties === 0 && row.sumSyncSignatureCount === null)
    wrong('totalUniqueAttestations', 'is 0 with none missed; a day without duties has no row');
  for (const [part, whole] of atMost) {
    if (row[part] > row[whole]) wrong(part, `is ${row[part]}, more than ${whole} ${row[whole]}`);
  }
  for (const name of lateVotes) {
    if (row[name] > duties) wrong(name, `is ${row[name]}, more than the ${duties} duties`);
  }
  const delay = row.sumInclusionDelay;
  if (delay < attested || delay > attested * SLOTS_TO_INCLUDE) {
    wrong(
      'sumInclusionDelay',
      `is ${delay}; ${attested} attestations take 1 to ${SLOTS_TO_INCLUDE} slots each`,
    );
  }
  const sum = row.effectiveBalanceEpochs;
  const fault =
    sum === null ? undefined : sumFault(Number(sum), duties, Number(row.endEpochEffectiveBalance));
  if (fault) wrong('effectiveBalanceEpochs', fault);
  const empty = row.emptyPayloadCount;
  if (empty !== null && empty > row.proposedCount)
    wrong('emptyPayloadCount', `is ${empty}, more than proposedCount ${row.proposedCount}`);
  if ((row.sumMissedSyncSignatures === null) !== (row.sumSyncSignatureCount === null)) {
    wrong('sumSyncSignatureCount', 'must be given together with sumMissedSyncSignatures, or neither');
  }
  for (const [name, perSlot] of perSlots) {
    const most = epochs * SLOTS_PER_EPOCH * perSlot;
    if ((row[name] ?? 0) > most) wrong(name, `is ${row[name]}; ${epochs} epochs hold at most ${most}`);
  }
  return faults;
}

const table: PlainTable = {
  name: 'validator_days',
  key: ['network', 'utc', 'validator_index', 'date'],
  columns: columnsOf(Shape.extend({ startEffectiveBalance: Leaf.gwei().nullable() })),
  scope: [],
};

export const ensureValidatorDayParts = (client: pg.ClientBase, dates: readonly string[]) =>
  client.query('/* validatorDayParts */ select validator_day_parts($1::date[])', [[...new Set(dates)]]);

export async function finishValidatorDays(
  client: pg.ClientBase,
  days: readonly { network: Network; utc: boolean; day: number }[],
  changed = true,
): Promise<void> {
  const distinct = [...new Map(days.map((one) => [`${one.network} ${one.utc} ${one.day}`, one])).values()];
  const dates = distinct.map(({ network, day }) => dateOfDay(network, day));
  await client.query(
    `/* validatorDayDates */
    insert into validator_day_dates (network, utc, day, date)
    select * from unnest($1::text[], $2::boolean[], $3::int[], $4::date[]) as given (network, utc, day, date)
    order by network, utc, date -- as a refresh locks them
    on conflict (network, utc, day) do ${changed ? 'update set attestations_due = true, rewards_due = true' : 'nothing'}`,
    [
      distinct.map((one) => one.network),
      distinct.map((one) => one.utc),
      distinct.map((one) => one.day),
      dates,
    ],
  );
  const chain = changed ? distinct.filter((one) => !one.utc) : [];
  for (const network of new Set(chain.map((one) => one.network))) {
    const own = chain.filter((one) => one.network === network);
    await noteChangedDays(
      client,
      network,
      own.map(({ day }) => dateOfDay(network, day)),
    );
  }
  for (const network of new Set(distinct.map((one) => one.network))) {
    const own = dates.filter((_date, index) => distinct[index]?.network === network);
    await refreshSetDays(client, network, [...new Set(own)]);
  }
}

async function mergeValidatorDays(client: pg.ClientBase, { revision }: MergeOptions): Promise<ImportCounts> {
  const { rows: days } = await client.query<SummedDay>(
    `/* stagedDays */
    select network, utc, day, date::text as date, bool_or(effective_balance_epochs is null) as unsummed
    from staged group by network, utc, day, date`,
  );
  const dates = [...new Set(days.map(({ date }) => date))];
  await ensureValidatorDayParts(client, dates);
  const { counts, next } = await withColocated(client, table, async (from) => {
    await startFromStored(client, from, days);
    const within = (first: number) => withinDates('t.date', dates, first);
    const counts = await mergePlain(client, { ...table, from, within }, { replace: false });
    return { counts, next: await startOfNextDays(client, from, days) };
  });
  const changed = counts.inserted + counts.updated > 0 || next.length > 0;
  await finishValidatorDays(client, [...days, ...next], changed);
  if (next.length > 0) await revision();
  return counts;
}

const checks: NonNullable<Importer<ImportedValidatorDay>['checks']> = {
  defaults: ({ network, utc = false }) => ({ network, utc }),
  faults: faultsOf,
};

export const validatorDayImporter: Importer<ImportedValidatorDay> = {
  resource: 'validator-days',
  shape: Shape,
  check: rowChecker(Shape, checks),
  checks,
  columns: table.columns,
  derived: { date: (row) => dateOfDay(row.network, row.day), startEffectiveBalance: () => null },
  key: table.key,
  merge: mergeValidatorDays,
};
