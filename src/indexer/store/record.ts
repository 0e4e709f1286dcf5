import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { type ChainRegistry, type EpochFacts, Vote } from '../types.ts';

/** Of `index_epochs.facts`; the saved chain state has its own. */
export const RECORD_VERSION = 1;

/** Sync committee bits, and Gwei by formula, even if a balance of 0 left some unpaid. */
export type SeatSum = { validator: number; set: number; missed: number; rewards: number };
export type ProposerSum = { validator: number; proposed: number; missed: number; rewards: number };
/** For rows that may end before their day. */
type EndBalance = { validator: number; balance: number; effective: number };

export type EpochRecord = {
  epoch: number;
  /** Index into `votes`, `delays` and `rewards`, by validator. */
  symbols: Uint16Array | Uint32Array;
  votes: Uint8Array;
  delays: Uint8Array;
  rewards: Float64Array;
  seats: readonly SeatSum[];
  proposers: readonly ProposerSum[];
  withoutDuty: readonly (readonly [validator: number, amount: number])[];
  ends: readonly EndBalance[];
  totals: EpochTotals;
};

/** Gwei, of all validators. */
export type EpochTotals = {
  attestation: number;
  sync: number;
  proposer: number;
  slashingPenalties: number;
  activeBalance: number;
};

type Header = Omit<EpochRecord, 'symbols' | 'votes' | 'delays' | 'rewards'> & {
  size: number;
  symbols: number[];
};

/** Exits are known at least five epochs ahead, so the registry has them already. */
export function lastActiveIn(epoch: number, { size, exit }: ChainRegistry): number[] {
  const found: number[] = [];
  for (let v = 0; v < size; v += 1) if (exit[v] === epoch + 1) found.push(v);
  return found;
}

/** `leaving`: validators active for the last time. */
export function recordOf(facts: EpochFacts, leaving: readonly number[]): EpochRecord {
  const seats = seatSums(facts);
  const proposers = proposerSums(facts);
  const idle = [...seats.keys()].filter((validator) => !(((facts.votes[validator] ?? 0) & Vote.duty) > 0));
  const ends = [...new Set([...leaving, ...idle])].map((validator) => ({
    validator,
    balance: facts.balances[validator] ?? 0,
    effective: facts.effectiveBalances[validator] ?? 0,
  }));
  const withoutDuty = [...facts.penaltiesWithoutDuty];
  const distinct = symbolsOf(facts);
  const total = (values: Iterable<number>) => [...values].reduce((sum, value) => sum + value, 0);
  return {
    ...{ epoch: facts.epoch, ...distinct, seats: [...seats.values()], proposers, withoutDuty, ends },
    totals: {
      attestation: distinct.sum + total(withoutDuty.map(([, amount]) => amount)),
      sync: total([...seats.values()].map(({ rewards }) => rewards)),
      proposer: total(proposers.map(({ rewards }) => rewards)),
      slashingPenalties: facts.slashingPenalties,
      activeBalance: facts.totalActiveBalance,
    },
  };
}

/** Few distinct (votes, delay, reward) triples cover nearly all validators. */
function symbolsOf({ votes, delays, rewards }: EpochFacts) {
  const size = votes.length;
  let symbols: Uint16Array | Uint32Array = new Uint16Array(size);
  const known = new Map<number, number>();
  const found: number[] = [];
  let sum = 0;
  let lastKey = Number.NaN;
  let last = 0;
  for (let v = 0; v < size; v += 1) {
    const reward = rewards[v] as number;
    const key = reward * 65_536 + (votes[v] as number) * 256 + (delays[v] as number);
    sum += reward;
    if (key !== lastKey) {
      lastKey = key;
      last = known.get(key) ?? -1;
      if (last < 0) {
        last = found.push(v) - 1;
        known.set(key, last);
        if (last === 65_536) symbols = Uint32Array.from(symbols);
      }
    }
    symbols[v] = last;
  }
  return {
    sum,
    symbols,
    votes: Uint8Array.from(found, (v) => votes[v] as number),
    delays: Uint8Array.from(found, (v) => delays[v] as number),
    rewards: Float64Array.from(found, (v) => rewards[v] as number),
  };
}

function seatSums(facts: EpochFacts): Map<number, SeatSum> {
  const sums = new Map<number, SeatSum>();
  for (const { validators, rewards } of facts.seats) {
    for (const [position, validator] of validators.entries()) {
      let sum = sums.get(validator);
      if (!sum) sums.set(validator, (sum = { validator, set: 0, missed: 0, rewards: 0 }));
      const reward = rewards[position] as number;
      if (reward < 0) sum.missed += 1;
      else sum.set += 1;
      sum.rewards += reward;
    }
  }
  return sums;
}

function proposerSums(facts: EpochFacts): ProposerSum[] {
  const sums = new Map<number, ProposerSum>();
  for (const { proposerIndex: validator, block, consensusRewards } of facts.blocks) {
    const sum = sums.get(validator) ?? { validator, proposed: 0, missed: 0, rewards: 0 };
    sums.set(validator, sum);
    sum[block ? 'proposed' : 'missed'] += 1;
    sum.rewards += consensusRewards;
  }
  return [...sums.values()];
}

const compress = promisify<Buffer, { level: number }, Buffer>(gzip);
const decompress = promisify<Buffer, Buffer>(gunzip);

/** Byte planes compress better than two-byte numbers. */
export async function encodeRecord(record: EpochRecord): Promise<Buffer> {
  const { symbols, votes, delays, rewards, ...rest } = record;
  const names = [...votes].flatMap((vote, at) => [vote, delays[at] as number, rewards[at] as number]);
  const header: Header = { ...rest, size: symbols.length, symbols: names };
  const text = Buffer.from(JSON.stringify(header));
  const planes = planesOf(votes.length);
  const body = Buffer.alloc(4 + text.length + planes * symbols.length);
  body.writeUInt32LE(text.length, 0);
  text.copy(body, 4);
  for (let plane = 0; plane < planes; plane += 1) {
    const from = 4 + text.length + plane * symbols.length;
    for (let v = 0; v < symbols.length; v += 1) body[from + v] = (symbols[v] as number) >>> (8 * plane);
  }
  return compress(body, { level: 4 });
}

export async function decodeRecord(stored: Buffer): Promise<EpochRecord> {
  const body = await decompress(stored);
  const start = 4 + body.readUInt32LE(0);
  const { size, symbols: names, ...rest } = JSON.parse(body.toString('utf8', 4, start)) as Header;
  const count = names.length / 3;
  const symbols = count > 65_536 ? new Uint32Array(size) : new Uint16Array(size);
  for (let plane = 0; plane < planesOf(count); plane += 1) {
    const from = start + plane * size;
    const factor = 256 ** plane;
    if (plane === 0) symbols.set(body.subarray(from, from + size));
    else
      for (let v = 0; v < size; v += 1)
        symbols[v] = (symbols[v] as number) + (body[from + v] as number) * factor;
  }
  const pick = (offset: number) => Array.from({ length: count }, (_, at) => names[3 * at + offset] as number);
  return {
    ...rest,
    symbols,
    votes: Uint8Array.from(pick(0)),
    delays: Uint8Array.from(pick(1)),
    rewards: Float64Array.from(pick(2)),
  };
}

const planesOf = (count: number): number => (count <= 256 ? 1 : count <= 65_536 ? 2 : 4);
