import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { operator } from '../ingest/rows.ts';
import { type Account, accountOf } from '../support/account.ts';
import { eventually } from '../support/eventually.ts';
import { useGateway } from '../support/gateway.ts';
import { importText } from '../support/import.ts';
import { slow } from '../support/thorough.ts';

const NDJSON = { accept: 'application/x-ndjson' };
const ROWS = 20_000;
const path = '/v0/eth/operators?window=1d&idType=entity&all';
const linesIn = (text: string) => text.split('\n').slice(0, -1);

const lines: Record<string, unknown>[] = [];
const log = pino(
  { level: 'info' },
  new Writable({
    write(line, _encoding, done) {
      lines.push(JSON.parse(String(line)));
      done();
    },
  }),
);
const gateway = useGateway({ template: 'empty', log });
const loggedWith = (status: number) =>
  lines.filter((line) => line.status === status && line.route === '/v0/eth/operators');
let imported: Promise<unknown> | undefined;
/** The rows of `path`, which quick runs do without. */
function importRows() {
  const rows = () =>
    Array.from({ length: ROWS }, (_, index) =>
      operator(`Operator ${index}`, { idType: 'entity', timeWindow: '1d', displayName: 'x'.repeat(200) }),
    );
  imported ??= importText(gateway, 'operators', JSON.stringify(rows()));
  return imported;
}

/** A response whose reader has stopped after its first bytes. */
async function paused(account: Account): Promise<IncomingMessage> {
  const headers = { ...NDJSON, authorization: `Bearer ${account.token}` };
  const [response] = await once(request(gateway.url + path, { headers }).end(), 'response');
  expect(response.statusCode).toBe(200);
  return response.pause();
}

async function unitsOf(account: Account): Promise<number> {
  const { data } = await account.graphql('{ viewer { usage { unitsUsed } } }');
  return Number(data.viewer.usage.unitsUsed);
}

/** Resolves when the gateway reads no further page. */
async function settled(): Promise<number> {
  for (let read = -1; ; ) {
    if (read === gateway.statements.length) return read;
    read = gateway.statements.length;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

describe('?all is refused', () => {
  it('above 500,000 rows, before any is read, and at 500,000 it is not', async () => {
    const has = (total: number) =>
      gateway.database.pool.query({
        text: `insert into block_counts (network, total) values ('mainnet', $1)
          on conflict (network) do update set total = excluded.total`,
        values: [total],
      });
    await has(500_001);
    gateway.statements.length = 0;
    const { status, json } = await gateway.get('/v0/eth/blocks?all', NDJSON);
    expect(status).toBe(400);
    expect(json.detail).toEqual([
      {
        loc: ['query', 'all'],
        msg: 'all would give 500001 rows; at most 500000 are given at once. Leave out all and follow the pages.',
        type: 'too_long',
      },
    ]);
    expect(gateway.statements.filter((name) => name === 'blockPage').length).toBeLessThanOrEqual(1);
    await has(500_000);
    expect((await gateway.get('/v0/eth/blocks?all', NDJSON)).status).toBe(200);
  });

  slow(
    'to an account that reads one while eight are sent, and to the 17th reader, until one has gone',
    async () => {
      await importRows();
      const accounts = await Promise.all(Array.from({ length: 13 }, () => accountOf(gateway)));
      const last = accounts.pop() as Account;
      const twice = accounts.slice(0, 4);
      const readers = await Promise.all(twice.flatMap((account) => [paused(account), paused(account)]));
      const others = accounts.slice(4);
      readers.push(...(await Promise.all(others.map((account) => paused(account)))));
      expect(readers).toHaveLength(16);
      await settled();
      expect((await twice[0]?.get(path, NDJSON))?.status).toBe(429);
      readers.pop()?.destroy();
      await eventually(
        async () => expect((await last.get('/v0/eth/slashings?all', NDJSON)).status).toBe(200),
        20_000,
      );
      expect((await others[0]?.get(path, NDJSON))?.status).toBe(503);
      readers.push(await paused(others.at(-1) as Account));
      const refused = await last.get(path, NDJSON);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, expect.any(String)]);
      expect((await last.get('/v0/eth/operators?window=1d&idType=entity', NDJSON)).status).toBe(200);
      readers.pop()?.destroy();
      await eventually(async () => {
        const { status, text } = await last.get(path, NDJSON);
        expect(status).toBe(200);
        expect(linesIn(text)).toHaveLength(ROWS);
      }, 20_000);
      for (const reader of readers) reader.destroy();
      await eventually(async () => {
        const few = await Promise.all([1, 2].map(() => last.get('/v0/eth/slashings?all', NDJSON)));
        expect(few.map(({ status }) => status)).toEqual([200, 200]);
      }, 20_000);
    },
  );
});

describe('?all that ends in the middle', () => {
  slow('through its reader is charged for the rows sent until then', async () => {
    await importRows();
    const account = await accountOf(gateway, 'growth');
    const before = await unitsOf(account);
    await settled();
    gateway.statements.length = 0;
    const response = await paused(account);
    const pages = await settled();
    expect(pages).toBeLessThan(ROWS / 200);
    lines.length = 0;
    response.destroy();
    await eventually(async () => {
      const charged = (await unitsOf(account)) - before;
      expect(charged).toBeGreaterThan(200);
      expect(charged).toBeLessThan(ROWS);
      expect(loggedWith(499)).toMatchObject([{ units: charged }]);
    });
  });

  slow('through the database is cut, so that no reader takes it for the whole', async () => {
    await importRows();
    const account = await accountOf(gateway, 'growth');
    const before = await unitsOf(account);
    const response = await paused(account);
    await settled();
    lines.length = 0;
    const rename = (from: string, to: string) =>
      gateway.database.pool.query({ text: `alter table ${from} rename to ${to}`, values: [] });
    await rename('operator_ranks', 'operator_ranks_gone');
    try {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      response.resume();
      const [error] = await once(response, 'error');
      expect(error.code).toBe('ECONNRESET');
      expect(response.complete).toBe(false);
      expect(linesIn(text).length).toBeLessThan(ROWS);
      await eventually(() => expect(loggedWith(500)).toMatchObject([{ units: expect.any(Number) }]));
      expect(loggedWith(499)).toEqual([]);
    } finally {
      await rename('operator_ranks_gone', 'operator_ranks');
    }
    await eventually(async () => {
      const charged = (await unitsOf(account)) - before;
      expect(charged).toBeGreaterThan(200);
      expect(charged).toBeLessThan(ROWS);
    });
    expect(linesIn((await account.get(path, NDJSON)).text)).toHaveLength(ROWS);
  });
});
