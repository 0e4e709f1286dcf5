import { createHash } from 'node:crypto';
import type { Pool } from '../../../src/db/pool.ts';
import { expected, syncCommitteeRewards, type Table } from './expected.ts';
import type { Row, Run } from './run.ts';

type Database = Pick<Pool, 'query'>;

const keys: Record<Table, string[]> = {
  validators: ['validatorIndex'],
  validator_days: ['utc', 'day', 'validatorIndex'],
  attestation_hours: ['utc', 'hour', 'idType', 'entityId'],
  attestation_days: ['utc', 'day', 'idType', 'entityId'],
  blocks: ['slot'],
  builders: ['pubkey'],
  slashings: ['validatorIndex'],
  consolidations: ['sourceIndex'],
  chain_balances: ['epoch'],
  chain_daily_rewards: ['day'],
};

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const asText = (value: unknown) => (value === null || value === undefined ? null : String(value));

/** Rows near the head may still be replaced; they are not compared. */
const final: Partial<Record<Table, string>> = {
  blocks: ' where finalized',
  slashings: ' where head_slot is null',
};

/** All final rows of a table, with the fields of `like`, as text. */
async function storedRows(database: Database, table: Table, like: Row): Promise<Row[]> {
  const columns = Object.keys(like).map((name) => `${snake(name)}::text as "${name}"`);
  const entities = table.startsWith('attestation_') ? ' join attestation_entities using (entity_key)' : '';
  const { rows } = await database.query({
    text: `select ${columns.join(', ')} from ${table}${entities}${final[table] ?? ''}`,
    values: [],
  });
  return rows;
}

/** Doubles may differ in their last digits, since their sums depend on the order. */
function same(field: string, wanted: string | null, found: string | null): boolean {
  if (wanted === found) return true;
  if (field !== 'avgAttesterEffectiveness' || wanted === null || found === null) return false;
  return Math.abs(Number(wanted) - Number(found)) <= 1e-12 * Math.abs(Number(wanted));
}

export type Comparison = { rows: number; differences: string[] };

/** Fields that `passOver` names are not compared. */
function compareRows(
  table: Table,
  wanted: readonly Row[],
  found: readonly Row[],
  passOver: readonly string[],
): Comparison {
  const name = (row: Row) => keys[table].map((key) => `${key} ${asText(row[key])}`).join(', ');
  const stored = new Map(found.map((row) => [name(row), row]));
  const differences: string[] = [];
  if (stored.size < found.length) differences.push(`${table}: has rows twice`);
  for (const row of wanted) {
    const other = stored.get(name(row));
    stored.delete(name(row));
    if (!other) {
      differences.push(`${table}, ${name(row)}: missing`);
      continue;
    }
    for (const [field, value] of Object.entries(row)) {
      if (passOver.includes(field)) continue;
      const [expected, actual] = [asText(value), asText(other[field])];
      if (!same(field, expected, actual)) {
        differences.push(`${table}, ${name(row)}: ${field} is ${actual}, expected ${expected}`);
      }
    }
  }
  for (const left of stored.keys()) differences.push(`${table}, ${left}: not expected`);
  return { rows: wanted.length, differences };
}

const digest = (text: string) => createHash('md5').update(text).digest('hex');

/** Slot by slot: there may be millions of rows. */
async function compareSeats(database: Database, run: Run): Promise<Comparison> {
  const { rows } = await database.query({
    text: `select network, slot, count(*)::int as count, md5(string_agg(
       concat_ws(':', rank, validator_index, position, reward), ',' order by rank)) as digest
     from sync_committee_rewards group by network, slot`,
    values: [],
  });
  const stored = new Map(rows.map((row: any) => [`${row.network} ${row.slot}`, row]));
  const result: Comparison = { rows: 0, differences: [] };
  for (const { slot, rows: seats } of syncCommitteeRewards(run)) {
    result.rows += seats.length;
    const found = stored.get(`hoodi ${slot}`);
    stored.delete(`hoodi ${slot}`);
    const text = seats.map((seat) => [seat.rank, seat.validatorIndex, seat.position, seat.reward].join(':'));
    if (found?.digest === digest(text.join(','))) continue;
    result.differences.push(
      `sync_committee_rewards, slot ${slot}: ${found?.count ?? 0} rows of other content`,
    );
  }
  for (const left of stored.keys()) result.differences.push(`sync_committee_rewards, ${left}: not expected`);
  return result;
}

/** Compares all stored rows with those that a run must leave, field for field. */
export async function compare(
  database: Database,
  run: Run,
  passOver: Partial<Record<Table, readonly string[]>> = {},
): Promise<Record<Table | 'sync_committee_rewards', Comparison>> {
  const result = {} as Record<Table | 'sync_committee_rewards', Comparison>;
  for (const [name, rows] of Object.entries(expected(run))) {
    const table = name as Table;
    const like = rows[0] ?? Object.fromEntries(keys[table].map((key) => [key, 0]));
    const found = await storedRows(database, table, like);
    result[table] = compareRows(table, rows, found, passOver[table] ?? []);
  }
  result.sync_committee_rewards = await compareSeats(database, run);
  return result;
}
