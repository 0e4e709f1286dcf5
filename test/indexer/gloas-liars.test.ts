import { describe, expect, it, onTestFinished } from 'vitest';
import { type BeaconNode, hasRecordings, recordedChain, startBeaconNode } from '../support/beacon-node.ts';
import { createDatabase } from '../support/gateway.ts';
import { indexed } from '../support/indexed.ts';
import { slow } from '../support/thorough.ts';
import { compare } from './oracle/compare.ts';
import { readRecording } from './oracle/recording.ts';
import { Run } from './oracle/run.ts';

/** Across the fork, with deposits and exits after it. */
const FROM = 2_516;
const TO = 2_526;
const FORK = 2_519;

/** What a node reports instead of the truth: `change` gets the `data` of answers from these paths. `to`: the last epoch. */
type Lie = { what: string; path: RegExp; change: (data: any) => unknown; isHarmless?: true; to?: number };

const block = (slot: number, change: (body: any, bidOf: (slot: number) => any) => unknown) => ({
  path: /\/v2\/beacon\/blocks\//,
  change: (data: any) => {
    const at = (of: number) => JSON.parse(recordedChain('gloas').block(of)?.text as string);
    const bidOf = (of: number) => at(of).message.body.signed_execution_payload_bid.message;
    if (data.message.slot === String(slot)) change(data.message.body, bidOf);
  },
});
const bid = (slot: number, change: (bid: any, bidOf: (slot: number) => any) => unknown) =>
  block(slot, (body, bidOf) => change(body.signed_execution_payload_bid.message, bidOf));
const requests = (slot: number, change: (requests: any) => unknown) =>
  block(slot, (body) => change(body.parent_execution_requests));
const payload = (slot: number, change: (message: any) => unknown) => ({
  // Without recordings these tests are skipped, but their list is still made.
  path: new RegExp(`/execution_payload_envelopes/${hasRecordings && recordedChain('gloas').root(slot)}`),
  change: (data: any) => change(data.message),
});
const votes = (chosen: (attestation: any) => boolean) => ({
  path: /\/v2\/beacon\/blocks\//,
  change: ({ message }: any) => {
    for (const attestation of message.body.attestations)
      if (Number(message.slot) >= FORK * 32 && chosen(attestation))
        attestation.data.index = attestation.data.index === '1' ? '0' : '1';
  },
});
/** Whether a vote is for the block of its own slot: the index of such a vote says nothing about a payload. */
const isSame = ({ data }: any) => recordedChain('gloas').root(Number(data.slot)) === data.beacon_block_root;
const inState = (epoch: number | '\\d+', what: string, change: (data: any) => unknown) => ({
  path: new RegExp(`/states/${epoch === '\\d+' ? epoch : epoch * 32}/${what}`),
  change,
});
const more = (of: any, field: string) => {
  of[field] = String(BigInt(of[field]) + 1n);
};
const forBuilders = (each: any) => BigInt(each.validator_index) >= 2n ** 40n;

