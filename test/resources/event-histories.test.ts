import { beforeAll, describe, expect, it } from 'vitest';
import { dateOfDay, dayOfEpoch, epochsOfDay } from '../../src/chain/calendar.ts';
import { electraEpoch, getConsolidationChurnLimit } from '../../src/chain/churn.ts';
import { useGateway } from '../support/gateway.ts';
import { importText } from '../support/import.ts';

const gateway = useGateway();

async function ask(text: string) {
  gateway.statements.length = 0;
  const { data, errors } = await gateway.graphql(text);
  expect(errors).toBeUndefined();
  return data;
}
const read = async <Row extends object>(text: string): Promise<Row[]> =>
  (await gateway.database.pool.query({ text, values: [] })).rows as Row[];
const keyOf = (date: string, length: number) => date.slice(0, length);

type Sums = { count: number; [sum: string]: bigint | number };
const none: Sums = { count: 0, sum: 0n };
/** Counts and sums of rows by a key, in the order of the keys. */
function summed<Row>(
  rows: readonly Row[],
  of: (row: Row) => string | number,
  sums: Record<string, (row: Row) => bigint>,
) {
  const groups = new Map<string | number, Sums>();
  for (const row of rows) {
    const group = groups.get(of(row)) ?? { count: 0 };
    group.count += 1;
    for (const [name, value] of Object.entries(sums)) group[name] = BigInt(group[name] ?? 0) + value(row);
    groups.set(of(row), group);
  }
  return groups;
}

