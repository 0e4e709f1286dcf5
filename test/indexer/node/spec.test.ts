import { describe, expect, it } from 'vitest';
import {
  complete,
  differing,
  forkAt,
  networkOfGenesis,
  parseGenesis,
  parseSpec,
} from '../../../src/indexer/chain/spec.ts';
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

  it.each([1.5, '1.5', '-3', '0x10', '9007199254740993', {}])(
    'is refused with a constant like %j',
    (value) => {
      expect(() => parseSpec({ ...specAnswer, BASE_REWARD_FACTOR: value })).toThrow(/BASE_REWARD_FACTOR/);
    },
  );

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

  it('that schedules Gloas needs the constants of Gloas, which others may lack', () => {
    expect(parseSpec(specAnswer).gloas).toBeUndefined();
    const scheduled = { ...specAnswer, FULU_FORK_EPOCH: '12', GLOAS_FORK_EPOCH: '20' };
    const constants = {
      CHURN_LIMIT_QUOTIENT_GLOAS: '32768',
      MAX_PER_EPOCH_ACTIVATION_CHURN_LIMIT_GLOAS: '256000000000',
      CONSOLIDATION_CHURN_LIMIT_QUOTIENT: '65536',
      MIN_BUILDER_WITHDRAWABILITY_DELAY: '64',
    };
    expect(() => parseSpec(scheduled)).toThrow(`lacks ${Object.keys(constants).join(', ')}; update`);
    expect(parseSpec({ ...scheduled, ...constants })).toMatchObject({
      forkEpochs: { gloas: 20 },
      gloas: { churnLimitQuotientGloas: 32_768, minBuilderWithdrawabilityDelay: 64 },
    });
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
    const spec = parseSpec({ ...specAnswer, FULU_FORK_EPOCH: '12', HEZE_FORK_EPOCH: '20' });
    expect(forkAt(spec, 19)).toBe('fulu');
    expect(() => forkAt(spec, 20)).toThrow(/heze \(from epoch 20\).*update stakegraph/);
  });
});

describe('a node that was updated', () => {
  const old = () => parseSpec({ ...specAnswer, FULU_FORK_EPOCH: '18446744073709551615' });
  const { unknownForks } = parseSpec({ ...specAnswer, HEZE_FORK_EPOCH: '70', BEYOND_FORK_EPOCH: '60' });

  it('adds the forks that it schedules to those of the others', () => {
    const updated = parseSpec({ ...specAnswer, FULU_FORK_EPOCH: '50', HEZE_FORK_EPOCH: '70' });
    expect([differing(updated, old()), differing(old(), updated)]).toEqual([undefined, undefined]);
    const both = { ...old(), unknownForks };
    complete(both, updated);
    expect(both.forkEpochs.fulu).toBe(50);
    expect(both.unknownForks.map(({ name }) => name)).toEqual(['beyond', 'heze']);
    complete(both, old());
    expect(both.forkEpochs.fulu).toBe(50);
  });

  it('may schedule an unknown fork at another epoch than before, but no known one', () => {
    const spec = { ...old(), unknownForks };
    complete(spec, parseSpec({ ...specAnswer, HEZE_FORK_EPOCH: '55' }));
    expect(spec.unknownForks).toEqual([
      { name: 'heze', epoch: 55 },
      { name: 'beyond', epoch: 60 },
    ]);
    const moved = parseSpec({ ...specAnswer, FULU_FORK_EPOCH: '51' });
    expect(differing(parseSpec({ ...specAnswer, FULU_FORK_EPOCH: '50' }), moved)).toBe('forkEpochs');
  });
});

describe('the network', () => {
  const spec = parseSpec(specAnswer);
  it('is known by genesis time', () => {
    expect(networkOfGenesis(hoodi, spec)).toBe('hoodi');
    expect(() => networkOfGenesis({ ...hoodi, time: 5 }, spec)).toThrow(/unknown network \(genesis time 5/);
  });

  it('must be the one that was asked for; the message has both', () => {
    expect(() => networkOfGenesis(hoodi, spec, 'mainnet')).toThrow(/node is of hoodi .*--network is mainnet/);
  });

  it('is refused where genesis and config disagree', () => {
    expect(() => networkOfGenesis(hoodi, parseSpec({ ...specAnswer, CONFIG_NAME: 'mainnet' }))).toThrow(
      /genesis time of hoodi but the config of mainnet/,
    );
  });

  it('by its own validators is refused with other forks than it has', () => {
    const validatorsRoot = '0x212f13fc4df078b6cb7db228f1c8307566dcecf900867401a92023d7ba99cb5f';
    const own = { ...specAnswer, ELECTRA_FORK_EPOCH: '2048', FULU_FORK_EPOCH: '50688' };
    expect(networkOfGenesis({ ...hoodi, validatorsRoot }, parseSpec(own))).toBe('hoodi');
    for (const [name, epoch] of [
      ['DENEB', '1'],
      ['ELECTRA', '2049'],
      ['FULU', '50687'],
    ]) {
      const other = parseSpec({ ...own, [`${name}_FORK_EPOCH`]: epoch });
      expect(() => networkOfGenesis({ ...hoodi, validatorsRoot }, other)).toThrow(
        new RegExp(`schedules ${name?.toLowerCase()} at epoch ${epoch} in place of`),
      );
      expect(networkOfGenesis(hoodi, other)).toBe('hoodi'); // a development chain
    }
  });

  describe('sepolia', () => {
    const sepolia = { ...hoodi, time: 1_655_733_600 };
    const answer = {
      ...{ ...specAnswer, CONFIG_NAME: 'sepolia', DENEB_FORK_EPOCH: '132608', ELECTRA_FORK_EPOCH: '222464' },
      ...{
        FULU_FORK_EPOCH: '272640',
        DEPOSIT_CONTRACT_ADDRESS: '0x7f02C3E3c98b133055B8B348B2Ac625669Ed295D',
      },
    };
    const told = (change: object = {}) => networkOfGenesis(sepolia, parseSpec({ ...answer, ...change }));

    it('is known, also from a node that schedules no Gloas', () => {
      const gloas = {
        ...{ GLOAS_FORK_EPOCH: '353024', CHURN_LIMIT_QUOTIENT_GLOAS: '32768' },
        ...{ CONSOLIDATION_CHURN_LIMIT_QUOTIENT: '65536', MIN_BUILDER_WITHDRAWABILITY_DELAY: '64' },
        MAX_PER_EPOCH_ACTIVATION_CHURN_LIMIT_GLOAS: '256000000000',
      };
      expect([told(gloas), told()]).toEqual(['sepolia', 'sepolia']);
      expect(() => told({ ...gloas, GLOAS_FORK_EPOCH: '353025' })).toThrow(
        'the node has the genesis time of sepolia, but schedules gloas at epoch 353025 in place of 353024; it is of another network.',
      );
    });

    it.each([
      [{ CONFIG_NAME: 'hoodi' }, /genesis time of sepolia but the config of hoodi/],
      [{ ELECTRA_FORK_EPOCH: '222465' }, /schedules electra at epoch 222465 in place of 222464/],
      [
        { DEPOSIT_CONTRACT_ADDRESS: specAnswer.DEPOSIT_CONTRACT_ADDRESS },
        /the deposit contract 0x00000000219ab540356cbb839cbe05303d7705fa in place of 0x7f02c3e3/,
      ],
    ])('is refused with %j', (change, message) => {
      expect(() => told(change)).toThrow(message);
    });
  });

  it('cannot be told from nonsense', () => {
    expect(() => parseGenesis({ genesis_time: 5 })).toThrow(/is this a beacon node/);
  });
});
