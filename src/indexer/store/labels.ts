import type pg from 'pg';
import { z } from 'zod';
import type { Network } from '../../chain/networks.ts';
import { raisedRevision } from '../../db/changes/revisions.ts';
import { faultText } from '../../ingest/importer/fault-messages.ts';
import { storeOperatorsOfValidators } from '../../ingest/merge/block-operators.ts';
import { markHoursDue, markPeriodsDue } from '../../ingest/merge/due-periods.ts';
import { type Format, openRowSource } from '../../ingest/source/open.ts';
import { readRows, SourceError } from '../../ingest/source/source.ts';
import { decode } from '../../kernel/decode.ts';
import { count, hex, text } from '../../kernel/leaves.ts';

const MAX_FAULTS = 10;
const AT_ONCE = 10_000;
const MAX_INDEX = 2 ** 31 - 1;

const Shape = z.object({
  validatorPubkey: hex(48).nullable(),
  validatorIndex: count().max(MAX_INDEX).nullable(),
  firstIndex: count().max(MAX_INDEX).nullable(),
  lastIndex: count().max(MAX_INDEX).nullable(),
  withdrawalAddress: hex(20).nullable(),
  depositAddress: hex(20).nullable(),
  nodeOperator: text(256).min(1).nullable(),
  pool: text(256).min(1).nullable(),
});

/** Exactly one of the fields in `ways` is set. */
export type LabelRule = z.infer<typeof Shape> & { line: number };

const ways = [
  'validatorPubkey',
  'validatorIndex',
  'firstIndex',
  'withdrawalAddress',
  'depositAddress',
] as const;

const order = (rule: LabelRule): [number, number] => [
  ways.findIndex((way) => rule[way] !== null),
  rule.firstIndex === null ? 0 : (rule.lastIndex as number) - rule.firstIndex,
];

export async function readLabels(path: string, format?: Format): Promise<LabelRule[]> {
  const source = await openRowSource(path, Shape, format);
  const rules: LabelRule[] = [];
  const faults: string[] = [];
  const at = (line: number) => `${source.unit} ${line}`;
  for await (const rows of readRows(source.rows)) {
    for (const { value, place, broken } of rows) {
      const given = typeof value === 'object' && value !== null ? value : {};
      const unknown = Object.keys(given).filter((name) => !(name in Shape.shape));
      const checked = Shape.safeParse(decode(Shape, value));
      if (broken) faults.push(`${at(place)} ${broken.msg}`);
      else if (unknown.length > 0)
        faults.push(
          `${at(place)} has ${unknown.join(', ')}; fields are ${Object.keys(Shape.shape).join(', ')}`,
        );
      else if (!checked.success)
        for (const issue of checked.error.issues)
          faults.push(`${at(place)}, ${issue.path.join('.')}: ${faultText(issue, value)}`);
      else {
        const rule = { ...checked.data, line: place };
        const fault = ruleFault(rule);
        if (fault) faults.push(`${at(place)} ${fault}`);
        else rules.push(rule);
      }
    }
  }
  faults.push(
    ...contradictions(rules).map(
      ([rule, other, name]) =>
        `${at(rule.line)} contradicts ${at(other.line)}: both set ${name} of the same validators`,
    ),
  );
  if (faults.length === 0) return rules;
  const more = faults.length > MAX_FAULTS ? `\n  and ${faults.length - MAX_FAULTS} more faults` : '';
  throw new SourceError(
    `${source.name}: no label is used:\n  ${faults.slice(0, MAX_FAULTS).join('\n  ')}${more}`,
  );
}

function ruleFault(rule: LabelRule): string | undefined {
  const named = ways.filter((way) => rule[way] !== null);
  if ((rule.firstIndex === null) !== (rule.lastIndex === null)) return 'needs both firstIndex and lastIndex';
  if (named.length !== 1)
    return `names validators by ${named.length === 0 ? 'nothing' : named.join(' and ')}; one of ${ways.join(', ')} is needed`;
  if (rule.firstIndex !== null && rule.firstIndex > (rule.lastIndex as number))
    return `has firstIndex ${rule.firstIndex} after lastIndex ${rule.lastIndex}`;
  if (rule.nodeOperator === null && rule.pool === null) return 'sets neither nodeOperator nor pool';
  return undefined;
}

function contradictions(rules: readonly LabelRule[]): [LabelRule, LabelRule, string][] {
  const found: [LabelRule, LabelRule, string][] = [];
  for (const name of ['nodeOperator', 'pool'] as const) {
    const setting = rules.filter((rule) => rule[name] !== null);
    const known = new Map<string, LabelRule>();
    const ranges: LabelRule[] = [];
    for (const rule of setting) {
      if (rule.firstIndex !== null) {
        ranges.push(rule);
        continue;
      }
      const way = ways.find((one) => rule[one] !== null) as (typeof ways)[number];
      const key = `${way} ${rule[way]}`;
      const other = known.get(key);
      if (other && other[name] !== rule[name]) found.push([rule, other, name]);
      known.set(key, rule);
    }
    ranges.sort((a, b) => order(a)[1] - order(b)[1] || (a.firstIndex as number) - (b.firstIndex as number));
    for (const [at, rule] of ranges.entries()) {
      const next = ranges[at + 1];
      if (
        !next ||
        order(next)[1] !== order(rule)[1] ||
        (next.firstIndex as number) > (rule.lastIndex as number)
      )
        continue;
      if (next[name] !== rule[name])
        found.push(next.line > rule.line ? [next, rule, name] : [rule, next, name]);
    }
  }
  return found;
}

