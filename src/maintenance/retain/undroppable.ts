import type pg from 'pg';
import type { StoredPart } from './needed.ts';

/** Why PostgreSQL would not drop the table of a part, from its catalogs: a dry run takes no lock. */
export async function whyUndroppable(
  client: pg.ClientBase,
  { part }: Pick<StoredPart, 'part'>,
): Promise<string | undefined> {
  const { rows } = await client.query<{ owned: boolean; dependents: string[] }>(
    `/* undroppable */
    select pg_has_role(c.relowner, 'usage') or pg_has_role(n.nspowner, 'usage') as owned,
      array(
        select distinct coalesce(
          pg_describe_object('pg_class'::regclass, w.ev_class, 0), pg_describe_object(d.classid, d.objid, d.objsubid))
        from pg_depend d left join pg_rewrite w on d.classid = 'pg_rewrite'::regclass and w.oid = d.objid
        where d.deptype = 'n' and w.ev_class is distinct from c.oid
          and (d.refclassid, d.refobjid) in (('pg_class'::regclass, c.oid), ('pg_type'::regclass, c.reltype))
          and not exists (
            select from pg_depend own where (own.classid, own.objid) = (d.classid, d.objid) and own.deptype <> 'n'
              and (own.refclassid, own.refobjid) = ('pg_class'::regclass, c.oid))
        order by 1
      ) as dependents
    from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = $1::regclass`,
    [`"${part}"`],
  );
  const [found] = rows;
  if (found?.owned === false) return `the role of DATABASE_URL does not own table ${part}`;
  if (!found?.dependents.length) return undefined;
  return `cannot drop table ${part} because other objects depend on it: ${found.dependents.join(', ')}`;
}
