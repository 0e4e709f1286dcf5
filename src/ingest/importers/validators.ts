import { FAR_FUTURE_EPOCH } from '../../chain/calendar.ts';
import { Network } from '../../chain/networks.ts';
import { isObject } from '../../kernel/json.ts';
import { Validator } from '../../resources/validators/record.ts';
import { plainImporter } from '../merge/plain-table.ts';
import { mergeWithTotals } from './consolidation-totals.ts';

const isFarFuture = (name: string, value: unknown) =>
  name.endsWith('Epoch') && String(value) === FAR_FUTURE_EPOCH;

const plain = plainImporter({
  resource: 'validators',
  shape: Validator.extend({ network: Network }),
  key: ['network', 'validator_index'],
  unique: { columns: ['network', 'validator_pubkey'], field: 'validatorPubkey' },
  *faults({ activationEpoch, exitEpoch }) {
    if (exitEpoch !== null && (activationEpoch === null || exitEpoch < activationEpoch))
      yield ['exitEpoch', `is ${exitEpoch}, before activationEpoch ${activationEpoch ?? 'is known'}`];
  },
  merge: mergeWithTotals,
});

export const validatorImporter: typeof plain = {
  ...plain,
  check(raw, options) {
    if (!isObject(raw)) return plain.check(raw, options);
    const given = Object.entries(raw).map(([name, value]) => [name, isFarFuture(name, value) ? null : value]);
    return plain.check(Object.fromEntries(given), options);
  },
};
