import type { z } from 'zod';
import { decimalsAsNumbers, leafKind } from '../../kernel/leaves.ts';
import { avalanche } from './networks/avalanche.ts';
import { babylon } from './networks/babylon.ts';
import { cardano } from './networks/cardano.ts';
import { celestia } from './networks/celestia.ts';
import type { RewardsDefinition } from './networks/definition.ts';
import { polkadot } from './networks/polkadot.ts';
import { polygon } from './networks/polygon.ts';
import { solana } from './networks/solana.ts';

/** The networks whose rewards are published by UTC days (spec §4.9), by their name in the path. */
export const definitions = {
  avalanche,
  babylon,
  cardano,
  celestia,
  polkadot,
  polygon,
  solana,
} satisfies Record<string, RewardsDefinition>;
export type RewardsNetwork = keyof typeof definitions;
export const rewardsNetworks = Object.keys(definitions) as RewardsNetwork[];

/** Whose rewards a list has: those of one validator, or of the network as a whole. */
export const rewardKinds = ['validator', 'network'] as const;
export type RewardKind = (typeof rewardKinds)[number];

/** The record of a list, its decimals as text. */
export const recordOf = (network: RewardsNetwork, kind: RewardKind): z.ZodObject =>
  definitions[network][kind];

/** The same with decimals as JSON numbers, as v1 writes them. */
export const recordV1Of = (network: RewardsNetwork, kind: RewardKind): z.ZodObject =>
  decimalsAsNumbers(recordOf(network, kind));

/** The fields of a list's record, in documented order. */
export const fieldsOf = (network: RewardsNetwork, kind: RewardKind): string[] =>
  Object.keys(recordOf(network, kind).shape);

/** What a list can be sorted by: its numbers and dates, but no identifier. */
export const sortFieldsOf = (network: RewardsNetwork, kind: RewardKind): string[] =>
  Object.entries(recordOf(network, kind).shape)
    .filter(
      ([name, schema]) => !/Id$/.test(name) && ['Int', 'Decimal', 'Date'].includes(leafKind(schema) ?? ''),
    )
    .map(([name]) => name);
