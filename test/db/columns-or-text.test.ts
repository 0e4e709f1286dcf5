import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sql } from '../../src/db/rows.ts';
import { columnsOrText } from '../../src/fast-rows/columns-or-text.ts';
import { type LayoutPart, RowLayout } from '../../src/fast-rows/row-layout.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { runs } from '../support/thorough.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase('empty');
});
afterAll(() => database.drop());

type Value = { part: LayoutPart; given: unknown; shown: unknown; type: string };

/** The JSON of a row of these values: PostgreSQL writes one part, and the server the other. */
async function written(values: readonly Value[]): Promise<string> {
  const parts = values.map(({ part }) => part);
  const fields = Object.fromEntries(
    values.flatMap(({ part, given, type }) =>
      'column' in part ? [[part.column, sql`(${given}::text)::${sql([type])}`]] : [],
    ),
  );
  const { columns, decode } = columnsOrText(new RowLayout(parts), { record: z.object({}), fields });
  const { rows } = await database.pool.query(sql`select ${columns}`);
  const [row] = rows as [Record<string, unknown>];
  decode?.(row);
  return row.text as string;
}

const stages = { 'in queue': 'IN_QUEUE', gone: 'GONE' };
// PostgreSQL stores no text with a NUL.
const textOf = fc.string({ unit: 'binary' }).map((all) => all.replaceAll('\0', '\u0001'));
const doubles = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const kinds = [
  [fc.integer(), 'digits', 'int', (value: unknown) => value],
  [doubles, 'double', 'double precision', (value: unknown) => value],
  [fc.boolean(), 'text', 'boolean', (value: unknown) => value],
  [textOf, 'text', 'text', (value: unknown) => value],
  [fc.bigInt({ min: 0n, max: 10n ** 40n }), 'quoted', 'numeric', String],
  [fc.jsonValue().map((value) => JSON.stringify(value)), 'json', 'json', (value: any) => JSON.parse(value)],
  [fc.constantFrom(...Object.keys(stages)), stages, 'text', (value: unknown) => stages[value as never]],
] as const;
const value = (index: number): fc.Arbitrary<Value> =>
  fc.oneof(
    fc.constant({ part: { key: `k${index}`, constant: 'Row' }, given: null, shown: 'Row', type: '' }),
    ...kinds.map(([values, kind, type, shownOf]) =>
      fc.tuple(values as fc.Arbitrary<unknown>, fc.boolean(), fc.boolean()).map(([given, nullable, none]) => {
        const part: LayoutPart = { key: `k${index}`, column: `c${index}`, kind, nullable };
        return nullable && none
          ? { part, given: null, shown: null, type }
          : { part, given: String(given), shown: shownOf(given), type };
      }),
    ),
  );

describe('a row that comes as one text', () => {
  it('is the JSON of its values in their order, whatever they hold', async () => {
    const lists = fc
      .nat({ max: 12 })
      .chain((size) => fc.tuple(...Array.from({ length: size }, (_, i) => value(i))));
    await fc.assert(
      fc.asyncProperty(lists, async (values) => {
        const shown = Object.fromEntries(values.map(({ part, shown }) => [part.key, shown]));
        expect(JSON.stringify(JSON.parse(await written(values)))).toBe(JSON.stringify(shown));
      }),
      runs(300),
    );
  });

  it('may have more values than a call of PostgreSQL takes', async () => {
    const values = Array.from({ length: 250 }, (_, index): Value => {
      const part: LayoutPart = { key: `k${index}`, column: `c${index}`, kind: 'digits', nullable: false };
      return { part, given: String(index), shown: index, type: 'int' };
    });
    expect(Object.values(JSON.parse(await written(values)))).toEqual(values.map(({ shown }) => shown));
  });

  it.each([1, 2, 99, 100, 199])(
    'is refused where one of %i values is null against its record',
    async (size) => {
      const values = Array.from({ length: size }, (_, index): Value => {
        const part: LayoutPart = { key: `k${index}`, column: `c${index}`, kind: 'digits', nullable: false };
        return { part, given: index < size - 1 ? '7' : null, shown: 7, type: 'int' };
      });
      await expect(written(values)).rejects.toThrow(/one of them is null|is "", which it cannot be/);
    },
  );

  it('is refused where a value is none of its names', async () => {
    const part: LayoutPart = { key: 'stage', column: 'stage', kind: stages, nullable: true };
    const row = { part, given: 'alien', shown: null, type: 'text' };
    await expect(written([row])).rejects.toThrow('stage is "alien", which it cannot be.');
  });
});

describe('rows that come in one text', () => {
  const parts: LayoutPart[] = [
    { key: 'name', column: 'name', kind: 'text', nullable: true },
    { key: 'count', column: 'count', kind: 'digits', nullable: false },
  ];
  const fields = { name: sql`v.name`, count: sql`v.count` };
  const { texts } = columnsOrText(new RowLayout(parts), { record: z.object({}), fields });
  if (!texts) throw new Error('Rows with a layout come as text.');
  const { text, gather, decode } = texts;
  const gathered = async (given: readonly { name: string | null; count: number }[]) => {
    const { rows } = await database.pool.query(sql`
      select ${gather(sql`q.text`)} as all from (
        select ${text} as text
        from unnest(${given.map(({ name }) => name)}::text[], ${given.map(({ count }) => count)}::int[])
          with ordinality as v (name, count, place)
        order by v.place
      ) q`);
    return (rows as [{ all: string | null }])[0].all;
  };

  it('are those rows in their order, whatever they hold', async () => {
    const row = fc.record({ name: fc.option(textOf), count: fc.nat() });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 30 }), async (given) => {
        const all = await gathered(given);
        expect(decode(all as string).map((json) => JSON.parse(json))).toEqual(given);
      }),
      runs(200),
    );
  });

  it('are nothing where there is none', async () => {
    expect(await gathered([])).toBeNull();
  });
});
