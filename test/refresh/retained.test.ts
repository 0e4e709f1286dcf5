import { beforeEach, expect } from 'vitest';
import { dayOfDate, SLOTS_PER_DAY } from '../../src/chain/calendar.ts';
import type { Ages } from '../../src/config/ages.ts';
import { type RetainReport, retain } from '../../src/maintenance/retain/index.ts';
import { useGateway } from '../support/gateway.ts';
import { slow } from '../support/thorough.ts';
import { rowsOf } from '../support/typed.ts';
import { block, load, published, refreshed, validator, validatorDay } from './facts.ts';

const gateway = useGateway({ template: 'empty' });
const query = (text: string) => rowsOf(gateway.database.pool, text);
beforeEach(() =>
  query(`truncate validator_days, validator_day_dates, validator_months, validator_month_sums, validators,
    operator_summaries, operator_lists, kept_from, datasets, blocks, chain_heads, dropped_relays cascade`),
);

const day = (date: string) => dayOfDate('mainnet', date);
const operators = async () => (await published(gateway)).operators.map(({ row }: any) => row);
const all = {
  ...{ networks: ['mainnet'] as const, windows: ['all'] as const },
  only: ['operators', 'attestations', 'chain-daily-rewards'] as const,
};
const retained = async (ages: Ages = { 'validator-days': 90 }) => {
  const reports: RetainReport[] = [];
  await retain(
    gateway.database.pool,
    { ages, dryRun: false, now: new Date('2025-08-10T00:00:00Z') },
    (report) => reports.push(report),
  );
  return reports.map(({ part, table, state }) => `${part ?? table} ${state}`);
};

slow('the window all keeps the figures of dropped months, and later days are added to them', async () => {
  await load(gateway, 'validators', [validator(0), validator(1, { nodeOperator: 'M' })]);
  // the APR of the window all is that of the newest 90 days
  const recent = Array.from({ length: 90 }, (_, at) => day('2025-08-09') - at);
  const rows = [day('2025-01-10'), day('2025-02-11'), ...recent].flatMap((one, at) =>
    [0, 1].map((index) =>
      validatorDay(index, one, { sumAttestationRewards: 2_000_000 + at * 1_000 + index }),
    ),
  );
  await load(gateway, 'validator-days', rows);
  expect(await retained()).toEqual(['validator_days_2025_01 refused', 'validator_days_2025_02 refused']);
  await refreshed(gateway, all);
  const before = await operators();
  expect(before.length).toBeGreaterThan(0);
  expect(await retained()).toEqual(['validator_days_2025_01 dropped', 'validator_days_2025_02 dropped']);
  await refreshed(gateway, all);
  expect(await operators()).toEqual(before);

  const next = [0, 1].map((index) => validatorDay(index, day('2025-08-10'), { sumCorrectHead: 100 }));
  await load(gateway, 'validator-days', next);
  await refreshed(gateway, all);
  const after = await operators();
  await query(
    'truncate validator_days, validator_day_dates, validator_months, validator_month_sums, kept_from',
  );
  await load(gateway, 'validator-days', [...rows, ...next]);
  await refreshed(gateway, all);
  expect(after).toEqual(await operators());
});

slow('the window all keeps the relays of dropped blocks, and counts each block once', async () => {
  await load(gateway, 'validators', [validator(0), validator(1, { nodeOperator: 'M' })]);
  const days = Array.from({ length: 60 }, (_, at) => day('2025-08-09') - at);
  await load(
    gateway,
    'validator-days',
    days.flatMap((one) => [0, 1].map((index) => validatorDay(index, one))),
  );
  const via = [['flashbots'], ['agnostic'], ['agnostic', 'flashbots', 'manifold'], []];
  // every third of a chain day, so that the first kept slot is within one that has blocks before and after
  const slots = days.flatMap((one) => [0, 1, 2].map((third) => one * SLOTS_PER_DAY + third * 2_400));
  const blocks = slots.map((consensusSlot, at) =>
    block({ consensusSlot, validatorIndex: at % 2, relays: via[at % via.length] as string[] }),
  );
  await load(gateway, 'blocks', blocks);
  const shown = async () => {
    await refreshed(gateway, { ...all, only: ['operators'] });
    return (await operators()).map(({ operator_id, relayer_percentages }: any) => [
      operator_id,
      relayer_percentages,
    ]);
  };
  const before = await shown();
  expect(before.map(([, relays]: any) => relays.length)).toContain(4);
  const stored = async () => (await query('select count(*)::int as n from blocks'))[0]?.n;
  expect(await retained({ blocks: 40 })).toEqual(['blocks dropped']);
  expect(await stored()).toBe(39 * 3 + 1); // dates begin within chain days
  expect(await shown()).toEqual(before);
  expect(await retained({ blocks: 31 })).toEqual(['blocks dropped']);
  expect(await shown()).toEqual(before);

  const kept = async () =>
    Number((await query('select sum(cardinality(proposers)) as n from dropped_relays'))[0]?.n);
  const dropped = await kept();
  await query('delete from kept_from');
  await load(gateway, 'blocks', [blocks[39 * 3] as (typeof blocks)[0]]);
  expect(await retained({ blocks: 31 })).toEqual(['blocks dropped']);
  expect(await kept()).toBe(dropped - 1); // the part of this block had another block, too

  await query('delete from kept_from');
  await load(gateway, 'blocks', blocks);
  expect(await shown()).toEqual(before);
  expect(await retained({ blocks: 31 })).toEqual(['blocks dropped']);
  expect(await shown()).toEqual(before);
});
