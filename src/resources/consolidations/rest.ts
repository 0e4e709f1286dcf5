import { z } from 'zod';
import { boundFaults } from '../../chain/bounds.ts';
import { param } from '../../chain/params.ts';
import type { Context } from '../../context.ts';
import { envelopeV1, linksV1 } from '../../kernel/envelopes.ts';
import { pairFaults } from '../../kernel/params.ts';
import { route } from '../../kernel/route.ts';
import { normaliseId } from '../operators/record.ts';
import { readValidatorName, type ValidatorName } from '../validators/record.ts';
import { Consolidation, consolidationSortFields, entityClasses } from './record.ts';
import { CONSOLIDATIONS_SIZES, consolidations, withEntities } from './resolve.ts';

const list = route({
  path: '/v1/eth/validators/consolidations',
  operationId: 'listConsolidations',
  tag: 'Consolidations',
  summary: 'Processed consolidations of validators',
  description:
    'Every processed consolidation with the entities of both validators, oldest first. Dates and days may be combined: the narrower range counts. With both `validator` and an entity, each row has both, on either side.',
  example: '/v1/eth/validators/consolidations?limit=10',
  query: z.object({
    ...param.page(CONSOLIDATIONS_SIZES),
    ...param.range(),
    sortBy: param.choice(consolidationSortFields, {
      description:
        'Field to sort by; `day`, `date`, `epoch` and `timestamp` all sort by time. Ties by epoch and source index; `desc` also reverses ties.',
      default: 'day',
    }),
    sortOrder: param.sortOrder(),
    validator: param.form<ValidatorName, { form: string; description: string; nullable: true }>(
      {
        description: 'Index or public key of a validator, on either side.',
        form: 'the index or the public key of a validator',
        nullable: true,
      },
      { type: ['string', 'integer'] },
      readValidatorName,
    ),
    entityId: param.text(
      { description: 'Entity of a validator on either side; with `entityType`.', nullable: true },
      normaliseId,
    ),
    entityType: param.choice(entityClasses, {
      description: 'Class of that entity; with `entityId`.',
      nullable: true,
    }),
  }),
  crossFieldFaults({ entityId, entityType, ...range }) {
    return [
      ...boundFaults(range, 'query'),
      ...pairFaults({ entityId, entityType }, 'entityId', 'entityType'),
    ];
  },
  reply: envelopeV1(Consolidation),
  async handle(ctx: Context, { query }, call) {
    const { limit, offset, utc, validator, entityId, entityType, ...args } = query;
    const page = await consolidations(
      ctx,
      {
        network: ctx.network,
        validator,
        entity: entityId !== null && entityType !== null ? { idType: entityType, id: entityId } : null,
      },
      { ...args, calendar: utc ? 'utc' : 'chain' },
      { limit, offset, rowsOnly: true },
    );
    const [results, count] = await Promise.all([withEntities(ctx, page.rows), page.total()]);
    return { body: { ...linksV1(call, { limit, offset, count }), results } };
  },
});

export const consolidationRoutes = [list];
