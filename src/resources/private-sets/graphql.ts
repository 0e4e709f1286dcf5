import type { GraphQLResolveInfo } from 'graphql';
import type { z } from 'zod';
import type { Context } from '../../context.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { columns } from '../../graphql/schema/columns.ts';
import { type ConnectionArgs, connection, connectionRange } from '../../graphql/schema/connection.ts';
import { pageTypes } from '../../graphql/schema/connection-types.ts';
import { IN_PAGE, selectedOf } from '../../graphql/schema/selection.ts';
import { integerCursors } from '../../kernel/cursor.ts';
import { type PeriodArgs, periodArgs, periodQuery } from '../../periods/graphql.ts';
import type { PeriodRow } from '../../periods/pages.ts';
import { PERIODS_SIZES } from '../../periods/params.ts';
import { attestationsOf } from '../attestations/graphql.ts';
import { PrivateSet } from '../tags/graphql.ts';
import type { TagRow } from '../tags/loaders.ts';
import type { FigureName, Figures } from './queries.ts';
import { SetEffectiveness, SetProposals, SetRewards, sortFieldsOf } from './record.ts';
import { setFigures } from './resolve.ts';

const sizes = `At most ${PERIODS_SIZES.maxSize} a page, ${PERIODS_SIZES.defaultSize} by default.`;

async function figureConnection<Name extends FigureName>(
  ctx: Context,
  name: Name,
  record: z.ZodObject,
  set: TagRow,
  args: PeriodArgs & ConnectionArgs,
  info: GraphQLResolveInfo,
) {
  const query = periodQuery<string>(args);
  const cursors = integerCursors(() => `${name}:${JSON.stringify([set.id, query])}`);
  const range = connectionRange(args, info, { ...PERIODS_SIZES, decode: cursors.read });
  const page = await setFigures(
    ctx,
    name,
    set,
    query as never,
    range,
    selectedOf(info, Object.keys(record.shape) as (keyof Figures[Name] & string)[], IN_PAGE, 'setId'),
  );
  return connection(
    page,
    (row) => cursors.of(row.position),
    () => page.total as number,
  );
}

function figureField<Name extends FigureName>(name: Name, record: z.ZodObject, title: string) {
  const { id, description } = record.meta() as { id: string; description: string };
  const type = builder.objectRef<PeriodRow<Figures[Name]>>(id).implement({
    description,
    fields: (t) => ({
      setId: t.string({
        description: 'Identifier of the set; `id` in REST.',
        resolve: (row) => (row as { id: string }).id,
      }),
      ...columns(t, record.omit({ id: true })),
    }),
  });
  const pages = pageTypes(type, {
    name: id,
    row: 'A period',
    list: `${title} over time`,
  });
  const args = periodArgs(`${id}Sort`, `records of ${title.toLowerCase()}`, sortFieldsOf(record));
  builder.objectField(PrivateSet, name, (t) =>
    t.connection(
      {
        type,
        nullable: true,
        extensions: {
          operation: `listSet${name[0]?.toUpperCase()}${name.slice(1)}`,
          rows: PERIODS_SIZES.defaultSize,
        },
        description: `${title} over time. ${sizes} REST: GET /v1/eth/sets/{id}/${name}.`,
        args,
        resolve: (set, given, ctx, info) => figureConnection(ctx, name, record, set, given, info) as never,
      },
      ...pages,
    ),
  );
}

figureField('effectiveness', SetEffectiveness, 'Effectiveness of the validators');
figureField('proposals', SetProposals, 'Block proposals');
figureField('rewards', SetRewards, 'Rewards');

attestationsOf(
  PrivateSet,
  (set) => ({ network: set.network, idType: 'privateSet', id: set.id }),
  `Attestation duties over time. REST: GET /v1/eth/sets/{id}/attestations.`,
);
