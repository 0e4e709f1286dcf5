// Imports of few rows into what the large pool has, as the rows of files.
const hex = (n, digits) => `0x${n.toString(16).padStart(digits, '0')}`;

const validator = (index, change = {}) => ({
  ...{ network: 'mainnet', validatorIndex: index, validatorPubkey: hex(index, 96) },
  ...{
    depositAddress: hex(Math.floor(index / 10), 40),
    withdrawalAddress: hex(Math.floor(index / 20), 40),
  },
  ...{ nodeOperator: `Operator ${index % 30}`, pool: 'Large', activationEpoch: Math.floor(index / 8) },
  ...{ exitEpoch: null, slashed: index % 5_000 === 0 },
  ...change,
});

/** By what is imported: the resource, and its rows. The large pool has the first `large` validators. */
export function imports(large) {
  const thousand = (one) =>
    Array.from({ length: 1_000 }, (_, n) => one(Math.floor((n * large * 29) / 30_000)));
  const first = Math.ceil(large * 1.1);
  const consolidation = (at, epoch) => ({
    ...{ network: 'mainnet', epoch, consolidatedBalance: 32_000_000_000 },
    ...{ sourceValidatorIndex: first + at, sourceValidatorPubkey: hex(first + at, 96) },
    ...{ targetValidatorIndex: at % 100, targetValidatorPubkey: hex(at % 100, 96) },
  });
  return {
    '1,000 validators, unchanged': ['validators', thousand((index) => validator(index))],
    '1,000 validators, exits changed': [
      'validators',
      thousand((index) => validator(index, { exitEpoch: 600_000 })),
    ],
    '1,000 validators, pools changed': [
      'validators',
      thousand((index) => validator(index, { exitEpoch: 600_000, pool: 'Other' })),
    ],
    '1 consolidation': ['consolidations', [consolidation(1_500, 370_000)]],
    '1,000 consolidations': [
      'consolidations',
      Array.from({ length: 1_000 }, (_, n) => consolidation(n, 364_100 + n * 20)),
    ],
  };
}
