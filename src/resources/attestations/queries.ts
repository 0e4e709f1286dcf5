import { z } from 'zod';
import { Network } from '../../chain/networks.ts';
import type { Queryable } from '../../db/pool.ts';
import { queryOf, type Sql, sql } from '../../db/rows.ts';
import type { Selection } from '../../fast-rows/index.ts';
import * as Leaf from '../../kernel/leaves.ts';
import type { Range } from '../../kernel/page.ts';
import { last, summed } from '../../periods/expressions.ts';
import { type PeriodRow, type PeriodSource, periodPages } from '../../periods/pages.ts';
import type { PeriodQuery, Series } from '../../periods/read-plan.ts';
import { entities, entityDays } from '../../periods/sources.ts';
import { validatorPages } from '../../periods/validator-pages.ts';
import type { OperatorId } from '../operators/loaders.ts';
import { IdType } from '../operators/record.ts';
import { daysOfSets, fromUnits, type SetKey } from '../private-sets/set-days.ts';
import type { ValidatorKey } from '../validators/loaders.ts';
import { type AttestationField, AttestationRecord } from './record.ts';

export type AttestationQuery = PeriodQuery<AttestationField>;
export type AttestationRow = PeriodRow<AttestationRecord>;

const seriesWith = (weighted: Sql): Omit<Series<AttestationField>, 'statement'> => ({
  record: AttestationRecord,
  fields: {
    id: sql`k.entity_id`,
    validatorCount: last('validator_count'),
    totalUniqueAttestations: summed('total_unique_attestations'),
    sumMissedAttestations: summed('sum_missed_attestations'),
    sumMissedSyncSignatures: summed('sum_missed_sync_signatures'),
    sumCorrectHead: summed('sum_correct_head'),
    sumCorrectTarget: summed('sum_correct_target'),
    sumCorrectSource: summed('sum_correct_source'),
    sumWrongHeadVotes: summed('sum_wrong_head_votes'),
    sumWrongTargetVotes: summed('sum_wrong_target_votes'),
    sumLateTargetVotes: summed('sum_late_target_votes'),
    sumLateSourceVotes: summed('sum_late_source_votes'),
    avgAttesterEffectiveness: {
      stored: sql`a.avg_attester_effectiveness`,
      // Periods without validators get the plain mean, because the field is not nullable. A sum near 0 becomes 0,
      // because PostgreSQL refuses a quotient that underflows.
      gathered: sql`coalesce(${weighted} * (${weighted} > 1e-290)::int / nullif(sum(a.validator_count), 0),
      avg(a.avg_attester_effectiveness))`,
    },
    sumInclusionDelay: summed('sum_inclusion_delay'),
    sumSyncSignatureCount: summed('sum_sync_signature_count'),
    sumEndEpochBalance: last('sum_end_epoch_balance'),
    sumEndEpochEffectiveBalance: last('sum_end_epoch_effective_balance'),
    hour: { stored: sql`a.hour`, gathered: sql`null::int` },
  },
});
const series = seriesWith(sql`sum(a.avg_attester_effectiveness * a.validator_count)`);
const seriesOfSets = seriesWith(fromUnits(sql`sum(a.sum_attester_effectiveness)`));

type Load<Key> = (
  db: Queryable,
  keys: readonly Key[],
  query: AttestationQuery,
  range: Range<number>,
  selection: Selection<AttestationField>,
) => Promise<AttestationRow[]>;

const pagesOf =
  <Key>(
    statement: string,
    sourceOf: (keys: readonly Key[], query: AttestationQuery) => PeriodSource,
    own = series,
  ): Load<Key> =>
  (db, keys, query, ...rest) =>
    periodPages(db, { ...own, statement }, sourceOf(keys, query), query, ...rest);

export const attestationPages = pagesOf<OperatorId>('attestationPages', entityDays);
export const setAttestationPages = pagesOf<SetKey>(
  'setAttestationPages',
  (sets, query) => daysOfSets(sets, query.calendar, query),
  seriesOfSets,
);

const EntityRow = z.object({ network: Network, idType: IdType, id: Leaf.text() });

/** Returns the entities that have attestations of their own. */
export const attestedEntities = queryOf(
  EntityRow,
  (keys: readonly OperatorId[]) => sql`/* attestedEntities */
    select network, id_type as "idType", entity_id as id from ${entities(keys)}`,
);

export const validatorAttestationPages: Load<ValidatorKey> = (db, keys, ...rest) =>
  validatorPages(db, { ...series, statement: 'validatorAttestationPages' }, keys, ...rest);
