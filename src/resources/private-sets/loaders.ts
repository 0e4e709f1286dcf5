import type { Network } from '../../chain/networks.ts';
import type { TimeWindow } from '../../chain/windows.ts';
import type { Context } from '../../context.ts';
import { batchLoader } from '../../db/batch/loaders.ts';
import type { OperatorSummary } from '../operators/record.ts';
import { readTagId } from '../tags/record.ts';
import { setSummaries, summaryOf } from './queries.ts';

type SetRow = OperatorSummary & { network: Network };
type Window = { network: Network; timeWindow: TimeWindow };

/** Finds only the caller's sets. */
export const loadSetSummary = async (
  ctx: Context,
  { id, ...window }: Window & { id: string },
): Promise<SetRow | undefined> => {
  const uuid = readTagId(id);
  if (uuid === undefined) return undefined;
  const { network, timeWindow } = window;
  return batchLoader<string, SetRow>(
    ctx.loaders,
    `setSummary:${network}:${timeWindow}`,
    (key) => key,
    async (ids) => {
      const found = await setSummaries(ctx.primary, ctx.caller.accountId, window, { ids });
      return new Map(found.map((row) => [row.id, summaryOf(row, timeWindow)]));
    },
  ).load(uuid);
};

/** Finds only the caller's sets, most validators first. */
export const loadSetSummaries = async (
  ctx: Context,
  window: Window,
  part: { from: number; size: number },
): Promise<SetRow[]> => {
  const found = await setSummaries(ctx.primary, ctx.caller.accountId, window, part);
  return found.map((row) => summaryOf(row, window.timeWindow));
};
