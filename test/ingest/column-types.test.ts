import { describe, expect, it } from 'vitest';
import type { Importer } from '../../src/ingest/importer/importer.ts';
import { importers } from '../../src/ingest/importers/index.ts';
import { camel } from '../../src/kernel/names.ts';

/** The nearest whole numbers that 64 bits do not hold. */
const outside = [2n ** 63n, -(2n ** 63n) - 1n].map(String);

describe('a column of 64 bits', () => {
  it.each(Object.entries(importers))('gets no number that it does not hold: %s', (_, importer) => {
    const { shape, columns } = importer as unknown as Importer<unknown>;
    const fields = columns.filter(({ type }) => type === 'bigint').map(({ name }) => camel(name));
    const given = fields.filter((field) => shape.shape[field]);
    const accepting = given.filter((field) =>
      outside.some((value) => shape.shape[field]?.safeParse(value).success),
    );
    expect(accepting).toEqual([]);
  });
});
