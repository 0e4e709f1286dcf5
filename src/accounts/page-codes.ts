import { hash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Queryable } from '../db/pool.ts';
import { rows, sql } from '../db/rows.ts';

export const CODE_MINUTES = 10;

/** 144 random bits in base64url. */
export const CODE_FORM = '[\\w-]{24}';

const hashOf = (code: string) => hash('sha256', code, 'hex');
const Found = z.object({ found: z.int() });

/** A page exchanges its code once for the development token. */
export async function newPageCode(db: Queryable): Promise<string> {
  const code = randomBytes(18).toString('base64url');
  await rows(
    db,
    Found,
    sql`/* newPageCode */
    with expired as (delete from page_codes where expires_at <= now())
    insert into page_codes (hash, expires_at)
    values (decode(${hashOf(code)}, 'hex'), now() + make_interval(mins => ${CODE_MINUTES}))
    returning 1 as found`,
  );
  return code;
}

export async function takePageCode(db: Queryable, code: string): Promise<boolean> {
  const taken = await rows(
    db,
    Found,
    sql`/* takePageCode */
    delete from page_codes where hash = decode(${hashOf(code)}, 'hex') and expires_at > now() returning 1 as found`,
  );
  return taken.length > 0;
}
