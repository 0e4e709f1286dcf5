import { withArchived } from '../archive/read.ts';
import { genesisTime, type Network } from '../chain/networks.ts';
import { DAYS_FUNCTION, isDistributed } from '../db/distributed/layout.ts';
import { join, keyTable, raw, type Sql, sql } from '../db/rows.ts';
import { withinBounds } from './bounds.ts';
import * as figure from './effectiveness.ts';
import type { PeriodSource } from './pages.ts';
import type { PeriodQuery } from './read-plan.ts';

export type EntityKey = { network: Network; idType: string; id: string };

const genesis = ['bigint', (key: { network: Network }) => genesisTime[key.network]] as const;

export const entities = (keys: readonly EntityKey[]) => sql`${keyTable(keys, {
  network: ['text', 'network'],
  id_type: ['text', 'idType'],
  entity_id: ['text', 'id'],
  genesis,
})}
    join attestation_entities e using (network, id_type, entity_id)`;

const own = (query: PeriodQuery<string>) =>
  sql`a.entity_key = e.entity_key and a.utc = ${query.calendar === 'utc'} ${withinBounds(query, true)}`;

export const entityDays = (keys: readonly EntityKey[], query: PeriodQuery<string>) => ({
  keys: entities(keys),
  days: sql`attestation_days`,
  hours: sql`attestation_hours`,
  parted: true,
  own: own(query),
});

export type ValidatorOwner = { network: Network; validatorIndex: number };

/** A validator has the same figures as a private set that contains only this validator. */
export const validatorDays = (
  keys: readonly ValidatorOwner[],
  query: PeriodQuery<string>,
  { condition, archived }: ArchivedPart,
): PeriodSource => ({
  keys: keyTable(keys, {
    network: ['text', 'network'],
    validator_index: ['int', 'validatorIndex'],
    entity_id: ['text', ({ validatorIndex }) => String(validatorIndex)],
    genesis,
  }),
  days: figuresOfValidators(query.calendar === 'utc', archived),
  parted: true,
  own: sql`a.network = k.network and a.validator_index = k.validator_index
    and a.utc = ${query.calendar === 'utc'} ${withinBounds(query, true)} and ${condition}`,
});

/** `condition` holds if no other months are archived. Of distributed days, none are. */
export type ArchivedPart = { condition: Sql; archived: readonly Sql[] };

const active = sql`${figure.duties} > 0`;
const counted = (condition: Sql) => sql`(${condition})::int`;
const derived: Record<string, Sql> = {
  validator_count: counted(active),
  sum_end_epoch_balance: sql`case when ${active} then a.end_epoch_balance else 0 end`,
  sum_end_epoch_effective_balance: sql`case when ${active} then a.end_epoch_effective_balance else 0 end`,
  avg_attester_effectiveness: sql`coalesce(${figure.attester}, 0)`,
  attested_count: counted(sql`${figure.attested} > 0`),
  proposer_count: counted(sql`${figure.proposals} > 0`),
  sum_correctness: figure.correctness,
  sum_inclusion_delays: figure.inclusionDelay,
  sum_uptime: sql`coalesce(${figure.uptime}, 0)`,
  sum_attester_effectiveness: sql`coalesce(${figure.attester}, 0)`,
  sum_proposer_effectiveness: figure.proposer,
  sum_validator_effectiveness: sql`coalesce(${figure.effectiveness}, 0)`,
};

/** Of the rows themselves, which all statements on days of validators read. */
const keyColumns = ['validator_index', 'utc', 'day', 'date', 'start_epoch', 'end_epoch'];

const columnsIn = ({ sql: text }: Sql): string[] =>
  [...text.matchAll(/\ba\.(\w+)/g)].map(([, name]) => name as string);

/** Columns of `validator_days` that expressions over the figures `a` of a validator's days need. */
export function neededColumns(expressions: Sql): Set<string> {
  const ofFigure = (name: string) => {
    const figure = derived[name];
    return figure ? columnsIn(figure) : [name];
  };
  return new Set([...keyColumns, ...columnsIn(expressions).flatMap(ofFigure)]);
}

/** Citus refuses or misreads lateral subqueries with a limit, but not the function. */
const storedDays = (utc: boolean): Sql =>
  isDistributed() ? sql`${raw(DAYS_FUNCTION)}(k.network, k.validator_index, ${utc})` : sql`validator_days`;
const derivedColumns = join(Object.entries(derived).map(([name, value]) => sql`${value} as ${raw(name)}`));
const figuresOfValidators = (utc: boolean, archived: readonly Sql[]): Sql => sql`(
  select a.*, ${derivedColumns}
  from ${archived.length > 0 ? sql`(${withArchived(storedDays(utc), archived)})` : storedDays(utc)} a
)`;
