import type { Context } from '../../context.ts';
import { batchListLoader } from '../../db/batch/loaders.ts';
import { listReader } from '../../db/batch/readers.ts';
import type { Selection } from '../../fast-rows/index.ts';
import type { Range } from '../../kernel/page.ts';
import { rowsRead } from '../../periods/pages.ts';
import { isKnownEntity, type OperatorId, operatorIdText } from '../operators/loaders.ts';
import { loadTag } from '../tags/loaders.ts';
import { validatorKeyText } from '../validators/loaders.ts';
import {
  type AttestationQuery,
  type AttestationRow,
  attestationPages,
  setAttestationPages,
  validatorAttestationPages,
} from './queries.ts';
import type { AttestationField } from './record.ts';

const readPage = listReader({
  keyOf: operatorIdText,
  load: attestationPages,
  rows: rowsRead,
});

export const loadAttestationPage = (
  ctx: Context,
  key: OperatorId,
  query: AttestationQuery,
  range: Range<number>,
  selection: Selection<AttestationField>,
): Promise<AttestationRow[]> =>
  key.idType === 'privateSet'
    ? setPage(ctx, key, query, range, selection)
    : readPage(ctx, key, query, range, selection);

export const loadValidatorAttestations = listReader({
  keyOf: validatorKeyText,
  load: validatorAttestationPages,
  rows: rowsRead,
});

async function setPage(
  ctx: Context,
  key: OperatorId,
  query: AttestationQuery,
  range: Range<number>,
  selection: Selection<AttestationField>,
): Promise<AttestationRow[]> {
  if (!(await isKnown(ctx, key))) return [];
  const name = `setAttestations:${JSON.stringify([query, range, selection])}`;
  return batchListLoader<OperatorId, AttestationRow>(ctx.loaders, name, operatorIdText, (sets) =>
    setAttestationPages(ctx.primary, sets, query, range, selection),
  )(key);
}

/** A private set is known only to its owner. */
export const isKnown = async (ctx: Context, key: OperatorId): Promise<boolean> =>
  key.idType === 'privateSet'
    ? (await loadTag(ctx, key.id))?.network === key.network
    : isKnownEntity(ctx, key);
