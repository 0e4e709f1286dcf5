import type { Context } from '../../context.ts';
import type { Selection } from '../../fast-rows/index.ts';
import type { Range } from '../../kernel/page.ts';
import { type PeriodPage, periodPage } from '../../periods/resolve.ts';
import { storedDates } from '../../periods/stored.ts';
import type { OperatorId } from '../operators/loaders.ts';
import { entityNotFound, normaliseId } from '../operators/record.ts';
import { loadStoredSetDates } from '../private-sets/summary-loaders.ts';
import type { ValidatorKey } from '../validators/loaders.ts';
import { isKnown, loadAttestationPage, loadValidatorAttestations, validatorOf } from './loaders.ts';
import type { AttestationQuery } from './queries.ts';
import type { AttestationField, AttestationRecord } from './record.ts';

type Stored = Awaited<ReturnType<typeof storedDates>>;
type AttestationPage = PeriodPage<AttestationRecord>;

/** The page is empty for an unknown entity. */
export const attestationPageOf = (
  ctx: Context,
  key: OperatorId,
  query: AttestationQuery,
  range: Range<number>,
  selection: Selection<AttestationField>,
): Promise<AttestationPage> =>
  periodPage(range, (part, bare) => loadAttestationPage(ctx, key, query, part, bare ? [] : selection));

export const validatorAttestations = (
  ctx: Context,
  key: ValidatorKey,
  query: AttestationQuery,
  range: Range<number>,
  selection: Selection<AttestationField>,
): Promise<AttestationPage> =>
  periodPage(range, (part, bare) => loadValidatorAttestations(ctx, key, query, part, bare ? [] : selection));

/** Throws NOT_FOUND for an unknown entity (spec §4.4). */
export async function attestations(
  ctx: Context,
  entity: OperatorId,
  query: AttestationQuery,
  range: Range<number>,
  selection: Selection<AttestationField>,
): Promise<AttestationPage> {
  const id = normaliseId(entity.id);
  const key = { ...entity, id: entity.idType === 'privateSet' ? id.toLowerCase() : id };
  const page = await attestationPageOf(ctx, key, query, range, selection);
  if (page.rows.length === 0 && !page.total && !(await isKnown(ctx, key))) throw entityNotFound(key);
  return page;
}

/** Returns nothing for a private set that the caller may not see. */
export async function storedAttestations(
  ctx: Context,
  key: OperatorId,
  query: AttestationQuery,
): Promise<Stored> {
  if (key.idType === 'privateSet')
    return (await isKnown(ctx, key))
      ? loadStoredSetDates(ctx, key, query.calendar === 'utc')
      : { from: null, to: null };
  const validator = key.idType === 'validator' && (await validatorOf(ctx, key));
  const own = storedDates(ctx, key, query);
  if (!validator) return own;
  const byIndex = storedDates(ctx, { ...key, id: String(validator.validatorIndex) }, query);
  return joined(await own, await byIndex);
}

function joined(one: Stored, other: Stored): Stored {
  const ends = (side: keyof Stored) => [one[side], other[side]].filter((end) => end !== null).sort();
  return { from: ends('from')[0] ?? null, to: ends('to').at(-1) ?? null };
}
