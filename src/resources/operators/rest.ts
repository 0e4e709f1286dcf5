import { z } from 'zod';
import { param } from '../../chain/params.ts';
import type { Context } from '../../context.ts';
import { bodyOf, wholeRecord } from '../../fast-rows/index.ts';
import { envelopeV0 } from '../../kernel/envelopes.ts';
import { walkOf } from '../../kernel/page.ts';
import { notFound, quoted } from '../../kernel/refusal.ts';
import { relativeUrl, route } from '../../kernel/route.ts';
import { idTypes, normaliseId, OperatorSummary, poolTypes } from './record.ts';
import {
  listKey,
  OPERATORS_DEFAULT_SIZE,
  OPERATORS_MAX_SIZE,
  operatorPage,
  operatorSummary,
  parentFaults,
} from './resolve.ts';

const list = route({
  path: '/v0/eth/operators',
  operationId: 'listOperators',
  tag: 'Operators',
  summary: 'Operator summaries',
  description:
    'Summary statistics of all operators of a class, by network penetration, largest first. `from` is the 0-based rank.',
  example: '/v0/eth/operators?window=7d&idType=pool',
  query: z.object({
    window: param.window(),
    poolType: param.choice(poolTypes, {
      description:
        'Filters pools by type, and pool shares by the type of their pool: `cex` exchanges, `lst` liquid staking.',
      default: 'all',
    }),
    idType: param.choice(idTypes, { description: 'Class of the operators.', default: 'depositAddress' }),
    from: param.int({ description: 'Rank of the first row, 0-based.', min: 0, nullable: true, default: 0 }),
    size: param.int({
      description: 'Rows per page.',
      min: 1,
      max: OPERATORS_MAX_SIZE,
      nullable: true,
      default: OPERATORS_DEFAULT_SIZE,
    }),
    parentId: param.text(
      {
        description: 'A pool or node operator: lists its pool shares and ignores idType.',
        nullable: true,
      },
      normaliseId,
    ),
    parentEntity: param.text(
      { description: 'Deprecated; use parentId.', nullable: true, deprecated: true },
      normaliseId,
    ),
    revision: param.revision(),
  }),
  crossFieldFaults: ({ parentId, parentEntity }) => parentFaults(parentId, parentEntity),
  reply: envelopeV0(OperatorSummary),
  async handle(ctx: Context, { query }, call) {
    const { parentEntity, from, size, revision, ...rest } = query;
    const requested = { ...rest, parentId: query.parentId ?? parentEntity };
    const range = { ...(from > 0 ? { after: from - 1 } : {}), limit: size };
    const key = listKey({ network: ctx.network, ...requested });
    const ranked = { range, walk: walkOf(revision) };
    const page = await operatorPage(ctx, key, ranked, wholeRecord(OperatorSummary), requested.parentId);
    const to = from + page.rows.length;
    return {
      body: {
        page: { from, to, size },
        total: page.total,
        data: bodyOf<OperatorSummary>(page.rows),
        next: page.hasNext
          ? relativeUrl(call.path, { ...requested, from: to, size, revision: page.revision })
          : null,
      },
    };
  },
});

const summary = route({
  path: '/v0/eth/operators/:operator_id/summary',
  operationId: 'getOperatorSummary',
  tag: 'Operators',
  summary: 'One operator summary',
  description:
    'The same statistics as the list, for one operator. Without `idType` an address is a deposit address; a name is looked up among pools, node operators, pool shares and entities, in this order.',
  example: '/v0/eth/operators/Alder%20Liquid/summary?window=7d',
  params: z.object({
    operator_id: param.text(
      { description: 'Name, address, public key or index of the operator.' },
      normaliseId,
    ),
  }),
  query: z.object({
    window: param.window(),
    idType: param.choice(idTypes, {
      description: 'Class of the operator; inferred when absent.',
      nullable: true,
    }),
  }),
  reply: OperatorSummary,
  async handle(ctx: Context, { params, query }) {
    const row = await operatorSummary(
      ctx,
      { network: ctx.network, id: params.operator_id, ...query },
      wholeRecord(OperatorSummary),
    );
    if (!row) {
      const ofClass = query.idType ? ` of idType ${query.idType}` : '';
      const where = `on ${ctx.network} for window ${query.window}`;
      throw notFound(`Operator ${quoted(params.operator_id)}${ofClass}`, where);
    }
    return { body: bodyOf<OperatorSummary>(row) };
  },
});

export const operatorRoutes = [list, summary];
