import { z } from 'zod';
import type { Context } from '../../context.ts';
import { envelopeV1, linksV1 } from '../../kernel/page.ts';
import { boolParam, enumParam, formParam, intParam, textParam } from '../../kernel/params.ts';
import { route } from '../../kernel/route.ts';
import { parseDate } from '../../kernel/time.ts';
import { idTypes, normaliseId } from '../operators/record.ts';
import { AttestationRecord, attestationFields, granularities, sortFields } from './record.ts';
import { ATTESTATIONS_DEFAULT_SIZE, ATTESTATIONS_MAX_SIZE, attestations, checkBounds } from './resolve.ts';

const dateParam = (description: string) =>
  formParam<string, { form: string; description: string; nullable: true }>(
    { description, form: 'a date like 2024-03-31', nullable: true },
    { type: 'string', format: 'date' },
    (text) => (parseDate(text) === undefined ? undefined : text),
  );

const dayParam = (description: string) => intParam({ description, min: 0, nullable: true });

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
    limit: intParam({
      description: 'Results per page.',
      min: 1,
      max: ATTESTATIONS_MAX_SIZE,
      default: ATTESTATIONS_DEFAULT_SIZE,
    }),
    offset: intParam({ description: 'Results to skip.', min: 0, default: 0 }),
    fromDate: dateParam('First date, inclusive.'),
    toDate: dateParam('Last date, inclusive.'),
    fromDay: dayParam('First day of the calendar in use, inclusive.'),
    toDay: dayParam('Last day of the calendar in use, inclusive.'),
    utc: boolParam({
      description: 'true: by UTC days; false: by Ethereum chain days.',
      nullable: true,
      default: false,
    }),
    sortBy: enumParam(sortFields, {
      description: 'Field to sort by, ties by period; `day` is the period itself.',
      default: 'day',
    }),
    sortOrder: enumParam(['asc', 'desc'], { description: 'Sort order.', nullable: true, default: 'asc' }),
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
