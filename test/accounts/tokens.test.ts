import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openMeter } from '../../src/accounts/meter.ts';
import { tierLimits } from '../../src/accounts/tiers.ts';
import { openDirectory } from '../../src/accounts/token-directory.ts';
import { isWellFormed, newToken, tokenHash, tokenPrefix } from '../../src/accounts/token-format.ts';
import { createToken, listTokens, revokeToken } from '../../src/accounts/tokens.ts';
import { readSettings } from '../../src/config/index.ts';
import type { Queryable } from '../../src/db/pool.ts';
import { buildServer } from '../../src/http/server.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { slow } from '../support/thorough.ts';

const log = pino({ level: 'silent' });
const HOUR = 3_600_000;

let gateway: Gateway;
let ahead = 0; // milliseconds that the gateways' clock runs ahead
const now = () => new Date(Date.now() + ahead);
beforeAll(async () => {
  gateway = await startGateway({ template: 'empty', now });
});
afterAll(() => gateway.close());
beforeEach(() => {
  ahead = 0;
});

const db = () => gateway.database.pool;
const statusAt = async (url: string, token: string) =>
  (await fetch(`${url}/v0/eth/slashings`, { headers: { authorization: `Bearer ${token}` } })).status;
const status = (token: string) => statusAt(gateway.url, token);
const becomes = (expected: number, token: string, url = gateway.url) =>
  eventually(async () => expect(await statusAt(url, token)).toBe(expected));
const rowOf = async (tokenId: string) => (await listTokens(db())).find((row) => row.tokenId === tokenId);

