import { describe, expect, it } from 'vitest';
import { Chain, InputError, MissingRecords, ReconcileError } from '../../../src/indexer/chain/index.ts';
import type { ExecutionPayload } from '../../../src/indexer/chain/types.ts';
import {
  addressOf,
  committeesOf,
  depositOf,
  ETH,
  FIRST,
  pubkeyOf,
  recordOf,
  SmallChain,
  spec,
} from './small-chain.ts';

const records = (count = 64) => Array.from({ length: count }, (_, index) => recordOf(index));
const slashedAt = (epoch: number) => ({
  slashed: true,
  exitEpoch: epoch + 5,
  withdrawableEpoch: epoch + 8192,
});

describe('a chain', () => {
  it('gives the facts of an epoch with the next one, and names all validators first', () => {
    const small = new SmallChain(records());
    expect(small.step()).toBeUndefined();
    const first = small.step();
    expect(first?.epoch).toBe(FIRST);
    expect(first?.changed).toHaveLength(64);
    expect(first?.blocks).toHaveLength(32);
    const second = small.step({
      records: { 7: { exitEpoch: FIRST + 9, withdrawableEpoch: FIRST + 300 } },
      blocks: { 4: { voluntaryExits: [7] } },
    });
    expect([...(second?.changed ?? [])]).toEqual([7]);
    expect(small.chain.registry.record(7).exitEpoch).toBe(FIRST + 9);
  });

  it('that a node lies to names validator and Gwei, stays as it was, and goes on with the right answer', () => {
    const [honest, lied] = [new SmallChain(records()), new SmallChain(records())];
    for (const changes of [
      {},
      { blocks: { 5: { proposerSlashings: [3] } }, records: { 3: slashedAt(FIRST + 1) } },
    ]) {
      const input = lied.input(changes);
      const balances = input.next.balances.slice();
      (balances[11] as number) += 7;
      const saved = lied.chain.save();
      const lie = { ...input, next: { ...input.next, balances } };
      expect(() => lied.chain.step(lie)).toThrow(
        expect.objectContaining({ name: 'ReconcileError', epoch: input.epoch, validatorIndex: 11, gwei: 7 }),
      );
      expect(lied.chain.epoch).toBe(input.epoch);
      expect(lied.chain.save()).toEqual(saved);
      expect(lied.chain.registry.record(3).slashed).toBe(false);
      expect(lied.step(input)).toEqual(honest.step(changes));
    }
    expect(lied.step()).toEqual(honest.step());
  });

  it('that a node lies to about a new validator forgets it again', () => {
    const small = new SmallChain(records(), { deposits: [{ ...depositOf(64, 32 * ETH), slot: 1 }] });
    const input = small.input({
      records: {
        64: {
          effectiveBalance: 32 * ETH,
          activationEpoch: Number.POSITIVE_INFINITY,
          activationEligibilityEpoch: Number.POSITIVE_INFINITY,
        },
      },
    });
    expect(input.next.balances[64]).toBe(32 * ETH);
    const balances = input.next.balances.slice();
    (balances[64] as number) -= 1;
    expect(() => small.chain.step({ ...input, next: { ...input.next, balances } })).toThrow(ReconcileError);
    expect(small.chain.registry.size).toBe(64);
    small.step(input);
    expect(small.chain.registry.record(64).pubkey).toBe(pubkeyOf(64));
  });

  it('has a validator in committees until the epoch before its exit', () => {
    const small = new SmallChain(
      records().map((record) => ({ ...record, exitEpoch: record.index ? FIRST + 1 : record.exitEpoch })),
    );
    const input = small.input();
    expect(input.committees.members).toHaveLength(64);
    small.step(input);
    expect(small.step()?.totalActiveBalance).toBe(64 * 32 * ETH);
    expect(small.step()?.totalActiveBalance).toBe(32 * ETH);
  });

  it('takes in a new validator with compounding credentials and more than 32 ETH', () => {
    const withdrawalCredentials = `0x02${recordOf(64).withdrawalCredentials.slice(4)}`;
    const deposit = { ...depositOf(64, 100 * ETH), withdrawalCredentials, slot: 1 };
    const small = new SmallChain(records(), { deposits: [deposit] });
    const far = Number.POSITIVE_INFINITY;
    const created = {
      withdrawalCredentials,
      effectiveBalance: 100 * ETH,
      activationEligibilityEpoch: far,
      activationEpoch: far,
    };
    small.step({ records: { 64: created } });
    expect(small.balance(64)).toBe(100 * ETH);
    expect(small.chain.registry.record(64).effectiveBalance).toBe(100 * ETH);
  });

  it.each([
    [
      'waits if the validator is ejected in the epoch',
      16,
      { exitEpoch: FIRST + 5, withdrawableEpoch: FIRST + 261 },
    ],
    ['arrives if the validator stays', 17, {}],
  ])('a deposit %s, at %i ETH', (_, eth, after) => {
    const small = new SmallChain([...records(60), recordOf(60, { effectiveBalance: eth * ETH })], {
      deposits: [{ ...depositOf(60, ETH), slot: 1 }],
    });
    small.step({ records: { 60: after } });
    const isEjected = 'exitEpoch' in after;
    expect(small.chain.save().deposits.entries.map(({ amount }) => amount)).toEqual(isEjected ? [ETH] : []);
    // The balance has lost less than a tenth of an ETH, for missed votes.
    expect(Math.ceil(small.balance(60) / ETH)).toBe(isEjected ? eth : eth + 1);
  });

  const switching = (index: number, change = {}) => ({
    consolidationRequests: [
      {
        sourceAddress: addressOf(index),
        sourcePubkey: pubkeyOf(index),
        targetPubkey: pubkeyOf(index),
        ...change,
      },
    ],
  });
  const compounding = { withdrawalCredentials: `0x02${recordOf(3).withdrawalCredentials.slice(4)}` };
  const exited = { exitEpoch: FIRST + 6, withdrawableEpoch: FIRST + 262 };

  it('queues what is above 32 ETH when a validator switches to compounding in the first slot of an epoch', () => {
    const small = new SmallChain(records(), {
      balances: records().map(({ index }) => (index === 3 ? 33 : 32) * ETH),
    });
    small.step({ nextFirst: switching(3), records: { 3: compounding } });
    expect(small.balance(3)).toBe(32 * ETH);
    expect(small.chain.registry.record(3)).toMatchObject(compounding);
    small.step();
    small.step();
    expect(small.balance(3)).toBeGreaterThan(32.99 * ETH); // less only for missed votes
  });

  it('lets a validator get the credentials of an address and switch to compounding in one epoch', () => {
    const bls = { withdrawalCredentials: `0x00${'11'.repeat(31)}` };
    const small = new SmallChain(
      records().map((record) => (record.index === 3 ? { ...record, ...bls } : record)),
      { balances: records().map(({ index }) => (index === 3 ? 33 : 32) * ETH) },
    );
    small.step({
      blocks: {
        3: { credentialChanges: [{ validatorIndex: 3, address: addressOf(3) }] },
        9: switching(3),
      },
      records: { 3: compounding },
    });
    expect(small.chain.registry.record(3)).toMatchObject(compounding);
    expect(small.balance(3)).toBeGreaterThan(32.99 * ETH); // the excess went through the queue within the epoch
  });

  it('lets a validator switch to compounding before it exits in the same block, also the first of an epoch', () => {
    const request = { sourceAddress: addressOf(3), sourcePubkey: pubkeyOf(3), targetPubkey: pubkeyOf(4) };
    const both = { consolidationRequests: [...switching(3).consolidationRequests, request] };
    for (const changes of [{ blocks: { 5: both } }, { nextFirst: both }]) {
      const small = new SmallChain(records());
      small.step({ ...changes, records: { 3: { ...compounding, ...exited } } });
      expect(small.chain.registry.record(3)).toMatchObject({ ...compounding, ...exited });
    }
  });

  it('lets a validator switch after a request to exit from another address, and exit later in the epoch', () => {
    const small = new SmallChain(records());
    small.step({
      blocks: {
        3: {
          withdrawalRequests: [{ sourceAddress: addressOf(9), validatorPubkey: pubkeyOf(3), exits: true }],
        },
        9: switching(3),
        20: { voluntaryExits: [3] },
      },
      records: { 3: { ...compounding, ...exited } },
    });
    expect(small.chain.registry.record(3)).toMatchObject({ ...compounding, ...exited });
  });

  it('asks for the records that may have changed, and refuses to guess them', () => {
    const small = new SmallChain([...records(60), recordOf(60, { effectiveBalance: 16 * ETH })]);
    const input = small.input({
      records: { 60: { exitEpoch: FIRST + 5, withdrawableEpoch: FIRST + 261 }, 5: slashedAt(FIRST) },
      blocks: {
        3: { attesterSlashings: [[5]], voluntaryExits: [6] },
        4: {
          withdrawalRequests: [
            { sourceAddress: '0x', validatorPubkey: pubkeyOf(7), exits: true },
            { sourceAddress: '0x', validatorPubkey: pubkeyOf(8), exits: false },
          ],
        },
        5: {
          credentialChanges: [{ validatorIndex: 9, address: '0x' }],
          consolidationRequests: [
            { sourceAddress: '0x', sourcePubkey: pubkeyOf(10), targetPubkey: pubkeyOf(11) },
          ],
        },
      },
    });
    expect(small.chain.recordsNeeded(input)).toEqual([5, 6, 7, 9, 10, 60]);
    const without = input.records.filter(({ index }) => index !== 7 && index !== 60);
    expect(() => small.chain.step({ ...input, records: without })).toThrow(
      expect.objectContaining({ name: 'MissingRecords', indices: [7, 60] }),
    );
    expect(MissingRecords.prototype).toBeInstanceOf(InputError);
  });

  it.each([
    ['a block on another one', (input: any) => (input.blocks[3].parentRoot = 'other'), /builds on other/],
    ['a block by another proposer', (input: any) => (input.proposers[3] = 1), /by validator 0/],
    [
      'another first block than before',
      (input: any) => (input.blocks[0] = null),
      /block of slot 13440000 is another/,
    ],
    [
      'fewer validators than before',
      (input: any) => (input.next.balances = new Float64Array(63)),
      /fewer than the 64/,
    ],
    [
      'a member of two committees',
      (input: any) => (input.committees.members[0] = 1),
      /validator 1 is in a committee twice/,
    ],
    [
      'a member who is not active',
      (input: any) => (input.committees = committeesOf(input.epoch, records(65))),
      /validator 64 is in a committee twice, or is not active/,
    ],
    [
      'a member who has just left',
      (input: any) => (input.committees = committeesOf(FIRST - 1, records(65))),
      /committees are of epoch 419999/,
    ],
    [
      'an active validator without duty',
      (input: any) => (input.committees = committeesOf(input.epoch, records(63))),
      /validator 63 is active, but in no committee/,
    ],
    [
      'a finality that goes back',
      (input: any) => (input.next.finalizedEpoch = FIRST - 9),
      /finalized epoch is 419991/,
    ],
    [
      'slashed in the registry alone',
      (input: any) => (input.records[3].slashed = true),
      /slashed of validator 3/,
    ],
    [
      'another effective balance',
      (input: any) => (input.records[3].effectiveBalance -= ETH),
      /effective balance of validator 3 differs by -1000000000 Gwei/,
    ],
  ])('refuses %s', (_, change, message) => {
    const small = new SmallChain(records());
    const input = small.input();
    change(input);
    expect(() => small.chain.step(input)).toThrow(InputError);
    expect(() => small.chain.step(input)).toThrow(message);
  });
});

