import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inOrder } from '../../src/periods/pages.ts';

describe('rows of periods', () => {
  const rows = fc.uniqueArray(fc.record({ list: fc.nat(3), position: fc.nat(20) }), {
    selector: ({ list, position }) => `${list} ${position}`,
  });

  it('are put in order by list and place, from whatever order', () => {
    fc.assert(
      fc.property(rows, fc.boolean(), (found, descending) => {
        const ordered = inOrder([...found], descending);
        expect(new Set(ordered)).toEqual(new Set(found));
        for (const [index, row] of ordered.slice(1).entries()) {
          const before = ordered[index] as (typeof ordered)[0];
          expect(before.list).toBeLessThanOrEqual(row.list);
          if (before.list === row.list) expect(before.position < row.position).toBe(!descending);
        }
      }),
    );
  });
});
