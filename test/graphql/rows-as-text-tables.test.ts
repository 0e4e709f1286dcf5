import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { isNullable } from '../../src/kernel/leaves.ts';
import { AttestationRecord } from '../../src/resources/attestations/record.ts';
import { OperatorSummary } from '../../src/resources/operators/record.ts';
import { StakeAuthoritySummary } from '../../src/resources/stake-authorities/record.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase('sample');
});
afterAll(() => database.drop());

const run = (text: string, values: unknown[] = []) => database.pool.query({ text, values });

describe('the tables that rows are written from', () => {
  const tables = [
    'operator_summaries',
    'stake_authority_summaries',
    'attestation_days',
    'attestation_hours',
    'private_set_days',
  ];

  it.each(tables)('refuse a figure that is no number: %s', async (table) => {
    const columns = (
      await run(
        `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and attgenerated = ''
          and atttypid in ('float8'::regtype, 'numeric'::regtype)`,
        [table],
      )
    ).rows as { name: string }[];
    const shown =
      table === 'private_set_days' ? ['sum_attester_effectiveness'] : columns.map(({ name }) => name);
    if (table === 'private_set_days') await aDayOfASet();
    for (const column of shown) {
      for (const value of ['NaN', 'Infinity', '-Infinity']) {
        await expect(
          run(`update ${table} set ${column} = '${value}' where ctid in (select ctid from ${table} limit 1)`),
          `${column} ${value}`,
        ).rejects.toMatchObject({ code: '23514' });
      }
    }
    expect(shown.length).toBeGreaterThan(0);
  });

  it.each([
    ['operator_summaries', OperatorSummary],
    ['stake_authority_summaries', StakeAuthoritySummary],
    ['attestation_days', AttestationRecord],
    ['attestation_hours', AttestationRecord],
    ['private_set_days', AttestationRecord],
  ] as [string, z.ZodObject][])('have what may not be null: %s', async (table, record) => {
    const columns = (
      await run(
        'select column_name as name, is_nullable as nullable from information_schema.columns where table_name = $1',
        [table],
      )
    ).rows as { name: string; nullable: string }[];
    const nullable = new Map(columns.map((column) => [column.name, column.nullable]));
    const names = Object.entries(record.shape)
      .filter(([, field]) => !isNullable(field as z.ZodType))
      .map(([name]) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
    const held = names.filter((name) => nullable.has(name));
    expect(held.length).toBeGreaterThanOrEqual(9);
    expect(held.filter((name) => nullable.get(name) !== 'NO')).toEqual([]);
  });

  /** A day of a private set, of which the sample has none. */
  async function aDayOfASet() {
    const { rows } = await run(
      `select column_name as name, data_type as type from information_schema.columns
        where table_name = 'private_set_days' and is_nullable = 'NO' and is_generated = 'NEVER' and column_default is null`,
    );
    const values: Record<string, string> = {
      uuid: `'00000000-0000-0000-0000-000000000001'`,
      date: `'2025-01-01'`,
      boolean: 'false',
      text: `'mainnet'`,
    };
    const columns = rows as { name: string; type: string }[];
    await run(
      `set session_replication_role = replica; insert into private_set_days (${columns.map(({ name }) => name)})
        values (${columns.map(({ type }) => values[type] ?? '1')})`,
    );
  }
});
