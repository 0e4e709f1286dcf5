import { type EpochFacts, Vote } from '../chain/types.ts';

/** Gwei per ETH; effective balances are whole ETH. */
export const ETH = 1_000_000_000;
const VOTES = 16;

/** Vote and effective balance determine nearly all rewards; `exceptions` has the others. */
export type Rewards = {
  /** Gwei at the index that `keyOf` returns. */
  table: Float64Array;
  exceptions: readonly (readonly [validator: number, reward: number])[];
};

export const keyOf = (eth: number, vote: number): number =>
  eth * VOTES + (vote & 7) + ((vote & Vote.duty) >> 4);

export function inEth(effectiveBalances: Float64Array): Uint16Array {
  const found = new Uint16Array(effectiveBalances.length);
  for (let v = 0; v < found.length; v += 1) found[v] = (effectiveBalances[v] as number) / ETH;
  return found;
}

export function rewardsOf({ votes, rewards, effectiveBalances }: EpochFacts): Rewards {
  const eth = inEth(effectiveBalances);
  let most = 0;
  for (const of of eth) if (of > most) most = of;
  const table = new Float64Array((most + 1) * VOTES);
  // Finds the majority reward of each key (Boyer–Moore).
  const leads = new Int32Array(table.length);
  const keyAt = (v: number) => keyOf(eth[v] as number, votes[v] as number);
  for (let v = 0; v < votes.length; v += 1) {
    const key = keyAt(v);
    const lead = leads[key] as number;
    if (lead === 0) table[key] = rewards[v] as number;
    leads[key] = lead === 0 || table[key] === rewards[v] ? lead + 1 : lead - 1;
  }
  const exceptions: [number, number][] = [];
  for (let v = 0; v < votes.length; v += 1)
    if (table[keyAt(v)] !== rewards[v]) exceptions.push([v, rewards[v] as number]);
  return { table, exceptions };
}

/** `off` has the differences from a line, which are small because rewards grow with the effective balance. */
export type PackedTable = {
  length: number;
  votes: { vote: number; slope: number; eth: number[]; off: number[] }[];
};

export function packTable(table: Float64Array): PackedTable {
  const votes = Array.from({ length: VOTES }, (_, vote) => {
    const rows: number[] = [];
    for (let eth = 0; eth * VOTES < table.length; eth += 1) if (table[eth * VOTES + vote]) rows.push(eth);
    const largest = rows.at(-1) ?? 0;
    const slope = largest === 0 ? 0 : (table[largest * VOTES + vote] as number) / largest;
    const off = rows.map((eth) => (table[eth * VOTES + vote] as number) - Math.round(eth * slope));
    return { vote, slope, eth: rows.map((eth, at) => eth - (rows[at - 1] ?? 0)), off };
  });
  return { length: table.length, votes: votes.filter(({ eth }) => eth.length > 0) };
}

export function unpackTable({ length, votes }: PackedTable): Float64Array {
  const table = new Float64Array(length);
  for (const { vote, slope, eth, off } of votes) {
    let at = 0;
    for (const [row, step] of eth.entries()) {
      at += step;
      table[at * VOTES + vote] = Math.round(at * slope) + (off[row] as number);
    }
  }
  return table;
}
