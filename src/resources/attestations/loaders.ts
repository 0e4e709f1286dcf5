import type { Context } from '../../context.ts';
import { batchListLoader } from '../../kernel/batch.ts';
import {
  type AttestationQuery,
  type AttestationRange,
  type AttestationRow,
  attestationPages,
  type EntityKey,
} from './queries.ts';
import type { AttestationField } from './record.ts';

const keyOf = (key: EntityKey) => JSON.stringify([key.network, key.idType, key.id]);

/** A page of an entity's attestations; those of every operator on a page are one statement. */
export const loadAttestationPage = async (
  ctx: Context,
  key: EntityKey,
  query: AttestationQuery,
  range: AttestationRange,
  asked: readonly AttestationField[],
): Promise<AttestationRow[]> =>
  (await batchListLoader<EntityKey, AttestationRow>(
    ctx.loaders,
    `attestations:${JSON.stringify([query, range, asked])}`,
    keyOf,
    (keys) => attestationPages(ctx.db, keys, query, range, asked),
  ).load(key)) ?? [];