describe('slashingHistory', () => {
  type Row = { epoch: number; penalty: string; balance: string; pool: string | null };
  let all: Row[];
  beforeAll(async () => {
    all = await read<Row>(`select s.slashing_epoch as epoch, s.slashing_penalties::text as penalty,
        s.balance_before_slashing::text as balance, v.pool
      from slashings s left join validators v using (network, validator_index)
      where s.network = 'mainnet' order by s.slashing_epoch`);
  });
  const utcDay = ({ epoch }: Row) => dayOfEpoch('mainnet', 'utc', epoch);
  const utcDate = (row: Row) => dateOfDay('mainnet', utcDay(row));
  const sums = {
    penalties: ({ penalty }: Row) => BigInt(penalty),
    balances: ({ balance }: Row) => BigInt(balance),
  };
  const FIGURES = 'slashingCount sumSlashingPenalties sumBalanceBeforeSlashing';

  it('counts and sums all slashings by month in one statement', async () => {
    const { slashingHistory } = await ask(
      `{ slashingHistory(granularity: MONTH, utc: true, orderBy: { field: PERIOD, direction: ASC }, first: 1000) {
        totalCount nodes { id startDate startDay endDay ${FIGURES} } } }`,
    );
    expect(gateway.statements).toEqual(['slashingHistory']);
    const months = summed(all, (row) => keyOf(utcDate(row), 7), sums);
    expect(slashingHistory.totalCount).toBe(months.size);
    const rows = slashingHistory.nodes.map((row: any) => [
      keyOf(row.startDate, 7),
      {
        count: row.slashingCount,
        penalties: BigInt(row.sumSlashingPenalties),
        balances: BigInt(row.sumBalanceBeforeSlashing),
      },
    ]);
    expect(rows).toEqual([...months]);
    expect(new Set(slashingHistory.nodes.map((row: any) => row.id)).size).toBe(rows.length);
  });

  it.each([
    ['chain', 'utc: false'],
    ['utc', 'utc: true'],
  ] as const)(
    'has the days of the %s calendar that have slashings, with their epochs, and pages in either direction',
    async (calendar, args) => {
      const { slashingHistory } = await ask(
        `{ slashingHistory(${args}, orderBy: { field: PERIOD, direction: ASC }, first: 1000) { nodes { day date startEpoch endEpoch slashingCount } } }`,
      );
      const days = summed(all, ({ epoch }) => dayOfEpoch('mainnet', calendar, epoch), {});
      expect(slashingHistory.nodes).toEqual(
        [...days].map(([day, { count }]) => {
          const { first, last } = epochsOfDay('mainnet', calendar, Number(day));
          return {
            day,
            date: dateOfDay('mainnet', Number(day)),
            startEpoch: first,
            endEpoch: last,
            slashingCount: count,
          };
        }),
      );
      const page = await ask(
        `{ slashingHistory(${args}, orderBy: { field: PERIOD, direction: ASC }, last: 2) { nodes { day } pageInfo { startCursor hasPreviousPage } } }`,
      );
      const keys = [...days.keys()];
      expect(page.slashingHistory.nodes.map((row: any) => row.day)).toEqual(keys.slice(-2));
      const { startCursor } = page.slashingHistory.pageInfo;
      const before = await ask(
        `{ slashingHistory(${args}, orderBy: { field: PERIOD, direction: ASC }, last: 2, before: "${startCursor}") { nodes { day } } }`,
      );
      expect(before.slashingHistory.nodes.map((row: any) => row.day)).toEqual(keys.slice(-4, -2));
    },
  );

  it('keeps to a range and a filter, as the list does', async () => {
    const [from, to] = [utcDate(all[60] as Row), utcDate(all[300] as Row)];
    const where = 'where: { operator: { operatorId: "Alder Liquid", idType: POOL }, minPenalty: "1000" }';
    const range = `fromDate: "${from}", toDate: "${to}"`;
    const { slashingHistory, slashings } = await ask(`{
      slashingHistory(granularity: ALL, utc: true, ${range}, ${where}) { nodes { ${FIGURES} } }
      slashings(${range}, ${where}) { totalCount }
    }`);
    const fitting = all.filter(
      (row) => row.pool === 'Alder Liquid' && utcDate(row) >= from && utcDate(row) <= to,
    );
    expect(fitting.length).toBeGreaterThan(0);
    expect(slashings.totalCount).toBe(fitting.length);
    const [sum] = [...summed(fitting, () => 'all', sums).values()];
    expect(slashingHistory.nodes).toEqual([
      {
        slashingCount: fitting.length,
        sumSlashingPenalties: String(sum?.penalties),
        sumBalanceBeforeSlashing: String(sum?.balances),
      },
    ]);
    const byDay = await ask(
      `{ slashingHistory(fromDay: ${dayOfEpoch('mainnet', 'chain', (all[0] as Row).epoch)}, toDay: 500) { nodes { day } } }`,
    );
    for (const { day } of byDay.slashingHistory.nodes) expect(day).toBeLessThanOrEqual(500);
  });

  it('is ordered by its figures', async () => {
    const { slashingHistory } = await ask(
      '{ slashingHistory(granularity: YEAR, orderBy: { field: SLASHING_COUNT, direction: DESC }, network: HOODI) { nodes { slashingCount } } }',
    );
    const counts = slashingHistory.nodes.map((row: any) => row.slashingCount);
    expect(counts).toEqual([...counts].sort((one, other) => other - one));
    expect(counts.reduce((sum: number, one: number) => sum + one, 0)).toBe(20);
  });

  it.each([
    ['fromDay: -1', 'fromDay is -1; an integer >= 0 is needed.'],
    ['fromDate: "2024-01-02", toDate: "2024-01-01"', 'fromDate is 2024-01-02, after toDate 2024-01-01.'],
    ['first: 1001', 'first is 1001; an integer from 1 to 1000 is needed.'],
    ['where: { operator: { operatorId: "x", idType: VALIDATOR } }', 'where.operator.idType is VALIDATOR'],
    ['after: "x"', 'after is not a cursor of this list with these arguments.'],
  ])('refuses %s and says what is needed', async (args, message) => {
    const { errors } = await gateway.graphql(`{ slashingHistory(${args}) { nodes { id } } }`);
    expect(errors?.[0].extensions.code).toBe('BAD_INPUT');
    expect(errors?.[0].message).toContain(message);
  });
});