describe('the block of the first slot of an epoch', () => {
  it('is applied once, though two inputs have it', () => {
    const [small, other] = [new SmallChain(records()), new SmallChain(records())];
    const payload = { withdrawals: [{ validatorIndex: 5, amount: 1_000 }], builderWithdrawals: [] };
    small.step({ nextFirst: { execution: payload as unknown as ExecutionPayload } });
    other.step();
    for (let epochs = 0; epochs < 3; epochs++) {
      expect(small.balance(5)).toBe(other.balance(5) - 1_000);
      small.step();
      other.step();
    }
  });
});

describe('a slashing in the first slot of an epoch', () => {
  const reward = 7_812_500;

  it('belongs to that epoch, with the balance before its block', () => {
    const small = new SmallChain(records());
    const before = small.input(); // the epoch without the slashing
    small.step({
      nextFirst: { proposerSlashings: [3], attesterSlashings: [[3, 4]] },
      records: { 3: slashedAt(FIRST + 1), 4: slashedAt(FIRST + 1) },
    });
    expect(small.balance(3)).toBe((before.next.balances[3] as number) - reward);
    const other = new SmallChain(records());
    other.step();
    small.step(); // facts of FIRST: none
    other.step();
    // Nobody votes in either chain: what remains different is this one penalty.
    expect(small.balance(3)).toBe(other.balance(3) - reward);
    const facts = small.step();
    expect(facts?.slashings).toEqual(
      [3, 4].map((index) => ({
        validatorIndex: index,
        slot: (FIRST + 1) * 32,
        withdrawableEpoch: FIRST + 1 + 8192,
        balanceBeforeSlashing: before.next.balances[index],
      })),
    );
    expect(facts?.slashingPenalties).toBe(2 * reward);
    expect(facts?.blocks[0]?.consensusRewards).toBeGreaterThan(2 * reward);
  });

  it('counts neither target nor rewards of its own epoch, but those of the epoch before', () => {
    const small = new SmallChain(records());
    small.step({ nextFirst: { proposerSlashings: [3] }, records: { 3: slashedAt(FIRST + 1) } });
    const facts = small.step();
    expect(facts?.slashings).toEqual([]);
    expect(facts?.slashingPenalties).toBe(0);
  });

  it('that the chain begins with is told from the state after it', () => {
    const all = records().map((record) => (record.index === 3 ? { ...record, ...slashedAt(FIRST) } : record));
    const small = new SmallChain(all, { first: { proposerSlashings: [3] } });
    small.step();
    const facts = small.step();
    expect(facts?.slashings).toEqual([
      {
        validatorIndex: 3,
        slot: FIRST * 32,
        withdrawableEpoch: FIRST + 8192,
        balanceBeforeSlashing: 32 * ETH + reward,
      },
    ]);
  });

  it('survives a restart between its block and its facts', () => {
    const small = new SmallChain(records());
    small.step({ nextFirst: { proposerSlashings: [3] }, records: { 3: slashedAt(FIRST + 1) } });
    const again = small.restored();
    small.step();
    again.step();
    expect(again.step()).toEqual(small.step());
  });
});

