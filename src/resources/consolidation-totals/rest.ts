import { z } from 'zod';
import { boundFaults, isBounded } from '../../chain/bounds.ts';
import { param } from '../../chain/params.ts';
import type { Context } from '../../context.ts';
import { envelopeV1, linksV1 } from '../../kernel/envelopes.ts';
import { type Call, route } from '../../kernel/route.ts';
import { entityClasses } from '../consolidations/record.ts';
import {
  ConsolidationCapacity,
  capacitySortFields,
  EntityConsolidation,
  EntityConsolidationCapacity,
  entitySortFields,
} from './record.ts';
import {
  consolidationCapacities,
  ENTITIES_SIZES,
  entityCapacities,
  entityConsolidations,
  type PlacedPage,
} from './resolve.ts';

const tag = 'Consolidations';
const sizes = () => param.page(ENTITIES_SIZES);
const entityTypeParam = () =>
  param.choice(entityClasses, {
    description: 'Class of the entities; only classes that validators belong to.',
    nullable: true,
    default: 'nodeOperator',
  });

const rangeFrom = (offset: number, limit: number) => ({
  ...(offset > 0 ? { after: offset - 1 } : {}),
  limit,
  rowsOnly: true,
});

async function bodyOf<Row>(
  call: Call,
  { limit, offset }: { limit: number; offset: number },
  page: PlacedPage<Row>,
) {
  const links = linksV1(call, { limit, offset, count: await page.total() });
  return { ...links, results: page.rows as Row[] };
}

const entities = route({
  path: '/v1/eth/entityConsolidations',
  operationId: 'listEntityConsolidations',
  tag,
  summary: 'Consolidations by entity',
  description:
    'Consolidations by the entity of the source validator, largest balance first. Sources without a known entity of the class are left out. Dates and days may be combined: the narrower range counts.',
  example: '/v1/eth/entityConsolidations?entityType=pool',
  query: z.object({
    entityType: entityTypeParam(),
    ...sizes(),
    ...param.range(),
    sortBy: param.choice(entitySortFields, {
      description: 'Field to sort by, ties by id.',
      default: 'consolidatedBalance',
    }),
    sortOrder: param.sortOrder('desc'),
  }),
  crossFieldFaults: (query) => boundFaults(query, 'query'),
  reply: envelopeV1(EntityConsolidation),
  reads: ({ sizes }, { query }) => (isBounded(query) ? sizes.consolidations : 0),
  async handle(ctx: Context, { query }, call) {
    const { entityType, limit, offset, utc, ...others } = query;
    const args = { ...others, idType: entityType, calendar: utc ? ('utc' as const) : ('chain' as const) };
    const page = await entityConsolidations(ctx, ctx.network, args, rangeFrom(offset, limit));
    return { body: await bodyOf(call, query, page) };
  },
});

const capacity = route({
  path: '/v1/eth/consolidationCapacity',
  operationId: 'listConsolidationCapacity',
  tag,
  summary: 'Use of the consolidation churn limit',
  description:
    'One record for each window, in the order 1d, 7d, 30d, all. The churn limit is the balance that Electra (EIP-7251), and since Gloas EIP-8061, allows to be consolidated per epoch at the active balance of `latestEpoch`; `all` begins with Electra, and a window across the fork sums both limits. Empty while no active balance of the network is stored.',
  example: '/v1/eth/consolidationCapacity',
  reply: z.array(ConsolidationCapacity),
  handle: async (ctx: Context) => ({ body: await consolidationCapacities(ctx, ctx.network) }),
});

const capacityByEntity = route({
  path: '/v1/eth/consolidationCapacity/entity',
  operationId: 'listEntityConsolidationCapacity',
  tag,
  summary: 'Use of the consolidation churn limit by entity',
  description:
    'Entities of a class whose validators consolidated in the window, as sources, and what each used of the capacity; largest balance first.',
  example: '/v1/eth/consolidationCapacity/entity?window=30d',
  query: z.object({
    window: param.window(),
    entityType: entityTypeParam(),
    ...sizes(),
    sortBy: param.choice(capacitySortFields, {
      description: 'Field to sort by, ties by id.',
      default: 'consolidatedBalance',
    }),
    sortOrder: param.sortOrder('desc'),
  }),
  reply: envelopeV1(EntityConsolidationCapacity),
  reads: ({ sizes }, { query }) => (query.window === 'all' ? sizes.consolidations : 0),
  async handle(ctx: Context, { query }, call) {
    const { entityType, limit, offset, ...others } = query;
    const args = { ...others, idType: entityType };
    const page = await entityCapacities(ctx, ctx.network, args, rangeFrom(offset, limit));
    return { body: await bodyOf(call, query, page) };
  },
});

export const consolidationTotalRoutes = [entities, capacity, capacityByEntity];
