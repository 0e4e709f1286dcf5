import type { z } from 'zod';
import * as Leaf from '../../kernel/leaves.ts';
import { avalanche } from './networks/avalanche.ts';
import { babylon } from './networks/babylon.ts';
import { cardano } from './networks/cardano.ts';
import { celestia } from './networks/celestia.ts';
import { type RewardSum, type RewardsDefinition, rewardSums } from './networks/definition.ts';
import { polkadot } from './networks/polkadot.ts';
import { polygon } from './networks/polygon.ts';
import { solana } from './networks/solana.ts';

export { type RewardSum, rewardSums };

/** Networks with daily rewards (spec §4.9). */
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

export const rewardKinds = ['validator', 'network'] as const;
export type RewardKind = (typeof rewardKinds)[number];

export const rewardRecord = (network: RewardsNetwork, kind: RewardKind): z.ZodObject =>
  definitions[network][kind];

/** Decimal values are JSON numbers. */
export const recordV1Of = (network: RewardsNetwork, kind: RewardKind): z.ZodObject =>
  Leaf.decimalsAsNumbers(rewardRecord(network, kind));

export const fieldsOf = (network: RewardsNetwork, kind: RewardKind): string[] =>
  Object.keys(rewardRecord(network, kind).shape);

const STAKE = 'totalStake';
export const hasStake = (network: RewardsNetwork): boolean => fieldsOf(network, 'validator').includes(STAKE);

/** Maps each GraphQL name to the record's field; undefined if the record has none. */
export const commonFieldsOf = (
  network: RewardsNetwork,
  kind: RewardKind,
): Record<'stake' | 'displayName', string | undefined> => ({
  stake: hasStake(network) ? STAKE : undefined,
  displayName: kind === 'validator' ? (definitions[network] as RewardsDefinition).nameField : undefined,
});

export const titlesOf = (networks: readonly RewardsNetwork[], last = ', '): string =>
  networks.map((network) => definitions[network].title).join(last);

export const sortFieldsOf = (network: RewardsNetwork, kind: RewardKind): string[] =>
  Object.entries(rewardRecord(network, kind).shape)
    .filter(
      ([name, schema]) =>
        !/Id$/.test(name) && ['Int', 'Decimal', 'Date'].includes(Leaf.leafKind(schema) ?? ''),
    )
    .map(([name]) => name);
