import type { Calendar } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import type { TimeWindow } from '../../chain/windows.ts';
import { type RewardsNetwork, rewardsNetworks } from '../../resources/network-rewards/record.ts';
import { idTypes } from '../../resources/operators/record.ts';

export const mirrorClasses = idTypes.filter((name) => name !== 'privateSet');
export type MirrorClass = (typeof mirrorClasses)[number];

/** Mirrored in this order, because later resources need earlier ones. */
export const mirrorResources = [
  ...(['operators', 'slashings', 'chain-daily-rewards', 'consolidations', 'solana-overview'] as const),
  ...(['stake-authorities', 'blocks', 'sync-committee-rewards', 'attestations'] as const),
  ...rewardsNetworks.map((network) => `${network}-rewards` as const),
] as const;
export type MirrorResource = (typeof mirrorResources)[number];

export type MirrorScope = {
  resources: readonly MirrorResource[];
  /** If true, a 404 is a failure. */
  resourcesNamed: boolean;
  networks: readonly Network[];
  windows: readonly TimeWindow[];
  classes: readonly MirrorClass[];
  attestationsOf: readonly MirrorClass[];
  calendars: readonly Calendar[];
  blockSlots: number;
  committeeSlots: number;
  validators: readonly { network: RewardsNetwork; id: string }[];
  full: boolean;
  pageSize: number;
};
