import type { FieldRef } from '@pothos/core';
import type { Network } from '../../chain/networks.ts';
import { snake } from '../../kernel/names.ts';
import { builder, type Schema } from './builder.ts';
import type { FieldsOf } from './columns.ts';

export const NetworkEnum = builder.enumType('Network', {
  description: 'An Ethereum network.',
  values: {
    MAINNET: { value: 'mainnet', description: 'Ethereum mainnet.' },
    HOODI: { value: 'hoodi', description: 'The Hoodi test network.' },
    HOLESKY: {
      value: 'holesky',
      description: 'The Holesky test network; only stored data is served.',
      deprecationReason: 'Support for Holesky ended in March 2025.',
    },
    SEPOLIA: {
      value: 'sepolia',
      description: 'The Sepolia test network; its blocks are of Gloas since epoch 353024.',
    },
  } as const,
});

export const networkArgs = builder.args((t) => ({
  network: t.field({
    type: NetworkEnum,
    description: 'Network; default: that of the network header, else MAINNET.',
  }),
}));

export const networkField = <Row extends { network: Network }>(t: FieldsOf<Row>, description: string) =>
  t.expose('network' as never, { type: NetworkEnum, description } as never) as FieldRef<Schema>;

export const TimeWindowEnum = builder.enumType('TimeWindow', {
  description: 'The time that a summary covers.',
  values: {
    ONE_DAY: { value: '1d', description: 'The last day; `1d` in REST.' },
    SEVEN_DAYS: { value: '7d', description: 'The last 7 days; `7d` in REST.' },
    THIRTY_DAYS: { value: '30d', description: 'The last 30 days; `30d` in REST.' },
    ALL: { value: 'all', description: 'All time; `all` in REST.' },
  } as const,
});

export const SortOrderEnum = builder.enumType('SortOrder', {
  description: 'A sort order.',
  values: {
    ASC: { value: 'asc', description: 'Smallest first; of times, oldest first.' },
    DESC: { value: 'desc', description: 'Largest first; of times, newest first.' },
  } as const,
});

export const enumName = (value: string) => snake(value).toUpperCase();

export const enumValues = <V extends string>(values: readonly V[], description: (value: V) => string) =>
  Object.fromEntries(
    values.map((value) => [enumName(value), { value, description: description(value) }]),
  ) as Record<string, { value: V; description: string }>;
