import type { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import { decodePosition, encodeCursor } from '../../kernel/cursor.ts';
import { type Range, type Slice, slice } from '../../kernel/page.ts';
import { badArgument } from '../../kernel/refusal.ts';
import { loadOperator, type OperatorKey } from '../operators/loaders.ts';
import type { IdType, OperatorField } from '../operators/record.ts';
import { loadOperatorValidators, loadValidator, loadValidatorByPubkey } from './loaders.ts';
import type { ValidatorRow } from './queries.ts';

export const VALIDATORS_DEFAULT_SIZE = 10;
export const VALIDATORS_MAX_SIZE = 200;

/**
 * A validator by exactly one of index and public key, in any letter case; undefined when it is not known. Throws
 * BAD_INPUT for none, both, a negative index or what is no public key.
 */
export function validator(
  ctx: Context,
  network: Network,
  { index, pubkey }: { index?: number | null | undefined; pubkey?: string | null | undefined },
): Promise<ValidatorRow | undefined> {
  if ((index == null) === (pubkey == null)) throw badArgument('index', 'Give one of index and pubkey.');
  if (index != null) {
    if (index < 0) throw badArgument('index', `index is ${index}; an integer >= 0 is needed.`);
    return loadValidator(ctx, { network, validatorIndex: index });
  }
  const validatorPubkey = (pubkey as string).toLowerCase();
  if (!/^0x[0-9a-f]{96}$/.test(validatorPubkey)) {
    throw badArgument('pubkey', 'pubkey must be 0x and 96 hex digits.');
  }
  return loadValidatorByPubkey(ctx, { network, validatorPubkey });
}

// Without the window: an operator has the same validators in each.
const listName = (operator: OperatorKey) =>
  `validators:${JSON.stringify([operator.network, operator.idType, operator.id])}`;

/** The cursor of a validator in its operator's list. */
export const validatorCursor = (operator: OperatorKey, row: ValidatorRow): string =>
  encodeCursor(listName(operator), [row.validatorIndex]);

/** The index in a cursor, or undefined when it is not one of this list. */
export const validatorPosition = (operator: OperatorKey, cursor: string): number | undefined =>
  decodePosition(listName(operator), cursor, 1)?.[0];

/** A page of the validators of an operator, by index. */
export const operatorValidators = async (
  ctx: Context,
  operator: OperatorKey,
  range: Range<number>,
): Promise<Slice<ValidatorRow>> => slice(await loadOperatorValidators(ctx, operator, range), range);

/** The operators a validator belongs to: its deposit address, withdrawal address, node operator and pool. */
const memberOf = ['depositAddress', 'withdrawalAddress', 'nodeOperator', 'pool'] as const satisfies IdType[];

/** Their summaries in a window, in this order; those without one are left out. */
export async function operatorsOf(
  ctx: Context,
  row: ValidatorRow,
  timeWindow: OperatorKey['timeWindow'],
  asked: readonly OperatorField[],
) {
  const keys = memberOf.flatMap((idType): OperatorKey[] => {
    const id = row[idType];
    return id === null ? [] : [{ network: row.network, idType, timeWindow, id }];
  });
  const found = await Promise.all(keys.map((key) => loadOperator(ctx, key, asked)));
  return found.filter((operator) => operator !== undefined);
}
