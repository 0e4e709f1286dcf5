import { builder } from './builder.ts';

export const ValidatorBy = builder.inputType('ValidatorBy', {
  description: 'Names a validator by its index or by its public key.',
  isOneOf: true,
  fields: (t) => ({
    index: t.int({ description: 'Index of the validator, >= 0.' }),
    pubkey: t.string({
      description: 'Public key of the validator, 96 hex digits in any case, with or without 0x.',
    }),
  }),
});
