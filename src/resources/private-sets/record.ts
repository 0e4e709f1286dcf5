import { z } from 'zod';
import { Network } from '../../chain/networks.ts';
import { jsonBody, needed } from '../../kernel/body.ts';
import * as Leaf from '../../kernel/leaves.ts';

export const SetProgress = z
  .object({
    completeFrom: Leaf.date().describe(
      'First date of which the figures count all validators. Earlier ones are not shown yet.',
    ),
    share: Leaf.ratio().describe('Share of the days of its validators that the figures count already, 0..1.'),
  })
  .meta({
    id: 'TagProgress',
    description: 'How far the days of validators that were added to a tag are summed up.',
  });

/** Spec §4.9, and `progress`. */
export const PrivateSet = z.object({
  id: Leaf.text(36).describe('Identifier of the tag and of its set, a UUID.'),
  name: Leaf.text(100).describe('Name of the tag; an account may use a name more than once.'),
  network: Network.describe('Network of its validators.'),
  organizationId: Leaf.text(36).describe('Account that owns it, a UUID.'),
  createdBy: Leaf.text(256).describe('Name of the token that created it.'),
  createdAt: Leaf.timestamp().describe('When it was created.'),
  updatedAt: Leaf.timestamp().describe('When its name or validators were last changed.'),
  progress: SetProgress.nullable().describe(
    'How far the days of added validators are summed up; null when the figures count all stored days.',
  ),
});
export const Tag = PrivateSet.omit({ progress: true }).meta({
  id: 'Tag',
  description: 'A tag, which groups validators into a private set.',
});
/** Has the documented keys alone when nothing is left to sum. */
export const TagWithProgress = Tag.extend({
  progress: SetProgress.optional().describe(
    'How far the days of added validators are summed up; absent when the figures count all stored days.',
  ),
}).meta({
  id: 'TagWithProgress',
  description: 'A tag, and how far the days of its validators are summed up.',
});
export const tagOf = ({ progress, ...tag }: PrivateSet): z.infer<typeof TagWithProgress> =>
  progress ? { ...tag, progress } : tag;

export type PrivateSet = z.infer<typeof PrivateSet>;
export type SetField = keyof PrivateSet;
export const setFields = Object.keys(PrivateSet.shape) as SetField[];

export const SetMember = z
  .object({
    validatorIndex: Leaf.count().describe('Index of the validator.'),
    validatorPubkey: Leaf.hex(48).describe('Public key of the validator, 0x and 96 hex digits.'),
    addedAt: Leaf.timestamp().describe('When it was added.'),
  })
  .meta({ id: 'TagValidator', description: 'A validator of a tag.' });
export type SetMember = z.infer<typeof SetMember>;

export const ValidatorsAdded = z
  .object({
    tag: TagWithProgress,
    pubkeysAdded: z
      .array(Leaf.hex(48))
      .describe('Public keys of the validators that were not in the tag before, by index.'),
  })
  .meta({ id: 'ValidatorsAdded', description: 'A tag and the validators added to it.' });

export const MAX_ADDED = 1_000;
export const MAX_VALIDATORS = 15_000;

const NAME = 'a text of 1 to 100 characters, not all of them blank';
/** For a name that the account chooses itself. */
export const chosenName = () =>
  z
    .string({ error: needed(NAME) })
    .regex(
      /^(?=.*[^\s\u00ad\u061c\u200b-\u200f\u2060-\u2064\ufeff])[^\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]+$/u,
      `must be ${NAME}, without control characters`,
    )
    .max(100, `must be ${NAME}`);
const setName = () => chosenName().describe('Name of the tag, 1 to 100 characters.');

const REFERENCE = 'an index, or a public key of 96 hex digits, with or without 0x';
/** In GraphQL, an index is text, because input types have no unions. */
const reference = () => {
  const wrong = `must be ${REFERENCE}`;
  const pattern = /^((0[xX])?[0-9a-fA-F]{96}|\d{1,9})$/;
  return z.union([z.int32(wrong).min(0, wrong), z.string().regex(pattern, wrong)], wrong);
};
const references = (min: number) =>
  z
    .array(reference(), { error: needed('a list') })
    .min(min, `must have ${min} to ${MAX_ADDED} entries`)
    .max(MAX_ADDED, `must have at most ${MAX_ADDED} entries; add more with further calls`);

const validators = `Its first validators, at most ${MAX_ADDED}, each by ${REFERENCE}.`;
export const NewSet = jsonBody({
  name: setName(),
  validators: references(0).optional().describe(validators),
}).meta({ id: 'NewTag', description: 'A tag to create.' });

export const SetName = jsonBody({ name: setName() }).meta({
  id: 'TagName',
  description: 'A new name of a tag.',
});

export const SetPubkeys = jsonBody({
  pubkeys: references(1).describe(
    `Validators to add, 1 to ${MAX_ADDED}, each by ${REFERENCE}. Those already in the tag stay in it.`,
  ),
}).meta({ id: 'TagPubkeys', description: 'Validators to add to a tag.' });

export const SetValidators = jsonBody({ validators: references(1) });

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/;
export const readSetId = (given: string): string | undefined =>
  UUID.test(given.toLowerCase()) ? given.toLowerCase() : undefined;
