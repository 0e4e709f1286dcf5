import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { type ChainRegistry, type EpochFacts, Vote } from '../chain/types.ts';
import { type PackedTable, packTable, type Rewards, rewardsOf, unpackTable } from './reward-table.ts';

/** Version of `index_epochs.facts`. */
export const RECORD_VERSION = 2;

/** `set` and `missed` are numbers of sync committee bits. `rewards` are in Gwei and include unpaid penalties. */
export type SeatSum = { validator: number; set: number; missed: number; rewards: number };
export type ProposerSum = { validator: number; proposed: number; missed: number; rewards: number };
/** Balances of a validator whose row in `validator_days` may end with this epoch. */
type EndBalance = { validator: number; balance: number; effective: number };

export type EpochRecord = Rewards & {
  epoch: number;
  votes: Uint8Array;
  delays: Uint8Array;
  seats: readonly SeatSum[];
  proposers: readonly ProposerSum[];
  withoutDuty: readonly (readonly [validator: number, amount: number])[];
  ends: readonly EndBalance[];
  /** Numbers of blocks without their payload. Null before Gloas; absent in records of older versions. */
  emptyPayloads?: readonly (readonly [validator: number, count: number])[] | null;
  totals: EpochTotals;
};

/** Amounts are in Gwei. */
export type EpochTotals = {
  attestation: number;
  sync: number;
  proposer: number;
  slashingPenalties: number;
  activeBalance: number;
};

type Header = Omit<EpochRecord, 'votes' | 'delays' | 'table'> & { size: number; table: PackedTable };

/** The registry knows exits at least five epochs ahead. */
export function lastActiveIn(epoch: number, { size, exit }: ChainRegistry): number[] {
  const found: number[] = [];
  for (let v = 0; v < size; v += 1) if (exit[v] === epoch + 1) found.push(v);
  return found;
}

export function epochRecord(facts: EpochFacts, leaving: readonly number[]): EpochRecord {
  const seats = seatSums(facts);
  const proposers = proposerSums(facts);
  const idle = [...seats.keys()].filter((validator) => !(((facts.votes[validator] ?? 0) & Vote.duty) > 0));
  const ends = [...new Set([...leaving, ...idle])].map((validator) => ({
    validator,
    balance: facts.balances[validator] ?? 0,
    effective: facts.effectiveBalances[validator] ?? 0,
  }));
  const withoutDuty = [...facts.penaltiesWithoutDuty];
  const { votes, delays } = facts;
  const total = (values: Iterable<number>) => {
    let sum = 0;
    for (const value of values) sum += value;
    return sum;
  };
  return {
    ...{ epoch: facts.epoch, votes, delays, ...rewardsOf(facts) },
    ...{ seats: [...seats.values()], proposers, withoutDuty, ends },
    emptyPayloads: emptyPayloads(facts),
    totals: {
      attestation: total(facts.rewards) + total(withoutDuty.map(([, amount]) => amount)),
      sync: total([...seats.values()].map(({ rewards }) => rewards)),
      proposer: total(proposers.map(({ rewards }) => rewards)),
      slashingPenalties: facts.slashingPenalties,
      activeBalance: facts.totalActiveBalance,
    },
  };
}

function seatSums(facts: EpochFacts): Map<number, SeatSum> {
  const sums = new Map<number, SeatSum>();
  const sumOf = (validator: number) => {
    const sum = sums.get(validator) ?? { validator, set: 0, missed: 0, rewards: 0 };
    sums.set(validator, sum);
    return sum;
  };
  for (const validator of facts.syncCommittee) sumOf(validator);
  for (const { validators, rewards } of facts.seats) {
    for (const [position, validator] of validators.entries()) {
      const sum = sumOf(validator);
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

function emptyPayloads({ blocks }: EpochFacts): [validator: number, count: number][] | null {
  if (blocks.every(({ payload }) => payload === null)) return null;
  const counts = new Map<number, number>();
  for (const { proposerIndex, payload } of blocks)
    if (payload === 'empty') counts.set(proposerIndex, (counts.get(proposerIndex) ?? 0) + 1);
  return [...counts];
}

const compress = promisify<Buffer, { level: number }, Buffer>(gzip);
const decompress = promisify<Buffer, Buffer>(gunzip);

/** Writes all votes, then all delays, because this order compresses better. */
export async function encodeRecord(record: EpochRecord): Promise<Buffer> {
  const { votes, delays, table, ...rest } = record;
  const header: Header = { ...rest, size: votes.length, table: packTable(table) };
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return compress(Buffer.concat([length, text, votes, delays]), { level: 6 });
}

export async function decodeRecord(stored: Buffer): Promise<EpochRecord> {
  const body = await decompress(stored);
  const start = 4 + body.readUInt32LE(0);
  const { size, table, ...rest } = JSON.parse(body.toString('utf8', 4, start)) as Header;
  const plane = (from: number) => Uint8Array.from(body.subarray(from, from + size));
  return { ...rest, votes: plane(start), delays: plane(start + size), table: unpackTable(table) };
}
