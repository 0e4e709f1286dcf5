import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type KeyColumns, keyTable, sql } from '../../src/db/rows.ts';
import { templates } from '../../src/db/templates.ts';

describe('a statement that is put together once', () => {
  type Call = { keys: { id: string }[]; limit: number };
  const columns: KeyColumns<{ id: string }> = { id: ['text', (key) => key.id] };
  const plain = ({ keys, limit }: Call) =>
    sql`select * from ${keyTable(keys, columns)} join t using (id) limit ${limit}`;

  it('is the statement that each call would put together, whatever calls came before', () => {
    const statement = templates<Call>();
    const call = fc.record({
      keys: fc.array(fc.record({ id: fc.string() }), { minLength: 1, maxLength: 3 }),
      limit: fc.nat(),
    });
    const asked = {};
    fc.assert(
      fc.property(call, (one) => {
        const made = statement(
          asked,
          `${one.keys.length === 1}`,
          one,
          (value) =>
            sql`select * from ${keyTable(one.keys, columns, (of) => value(({ keys }) => of(keys)))} join t using (id) limit ${value(({ limit }) => limit)}`,
        );
        const { text, values } = plain(one);
        expect(made).toEqual({ text, values });
      }),
    );
  });

  it('is not that of another thing asked, or of another shape', () => {
    const statement = templates<Call>();
    const call = { keys: [{ id: 'x' }], limit: 1 };
    const [one, other] = [{}, {}];
    const texts = [
      statement(one, 'a', call, () => sql`select 1`),
      statement(one, 'b', call, () => sql`select 2`),
      statement(other, 'a', call, () => sql`select 3`),
      statement(one, 'a', call, () => sql`select 4`),
    ].map(({ text }) => text);
    expect(texts).toEqual(['select 1', 'select 2', 'select 3', 'select 1']);
  });
});
