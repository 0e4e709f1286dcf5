import type { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import { pageReader, rowReader, totalReader } from '../../db/batch/readers.ts';
import { operatorIdText } from '../operators/loaders.ts';
import {
  newestEpochs,
  operatorValidatorPages,
  operatorValidatorTotals,
  type PubkeyKey,
  pubkeyColumns,
  rowsOfValidators,
  type ValidatorKey,
  validatorColumns,
  validatorsByIndex,
  validatorsByPubkey,
} from './queries.ts';
import type { ValidatorName } from './record.ts';
import { newestOr } from './status.ts';

export { type PubkeyKey, pubkeyColumns, type ValidatorKey, validatorColumns };

export const validatorKeyText = (key: ValidatorKey) => `${key.network}:${key.validatorIndex}`;

export const loadValidator = rowReader({ keyOf: validatorKeyText, load: validatorsByIndex });

const readNewestEpoch = rowReader({
  keyOf: (network: Network) => network,
  load: newestEpochs,
  rowKey: (row) => row.network,
});

/** The epoch that validators' statuses refer to. */
export const loadNewestEpoch = async (ctx: Context, network: Network): Promise<number> =>
  newestOr((await readNewestEpoch(ctx, network))?.epoch ?? undefined);

export const pubkeyText = (key: PubkeyKey) => `${key.network}:${key.validatorPubkey}`;

/** Public keys must be in lower case. */
export const loadValidatorByPubkey = rowReader({ keyOf: pubkeyText, load: validatorsByPubkey });

export const byValidatorName =
  <Row>(
    byIndex: (ctx: Context, key: ValidatorKey) => Promise<Row>,
    byPubkey: (ctx: Context, key: PubkeyKey) => Promise<Row>,
  ) =>
  (ctx: Context, network: Network, name: ValidatorName): Promise<Row> =>
    'index' in name
      ? byIndex(ctx, { network, validatorIndex: name.index })
      : byPubkey(ctx, { network, validatorPubkey: name.pubkey });

/** Returns -1, which no row has, for an unknown public key. */
export async function indexOf(ctx: Context, network: Network, name: ValidatorName): Promise<number> {
  if ('index' in name) return name.index;
  const found = await loadValidatorByPubkey(ctx, { network, validatorPubkey: name.pubkey });
  return found?.validatorIndex ?? -1;
}

export const loadOperatorValidators = pageReader({ keyOf: operatorIdText, load: operatorValidatorPages });

export const loadOperatorValidatorTotal = totalReader({
  keyOf: operatorIdText,
  load: operatorValidatorTotals,
});

export const validatorTotalReader = (statement: string, table: string) =>
  totalReader({ keyOf: validatorKeyText, load: rowsOfValidators(statement, table) });
