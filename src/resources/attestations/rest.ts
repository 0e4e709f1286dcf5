import { z } from 'zod';
import { checkBounds } from '../../chain/bounds.ts';
import { pageParams, rangeParams, sortOrderParam } from '../../chain/params.ts';
import type { Context } from '../../context.ts';
import { envelopeV1, linksV1 } from '../../kernel/page.ts';
import { enumParam, textParam } from '../../kernel/params.ts';
import { route } from '../../kernel/route.ts';
import { idTypes, normaliseId } from '../operators/record.ts';
import { AttestationRecord, attestationFields, granularities, sortFields } from './record.ts';
import { ATTESTATIONS_DEFAULT_SIZE, ATTESTATIONS_MAX_SIZE, attestations } from './resolve.ts';

const list = route({
  path: '/v1/eth/entities/:entity_id/attestations',
  operationId: 'listEntityAttestations',
  tag: 'Attestations',
  summary: 'Attestation duties of an entity over time',
  description:
    'Attestation duty metrics of a pool, operator or address by hours, days, weeks, months, quarters, years or all in one row. Weeks are ISO weeks; longer periods are gathered from days. UTC figures begin on 2024-10-01. Dates and days may be combined: the narrower range counts.',
  example: '/v1/eth/entities/Sample%20Pool%20Alder/attestations?entityType=pool',
  params: z.object({
    entity_id: textParam({ description: 'Name, address, public key or index of the entity.' }, normaliseId),
  }),
  query: z.object({
    entityType: enumParam(idTypes, { description: 'Class of the entity.' }),
    ...pageParams({ default: ATTESTATIONS_DEFAULT_SIZE, max: ATTESTATIONS_MAX_SIZE }),
    ...rangeParams(),
    sortBy: enumParam(sortFields, {
      description: 'Field to sort by, ties by period; `day` is the period itself.',
      default: 'day',
    }),
    sortOrder: sortOrderParam(),
    granularity: enumParam(granularities, {
      description: 'Size of the time increments.',
      nullable: true,
      default: 'day',
    }),
  }),
  reply: envelopeV1(AttestationRecord),
  async handle(ctx: Context, { params, query }, call) {
    const { entityType, limit, offset, utc, ...asked } = query;
    checkBounds(asked, 'query');
    const page = await attestations(
      ctx,
      { network: ctx.network, idType: entityType, id: params.entity_id },
      { ...asked, calendar: utc ? 'utc' : 'chain' },
      { limit, offset, counted: true },
      attestationFields,
    );
    const { previous, next, pages } = linksV1(call, { limit, offset, count: page.total ?? 0 });
    return { body: { previous, next, pages, results: page.rows as AttestationRecord[] } };
  },
});

export const attestationRoutes = [list];
