import { getNamedType, isLeafType, isObjectType } from 'graphql';
import { schema } from '../../../src/graphql/run/schema.ts';
import { withdrawalAddress } from './attestations.ts';
import { chainDailyRewards } from './chain-rows.ts';
import type { Run } from './run.ts';
import { SLOTS } from './votes.ts';

const windows = ['1d', '7d', '30d', 'all'];
const GRANULARITIES = ['hour', 'day', 'week', 'month', 'quarter', 'year', 'all'];

/** The address of most validators, and the first one that holds a slashed validator. */
function addresses(run: Run): string[] {
  const counts = new Map<string, number>();
  for (const record of run.registry) {
    const address = withdrawalAddress(record);
    if (address) counts.set(address, (counts.get(address) ?? 0) + 1);
  }
  const most = [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] as string;
  const slashed = run.registry.filter((record) => record.slashed).map(withdrawalAddress);
  return [...new Set([most, slashed.find((address) => address !== null) ?? most])];
}

/** A slot with a block and one without. */
export function spotSlots(run: Run): number[] {
  const blocks = run.epochs.flatMap((epoch) => run.result(epoch).blocks);
  const missed = blocks.find(({ block }) => !block);
  const slashing = blocks.find(({ slashed }) => slashed.length > 0);
  const slots = [blocks[0], missed, slashing, blocks.at(-1)].flatMap((found) => (found ? [found.slot] : []));
  return [...new Set(slots)].sort((a, b) => a - b);
}

/** REST paths over all resources that an index fills, in every window, calendar and size of period. */
export function restPaths(run: Run): string[] {
  return [
    ...windows.map((window) => `/v0/eth/operators?window=${window}&idType=withdrawalAddress&size=200`),
    ...addresses(run).flatMap((address) => [
      ...windows.map(
        (window) => `/v0/eth/operators/${address}/summary?window=${window}&idType=withdrawalAddress`,
      ),
      ...GRANULARITIES.flatMap((granularity) =>
        ['false', 'true'].map(
          (utc) =>
            `/v1/eth/entities/${address}/attestations?entityType=withdrawalAddress&granularity=${granularity}&utc=${utc}&limit=1000`,
        ),
      ),
    ]),
    '/v0/eth/slashings?size=200',
    `/v0/eth/blocks?size=200&from=${(run.to + 1) * SLOTS - 1}`,
    `/v0/eth/blocks?size=200&from=${run.from * SLOTS + 100}`,
    ...spotSlots(run).flatMap((slot) => [
      `/v0/eth/blocks/${slot}`,
      `/v0/eth/blocks/${slot}/syncCommitteeRewards?limit=512`,
    ]),
    '/v0/eth/network/chainDailyRewards?size=200',
    ...chainDailyRewards(run).map(({ day }) => `/v0/eth/network/chainDailyRewards/${day}`),
    ...['false', 'true'].map((utc) => `/v1/eth/validators/consolidations?limit=200&utc=${utc}`),
    '/v1/eth/entityConsolidations?entityType=withdrawalAddress&limit=200',
    '/v1/eth/consolidationCapacity',
    ...windows.map(
      (window) =>
        `/v1/eth/consolidationCapacity/entity?window=${window}&entityType=withdrawalAddress&limit=200`,
    ),
  ];
}

/** The fields of a type that hold values, or lists of objects of such fields; global ids differ between databases. */
function fieldsOf(type: string): string {
  const object = schema.getType(type);
  if (!isObjectType(object)) throw new Error(`${type} is no object`);
  const fields = Object.values(object.getFields()).filter(
    ({ args, name }) => args.length === 0 && name !== 'id',
  );
  const leaves = fields.filter((field) => isLeafType(getNamedType(field.type))).map(({ name }) => name);
  return leaves.join(' ');
}

const blockFields = `${fieldsOf('Block')} payload { status }
  bid { ${fieldsOf('PayloadBid')} builder { ${fieldsOf('BidBuilder')} } }`;

const list = (field: string, args: string, type: string, more = '') =>
  `{ ${field}(network: HOODI, ${args}) { totalCount nodes { ${fieldsOf(type)} ${more} } } }`;

/** GraphQL over the same. */
export function graphqlQueries(run: Run): string[] {
  const first = run.epochs.flatMap((epoch) => run.result(epoch).blocks).find(({ block }) => block)?.proposer;
  const slashed = run.registry.findIndex((record) => record.slashed);
  return [
    ...['ONE_DAY', 'SEVEN_DAYS', 'THIRTY_DAYS', 'ALL'].map((window) =>
      list('operators', `window: ${window}, idType: WITHDRAWAL_ADDRESS, first: 200`, 'Operator'),
    ),
    ...addresses(run).flatMap((address) =>
      GRANULARITIES.flatMap((granularity) =>
        ['false', 'true'].map((utc) =>
          list(
            'attestations',
            `operatorId: "${address}", idType: WITHDRAWAL_ADDRESS, granularity: ${granularity.toUpperCase()}, utc: ${utc}, first: 1000`,
            'AttestationRecord',
          ),
        ),
      ),
    ),
    list('slashings', 'first: 200', 'Slashing', `validator { ${fieldsOf('Validator')} }`),
    list('blocks', `first: 200, startAtSlot: ${(run.to + 1) * SLOTS - 1}`, 'Block', blockFields),
    list('builders', 'first: 20', 'Builder', `blocks(first: 100) { totalCount nodes { consensusSlot } }`),
    ...spotSlots(run).flatMap((slot) => [
      `{ block(network: HOODI, slot: ${slot}) { ${blockFields} proposer { ${fieldsOf('Validator')} } } }`,
      list('syncCommitteeRewards', `slot: ${slot}`, 'SyncCommitteeReward'),
    ]),
    list('chainDailyRewards', 'first: 200', 'ChainDailyReward'),
    list(
      'consolidations',
      'first: 200',
      'Consolidation',
      `sourceEntities { ${fieldsOf('ConsolidationEntity')} }`,
    ),
    list('operatorConsolidations', 'first: 200, idType: WITHDRAWAL_ADDRESS', 'OperatorConsolidationTotal'),
    `{ consolidationCapacities(network: HOODI) { ${fieldsOf('ConsolidationCapacity')} } }`,
    ...[first, slashed].map(
      (index) => `{ validator(network: HOODI, by: { index: ${index} }) { ${fieldsOf('Validator')}
        proposedBlocks(first: 200) { nodes { ${blockFields} } }  slashing { ${fieldsOf('Slashing')} }
        proposals(granularity: DAY) { nodes { ${fieldsOf('ProposalRecord')} } }
        consolidations(first: 10) { nodes { ${fieldsOf('Consolidation')} } } } }`,
    ),
  ];
}
