import type { Context } from '../../context.ts';
import { listReader, rowReader } from '../../db/batch/readers.ts';
import { ownerReader, summaryReaders } from '../../db/ranked/summaries.ts';
import {
  type StakeAuthorityKey,
  type StakeAuthorityListKey,
  type StakeAuthorityNode,
  stakeAuthoritiesById,
  stakeConcentrations,
  summaries,
} from './queries.ts';
import type { StakeAuthorityField } from './record.ts';

export type { StakeAuthorityKey };

export const stakeAuthorityKeyText = ({ timeWindow, stakeAuthority }: StakeAuthorityKey) =>
  `${timeWindow}:${stakeAuthority}`;

export const {
  byKey: loadStakeAuthority,
  page: loadStakeAuthorityPage,
  ordered: loadOrderedStakeAuthorities,
} = summaryReaders(summaries, stakeAuthorityKeyText);

type Id = { stakeAuthority: string };

const readNode = rowReader({ keyOf: (key: Id) => key.stakeAuthority, load: stakeAuthoritiesById });

export const loadStakeAuthorityNode = ownerReader<Context, Id, StakeAuthorityNode, StakeAuthorityField>(
  readNode,
  loadStakeAuthority,
);

export const loadStakeConcentration = listReader({
  keyOf: ({ timeWindow, type }: StakeAuthorityListKey) => `${timeWindow}:${type}`,
  load: stakeConcentrations,
});
