import type { Network } from '../../chain/networks.ts';
import { isObject } from '../../kernel/json.ts';
import { readEnvelope } from './envelope.ts';
import { UpstreamError } from './failure.ts';
import type { MirrorList } from './list.ts';
import { type Planning, pageSize, since, withRequested } from './planning.ts';
import { nameOf } from './upstream.ts';
import { urlOfForm } from './walk.ts';

export async function* slashings({ scope }: Planning, network: Network): AsyncGenerator<MirrorList> {
  yield {
    resource: 'slashings',
    name: 'all',
    network,
    forms: [{ path: '/v0/eth/slashings', query: { size: pageSize(scope) } }],
    rows: { network },
    key: 'validatorIndex',
    replaces: { whole: { network } },
  };
}

export async function* chainDailyRewards(
  { scope, position }: Planning,
  network: Network,
): AsyncGenerator<MirrorList> {
  const key = { resource: 'chain-daily-rewards', name: 'days', network } as const;
  const floor = Number((await position(key)) ?? 0);
  yield {
    ...key,
    forms: [{ path: '/v0/eth/network/chainDailyRewards', query: { size: pageSize(scope) } }],
    rows: { network },
    key: 'day',
    down: { field: 'day', ceiling: Number.POSITIVE_INFINITY, floor },
    position: { field: 'day' },
  };
}

export async function* consolidations(
  { scope, position }: Planning,
  network: Network,
): AsyncGenerator<MirrorList> {
  const key = { resource: 'consolidations', name: 'all', network } as const;
  const query = { limit: pageSize(scope), ...since('fromDay', await position(key)) };
  yield {
    ...key,
    forms: [{ path: '/v1/eth/validators/consolidations', query }],
    rows: { network },
    key: 'sourceValidatorIndex',
    position: { field: 'day' },
  };
}

const BLOCKS = '/v0/eth/blocks';
const SLOTS_AT_ONCE = 5_000;
/** Blocks of the newest two epochs may still change. */
const NOT_FINAL = 64;
/** A gap, or rewards that are not known, may last for ever. For a day, the slots from there on are read again. */
const AWAITED_SLOTS = 7_200;

const slotOf = (row: Record<string, unknown>): number => Number(String(row.consensusSlot));
/** A service that follows the head of a chain knows rewards when the epoch is final. */
const isRewarded = (row: Record<string, unknown>): boolean => row.consensusRewards !== null;

/** The newest slot, and the newest whose rewards are known; the same if those of no slot on the first page are. */
async function headOf(
  { upstream, scope }: Planning,
  network: Network,
): Promise<{ slot: number; rewarded: number } | undefined> {
  const url = urlOfForm(upstream.from, { path: BLOCKS, query: { size: pageSize(scope) } });
  const rows = readEnvelope(await upstream.get(url, network), url).rows.filter(isObject);
  const [newest] = rows;
  return newest && { slot: slotOf(newest), rewarded: slotOf(rows.find(isRewarded) ?? newest) };
}

/** Throws if the service has slots below the end of its list. Its `total` counts all slots, wherever a list begins. */
async function checkEnd({ upstream, scope }: Planning, network: Network, lowest: number, floor: number) {
  const url = urlOfForm(upstream.from, {
    path: BLOCKS,
    query: { from: String(lowest - 1), size: pageSize(scope) },
  });
  const [below] = readEnvelope(await upstream.get(url, network), url).rows.filter(isObject);
  if (below && slotOf(below) < lowest && slotOf(below) >= floor)
    throw new UpstreamError(
      `${nameOf(url)}: begins with slot ${slotOf(below)}, but the list above it ended at slot ${lowest}; nothing loaded.`,
    );
}

export async function* blocks(planning: Planning, network: Network): AsyncGenerator<MirrorList> {
  const { scope, position } = planning;
  const key = { resource: 'blocks', name: 'slots', network } as const;
  const head = (await headOf(planning, network))?.slot;
  if (head === undefined) return;
  const stored = await position(key);
  const first = stored === undefined ? head + 1 - scope.blockSlots : Number(stored) + 1 - NOT_FINAL;
  /** The oldest slot that is missing between others, or whose rewards are not known. */
  let awaited: number | undefined;
  let last: number | undefined;
  const note = (slot: number) => {
    if (slot > head - AWAITED_SLOTS) awaited ??= slot;
  };
  async function noteAwaited(floor: number, rows: () => AsyncIterable<unknown>) {
    const descending: Record<string, unknown>[] = [];
    for await (const row of rows()) if (isObject(row)) descending.push(row);
    const lowest = descending.at(-1);
    if (lowest && slotOf(lowest) > floor) await checkEnd(planning, network, slotOf(lowest), floor);
    for (const row of descending.toReversed()) {
      const slot = slotOf(row);
      if (last !== undefined && slot > last + 1) note(last + 1);
      if (!isRewarded(row)) note(slot);
      last = slot;
    }
    return (row: unknown) => row;
  }
  for (let floor = Math.max(0, first); floor <= head; floor += SLOTS_AT_ONCE) {
    const ceiling = Math.min(head, floor + SLOTS_AT_ONCE - 1);
    yield {
      ...key,
      forms: [{ path: BLOCKS, query: { from: String(ceiling), size: pageSize(scope) } }],
      rows: { network },
      key: 'consensusSlot',
      down: { field: 'consensusSlot', ceiling, floor },
      position: { at: () => String(awaited === undefined ? ceiling : awaited - 1) },
      completed: (rows) => noteAwaited(floor, rows),
      part: true,
    };
  }
}

export async function* committeeRewards(planning: Planning, network: Network): AsyncGenerator<MirrorList> {
  const { scope, position } = planning;
  const key = { resource: 'sync-committee-rewards', name: 'slots', network } as const;
  const head = await headOf(planning, network);
  if (head === undefined) return;
  const stored = Number((await position(key)) ?? -1);
  const newest = head.rewarded + 1 - scope.committeeSlots;
  for (let slot = Math.max(0, stored + 1, newest); slot <= head.rewarded; slot += 1) {
    yield {
      ...key,
      forms: [{ path: `${BLOCKS}/${slot}/syncCommitteeRewards`, query: {} }],
      rows: { network },
      replaces: {},
      // `ifAny`, because rewards may arrive after their blocks
      position: { at: () => String(slot), ifAny: true },
      part: true,
      mayBeAbsent: true,
      completed: async () => withRequested({ consensusSlot: String(slot) }),
    };
  }
}