/** Another gateway on the same database, like a second replica. */
async function openReplica() {
  const tokens = await openDirectory({
    url: gateway.database.url,
    db: db(),
    log,
    limits: tierLimits(readSettings({})),
  });
  const meter = await openMeter({ db: db(), log, now });
  const app = await buildServer({
    settings: readSettings({}),
    log,
    pool: db(),
    primary: db(),
    tokens,
    meter,
    revisions: gateway.revisions,
    readiness: async () => ({ ready: true }),
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  let closed = false;
  const close = async () => {
    if (closed) return;
    closed = true;
    await app.close();
    await meter.stop();
    await tokens.stop();
  };
  onTestFinished(close);
  return { url, close };
}

describe('a token', () => {
  const token = fc.constant(null).map(newToken);
  const character = fc.constantFrom(...'ABCXYZabcxyz0189-_');

  it('is a prefix, 256 bits and a checksum, and well formed', () => {
    fc.assert(
      fc.property(token, (text) => {
        expect(text).toMatch(/^sgt_[\w-]{49}$/);
        expect(Buffer.from(text.slice(4, 47), 'base64url')).toHaveLength(32);
        expect(isWellFormed(text)).toBe(true);
      }),
    );
  });

  it('is malformed when any one character is changed, added or left out', () => {
    fc.assert(
      fc.property(token, fc.nat(52), character, (text, place, other) => {
        const [before, after] = [text.slice(0, place), text.slice(place + 1)];
        if (text[place] !== other) expect(isWellFormed(before + other + after)).toBe(false);
        expect(isWellFormed(before + after)).toBe(false);
        expect(isWellFormed(before + other + text.slice(place))).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('is malformed when it is any text', () => {
    fc.assert(fc.property(fc.string(), (text) => !isWellFormed(text)));
    for (const text of ['', 'sgt_', `${newToken()}\n`, ` ${newToken()}`])
      expect(isWellFormed(text)).toBe(false);
  });

  it('is another each time', () => {
    expect(new Set(Array.from({ length: 1_000 }, newToken)).size).toBe(1_000);
  });
});

describe('what is stored of a token', () => {
  it('is its SHA-256 and the start that may be shown, and no more', async () => {
    const { token, row } = await createToken(db(), 'kept');
    const stored = await db().query({
      text: 'select t::text as text, hash, prefix from tokens t where token_id = $1',
      values: [row.tokenId],
    });
    expect(stored.rows[0]).toMatchObject({
      hash: Buffer.from(tokenHash(token), 'hex'),
      prefix: tokenPrefix(token),
    });
    const text = String(stored.rows[0]?.text);
    const hex = (part: string) => Buffer.from(part).toString('hex');
    for (const secret of [
      token.slice(10),
      token.slice(10, 30),
      token.slice(-20),
      hex(token),
      hex(token.slice(4)),
    ]) {
      expect(text).not.toContain(secret);
    }
    expect(tokenPrefix(token)).toBe(token.slice(0, 10));
  });
});

describe('createToken, listTokens and revokeToken', () => {
  it('give back what is known of a token, newest first', async () => {
    const expires = new Date('2100-01-02T03:04:05Z');
    const first = await createToken(db(), 'first');
    const second = await createToken(db(), 'second', expires);
    const [newest, next] = await listTokens(db());
    expect([newest, next]).toEqual([second.row, first.row]);
    expect(second.row).toMatchObject({
      tokenId: expect.stringMatching(/^[\da-f-]{36}$/),
      name: 'second',
      prefix: tokenPrefix(second.token),
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      expiresAt: '2100-01-02T03:04:05Z',
      lastUsedAt: null,
      revokedAt: null,
    });
    expect(JSON.stringify(await listTokens(db()))).not.toContain(second.token.slice(10));
  });

  it('revoke a token once, and leave the others', async () => {
    const [gone, kept] = [await createToken(db(), 'gone'), await createToken(db(), 'kept')];
    const revoked = await revokeToken(db(), gone.row.tokenId);
    expect(revoked).toMatchObject({ tokenId: gone.row.tokenId, revokedAt: expect.stringMatching(/Z$/) });
    expect(await revokeToken(db(), gone.row.tokenId)).toBeUndefined();
    expect(await rowOf(gone.row.tokenId)).toEqual(revoked);
    expect((await rowOf(kept.row.tokenId))?.revokedAt).toBeNull();
  });

  it('revoke nothing by an id that is none', async () => {
    for (const id of ['', 'x', "' or true --", newToken(), '00000000-0000-0000-0000-000000000000']) {
      expect(await revokeToken(db(), id)).toBeUndefined();
    }
    expect(await status(gateway.token)).toBe(200);
  });

  it('keep names with any characters', async () => {
    const { row } = await createToken(db(), `Ünï "quoted" '; drop table tokens; --`);
    expect((await rowOf(row.tokenId))?.name).toBe(row.name);
  });
});

describe('a gateway', () => {
  it('takes a new token and refuses a revoked one within a second', async () => {
    const { token, row } = await createToken(db(), 'new');
    await becomes(200, token);
    await revokeToken(db(), row.tokenId);
    await becomes(401, token);
    expect(await status(gateway.token)).toBe(200);
  });

  it('refuses a token from the moment of its expiry, by its own clock', async () => {
    const expires = new Date(Math.floor(Date.now() / 1000) * 1000 + HOUR);
    const { token } = await createToken(db(), 'an hour', expires);
    await becomes(200, token);
    ahead = expires.getTime() - Date.now() - 5_000;
    expect(await status(token)).toBe(200);
    ahead = expires.getTime() - Date.now();
    expect(await status(token)).toBe(401);
  });

  it('never takes a token that had expired before', async () => {
    const { token } = await createToken(db(), 'past', new Date(Date.now() - 1_000));
    const { token: marker } = await createToken(db(), 'marker');
    await becomes(200, marker); // the tokens were read since
    expect(await status(token)).toBe(401);
  });

  slow('learns of changes again after its listening connection was cut', async () => {
    const [before, after] = [await createToken(db(), 'before'), await createToken(db(), 'after')];
    await becomes(200, after.token);
    const cut = await db().query({
      text: `select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'stakegraph listen' and datname = current_database()`,
      values: [],
    });
    expect(cut.rows.length).toBeGreaterThan(0);
    await revokeToken(db(), before.row.tokenId); // said while nobody listens
    await becomes(401, before.token);
    await revokeToken(db(), after.row.tokenId); // said to the new connection
    await becomes(401, after.token);
  });

  it('shares its tokens with the others on its database', async () => {
    const replica = await openReplica();
    const { token, row } = await createToken(db(), 'shared');
    for (const url of [gateway.url, replica.url]) await becomes(200, token, url);
    await revokeToken(db(), row.tokenId);
    for (const url of [gateway.url, replica.url]) await becomes(401, token, url);
  });

  it('notes the last use of a token when it stops, and never an earlier one', async () => {
    const { token, row } = await createToken(db(), 'used');
    const { row: unused } = await createToken(db(), 'unused');
    const use = async (at: number) => {
      const replica = await openReplica();
      ahead = at;
      expect(await statusAt(replica.url, token)).toBe(200);
      expect(await statusAt(replica.url, `${token}x`)).toBe(401);
      await replica.close();
      return Date.parse((await rowOf(row.tokenId))?.lastUsedAt ?? '');
    };
    const later = await use(HOUR);
    expect(Math.abs(later - (Date.now() + HOUR))).toBeLessThan(10_000);
    expect(await use(0)).toBe(later);
    expect(await rowOf(unused.tokenId)).toMatchObject({ lastUsedAt: null });
  });

  it('notes the last use also where the database was away when it was to be noted', async () => {
    const { token, row } = await createToken(db(), 'used again');
    let away = false;
    const unsteady: Queryable = {
      query: (statement) =>
        away && statement.text.includes('noteUse')
          ? Promise.reject(new Error('away'))
          : db().query(statement),
    };
    vi.useFakeTimers({ toFake: ['setInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const tokens = await openDirectory({
      url: gateway.database.url,
      db: unsteady,
      log,
      limits: tierLimits(readSettings({})),
    });
    expect(tokens.find(`Bearer ${token}`, new Date())).toMatchObject({ tokenId: row.tokenId });
    away = true;
    await vi.advanceTimersByTimeAsync(30_000);
    away = false;
    await tokens.stop();
    expect((await rowOf(row.tokenId))?.lastUsedAt).not.toBeNull();
  });

  it('asks the database nothing to tell a token', async () => {
    gateway.statements.length = 0;
    for (const token of [gateway.token, newToken(), 'x']) {
      await gateway.get('/v0/eth/slashings?size=0', { authorization: `Bearer ${token}` });
    }
    expect(gateway.statements).toEqual([]);
  });
});
