import type { Context } from '../../context.ts';
import { privateListReader } from '../../db/batch/loaders.ts';
import { listReader, rowReader } from '../../db/batch/readers.ts';
import type { Selection } from '../../fast-rows/index.ts';
import type { Range } from '../../kernel/page.ts';
import { rowsRead } from '../../periods/pages.ts';
import { isKnownEntity, type OperatorId, operatorIdText } from '../operators/loaders.ts';
import { loadSet } from '../private-sets/loaders.ts';
import {
  byValidatorName,
  loadValidator,
  loadValidatorByPubkey,
  validatorKeyText,
} from '../validators/loaders.ts';
import { readValidatorName } from '../validators/record.ts';
import {
  type AttestationQuery,
  type AttestationRow,
  attestationPages,
  attestedEntities,
  setAttestationPages,
  validatorAttestationPages,
} from './queries.ts';
import type { AttestationField } from './record.ts';

type Load = (
  ctx: Context,
  key: OperatorId,
  query: AttestationQuery,
  range: Range<number>,
  selection: Selection<AttestationField>,
) => Promise<AttestationRow[]>;

const readPage = listReader({
  keyOf: operatorIdText,
  load: attestationPages,
  rows: rowsRead,
});

export const loadAttestationPage: Load = (ctx, key, ...args) => {
  if (key.idType === 'privateSet') return setPage(ctx, key, ...args);
  return (key.idType === 'validator' ? validatorPage : readPage)(ctx, key, ...args);
};

export const loadValidatorAttestations = listReader({
  keyOf: validatorKeyText,
  load: validatorAttestationPages,
  rows: rowsRead,
});

const loadAttested = rowReader({ keyOf: operatorIdText, load: attestedEntities });

const readValidator = byValidatorName(loadValidator, loadValidatorByPubkey);
/** The validator that an entity of the class `validator` names. */
export async function validatorOf(ctx: Context, { network, id }: OperatorId) {
  const name = readValidatorName(id);
  return name && (await readValidator(ctx, network, name));
}

/** Attestations of the validator as an entity, which `refresh --validators` and imports store, or else of its days. */
const validatorPage: Load = async (ctx, key, ...args) => {
  const validator = await validatorOf(ctx, key);
  const ids = [key.id, ...(validator ? [String(validator.validatorIndex)] : [])];
  const found = await Promise.all(ids.map((id) => loadAttested(ctx, { ...key, id })));
  const attested = found.find((entity) => entity !== undefined);
  if (attested || !validator) return readPage(ctx, attested ?? key, ...args);
  return loadValidatorAttestations(ctx, validator, ...args);
};

const readSetPage = privateListReader({
  name: 'setAttestations',
  keyOf: operatorIdText,
  load: setAttestationPages,
});

const setPage: Load = async (ctx, key, ...args) =>
  (await isKnown(ctx, key)) ? readSetPage(ctx, key, ...args) : [];

/** A private set is known only to its owner. */
export const isKnown = async (ctx: Context, key: OperatorId): Promise<boolean> =>
  key.idType === 'privateSet'
    ? (await loadSet(ctx, key.id))?.network === key.network
    : (await isKnownEntity(ctx, key)) ||
      (key.idType === 'validator' && (await validatorOf(ctx, key)) !== undefined);
