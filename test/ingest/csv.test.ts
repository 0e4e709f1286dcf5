import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { importFile } from '../../src/ingest/import-file.ts';
import { useGateway } from '../support/gateway.ts';
import { runs } from '../support/thorough.ts';
import { operator, slashing, useFiles } from './rows.ts';

const write = useFiles();
const gateway = useGateway({ template: 'empty' });
beforeEach(async () => {
  const text = 'truncate operator_summaries, operator_lists, slashings cascade';
  await gateway.database.pool.query({ text, values: [] });
});

const load = async (resource: 'operators' | 'slashings', content: string | Buffer, name = 'rows.csv') =>
  importFile(gateway.database.pool, resource, await write(content, name), { network: 'mainnet' });

const quoted = (value: unknown): string => {
  if (value === null) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
const csv = (rows: Record<string, unknown>[]) => {
  const header = Object.keys(rows[0] ?? {});
  return [header, ...rows.map((row) => header.map((name) => quoted(row[name])))]
    .map((line) => line.join(','))
    .join('\n');
};
const answered = async () =>
  (await gateway.get('/v0/eth/operators?window=7d&idType=pool&size=200')).json.data;

describe('CSV with a header of field names', () => {
  it('is read as the same rows are as JSON, lists as JSON and empty cells as null', async () => {
    const rows = [
      operator('Pool, "A"\nof two lines', { operatorTags: [{ name: 'exchange', path: null, idType: null }] }),
      operator('0123', { avgInclusionDelay: null, displayName: '42' }),
    ];
    expect(await load('operators', csv(rows))).toMatchObject({ loaded: true, inserted: 2, faults: [] });
    expect(await answered()).toEqual(rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
  });

  it.each([
    ['t', true],
    ['f', false],
    ['T', true],
    ['true', true],
    ['FALSE', false],
  ])('has %s, as PostgreSQL writes or takes it, for %s', async (cell, value) => {
    const header = 'validatorIndex,validatorPubkey,slashed';
    const path = await write(`${header}\n1,0x${'a'.repeat(96)},${cell}\n`, 'flags.csv');
    await importFile(gateway.database.pool, 'validators', path, { network: 'mainnet' });
    const { data } = await gateway.graphql('{ validator(by: { index: 1 }) { slashed } }');
    expect(data.validator).toEqual({ slashed: value });
  });

  it.each(['1', 'yes', 'tr', 'n'])('refuses %s for true or false', async (cell) => {
    const header = 'validatorIndex,validatorPubkey,slashed';
    const path = await write(`${header}\n1,0x${'a'.repeat(96)},${cell}\n`, 'flags.csv');
    const { faults } = await importFile(gateway.database.pool, 'validators', path, { network: 'mainnet' });
    expect(faults).toMatchObject([{ field: 'slashed', msg: 'must be true or false' }]);
  });

  it('is read gzipped, with CRLF and after a byte order mark', async () => {
    const text = `\ufeff${csv([slashing(1), slashing(2)]).replaceAll('\n', '\r\n')}\r\n`;
    expect(await load('slashings', gzipSync(text), 'rows.csv.gz')).toMatchObject({
      loaded: true,
      inserted: 2,
    });
  });

  it('is told by --format where the name does not tell it', async () => {
    const path = await write(csv([slashing(1)]), 'rows.txt');
    const options = { network: 'mainnet', format: 'csv' } as const;
    expect(await importFile(gateway.database.pool, 'slashings', path, options)).toMatchObject({
      inserted: 1,
    });
  });

  it('gives each row back, whatever its texts hold', async () => {
    const names = fc.uniqueArray(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).filter((id) => !/\0|^\\*x|^0x/i.test(id)),
      { minLength: 1, maxLength: 20 },
    );
    await fc.assert(
      fc.asyncProperty(names, async (ids) => {
        await gateway.database.pool.query({
          text: 'truncate operator_summaries, operator_lists cascade',
          values: [],
        });
        expect(await load('operators', csv(ids.map((id) => operator(id))))).toMatchObject({ faults: [] });
        expect((await answered()).map((row: any) => row.id).toSorted()).toEqual(ids.toSorted());
      }),
      { ...runs(20), endOnFailure: true },
    );
  });

  it('names line and field of each fault', async () => {
    const { faults } = await load(
      'slashings',
      csv([slashing(1), slashing(2, { slashingEpoch: 'soon' }), slashing(3, { validatorPubkey: '' })]),
    );
    expect(faults.map(({ place, field }) => `${place} ${field}`)).toEqual([
      'line 3 slashingEpoch',
      'line 4 validatorPubkey',
    ]);
  });

  it('tells a line with too few or too many cells, and loads the others where that is asked for', async () => {
    const lines = csv([slashing(1), slashing(2), slashing(3)]).split('\n');
    lines[2] = `${lines[2]},9`;
    lines.push('4');
    const text = lines.join('\n');
    const { loaded, faults } = await load('slashings', text);
    expect(loaded).toBe(false);
    expect(faults.map(({ place, field, msg }) => [place, field, msg])).toEqual([
      ['line 3', '(row)', 'has 8 cells, but the header has 7'],
      ['line 5', '(row)', 'has 1 cells, but the header has 7'],
    ]);
    const rejected: string[] = [];
    const path = await write(text, 'some.csv');
    const report = await importFile(gateway.database.pool, 'slashings', path, {
      network: 'mainnet',
      skipInvalid: true,
      onRejected: (row) => rejected.push(row),
    });
    expect(report).toMatchObject({ loaded: true, inserted: 2, rejected: 2 });
    expect(rejected.map((row) => JSON.parse(row).length)).toEqual([8, 1]);
  });

  describe('of many lines', () => {
    const clients = async (text: string) => {
      const { pool } = gateway.database;
      await pool.query({ text: 'truncate validator_clients', values: [] });
      const report = await importFile(pool, 'validator-clients', await write(text, 'many.csv'), {
        network: 'mainnet',
      });
      const stored = await pool.query({
        text: 'select client from validator_clients order by validator_index',
        values: [],
      });
      return { faults: report.faults, stored: stored.rows.map(({ client }) => client) };
    };

    it('may end them with LF and CRLF, and have line breaks in cells', async () => {
      const lines = [
        '1,Prysm\r\n',
        '2,Teku\n',
        '\r\n',
        '3,"Nim\r\nbus"\r\n',
        '4,Prysm\n',
        '5,Lodestar\r\n',
        '6,Grandine\r',
      ];
      expect(await clients(`validatorIndex,client\n${lines.join('')}`)).toEqual({
        faults: [],
        stored: ['Prysm', 'Teku', 'Nim\r\nbus', 'Prysm', 'Lodestar', 'Grandine'],
      });
    });

    it.each([['1,Prysm\n2,Teku\n3,Teku\r4,Prysm\n'], ['1,Prysm\n2,Teku\n"3","Teku"\r4,Prysm\n']])(
      'may not end one with CR alone',
      async (text) => {
        await expect(clients(`validatorIndex,client\n${text}`)).rejects.toThrow(/is not CSV: .*line 4/);
      },
    );
  });

  it.each([
    ['an unknown column', 'validatorIndex,colour\n1,red\n', /names "colour"; columns are .*validatorIndex/],
    ['a column twice', 'validatorIndex,validatorIndex\n1,1\n', /names validatorIndex twice/],
    ['an open quote', 'validatorIndex\n"1\n', /is not CSV: /],
    ['text after a quote', 'validatorIndex\n"1"\n"2"3\n', /is not CSV: .*at line 3/],
    ['a quote within a cell', 'validatorIndex,network\n1,mainnet\n2,a"b"\n', /is not CSV: .*at line 3/],
  ])('is refused with %s', async (_name, text, message) => {
    await expect(load('slashings', text)).rejects.toThrow(message);
  });
});
