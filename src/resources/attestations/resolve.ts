import type { Context } from '../../context.ts';
import { type Slice, slice } from '../../kernel/page.ts';
import { notFound } from '../../kernel/refusal.ts';
import { normaliseId } from '../operators/record.ts';
import { loadAttestationPage } from './loaders.ts';
import {
  type AttestationQuery,
  type AttestationRange,
  type AttestationRow,
  attestationEntityExists,
  type EntityKey,
} from './queries.ts';
import type { AttestationField } from './record.ts';

export const ATTESTATIONS_DEFAULT_SIZE = 10;
export const ATTESTATIONS_MAX_SIZE = 1_000;

/** `total` is null where it was not asked for. */
export type AttestationPage = Slice<AttestationRow> & { total: number | null };

/** A page of an entity's attestation duties; empty where there are none, also for an entity that is not known. */
export async function attestationPageOf(
  ctx: Context,
  key: EntityKey,
  query: AttestationQuery,
  range: AttestationRange,
  asked: readonly AttestationField[],
): Promise<AttestationPage> {
  const fetched = await loadAttestationPage(ctx, key, query, range, asked);
  // Only a page past the end has no row to carry the total.
  const past = range.after !== undefined || range.before !== undefined || (range.offset ?? 0) > 0;
  const again = fetched.length === 0 && past && range.counted;
  const first = again ? await loadAttestationPage(ctx, key, query, { limit: 1, counted: true }, []) : fetched;
  return { ...slice(fetched, range), total: range.counted ? (first[0]?.total ?? 0) : null };
}

/** The same for an entity that a caller names: NOT_FOUND when it is not known (spec §4.4). */
export async function attestations(
  ctx: Context,
  entity: EntityKey,
  query: AttestationQuery,
  range: AttestationRange,
  asked: readonly AttestationField[],
): Promise<AttestationPage> {
  const key = { ...entity, id: normaliseId(entity.id) };
  const page = await attestationPageOf(ctx, key, query, range, asked);
  if (page.rows.length === 0 && !page.total && !(await attestationEntityExists(ctx.db, key)))
    throw notFound();
  return page;
}
