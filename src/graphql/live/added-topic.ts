import type { computeUnits } from '../../accounts/compute-units.ts';
import type { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import { type AddedPlace, type AddedRows, addedRows, LAST_KEY } from '../../db/changes/added-rows.ts';
import { badArgument } from '../../kernel/refusal.ts';
import { type Change, Topic } from './topic.ts';

export const EVENT_ROWS = 50;

export type Added<Row> = { revision: number; rows: Row[]; omitted: number };

type Subject<Row> = {
  operation: keyof typeof computeUnits;
  dataset: string;
  network: Network;
  after: number | null | undefined;
  load: (ctx: Context, key: number) => Promise<Row | undefined>;
};

const FIRST = 'after';
const text = ({ revision, key }: AddedPlace) => `${revision}:${key}`;
function placeOf(position: string): AddedPlace {
  const [revision, key] = position.replace(FIRST, '').split(':').map(Number);
  return { revision: revision as number, key: key as number };
}

/** Sends each added row at least once, in order of revision and key, unless the row is removed before it is sent. */
export function addedTopic<Row>({ operation, dataset, network, after, load }: Subject<Row>) {
  if (after != null && after < 0) throw badArgument('after', `after is ${after}; an integer >= 0 is needed.`);

  async function read(ctx: Context, position: string | undefined): Promise<Change<Added<Row>>> {
    const place = position === undefined ? undefined : placeOf(position);
    const isFirst = position === undefined || position.startsWith(FIRST);
    const found = await addedRows(ctx.db, dataset, network, place, EVENT_ROWS + 1);
    if (place && isFirst) await checkPlace(ctx, place, found);
    const sent = found.added.slice(0, EVENT_ROWS);
    const next = found.added[EVENT_ROWS];
    const end = Math.max(found.revision, place?.revision ?? 0);
    const [last] = sent.slice(-1);
    const upTo = next && last ? text(last) : text({ revision: end, key: LAST_KEY });
    if (sent.length === 0 && !isFirst) return { position: upTo, rows: 0 };
    const keys = new Set(sent.flatMap(({ key }) => (key === LAST_KEY ? [] : [key])));
    const loaded = await Promise.all([...keys].map((key) => load(ctx, key)));
    const rows = loaded.filter((row) => row !== undefined);
    const omitted = sent.reduce((sum, row) => sum + row.omitted, 0);
    const event = { revision: next ? next.revision - 1 : end, rows, omitted };
    return { position: upTo, event, rows: rows.length, more: next !== undefined };
  }

  /** Asks the primary before refusing a revision, because the client may have read a database ahead of the replica. */
  async function checkPlace(ctx: Context, { revision }: AddedPlace, found: AddedRows): Promise<void> {
    if (revision < found.from) {
      const msg = `after is ${revision}; what was added is known since revision ${found.from}. Read the list again.`;
      throw badArgument('after', msg);
    }
    if (revision <= found.revision) return;
    const newest = (await addedRows(ctx.primary, dataset, network, undefined, 1)).revision;
    if (revision > newest)
      throw badArgument('after', `after is ${revision}; the present revision is ${newest}.`);
  }

  const start = after == null ? undefined : `${FIRST}${text({ revision: after, key: LAST_KEY })}`;
  const listSize = EVENT_ROWS;
  return new Topic<Added<Row>>({ operation, listSize, key: [network], datasets: [dataset], start, read });
}
