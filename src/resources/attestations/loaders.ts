import type { Context } from '../../context.ts';
import { batchListLoader } from '../../kernel/batch.ts';
import { type Asked, askedName } from '../../kernel/row-form.ts';
import type { PeriodRange } from '../../periods/pages.ts';
import { loadTag } from '../tags/loaders.ts';
import {
  type AttestationQuery,
  type AttestationRow,
  attestationEntityExists,
  attestationPages,
  type EntityKey,
  setAttestationPages,
} from './queries.ts';
import type { AttestationField } from './record.ts';

const keyOf = (key: EntityKey) => JSON.stringify([key.network, key.idType, key.id]);

/** A page of an entity's attestations; those of every operator on a page are one statement, and so are those of sets. */
export const loadAttestationPage = async (
  ctx: Context,
  key: EntityKey,
  query: AttestationQuery,
  range: PeriodRange,
  asked: Asked<AttestationField>,
): Promise<AttestationRow[]> => {
  const isSet = key.idType === 'privateSet';
  if (isSet && !(await entityExists(ctx, key))) return [];
  return batchListLoader<EntityKey, AttestationRow>(
    ctx.loaders,
    `attestations:${JSON.stringify([isSet, query, range])}:${askedName(asked)}`,
    keyOf,
    (keys) =>
      isSet
        ? setAttestationPages(ctx.primary, keys, query, range, asked)
        : attestationPages(ctx.db, keys, query, range, asked),
  )(key);
};

/** Whether an entity is known; a private set is to its owner only. */
export const entityExists = async (ctx: Context, key: EntityKey): Promise<boolean> =>
  key.idType === 'privateSet'
    ? (await loadTag(ctx, key.id))?.network === key.network
    : attestationEntityExists(ctx.db, key);
