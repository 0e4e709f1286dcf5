import type { Calendar } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import type { TimeWindow } from '../../chain/windows.ts';
import { type RewardsNetwork, rewardsNetworks } from '../../resources/network-rewards/record.ts';
import { idTypes } from '../../resources/operators/record.ts';

/** Private sets belong to their owners. */
export const mirrorClasses = idTypes.filter((name) => name !== 'privateSet');
export type MirrorClass = (typeof mirrorClasses)[number];

/** In the order of mirroring: later resources need earlier ones. */
export const mirrorResources = [
  ...(['operators', 'slashings', 'chain-daily-rewards', 'consolidations', 'solana-overview'] as const),
  ...(['stake-authorities', 'blocks', 'sync-committee-rewards', 'attestations'] as const),
  ...rewardsNetworks.map((network) => `${network}-rewards` as const),
] as const;
export type MirrorResource = (typeof mirrorResources)[number];

export type MirrorScope = {
  resources: readonly MirrorResource[];
  /** Whether the caller named them: a list that the service lacks is then a failure. */
  resourcesNamed: boolean;
  networks: readonly Network[];
  windows: readonly TimeWindow[];
  /** Classes of operators. */
  classes: readonly MirrorClass[];
  /** Classes of operators whose attestations are mirrored. */
  attestationsOf: readonly MirrorClass[];
  calendars: readonly Calendar[];
  /** How many of the newest slots to read when no block is stored yet. */
  blockSlots: number;
  /** How many of the newest slots to read sync committee rewards for. */
  committeeSlots: number;
  /** Validators of other networks whose daily rewards are mirrored. */
  validators: readonly { network: RewardsNetwork; id: string }[];
  /** Reads series from their beginning again. */
  full: boolean;
  pageSize: number;
};
