import type { z } from 'zod';
import * as Leaf from '../kernel/leaves.ts';
import { snake } from '../kernel/names.ts';
import { type Fields, raw } from './rows.ts';

const sentAsText = new Set(['BigInt', 'Decimal', 'Date']);

export const recordColumns = <Shape extends z.ZodRawShape>(record: z.ZodObject<Shape>, alias: string) =>
  Object.fromEntries(
    Object.entries(record.shape).map(([name, schema]) => {
      const cast = sentAsText.has(Leaf.leafKind(schema) ?? '') ? '::text' : '';
      return [name, raw(`${alias}.${snake(name)}${cast}`)];
    }),
  ) as Fields<keyof Shape & string>;
