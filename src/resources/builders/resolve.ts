import type { Context } from '../../context.ts';
import { placeCursors } from '../../kernel/cursor.ts';
import { type Range, type Slice, slice } from '../../kernel/page.ts';
import {
  type BuilderList,
  type BuilderPosition,
  type BuilderRow,
  builderPage,
  builderTotal,
} from './queries.ts';

export const BUILDERS_SIZES = { maxSize: 200 };

export const builders = async (
  ctx: Context,
  list: BuilderList,
  range: Range<BuilderPosition>,
): Promise<Slice<BuilderRow>> => slice(await builderPage(ctx.db, list, range), range);

export const totalBuilders = (ctx: Context, list: BuilderList): Promise<number> => builderTotal(ctx.db, list);

export const builderCursors = ({ network, where, order }: BuilderList) =>
  placeCursors(
    `builders:${JSON.stringify([network, where, order])}`,
    [/^\d{1,18}$/, /^0x[0-9a-f]{96}$/],
    (row: BuilderRow) => [String(row[order.field]), row.pubkey],
    (at, pubkey): BuilderPosition => ({ at, pubkey }),
  );
