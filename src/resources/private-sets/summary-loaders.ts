import type { Network } from '../../chain/networks.ts';
import type { TimeWindow } from '../../chain/windows.ts';
import type { Context } from '../../context.ts';
import { privateListReader, privateRowReader, privateTotalReader } from '../../db/batch/loaders.ts';
import type { Stored } from '../../db/batch/stored.ts';
import { slice } from '../../kernel/page.ts';
import type { HistoryRange } from '../../periods/dates.ts';
import type { OperatorProposals, OperatorSummary } from '../operators/record.ts';
import { readSetId } from './record.ts';
import { type SetKey, storedSetDates } from './set-days.ts';
import {
  type SetSummary,
  setHistoryPages,
  setHistoryTotals,
  setSummaries,
  storedSetHistory,
  summaryOf,
} from './summary-queries.ts';

type SetRow = OperatorSummary & OperatorProposals & { network: Network };
type SummaryArguments =
  Parameters<typeof setSummaries> extends [unknown, unknown, ...infer Rest] ? Rest : never;
type Window = { network: Network; timeWindow: TimeWindow };

async function readSummaries(ctx: Context, ...args: SummaryArguments): Promise<SetSummary[]> {
  const found = await setSummaries(ctx.primary, ctx.caller.accountId, ...args);
  const [{ hasShares }] = args;
  if (hasShares) ctx.metering.read(found.reduce((sum, { validatorCount }) => sum + validatorCount, 0));
  return found;
}

const readSummary = privateRowReader({
  name: 'setSummary',
  keyOf: (id: string) => id,
  async load(ctx: Context, ids: readonly string[], window: Window & { hasShares: boolean }) {
    const found = await readSummaries(ctx, window, { ids });
    return found.map((row): SetRow => summaryOf(row, window.timeWindow));
  },
  rowKey: (row) => row.id,
});

/** Finds only the caller's sets. Without `hasShares`, rows have no clients and relays. */
export const loadSetSummary = async (
  ctx: Context,
  { id, network, timeWindow }: Window & { id: string },
  hasShares = true,
): Promise<SetRow | undefined> => {
  const uuid = readSetId(id);
  return uuid === undefined ? undefined : readSummary(ctx, uuid, { network, timeWindow, hasShares });
};

/** Finds only the caller's sets, most validators first. */
export const loadSetSummaries = async (
  ctx: Context,
  window: Window,
  part: { from: number; size: number },
): Promise<SetRow[]> => {
  const found = await readSummaries(ctx, { ...window, hasShares: true }, part);
  return found.map((row) => summaryOf(row, window.timeWindow));
};

const keyOf = ({ id }: SetKey) => id;
const readStoredDates = privateListReader({ name: 'storedSetDates', keyOf, load: storedSetDates });

/** Does not check ownership. */
export const loadStoredSetDates = async (ctx: Context, set: SetKey, utc: boolean): Promise<Stored> =>
  (await readStoredDates(ctx, set, utc))[0] as Stored;

const readHistory = privateListReader({ name: 'setHistory', keyOf, load: setHistoryPages });
const readStoredHistory = privateListReader({ name: 'storedSetHistory', keyOf, load: storedSetHistory });

/** Does not check ownership. */
export const loadSetHistory = async (ctx: Context, set: SetKey, window: TimeWindow, range: HistoryRange) =>
  slice(await readHistory(ctx, set, window, range), range);

/** Does not check ownership. */
export const loadSetHistoryTotal = privateTotalReader({
  name: 'setHistoryTotal',
  keyOf,
  load: setHistoryTotals,
});

/** Does not check ownership. */
export const loadStoredSetHistory = async (ctx: Context, set: SetKey, window: TimeWindow): Promise<Stored> =>
  (await readStoredHistory(ctx, set, window))[0] ?? { from: null, to: null };
