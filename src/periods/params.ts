import { param } from '../chain/params.ts';
import { granularities } from './record.ts';

export const PERIODS_SIZES = { defaultSize: 10, maxSize: 1_000 };

/** Spec §4.4. */
export const periodParams = <Field extends string>(sortFields: readonly (Field | 'day')[]) => ({
  ...param.page(PERIODS_SIZES),
  ...param.range(),
  sortBy: param.choice<Field | 'day', { description: string; default: 'day' }>(sortFields, {
    description: 'Field to sort by, ties by period; `day` is the period itself.',
    default: 'day',
  }),
  sortOrder: param.sortOrder(),
  granularity: param.choice(granularities, {
    description: 'Size of the time increments.',
    nullable: true,
    default: 'day',
  }),
});
