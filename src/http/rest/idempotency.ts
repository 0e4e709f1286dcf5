import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { primaryWithin, type Queryable } from '../../db/pool.ts';
import { rows, sql } from '../../db/rows.ts';
import { badInput, type Fault, Refusal } from '../../kernel/refusal.ts';
import { IDEMPOTENCY_KEY } from '../../kernel/route.ts';

/** A replayed response has no `units` and costs the base units. */
export type Stored = { status: number; headers: Record<string, string>; pieces: string[]; units?: number };

/** Accepts the key quoted (IETF draft) or bare. */
export function readKey(request: FastifyRequest, faults: Fault[]): string | undefined {
  const given = request.headers[IDEMPOTENCY_KEY.toLowerCase()];
  if (given === undefined) return undefined;
  const key = String(given).replace(/^"(.*)"$/, '$1');
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  const msg = `${IDEMPOTENCY_KEY} must be 1 to 255 visible ASCII characters, once.`;
  faults.push({ loc: ['header', IDEMPOTENCY_KEY], msg, type: 'format' });
  return undefined;
}

const fingerprint = (request: FastifyRequest, context: Context) =>
  createHash('sha256')
    .update(JSON.stringify([request.method, request.url, context.network, request.body]))
    .digest();

/** One transaction stores the response and the writes. A refused request stores nothing. */
export function idempotent(
  context: Context,
  key: string,
  request: FastifyRequest,
  run: (context: Context) => Promise<Stored>,
): Promise<Stored> {
  const { accountId } = context.caller;
  const hash = fingerprint(request, context);
  return context.primary.transaction(async (db) => {
    await claim(db, accountId, key);
    const known = await find(db, accountId, key);
    if (known && !known.request.equals(hash)) {
      const msg = `${IDEMPOTENCY_KEY} was used for another request in the last 24 hours; a new request needs a new key.`;
      throw badInput([{ loc: ['header', IDEMPOTENCY_KEY], msg, type: 'conflict' }]);
    }
    if (known)
      return { status: known.status, headers: { 'idempotency-replayed': 'true' }, pieces: [known.body] };
    const answer = await run({ ...context, primary: primaryWithin(db) });
    await store(db, accountId, key, hash, answer);
    return answer;
  });
}

async function claim(db: Queryable, accountId: string, key: string): Promise<void> {
  const [row] = await rows(
    db,
    z.object({ mine: z.boolean() }),
    sql`/* claimIdempotencyKey */
    select pg_try_advisory_xact_lock(hashtextextended(${`idempotency ${accountId} ${key}`}, 0)) as mine`,
  );
  if (row?.mine) return;
  throw new Refusal(
    'CONFLICT',
    `A request with this ${IDEMPOTENCY_KEY} is being answered; try again for its answer.`,
    { headers: { 'retry-after': '1' } },
  );
}

const Known = z.object({ request: z.instanceof(Buffer), status: z.int(), body: z.string() });

async function find(db: Queryable, accountId: string, key: string) {
  const [known] = await rows(
    db,
    Known,
    sql`/* idempotencyKey */
    select request, status, body from idempotency_keys
    where account_id = ${accountId} and key = ${key} and created_at > now() - interval '24 hours'`,
  );
  return known;
}

async function store(db: Queryable, accountId: string, key: string, request: Buffer, answer: Stored) {
  const prune = sql`/* pruneIdempotencyKeys */
    delete from idempotency_keys where ctid = any(array(
      select ctid from idempotency_keys where created_at <= now() - interval '24 hours'
      order by created_at limit 100 for update skip locked
    ))`;
  const insert = sql`/* keepIdempotencyKey */
    insert into idempotency_keys (account_id, key, request, status, body)
    values (${accountId}, ${key}, ${request}, ${answer.status}, ${answer.pieces.join('')})
    on conflict (account_id, key) do update set request = excluded.request, status = excluded.status,
      body = excluded.body, created_at = excluded.created_at`;
  for (const { text, values } of [prune, insert]) await db.query({ text, values });
}
