import { z } from 'zod';
import { boundFaults, datesWithin } from '../../chain/bounds.ts';
import { param } from '../../chain/params.ts';
import type { Context } from '../../context.ts';
import { memberClasses } from '../../db/operator-members.ts';
import { envelopeV1, linksV1 } from '../../kernel/envelopes.ts';
import { pairFaults } from '../../kernel/params.ts';
import { route } from '../../kernel/route.ts';
import { normaliseId } from '../operators/record.ts';
import { RankedValidator, rankingFields } from './record.ts';
import { lookedUp, RANKING_SIZES, ranking, scannedRows } from './resolve.ts';

const list = route({
  path: '/v1/eth/validators/ranking',
  operationId: 'listValidatorRanking',
  tag: 'Validators',
  summary: 'Validators by their figures of a range of days',
  description:
    'Every validator with a stored or archived day in the range, in the order of its effectiveness, its rewards or its missed attestations over these days; ties by index, ascending. Validators without attestation duties have no effectiveness and come last in that order, whatever its direction. Dates and days may be combined: the narrower range counts. A range that would scan too much is refused.',
  example: '/v1/eth/validators/ranking?limit=5',
  query: z.object({
    ...param.page(RANKING_SIZES),
    ...param.range(),
    sortBy: param.choice(rankingFields, {
      description:
        '`effectiveness` (`avgValidatorEffectiveness`), `rewards` (`sumRewards`) or `missed` (`sumMissedAttestations`).',
      default: 'effectiveness',
    }),
    sortOrder: param.sortOrder('desc'),
    entityId: param.text(
      { description: 'Ranks the validators of this operator alone; with `entityType`.', nullable: true },
      normaliseId,
    ),
    entityType: param.choice(memberClasses, {
      description: 'Class of that operator; with `entityId`.',
      nullable: true,
    }),
  }),
  crossFieldFaults: ({ entityId, entityType, ...range }) => [
    ...boundFaults(range, 'query'),
    ...pairFaults({ entityId, entityType }, 'entityId', 'entityType'),
  ],
  mayRead({ sizes, network }, { query: { utc, entityId, entityType, ...bounds } }) {
    const members = entityId === null || entityType === null ? null : sizes.operator(entityType, entityId);
    const calendar = utc ? 'utc' : 'chain';
    const days = { network, calendar, dates: datesWithin(network, bounds) } as const;
    return scannedRows(sizes, days, members) + lookedUp(members ?? 0);
  },
  reply: envelopeV1(RankedValidator),
  async handle(ctx: Context, { query }, call) {
    const { limit, offset, utc, sortBy, sortOrder, entityId, entityType, ...bounds } = query;
    const page = await ranking(
      ctx,
      {
        ...bounds,
        network: ctx.network,
        calendar: utc ? 'utc' : 'chain',
        operator: entityId !== null && entityType !== null ? { idType: entityType, id: entityId } : null,
        indices: null,
        field: sortBy,
        ascending: sortOrder === 'asc',
      },
      { limit, offset, rowsOnly: true },
      'query',
    );
    return { body: { ...linksV1(call, { limit, offset, count: page.total }), results: page.rows } };
  },
});

export const validatorRankingRoutes = [list];
