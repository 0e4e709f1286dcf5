import type { Context } from '../../context.ts';
import { decodeCursor, encodeCursor } from '../../kernel/cursor.ts';
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

export function builderCursors(list: BuilderList) {
  const { network, where, order } = list;
  const name = `builders:${JSON.stringify([network, where, order])}`;
  return {
    of: (row: BuilderRow): string => encodeCursor(name, [String(row[order.field]), row.pubkey]),
    read(cursor: string): BuilderPosition | undefined {
      const [at, pubkey, ...rest] = decodeCursor(name, cursor) ?? [];
      const fits = /^\d{1,18}$/.test(String(at)) && /^0x[0-9a-f]{96}$/.test(String(pubkey));
      return fits && rest.length === 0 ? { at: String(at), pubkey: String(pubkey) } : undefined;
    },
  };
}
