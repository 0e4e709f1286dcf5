import { z } from 'zod';
import { boundFaults } from '../../chain/bounds.ts';
import type { Context } from '../../context.ts';
import { envelopeV1, linksV1 } from '../../kernel/envelopes.ts';
import { capitalized } from '../../kernel/names.ts';
import type { Range } from '../../kernel/page.ts';
import { route } from '../../kernel/route.ts';
import { periodParams } from '../../periods/params.ts';
import type { PeriodQuery } from '../../periods/read-plan.ts';
import type { PeriodPage } from '../../periods/resolve.ts';
import { AttestationRecord, attestationFields } from '../attestations/record.ts';
import { attestationPageOf } from '../attestations/resolve.ts';
import type { FigureName, Figures } from '../figures/loaders.ts';
import { EffectivenessRecord, ProposalRecord, RewardRecord, sortFieldsOf } from '../figures/record.ts';
import { figuresOfSet } from '../figures/resolve.ts';
import type { SetRow } from './loaders.ts';
import { ownSet } from './resolve.ts';
import { setIdParam } from './rest.ts';

const rules =
  'Only for the account that owns the set. A validator counts on all stored days before the UTC date of its removal. UTC figures begin on 2024-10-01; longer periods are aggregated from days.';

const fieldsOf = <Row>(record: z.ZodObject) => Object.keys(record.shape) as (keyof Row & string)[];

const figuresRoute = <Row>(
  name: string,
  title: string,
  record: z.ZodObject,
  read: (
    ctx: Context,
    set: SetRow,
    query: PeriodQuery<string>,
    range: Range<number>,
  ) => Promise<PeriodPage<Row>>,
) =>
  route({
    path: `/v1/eth/sets/:id/${name}`,
    operationId: `listSet${capitalized(name)}`,
    tag: 'Private sets',
    summary: `${title} of a private set over time`,
    description: `${title} of a private set by day, week, month, quarter or year, or in total; there are no hourly rows. ${rules}`,
    example: `/v1/eth/sets/5a3f1c52-0d9e-4b8a-9d53-6f2f6f0c1e01/${name}`,
    params: z.object({ id: setIdParam() }),
    query: z.object(periodParams(sortFieldsOf(record))),
    crossFieldFaults: (query) => boundFaults(query, 'query'),
    reply: envelopeV1(record),
    async handle(ctx: Context, { params, query }, call) {
      const { limit, offset, utc, ...others } = query;
      const set = await ownSet(ctx, params.id);
      const period = { ...others, calendar: utc ? ('utc' as const) : ('chain' as const) };
      const page = await read(ctx, set, period, { limit, offset, counted: true, rowsOnly: true });
      const links = linksV1(call, { limit, offset, count: page.total ?? 0 });
      return { body: { ...links, results: page.rows as z.input<typeof record>[] } };
    },
  });

const ownFigures = <Name extends FigureName>(name: Name, title: string, record: z.ZodObject) =>
  figuresRoute<Figures[Name]>(name, title, record, (ctx, set, query, range) =>
    figuresOfSet(ctx, set, name, query as never, range, fieldsOf(record)),
  );

export const setFigureRoutes = [
  ownFigures('effectiveness', 'Effectiveness', EffectivenessRecord),
  figuresRoute<AttestationRecord>(
    'attestations',
    'Attestation duties',
    AttestationRecord,
    (ctx, set, query, range) =>
      attestationPageOf(ctx, { ...set, idType: 'privateSet' }, query as never, range, attestationFields),
  ),
  ownFigures('proposals', 'Block proposals', ProposalRecord),
  ownFigures('rewards', 'Rewards', RewardRecord),
];
