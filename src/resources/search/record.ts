import { badInput, type Fault, quoted } from '../../kernel/refusal.ts';

export const searchKinds = ['operator', 'validator', 'block', 'stakeAuthority', 'tag', 'privateSet'] as const;
export type SearchKind = (typeof searchKinds)[number];

export type SearchMatch = 'name' | 'similarName' | 'address' | 'index' | 'publicKey' | 'slot' | 'blockHash';

export const SEARCH_MAX_SIZE = 50;
const MAX_LENGTH = 100;

const unfit = /\p{Cc}|\p{Cs}/u;

/** Returns `query` with composed letters (NFC), like stored names. */
export function readQuery(query: string, first: number, kinds: readonly SearchKind[]): string {
  const faults: Fault[] = [];
  const refuse = (name: string, msg: string) =>
    faults.push({ loc: ['argument', name], msg: `${name} ${msg}.`, type: 'value_error' });
  const text = query.trim().normalize('NFC');
  if (text === '') refuse('query', `is empty; 1 to ${MAX_LENGTH} characters are needed`);
  else if (text.length > MAX_LENGTH)
    refuse('query', `has ${text.length} characters; 1 to ${MAX_LENGTH} are needed`);
  else if (unfit.test(text))
    refuse('query', `is ${quoted(text)}; it has a control character or half of a character`);
  if (first < 1 || first > SEARCH_MAX_SIZE)
    refuse('first', `is ${first}; an integer from 1 to ${SEARCH_MAX_SIZE} is needed`);
  if (kinds.length === 0) refuse('kinds', 'is empty; leave it out to search all kinds');
  if (faults.length > 0) throw badInput(faults);
  return text;
}

export type Meaning = {
  number?: number;
  /** The beginning of an address or public key, in lower case with 0x. */
  hex?: string;
  /** The beginning of a Solana address. */
  base58?: string;
};

/** Without 0x, at least six hexadecimal digits are needed, because fewer may be a word. */
export function meaningOf(text: string): Meaning {
  const digits = /^(?:0x([0-9a-f]{1,96})|([0-9a-f]{6,96}))$/i.exec(text);
  return {
    ...(/^\d{1,10}$/.test(text) && Number(text) < 2 ** 31 && { number: Number(text) }),
    ...(digits && { hex: `0x${digits[1] ?? digits[2]}`.toLowerCase() }),
    ...(/^[1-9A-HJ-NP-Za-km-z]{4,44}$/.test(text) && { base58: text }),
  };
}