describe('what is saved', () => {
  const small = new SmallChain(records());
  small.step();
  const saved = small.chain.save();
  const resume = small.resume();

  it('is refused where a node tells another state than before', () => {
    const balances = resume.state.balances.slice();
    (balances[5] as number) += 1;
    const state = { ...resume.state, balances };
    expect(() => Chain.restore(spec, saved, { ...resume, state })).toThrow(/another state than the one/);
    expect(() => Chain.restore(spec, saved, { ...resume, records: records(63) })).toThrow(
      /63 validators instead of 64/,
    );
  });

  it('is refused where it is damaged, of another version, or something else', () => {
    const changed = (state: Buffer) => ({ ...saved, state });
    const damaged = Buffer.from(saved.state);
    (damaged[damaged.length - 1] as number) ^= 1;
    expect(() => Chain.restore(spec, changed(damaged), resume)).toThrow(/damaged/);
    const newer = Buffer.from(saved.state);
    newer[16] = 99;
    expect(() => Chain.restore(spec, changed(newer), resume)).toThrow(/has version 99, not 3/);
    expect(() => Chain.restore(spec, changed(Buffer.from('something')), resume)).toThrow(/is not readable/);
  });
});

describe('the upgrade to Electra', () => {
  it('is refused by name', () => {
    const chain = new SmallChain(records());
    const input = chain.input();
    const electra = { ...spec, forkEpochs: { ...spec.forkEpochs, electra: FIRST + 1, fulu: FIRST + 1 } };
    const other = Chain.begin(electra, { ...chain.start });
    expect(() => other.step(input)).toThrow(/epoch 420000 ends with the upgrade to Electra/);
  });
});
