import { describe, expect, it } from 'vitest';
import { forkAt, networkOf, parseGenesis, parseSpec } from '../../../src/indexer/spec.ts';
import { specAnswer } from '../../support/synthetic-chain.ts';

const hoodi = { time: 1_742_213_400, validatorsRoot: `0x${'12'.repeat(32)}` };

describe('config/spec', () => {
  it('gives numbers in place of strings, and Infinity for an epoch that is never reached', () => {
    const spec = parseSpec({ ...specAnswer, FULU_FORK_EPOCH: '18446744073709551615' });
    expect(spec.baseRewardFactor).toBe(64);
    expect(spec.minSlashingPenaltyQuotientElectra).toBe(4096);
    expect(spec.forkEpochs.fulu).toBe(Number.POSITIVE_INFINITY);
  });

  it('is refused with the name of every missing constant', () => {
    const { BASE_REWARD_FACTOR, MIN_ACTIVATION_BALANCE, ...others } = specAnswer;
    expect(() => parseSpec(others)).toThrow(/lacks BASE_REWARD_FACTOR, MIN_ACTIVATION_BALANCE; update/);
  });

  it('may lack constants that the rules do not read', () => {
    const { MAX_SEED_LOOKAHEAD, TARGET_COMMITTEE_SIZE, MIN_PER_EPOCH_CHURN_LIMIT, ...others } = specAnswer;
    expect(parseSpec(others).baseRewardFactor).toBe(64);
  });

  it.each([1, '1.5', '-3', '0x10', '9007199254740993', {}])('is refused with a constant like %j', (value) => {
    expect(() => parseSpec({ ...specAnswer, BASE_REWARD_FACTOR: value })).toThrow(/BASE_REWARD_FACTOR/);
  });

  it.each([null, [], 'text', 3])('is refused as %j', (data) => {
    expect(() => parseSpec(data)).toThrow(/is this a beacon node/);
  });

  it('of another preset or with slots of another length is refused', () => {
    expect(() => parseSpec({ ...specAnswer, PRESET_BASE: 'minimal' })).toThrow(/preset minimal/);
    expect(() => parseSpec({ ...specAnswer, SLOTS_PER_EPOCH: '8' })).toThrow(/8 slots per epoch/);
    expect(() => parseSpec({ ...specAnswer, SLOT_DURATION_MS: '6000' })).toThrow(/of 6 s/);
  });

  it('that needs no Electra may lack the constants of Electra', () => {
    const { MIN_ACTIVATION_BALANCE, ELECTRA_FORK_EPOCH, FULU_FORK_EPOCH, ...others } = specAnswer;
    expect(parseSpec(others).forkEpochs.electra).toBe(Number.POSITIVE_INFINITY);
  });

  it('with forks out of order is refused', () => {
    expect(() => parseSpec({ ...specAnswer, DENEB_FORK_EPOCH: '5', ELECTRA_FORK_EPOCH: '4' })).toThrow(
      /electra at epoch 4/,
    );
  });
});

describe('forks', () => {
  it('are told by epoch', () => {
    const spec = parseSpec({ ...specAnswer, ELECTRA_FORK_EPOCH: '10', FULU_FORK_EPOCH: '12' });
    expect([9, 10, 11, 12].map((epoch) => forkAt(spec, epoch))).toEqual([
      'deneb',
      'electra',
      'electra',
      'fulu',
    ]);
  });

  it('that are not known are refused by name from their epoch on', () => {
    const spec = parseSpec({ ...specAnswer, FULU_FORK_EPOCH: '12', GLOAS_FORK_EPOCH: '20' });
    expect(forkAt(spec, 19)).toBe('fulu');
    expect(() => forkAt(spec, 20)).toThrow(/gloas \(from epoch 20\).*update stakegraph/);
  });
});

describe('the network', () => {
  const spec = parseSpec(specAnswer);
  it('is known by genesis time', () => {
    expect(networkOf(hoodi, spec)).toBe('hoodi');
    expect(() => networkOf({ ...hoodi, time: 5 }, spec)).toThrow(/unknown network \(genesis time 5/);
  });

  it('must be the one that was asked for; the message has both', () => {
    expect(() => networkOf(hoodi, spec, 'mainnet')).toThrow(/node is of hoodi .*--network is mainnet/);
  });

  it('is refused where genesis and config disagree', () => {
    expect(() => networkOf(hoodi, parseSpec({ ...specAnswer, CONFIG_NAME: 'mainnet' }))).toThrow(
      /genesis time of hoodi but the config of mainnet/,
    );
  });

  it('cannot be told from nonsense', () => {
    expect(() => parseGenesis({ genesis_time: 5 })).toThrow(/is this a beacon node/);
  });
});
