import { isLosslessNumber, stringify } from 'lossless-json';
import type { z } from 'zod';
import { FAR_FUTURE_EPOCH } from '../../chain/calendar.ts';
import { withdrawalAddressOf } from '../../chain/credentials.ts';
import { decode } from '../../kernel/decode.ts';
import { isObject } from '../../kernel/json.ts';
import * as Leaf from '../../kernel/leaves.ts';
import type { Validator } from '../../resources/validators/record.ts';

/** An entry of the answer to `GET /eth/v1/beacon/states/{state_id}/validators` (Ethereum Beacon APIs). */
export type NodeEntry = Record<string, unknown> & { validator: Record<string, unknown> };

/** What the chain knows of a validator. */
type ChainField = Exclude<keyof Validator, 'depositAddress' | 'nodeOperator' | 'pool'>;
type Field = {
  path: readonly [string] | readonly ['validator', string];
  needed: string;
  /** Undefined for an invalid value. */
  read(value: unknown): unknown;
};

const Count = Leaf.count();
const [Pubkey, Credentials] = [Leaf.hex(48), Leaf.hex(32)];

const valid = (schema: z.ZodType, value: unknown): unknown => schema.safeParse(value).data;

const isNumber = (value: unknown) => typeof value === 'number' || isLosslessNumber(value);

/** Some nodes write numbers without quotes. */
const digitsOf = (value: unknown): unknown => (isNumber(value) ? String(value) : value);

function countOf(value: unknown): unknown {
  const digits = digitsOf(value);
  return typeof digits === 'string' && /^(0|[1-9]\d*)$/.test(digits)
    ? valid(Count, Number(digits))
    : undefined;
}

const epochOf = (value: unknown) => (digitsOf(value) === FAR_FUTURE_EPOCH ? null : countOf(value));

function addressOf(value: unknown): unknown {
  const credentials = valid(Credentials, decode(Credentials, value));
  return credentials === undefined ? undefined : withdrawalAddressOf(credentials as string);
}

const highest = 2 ** 31 - 1;
const anEpoch = `an epoch from 0 to ${highest}, or ${FAR_FUTURE_EPOCH} for none, is needed`;

const fields: Record<ChainField, Field> = {
  validatorIndex: { path: ['index'], needed: `an index from 0 to ${highest} is needed`, read: countOf },
  validatorPubkey: {
    path: ['validator', 'pubkey'],
    needed: '0x and 96 hex digits are needed',
    read: (value) => valid(Pubkey, decode(Pubkey, value)),
  },
  withdrawalAddress: {
    path: ['validator', 'withdrawal_credentials'],
    needed: '0x and 64 hex digits are needed',
    read: addressOf,
  },
  activationEpoch: { path: ['validator', 'activation_epoch'], needed: anEpoch, read: epochOf },
  exitEpoch: { path: ['validator', 'exit_epoch'], needed: anEpoch, read: epochOf },
  slashed: {
    path: ['validator', 'slashed'],
    needed: 'true or false is needed',
    read: (value) => (typeof value === 'boolean' ? value : undefined),
  },
};

export function isNodeEntry(raw: unknown): raw is NodeEntry {
  if (!isObject(raw) || Object.hasOwn(raw, 'validatorIndex') || !isObject(raw.validator)) return false;
  return Object.hasOwn(raw, 'index') || Object.hasOwn(raw.validator, 'pubkey');
}

/** The row of an entry, without the fields that a node does not know; and the faults, which name fields of the entry. */
export function readNodeEntry(entry: NodeEntry) {
  const row: Record<string, unknown> = {};
  const issues: z.core.$ZodIssue[] = [];
  for (const [name, { path, needed, read }] of Object.entries(fields)) {
    const [first, second] = path;
    const value = second === undefined ? entry[first] : entry.validator[second];
    row[name] = read(value);
    if (row[name] !== undefined) continue;
    const found = value === undefined ? 'is missing' : `is ${shown(value)}`;
    issues.push({ code: 'custom', path: [...path], message: `${found}; ${needed}`, input: value });
  }
  return { row, issues };
}

/** Where the value of a row's field stands in its entry. */
export const placeInEntry = (path: readonly PropertyKey[]): PropertyKey[] => [
  ...(fields[path[0] as ChainField]?.path ?? path),
];

const MAX_SHOWN = 80;
function shown(value: unknown): string {
  const text = stringify(value) as string;
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
