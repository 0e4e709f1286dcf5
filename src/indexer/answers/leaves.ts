import { z } from 'zod';
export const digits = (bytes: number) =>
  z
    .string()
    .regex(new RegExp(`^0x[0-9a-f]{${bytes * 2}}$`, 'i'))
    .toLowerCase();

export const hash = digits(32);

export const address = digits(20);

export const bytes = z.string().regex(/^0x([0-9a-f]{2})*$/i);

/** Hexadecimal, as the standard wants, or a number. */
export const quantity = z
  .union([z.string().regex(/^0x[0-9a-f]{1,64}$/i), z.int().nonnegative()])
  .transform(BigInt);

/** Nodes written in Go may write an empty list as null. */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item)
    .nullable()
    .transform((items) => items ?? []);