describe('consolidationHistory', () => {
  type Row = { epoch: number; balance: string; source: string | null; target: string | null };
  let all: Row[];
  let balances: { epoch: number; balance: string }[];
  beforeAll(async () => {
    all =
      await read<Row>(`select c.epoch, c.consolidated_balance::text as balance, s.pool as source, t.pool as target
      from consolidations c
      left join validators s on (s.network, s.validator_index) = (c.network, c.source_index)
      left join validators t on (t.network, t.validator_index) = (c.network, c.target_index)
      where c.network = 'mainnet' order by c.epoch`);
    balances = await read(`select epoch, total_active_balance::text as balance from chain_balances
      where network = 'mainnet' order by epoch`);
  });
  const FIGURES = 'consolidationCount consolidatedBalance capacity capacityFilled';
  const limitAt = (epoch: number) => {
    const known = balances.findLast((row) => row.epoch <= epoch) ?? balances[0];
    return getConsolidationChurnLimit(BigInt(known?.balance ?? 0));
  };

  it('has each day since Electra with the churn limit of its balance, in one statement', async () => {
    const { consolidationHistory } = await ask(
      `{ consolidationHistory(orderBy: { field: PERIOD, direction: ASC }, first: 1000) { totalCount nodes { id day date startEpoch endEpoch ${FIGURES} } } }`,
    );
    expect(gateway.statements).toEqual(['consolidationHistory']);
    const last = Math.max(balances.at(-1)?.epoch ?? 0, all.at(-1)?.epoch ?? 0);
    const moved = summed(all, ({ epoch }) => dayOfEpoch('mainnet', 'chain', epoch), {
      sum: (row) => BigInt(row.balance),
    });
    const days = [];
    for (
      let day = dayOfEpoch('mainnet', 'chain', electraEpoch.mainnet);
      day <= dayOfEpoch('mainnet', 'chain', last);
      day += 1
    ) {
      const epochs = epochsOfDay('mainnet', 'chain', day);
      const [startEpoch, endEpoch] = [
        Math.max(epochs.first, electraEpoch.mainnet),
        Math.min(epochs.last, last),
      ];
      const capacity = limitAt(endEpoch) * BigInt(endEpoch - startEpoch + 1);
      const { count, sum } = moved.get(day) ?? none;
      days.push({
        ...{ id: expect.any(String), day, date: dateOfDay('mainnet', day), startEpoch, endEpoch },
        ...{ consolidationCount: count, consolidatedBalance: String(sum), capacity: String(capacity) },
        capacityFilled: expect.closeTo(Number(sum) / Number(capacity), 12),
      });
    }
    expect(consolidationHistory.nodes).toEqual(days);
    expect(consolidationHistory.totalCount).toBe(days.length);
    expect(consolidationHistory.nodes.some((row: any) => row.capacityFilled > 0)).toBe(true);
  });

  it('sums periods, in a range, and of an operator on either side', async () => {
    const alder = (row: Row) => row.source === 'Alder Liquid' || row.target === 'Alder Liquid';
    const where = 'where: { operator: { operatorId: "Alder Liquid", idType: POOL } }';
    const { consolidationHistory, whole, days } = await ask(`{
      consolidationHistory(granularity: MONTH, utc: true, orderBy: { field: PERIOD, direction: ASC }, ${where}, fromDate: "2025-06-01", toDate: "2025-09-30") {
        nodes { startDate endDate ${FIGURES} } }
      whole: consolidationHistory(granularity: ALL) { nodes { ${FIGURES} } }
      days: consolidationHistory(utc: true, fromDate: "2025-06-01", toDate: "2025-06-30", first: 100) { nodes { capacity } }
    }`);
    const months = summed(
      all.filter(alder),
      ({ epoch }) => keyOf(dateOfDay('mainnet', dayOfEpoch('mainnet', 'utc', epoch)), 7),
      {
        sum: (row) => BigInt(row.balance),
      },
    );
    expect(consolidationHistory.nodes.map((row: any) => [row.startDate, row.endDate])).toEqual([
      ['2025-06-01', '2025-06-30'],
      ['2025-07-01', '2025-07-31'],
      ['2025-08-01', '2025-08-31'],
      ['2025-09-01', '2025-09-30'],
    ]);
    for (const row of consolidationHistory.nodes) {
      const { count, sum } = months.get(keyOf(row.startDate, 7)) ?? none;
      expect(row).toMatchObject({ consolidationCount: count, consolidatedBalance: String(sum) });
    }
    const june = days.nodes.reduce((sum: bigint, row: any) => sum + BigInt(row.capacity), 0n);
    expect(consolidationHistory.nodes[0].capacity).toBe(String(june));
    expect(whole.nodes).toMatchObject([
      {
        consolidationCount: all.length,
        consolidatedBalance: String(all.reduce((sum, row) => sum + BigInt(row.balance), 0n)),
      },
    ]);
  });

  it('has the days of a range of a network, and pages backward', async () => {
    const first = dayOfEpoch('hoodi', 'chain', electraEpoch.hoodi) + 1;
    const page = (args: string) =>
      ask(`{ consolidationHistory(network: HOODI, fromDay: ${first}, toDay: ${first + 9}, orderBy: { field: PERIOD, direction: ASC }, ${args}) {
        nodes { day } pageInfo { startCursor } } }`);
    const { consolidationHistory: end } = await page('last: 4');
    expect(end.nodes.map((row: any) => row.day)).toEqual([6, 7, 8, 9].map((more) => first + more));
    const { consolidationHistory: before } = await page(`last: 4, before: "${end.pageInfo.startCursor}"`);
    expect(before.nodes.map((row: any) => row.day)).toEqual([2, 3, 4, 5].map((more) => first + more));
  });

  it('is ordered by its figures, and refuses what is out of range', async () => {
    const { consolidationHistory } = await ask(
      '{ consolidationHistory(orderBy: { field: CAPACITY_FILLED, direction: DESC }, first: 5) { nodes { capacityFilled } } }',
    );
    const shares = consolidationHistory.nodes.map((row: any) => row.capacityFilled);
    expect(shares).toEqual([...shares].sort((one, other) => other - one));
    const { errors } = await gateway.graphql(
      '{ consolidationHistory(where: { operator: { operatorId: "x", idType: VALIDATOR } }) { nodes { id } } }',
    );
    expect(errors?.[0].message).toContain('where.operator.idType is VALIDATOR');
  });
});

describe('consolidationHistory without an active balance', () => {
  const empty = useGateway({ template: 'empty' });
  it('is empty, and with the first consolidation has its days without a capacity', async () => {
    const days = async () => {
      const { data } = await empty.graphql(
        '{ consolidationHistory(orderBy: { field: PERIOD, direction: ASC }, first: 3) { nodes { consolidationCount capacity capacityFilled } } }',
      );
      return data.consolidationHistory.nodes;
    };
    expect(await days()).toEqual([]);
    const pubkey = (digit: string) => `0x${digit.repeat(96)}`;
    const row = {
      epoch: electraEpoch.mainnet + 200,
      ...{ sourceValidatorIndex: 1, sourceValidatorPubkey: pubkey('1') },
      ...{ targetValidatorIndex: 2, targetValidatorPubkey: pubkey('2') },
      consolidatedBalance: 32_000_000_000,
    };
    const report = await importText(empty, 'consolidations', JSON.stringify([row]));
    expect(report).toMatchObject({ inserted: 1 });
    const unknown = { capacity: null, capacityFilled: null };
    expect(await days()).toEqual([
      { consolidationCount: 0, ...unknown },
      { consolidationCount: 1, ...unknown },
    ]);
  });
});
