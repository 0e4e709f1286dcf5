import type { Calendar } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import type { TimeWindow } from '../../chain/windows.ts';
import { type RewardsNetwork, rewardsNetworks } from '../../resources/network-rewards/record.ts';
import { idTypes } from '../../resources/operators/record.ts';

/** The classes that a mirror can take: a private set is its owner's alone. */
export const mirrorClasses = idTypes.filter((name) => name !== 'privateSet');
export type MirrorClass = (typeof mirrorClasses)[number];

/** What can be mirrored, in the order in which it is: later resources ask for what earlier ones brought. */
export const mirrorResources = [
  ...(['operators', 'slashings', 'chain-daily-rewards', 'consolidations', 'solana-overview'] as const),
  ...(['stake-authorities', 'blocks', 'sync-committee-rewards', 'attestations'] as const),
  ...rewardsNetworks.map((network) => `${network}-rewards` as const),
] as const;
export type MirrorResource = (typeof mirrorResources)[number];

/** Which lists are mirrored. */
export type MirrorScope = {
  resources: readonly MirrorResource[];
  /** Whether the caller named them: what the service does not have is then a failure. */
  resourcesNamed: boolean;
  networks: readonly Network[];
  windows: readonly TimeWindow[];
  /** Classes of operators. */
  classes: readonly MirrorClass[];
  /** Classes of the operators whose attestations are mirrored. */
  attestationsOf: readonly MirrorClass[];
  calendars: readonly Calendar[];
  /** How many of the newest slots, when no block is mirrored yet. */
  blockSlots: number;
  /** How many of the newest slots have their sync committee rewards mirrored. */
  committeeSlots: number;
  /** Validators of other networks whose daily rewards are mirrored. */
  validators: readonly { network: RewardsNetwork; id: string }[];
  /** Read series from their beginning again. */
  full: boolean;
  pageSize: number;
};
