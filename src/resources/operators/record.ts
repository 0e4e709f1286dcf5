import { z } from 'zod';
import type { Network } from '../../chain/networks.ts';
import { TimeWindow } from '../../chain/windows.ts';
import * as Leaf from '../../kernel/leaves.ts';
import { capitalized, snake } from '../../kernel/names.ts';
import { notFound, quoted } from '../../kernel/refusal.ts';

/** Spec §2.2. */
export const idTypes = [
  'depositAddress',
  'withdrawalAddress',
  'nodeOperator',
  'pool',
  'poolShare',
  'entity',
  'validator',
  'privateSet',
] as const;
export const IdType = z.enum(idTypes);
export type IdType = z.infer<typeof IdType>;

/** Spec §4.2. */
export const poolTypes = ['all', 'cex', 'lst'] as const;
export type PoolType = (typeof poolTypes)[number];

export const ClientPercentage = z
  .object({
    client: Leaf.text().describe('Name of the consensus client.'),
    percentage: Leaf.ratio().describe('Share of the validators that run it, 0..1.'),
  })
  .meta({
    id: 'ClientPercentage',
    description: 'A consensus client and the share of validators that run it.',
  });
export type ClientPercentage = z.infer<typeof ClientPercentage>;

export const RelayerPercentage = z
  .object({
    relayer: Leaf.text().describe('Name of the MEV relay; `no_mev_boost` for blocks built locally.'),
    percentage: Leaf.ratio().describe('Share of the proposed blocks that the relay delivered, 0..1.'),
  })
  .meta({
    id: 'RelayerPercentage',
    description: 'A MEV relay and the share of blocks that it delivered.',
  });
export type RelayerPercentage = z.infer<typeof RelayerPercentage>;

export const OperatorTag = z
  .object({
    name: Leaf.text().describe('Name of the tag, such as `exchange`.'),
    path: Leaf.text(2048).nullable().describe('Path that the tag links to; null without one.'),
    idType: Leaf.text(256)
      .nullable()
      .describe('Class of the operator that the tag links to, such as `nodeOperator`; null when unknown.'),
  })
  .meta({ id: 'OperatorTag', description: 'A label of an operator.' });
export type OperatorTag = z.infer<typeof OperatorTag>;

function idInPath(path: string | null | undefined): string | undefined {
  const id = path?.startsWith('/o/') ? path.slice('/o/'.length) : '';
  if (id === '') return undefined;
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

type NamedTag = Pick<OperatorTag, 'name'> & Partial<OperatorTag>;

export const idOfTag = ({ name, path, idType }: NamedTag): string =>
  idType === 'pool' ? name : (idInPath(path) ?? name);

/** Undefined for a label, because it names no operator. */
export function operatorOfTag(tag: OperatorTag): { idType: IdType; id: string } | undefined {
  const idType = IdType.exclude(['validator', 'privateSet']).safeParse(tag.idType).data;
  const id = OperatorSummary.shape.id.safeParse(idOfTag(tag)).data;
  return idType && id !== undefined ? { idType, id: normaliseId(id) } : undefined;
}

/** Spec §2.2. */
export const OperatorSummary = z
  .object({
    id: Leaf.text(256).min(1).describe('Name, address, public key or index of the operator, by its class.'),
    idType: IdType.describe('Class of the operator.'),
    timeWindow: TimeWindow.describe('Window that the figures cover.'),
    validatorCount: Leaf.count().describe('Validators of the operator, at least 0.'),
    avgCorrectness: Leaf.ratio().describe(
      'Mean share of correct attestation votes (head, target, source), 0..1.',
    ),
    avgInclusionDelay: Leaf.nonNegative()
      .nullable()
      .describe(
        'Mean slots until an attestation is included, at least 1, which is best; null without attestations.',
      ),
    avgUptime: Leaf.ratio().describe('Mean share of attestation duties performed, 0..1.'),
    avgValidatorEffectiveness: Leaf.nonNegative().describe(
      'Mean effectiveness of the validators in percent, 0..100.',
    ),
    clientPercentages: z.array(ClientPercentage).describe('Consensus clients of the validators.'),
    networkPenetration: Leaf.ratio()
      .nullable()
      .describe("The operator's share of the network's active effective balance, 0..1."),
    relayerPercentages: z.array(RelayerPercentage).describe('Relays of the proposed blocks.'),
    nodeOperatorCount: Leaf.count()
      .nullable()
      .describe('Node operators of a pool, at least 0; null for other classes.'),
    operatorTags: z.array(OperatorTag).describe('Labels of the operator.'),
    displayName: Leaf.text().nullable().describe('Display name.'),
    aprPercentage: Leaf.number()
      .nullable()
      .describe(
        'Annualised rewards in percent of the mean effective balance over the epochs; negative when penalties exceed rewards.',
      ),
    sumEndEpochBalance: Leaf.gwei().nullable().describe('Balance at the end of the window, in Gwei.'),
    sumEndEpochEffectiveBalance: Leaf.gwei()
      .nullable()
      .describe('Effective balance at the end of the window, in Gwei.'),
  })
  .meta({
    id: 'OperatorSummary',
    description: 'Performance of an operator, pool or address over a time window.',
  });
export type OperatorSummary = z.infer<typeof OperatorSummary>;

/** Only in GraphQL, because REST has only the documented fields. */
export const OperatorProposals = z.object({
  proposerDutyCount: Leaf.storedCount()
    .nullable()
    .describe(
      'Blocks that the validators were to propose in the window, at least 0; null where it is imported.',
    ),
  missedProposalCount: Leaf.storedCount()
    .nullable()
    .describe('Blocks of the window that the validators missed, at least 0; null where it is imported.'),
});
export type OperatorProposals = z.infer<typeof OperatorProposals>;

export type OperatorField =
  | keyof OperatorSummary
  | keyof OperatorProposals
  | 'name'
  | 'tags'
  | 'change'
  | 'asOf';
export const operatorFields = Object.keys(OperatorSummary.shape) as OperatorField[];

export const OperatorTrend = OperatorSummary.pick({
  validatorCount: true,
  avgValidatorEffectiveness: true,
  aprPercentage: true,
  networkPenetration: true,
  sumEndEpochEffectiveBalance: true,
});

const address = /^0x[0-9a-f]{40}$/i;

export const isAddress = (id: string): boolean => address.test(id);

const PUBKEY_DIGITS = 96;
const prefixed = /^(?:0|\\+)x([0-9a-f]{40}|[0-9a-f]{96})$/i;
const bareKey = /^[0-9a-f]{96}$/i;

/**
 * Writes addresses and public keys in lower case with 0x, also those with the `\\x` of a PostgreSQL dump, and public keys
 * without 0x. 40 hex digits without 0x stay as they are, because a pool could be named so. Names are case-sensitive.
 */
export function normaliseId(id: string): string {
  // A faster check, for imports: most ids need no change.
  if (/^0x[0-9a-f]*$/.test(id)) return id;
  if (id.length < 42) return id;
  const digits = id.length === PUBKEY_DIGITS && bareKey.test(id) ? id : prefixed.exec(id)?.[1];
  return digits === undefined ? id : `0x${digits.toLowerCase()}`;
}

export const entityNotFound = (entity: { network: Network; idType: IdType; id: string }) =>
  notFound(
    `${capitalized(snake(entity.idType).replaceAll('_', ' '))} ${quoted(entity.id)}`,
    `on ${entity.network}`,
  );