const lies = (): Lie[] => [
  {
    what: 'a full block is empty',
    ...bid(80_675, (told, bidOf) => (told.parent_block_hash = bidOf(80_674).parent_block_hash)),
  },
  {
    what: 'an empty block, whose payload came too late, is full',
    ...bid(80_690, (told, bidOf) => (told.parent_block_hash = bidOf(80_689).block_hash)),
  },
  {
    what: 'an empty block, whose payload was withheld, is full',
    ...bid(80_681, (told, bidOf) => (told.parent_block_hash = bidOf(80_680).block_hash)),
  },
  {
    what: 'a payload withdraws more of a validator',
    ...payload(80_676, ({ payload }) => more(payload.withdrawals.at(-1), 'amount')),
  },
  {
    what: 'a payload withdraws more of a builder',
    ...payload(80_676, ({ payload }) => more(payload.withdrawals.find(forBuilders), 'amount')),
  },
  {
    what: 'a payload withdraws nothing',
    ...payload(80_676, ({ payload }) => (payload.withdrawals = [])),
  },
  {
    what: 'the payload is that of another block',
    ...payload(80_676, (message) =>
      Object.assign(message, JSON.parse(recordedChain('gloas').envelope?.(80_677) as string).message),
    ),
  },
  {
    what: 'the payload of another block is of this one',
    ...payload(80_676, (message) => {
      const other = JSON.parse(recordedChain('gloas').envelope?.(80_677) as string).message;
      message.payload = other.payload;
    }),
  },
  { what: 'a deposit is missing', ...requests(80_807, (told) => (told.deposits = [])) },
  { what: 'an exit is missing', to: 2_533, ...requests(80_809, (told) => (told.withdrawals = [])) },
  {
    what: 'a consolidation is missing',
    to: 2_533,
    ...requests(80_970, (told) => (told.consolidations = [])),
  },
  { what: 'a deposit of a builder is missing', ...requests(80_710, (told) => (told.builder_deposits = [])) },
  {
    what: 'a deposit of a builder is larger',
    ...requests(80_743, (told) => more(told.builder_deposits[0], 'amount')),
  },
  { what: 'votes for earlier blocks are for the other payload status', ...votes((each) => !isSame(each)) },
  {
    what: 'votes for the block of their own slot name a payload',
    isHarmless: true,
    ...votes(isSame),
  },
  {
    what: 'the balance of a builder is more once',
    ...inState(2_523, 'builders', ([first]) => more(first.builder, 'balance')),
  },
  {
    what: 'a builder is missing',
    ...inState(2_523, 'builders', (builders) => builders.splice(1, 1)),
  },
  {
    what: 'a deposit for a validator left the queue at the fork',
    ...inState(FORK, 'pending_deposits', (queue) => queue.splice(3, 1)),
  },
  {
    what: 'the queue at the fork is empty',
    ...inState(FORK, 'pending_deposits', (queue) => queue.splice(0)),
  },
  {
    what: 'the queue at the fork is as before it',
    ...inState(FORK, 'pending_deposits', (queue) => {
      const before = recordedChain('gloas').state(FORK * 32 - 1)?.pendingDeposits as any[];
      queue.splice(0, queue.length, ...before.slice(2));
    }),
  },
  {
    what: 'a builder has more at the fork',
    ...inState(FORK, 'builders', ([first]) => more(first.builder, 'balance')),
  },
  {
    what: 'a deposit did not become a builder at the fork',
    ...inState(FORK, 'builders', (builders) => builders.pop()),
  },
  {
    what: 'a payload on an empty block withdraws more',
    isHarmless: true,
    ...payload(80_690, ({ payload }) => more(payload.withdrawals[0], 'amount')),
  },
  {
    what: 'a deposit that waits when the index begins is missing',
    ...inState(FROM, 'pending_deposits', (queue) => queue.splice(3, 1)),
  },
  {
    what: 'a validator has more at the fork',
    ...inState(FORK, 'validator_balances', (balances) => more(balances[17], 'balance')),
  },
];

const nodeForTest = async () => {
  const node = await startBeaconNode(recordedChain('gloas'));
  onTestFinished(() => node.close());
  return node;
};
const databaseForTest = async () => {
  const database = await createDatabase('empty');
  onTestFinished(() => database.drop());
  return database;
};

/** How often it lied so far. */
function lying(node: BeaconNode, { path, change }: Pick<Lie, 'path' | 'change'>): () => number {
  let lies = 0;
  node.break(path, (body) => {
    const answer = JSON.parse(body);
    if (answer.data) change(answer.data);
    const told = JSON.stringify(answer);
    if (told !== body) lies += 1;
    return told;
  });
  return () => lies;
}

describe.skipIf(!hasRecordings)('an index through Gloas that asks a liar first', () => {
  slow.each(hasRecordings ? lies() : [])('has the same rows if it tells that $what', async (lie) => {
    const [liar, honest, database] = [await nodeForTest(), await nodeForTest(), await databaseForTest()];
    const told = lying(liar, lie);
    const range = { from: FROM, to: lie.to ?? TO };
    const report = await indexed(database, [liar.url, honest.url], range);
    expect(report).toMatchObject({ to: range.to, done: true });
    expect(told()).toBeGreaterThan(0);
    expect(report.said.length > 0).toBe(!lie.isHarmless);
    const run = new Run(readRecording('chain-gloas', range.to + 3), range);
    const tables = Object.values(await compare(database.pool, run));
    expect(tables.flatMap(({ differences }) => differences).slice(0, 10)).toEqual([]);
  });

  it('stores nothing while it adds a Gwei to every balance of a builder', async () => {
    const [liar, honest, database] = [await nodeForTest(), await nodeForTest(), await databaseForTest()];
    lying(
      liar,
      inState('\\d+', 'builders', ([first]) => more(first.builder, 'balance')),
    );
    const [stop, said] = [new AbortController(), [] as string[]];
    const report = await indexed(database, [liar.url, honest.url], {
      ...{ from: FORK + 1, once: false, stop: stop.signal },
      say(_level, message) {
        said.push(message);
        if (/has another record of builder 0/.test(message)) stop.abort();
      },
    });
    expect(report).toMatchObject({ epochs: 0 });
    expect(said.at(-1)).toContain('Nothing is stored until then');
  });
});
