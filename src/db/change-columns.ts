import { z } from 'zod';
import * as Leaf from '../kernel/leaves.ts';
import { snake } from '../kernel/names.ts';
import { raw, type Sql } from './rows.ts';

export const spans = ['1d', '7d', '30d'] as const;
export type Span = (typeof spans)[number];

export const changeColumn = (figure: string, span: Span): string => `${figure}_change_${span}`;
export const sinceColumn = (span: Span): string => `change_since_${span}`;

const changeOf = {
  Int: Leaf.int,
  Float: Leaf.number,
  Decimal: Leaf.decimal,
  BigInt: Leaf.signedGwei,
} as Record<string, () => z.ZodType>;

export const changeRecord = <Shape extends z.ZodRawShape>(figures: z.ZodObject<Shape>) =>
  z.object({
    since: Leaf.date().describe('The date whose figures these are compared with.'),
    ...Object.fromEntries(
      Object.entries(figures.shape).map(([name, schema]) => {
        const leaf = (changeOf[Leaf.leafKind(schema) ?? ''] as () => z.ZodType)();
        const changed = Leaf.isNullable(schema) ? leaf.nullable() : leaf;
        return [name, changed.describe(`Change of \`${name}\`, in its unit; negative for a decrease.`)];
      }),
    ),
  });

export const changesRecord = <Shape extends z.ZodRawShape>(figures: z.ZodObject<Shape>) => {
  const change = changeRecord(figures).nullable();
  return z.object({ '1d': change, '7d': change, '30d': change });
};
export type Changes = Record<Span, Record<string, unknown> | null>;

export function changesColumn<Shape extends z.ZodRawShape>(figures: z.ZodObject<Shape>, alias: string): Sql {
  const of = (span: Span) => {
    const values = Object.entries(figures.shape).map(([name, schema]) => {
      // JSON of the driver would round them.
      const text = ['BigInt', 'Decimal'].includes(Leaf.leafKind(schema) ?? '') ? '::text' : '';
      return `'${name}', ${alias}.${changeColumn(snake(name), span)}${text}`;
    });
    const since = `${alias}.${sinceColumn(span)}`;
    return `'${span}', case when ${since} is not null then json_build_object('since', ${since}, ${values.join(', ')}) end`;
  };
  return raw(`json_build_object(${spans.map(of).join(', ')})`);
}
