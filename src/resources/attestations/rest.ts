import { z } from 'zod';
import { boundFaults } from '../../chain/bounds.ts';
import { param } from '../../chain/params.ts';
import type { Context } from '../../context.ts';
import { bodyOf, wholeRecord } from '../../fast-rows/index.ts';
import { envelopeV1, linksV1 } from '../../kernel/envelopes.ts';
import { route } from '../../kernel/route.ts';
import { periodParams } from '../../periods/params.ts';
import { idTypes, normaliseId } from '../operators/record.ts';
import type { AttestationQuery } from './queries.ts';
import { AttestationRecord, sortFields } from './record.ts';
import { attestations } from './resolve.ts';

const list = route({
  path: '/v1/eth/entities/:entity_id/attestations',
  operationId: 'listEntityAttestations',
  tag: 'Attestations',
  summary: 'Attestation duties of an entity over time',
  description:
    'Attestation duty metrics of a pool, operator, address or one of your private sets, by hour, day, week, month, quarter or year, or in total. Weeks are ISO weeks; longer periods are aggregated from days; private sets have no hourly rows, and single validators only imported ones. UTC figures begin on 2024-10-01. Dates and days may be combined: the narrower range counts.',
  example: '/v1/eth/entities/Alder%20Liquid/attestations?entityType=pool',
  params: z.object({
    entity_id: param.text({ description: 'Name, address, public key or index of the entity.' }, normaliseId),
  }),
  query: z.object({
    entityType: param.choice(idTypes, { description: 'Class of the entity.' }),
    ...periodParams(sortFields),
  }),
  crossFieldFaults: (query) => boundFaults(query, 'query'),
  reply: envelopeV1(AttestationRecord),
  async handle(ctx: Context, { params, query }, call) {
    const { entityType, limit, offset, utc, ...others } = query;
    const key = { network: ctx.network, idType: entityType, id: params.entity_id };
    const period: AttestationQuery = { ...others, calendar: utc ? 'utc' : 'chain' };
    const range = { limit, offset, counted: true, rowsOnly: true };
    const page = await attestations(ctx, key, period, range, wholeRecord(AttestationRecord));
    const { previous, next, pages } = linksV1(call, { limit, offset, count: page.total ?? 0 });
    return { body: { previous, next, pages, results: bodyOf<AttestationRecord>(page.rows) } };
  },
});

export const attestationRoutes = [list];