export async function storeLabels(
  client: pg.ClientBase,
  network: Network,
  rules: readonly LabelRule[],
): Promise<number> {
  const ranked = rules.toSorted(
    (a, b) => order(a)[0] - order(b)[0] || order(a)[1] - order(b)[1] || a.line - b.line,
  );
  await client.query('/* removeLabels */ delete from index_labels where network = $1', [network]);
  const of = (name: keyof LabelRule) => ranked.map((rule) => rule[name]);
  const point = (rule: LabelRule, name: 'firstIndex' | 'lastIndex') => rule.validatorIndex ?? rule[name];
  await client.query(
    `/* storeLabels */
    insert into index_labels (network, rank, validator_pubkey, first_index, last_index, withdrawal_address,
      deposit_address, node_operator, pool)
    select $1, rank, a, b, c, d, e, f, g
    from unnest($2::text[], $3::int[], $4::int[], $5::text[], $6::text[], $7::text[], $8::text[])
      with ordinality as g (a, b, c, d, e, f, g, rank)`,
    [
      ...[network, of('validatorPubkey'), ranked.map((rule) => point(rule, 'firstIndex'))],
      ...[ranked.map((rule) => point(rule, 'lastIndex')), of('withdrawalAddress'), of('depositAddress')],
      ...[of('nodeOperator'), of('pool')],
    ],
  );
  const labelled = await label(client, network, undefined);
  await namesChanged(client, network, labelled, markPeriodsDue);
  return labelled.length;
}

/** Labels validators whose addresses are new. Keeps labels that no rule sets. Days of the past keep the old addresses. */
export async function applyLabels(
  client: pg.ClientBase,
  network: Network,
  moved: readonly number[],
): Promise<void> {
  await label(client, network, moved);
  await namesChanged(client, network, moved, markHoursDue);
}

async function namesChanged(
  client: pg.ClientBase,
  network: Network,
  changed: readonly number[],
  due: typeof markPeriodsDue | typeof markHoursDue,
) {
  if (changed.length === 0) return;
  await client.query('/* consolidationTotals */ select store_consolidation_totals($1, owned => $2)', [
    network,
    changed,
  ]);
  const { rows } = await client.query<{ epoch: number | null }>(
    `/* firstActive */
    select min(activation_epoch) as epoch from validators where network = $1 and validator_index = any($2::int[])`,
    [network, changed],
  );
  const first = rows[0]?.epoch ?? null;
  if (first !== null) await due(client, network, first);
  await raisedRevision(client, 'validators')();
}

async function label(
  client: pg.ClientBase,
  network: Network,
  indices: readonly number[] | undefined,
): Promise<number[]> {
  const { rows } = await client.query(
    '/* anyLabels */ select 1 from index_labels where network = $1 limit 1',
    [network],
  );
  if (rows.length === 0) return [];
  const some = indices ? 'and v.validator_index = any($2)' : '';
  const { rows: named } = await client.query<{ index: number; operator: string | null; pool: string | null }>(
    `/* newLabels */
    with found as (
      select v.validator_index, l.rank, l.node_operator, l.pool from index_labels l
      join validators v on v.network = $1 and v.validator_pubkey = l.validator_pubkey ${some} where l.network = $1
      union all
      select v.validator_index, l.rank, l.node_operator, l.pool from index_labels l
      join validators v on v.network = $1 and v.validator_index between l.first_index and l.last_index ${some}
      where l.network = $1
      union all
      select v.validator_index, l.rank, l.node_operator, l.pool from index_labels l
      join validators v on v.network = $1 and v.withdrawal_address = l.withdrawal_address ${some} where l.network = $1
      union all
      select v.validator_index, l.rank, l.node_operator, l.pool from index_labels l
      join validators v on v.network = $1 and v.deposit_address = l.deposit_address ${some} where l.network = $1
    ), best as (
      select validator_index, (array_agg(node_operator order by rank) filter (where node_operator is not null))[1] as operator,
        (array_agg(pool order by rank) filter (where pool is not null))[1] as pool
      from found group by validator_index
    )
    select v.validator_index as index, coalesce(b.operator, v.node_operator) as operator, coalesce(b.pool, v.pool) as pool
    from best b join validators v on v.network = $1 and v.validator_index = b.validator_index
    where (v.node_operator, v.pool) is distinct from (coalesce(b.operator, v.node_operator), coalesce(b.pool, v.pool))
    order by v.validator_index`,
    indices ? [network, [...indices]] : [network],
  );
  // Statements of their own, because Citus updates no reference table by a join with a local one.
  for (let from = 0; from < named.length; from += AT_ONCE) {
    const some = named.slice(from, from + AT_ONCE);
    await client.query(
      `/* applyLabels */
      update validators v set node_operator = g.operator, pool = g.pool
      from unnest($2::int[], $3::text[], $4::text[]) as g (validator_index, operator, pool)
      where v.network = $1 and v.validator_index = g.validator_index`,
      [
        ...[network, some.map(({ index }) => index), some.map(({ operator }) => operator)],
        some.map(({ pool }) => pool),
      ],
    );
  }
  const labelled = named.map(({ index }) => index);
  if (labelled.length > 0) await storeOperatorsOfValidators(client, network, labelled);
  return labelled;
}
