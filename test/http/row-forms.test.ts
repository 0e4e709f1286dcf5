import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { parse as parseCsv } from 'csv-parse/sync';
import fc from 'fast-check';
import { LosslessNumber, parse } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { formOf, formTypes, linesOf, listOf } from '../../src/http/rest/row-forms.ts';
import { routes } from '../../src/resources/index.ts';
import { OperatorSummary } from '../../src/resources/operators/record.ts';
import { operator } from '../ingest/rows.ts';
import { accountOf } from '../support/account.ts';
import { eventually } from '../support/eventually.ts';
import { gatewayForTest, useGateway } from '../support/gateway.ts';
import { importText } from '../support/import.ts';
import { runs, slow } from '../support/thorough.ts';

const gateway = useGateway();
const CSV = { accept: 'text/csv' };
const NDJSON = { accept: 'application/x-ndjson' };

const lists = routes.filter(
  ({ method = 'GET', reply, path }) => method === 'GET' && listOf(reply) && !/:id\b/.test(path),
);
const linesIn = (text: string) => text.split('\n').slice(0, -1);
const rowsOf = (json: any) => json.data ?? json.results ?? json;
const lossless = (text: string) => rowsOf(parse(text)) as Record<string, unknown>[];

/** What a cell stands for, by the value that JSON has. */
function valueIn(cell: string, quoted: boolean, json: unknown): unknown {
  if (cell === '' && !quoted) return null;
  if (json instanceof LosslessNumber) return new LosslessNumber(cell);
  if (typeof json === 'boolean') return cell === 'true';
  return typeof json === 'object' ? parse(cell) : cell;
}
function rowsInCsv(text: string, json: Record<string, unknown>[]): Record<string, unknown>[] {
  const marked = parseCsv(text, {
    record_delimiter: '\r\n',
    cast: (value, { quoting }) => ({ value, quoting }),
  }) as unknown as { value: string; quoting: boolean }[][];
  const [names = [], ...rows] = marked;
  const header = names.map(({ value }) => value);
  return rows.map((row, index) =>
    Object.fromEntries(
      header.map((name, at) => [
        name,
        valueIn(row[at]?.value ?? '', row[at]?.quoting ?? false, json[index]?.[name]),
      ]),
    ),
  );
}

describe('lists as text/csv and application/x-ndjson', () => {
  it.each(lists.map(({ example, reply }) => [example, reply] as const))(
    'have the rows of %s as JSON has them',
    async (path, reply) => {
      // The first request for a ranking pays for its scan, unless another file of this worker did.
      if (path.startsWith('/v1/eth/validators/ranking')) await gateway.get(path);
      const json = await gateway.get(path);
      const rows = lossless(json.text);
      const ndjson = await gateway.get(path, NDJSON);
      expect(ndjson.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
      expect(linesIn(ndjson.text).map((line) => parse(line))).toEqual(rows);
      const csv = await gateway.get(path, CSV);
      expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
      expect(csv.text.split('\r\n')[0]).toBe(Object.keys(listOf(reply)?.record.shape ?? {}).join());
      expect(rowsInCsv(csv.text, rows)).toEqual(rows);
      for (const { headers } of [csv, ndjson]) {
        expect(headers.get('x-service-compute-units')).toBe(json.headers.get('x-service-compute-units'));
        expect(headers.get('vary')).toMatch(/\bAccept\b/);
        expect(headers.get('cache-control')).toBe('private, no-store');
        const next = json.json.next as string | null | undefined;
        if (next) expect(headers.get('link')).toContain(`<${next}>; rel="next"`);
      }
    },
  );

  slow('parse back to any row', () => {
    const list = listOf(routes.find(({ operationId }) => operationId === 'listOperators')?.reply as never);
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('', '"', ',', '\r\n', ' x ', '=1+1', '-1', '\n'),
    );
    const row = fc.record({
      id: text,
      displayName: fc.option(text),
      validatorCount: fc.nat(),
      aprPercentage: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
      sumEndEpochBalance: fc
        .bigInt({ min: 0n, max: 2n ** 63n - 1n })
        .map((value) => new LosslessNumber(String(value))),
      operatorTags: fc.array(fc.record({ name: text, path: fc.option(text) })),
    });
    fc.assert(
      fc.property(fc.array(row), (rows) => {
        const texts = rows.map((one) => {
          const { sumEndEpochBalance, ...plain } = one;
          return JSON.stringify(plain).replace(/}$/, `,"sumEndEpochBalance":${sumEndEpochBalance}}`);
        });
        const expected = texts.map((one) => parse(one) as Record<string, unknown>);
        const found = rowsInCsv(linesOf('csv', list as never, texts, true), expected);
        expect(
          found.map((one) =>
            Object.fromEntries(Object.keys(expected[0] ?? {}).map((name) => [name, one[name]])),
          ),
        ).toEqual(
          expected.map((one) =>
            Object.fromEntries(Object.keys(expected[0] ?? {}).map((name) => [name, one[name]])),
          ),
        );
      }),
      runs(100),
    );
  });

  it('keep cells that a spreadsheet takes for formulas as they are', () => {
    const list = listOf(routes.find(({ operationId }) => operationId === 'listOperators')?.reply as never);
    const [, line] = linesOf('csv', list as never, ['{"id":"=HYPERLINK(1)"}'], true).split('\r\n');
    expect(line?.split(',')[0]).toBe('=HYPERLINK(1)');
  });

  it.each([
    [undefined, undefined],
    ['*/*', undefined],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', undefined],
    ['text/csv', 'csv'],
    ['TEXT/CSV', 'csv'],
    ['text/*', 'csv'],
    ['application/x-ndjson', 'ndjson'],
    ['text/csv;q=0.5, application/json', undefined],
    ['text/csv, application/json;q=0.5', 'csv'],
    ['text/csv;q=0.2, application/x-ndjson;q=0.3, */*;q=0.1', 'ndjson'],
    ['text/csv;q=0', undefined],
    ['text/csv; charset=utf-8', 'csv'],
    [formTypes.csv, 'csv'],
    [formTypes.ndjson, 'ndjson'],
    ['text/csv;charset=utf-8;q=0.9, */*;q=0.1', 'csv'],
    ['text/csv; header="a, b;q=0"; Q=0.3, application/x-ndjson;q=0.2', 'csv'],
    ['application/json; charset=utf-8, text/csv;q=0.5', undefined],
    ['text/csv;q=0, */*', undefined],
    ['text/csv; bom=true', 'csvForExcel'],
    ['TEXT/CSV;q=0.5;BOM="True", application/json;q=0.2', 'csvForExcel'],
    ['text/csv; bom=false', 'csv'],
    ['text/csv; bom=true;q=0.1, application/json', undefined],
    ['application/x-ndjson; bom=true', 'ndjson'],
    ['image/png', undefined],
    ['nonsense', undefined],
  ])('are chosen by Accept: %s', (accept, form) => {
    expect(formOf(accept)).toBe(form);
  });

  it('are not given instead of JSON by the cache, nor JSON instead of them', async () => {
    const path = '/v0/eth/slashings?size=3';
    const plain = (await gateway.get(path)).text;
    for (let times = 0; times < 3; times += 1) {
      expect((await gateway.get(path)).text).toBe(plain);
      expect((await gateway.get(path, CSV)).text.split('\r\n')).toHaveLength(5);
      expect(linesIn((await gateway.get(path, NDJSON)).text)).toHaveLength(3);
    }
  });

  it.each(['/v0/eth/slashings?size=3', '/v0/eth/slashings?all'])(
    'begin with a byte order mark where Accept has bom=true, and have it once: %s',
    async (path) => {
      const bytes = async (accept: string) => {
        const response = await fetch(gateway.url + path, {
          headers: { authorization: `Bearer ${gateway.token}`, accept },
        });
        expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
        return Buffer.from(await response.arrayBuffer());
      };
      const plain = await bytes('text/csv');
      expect(plain.includes('\ufeff')).toBe(false);
      expect(await bytes('text/csv; bom=true')).toEqual(Buffer.concat([Buffer.from('\ufeff'), plain]));
    },
  );

  slow('of slashings are imported again, with and without a byte order mark', async () => {
    const own = await gatewayForTest();
    for (const mark of ['', '\ufeff']) {
      const { text } = await own.get('/v0/eth/slashings?all', CSV);
      expect(await importText(own, 'slashings', mark + text, { format: 'csv' })).toMatchObject({
        faults: [],
        rows: text.split('\r\n').length - 2,
        inserted: 0,
        updated: 0,
      });
    }
  });

  it('have JSON for objects and errors', async () => {
    const object = await gateway.get('/v0/eth/operators/Alder%20Liquid/summary?window=7d', CSV);
    expect(object.json.id).toBe('Alder Liquid');
    const { status, json } = await gateway.get('/v0/eth/operators', CSV);
    expect([status, json.detail[0].loc]).toEqual([400, ['query', 'window']]);
  });

  it('are a header alone without rows', async () => {
    const { text } = await gateway.get('/v0/eth/blocks?from=0', { ...CSV, 'x-service-network': 'holesky' });
    expect(linesIn(text).length).toBeGreaterThanOrEqual(1);
    const none = linesOf(
      'csv',
      listOf(routes.find(({ operationId }) => operationId === 'listOperators')?.reply as never) as never,
      [],
      true,
    );
    expect(none).toBe(`${Object.keys(OperatorSummary.shape).join()}\r\n`);
  });
});

describe('?all', () => {
  slow('gives the whole list, as its pages do', async () => {
    for (const path of [
      '/v0/eth/operators?window=7d&idType=nodeOperator',
      '/v0/eth/slashings?',
      '/v1/eth/validators/consolidations?',
    ]) {
      const pages: unknown[] = [];
      const v1 = path.startsWith('/v1');
      let next: string | null = `${path}&${v1 ? 'limit' : 'size'}=${v1 ? 50 : 150}`;
      while (next) {
        const page: any = (await gateway.get(next.replace(gateway.url, ''))).json;
        pages.push(...rowsOf(page));
        next = page.next;
      }
      const { text, headers } = await gateway.get(`${path}&all`, NDJSON);
      expect(linesIn(text).map((line) => JSON.parse(line))).toEqual(pages);
      expect(headers.get('x-service-compute-units')).toBeNull();
      const csv = await gateway.get(`${path}&all=true`, CSV);
      expect(
        rowsInCsv(
          csv.text,
          pages.map((row) => parse(JSON.stringify(row)) as never),
        ),
      ).toHaveLength(pages.length);
      expect((await gateway.get(`${path}&all=false`, CSV)).text.split('\r\n').length).toBeLessThanOrEqual(
        202,
      );
    }
  });

  slow('charges for each row, and is refused to an account that has too few units left', async () => {
    const account = await accountOf(gateway, 'growth');
    const used = async () => {
      const { data } = await account.graphql('{ viewer { usage { unitsUsed } } }');
      return Number(data.viewer.usage.unitsUsed);
    };
    const before = await used();
    const { text } = await account.get('/v0/eth/slashings?all', NDJSON);
    const cost = 5 + linesIn(text).length;
    await eventually(async () => expect(await used()).toBe(before + cost));
    const poor = await gatewayForTest({ settings: { TIER_UNITS: [`growth=${cost + 10}`] } });
    const few = await accountOf(poor, 'growth');
    await few.get('/v0/eth/slashings?all', NDJSON);
    const { status, json } = await few.get('/v0/eth/slashings?all', CSV);
    expect(status).toBe(400);
    expect(json.detail).toMatch(
      new RegExp(`^The whole list costs up to ${cost} compute units; \\d+ are left\\.$`),
    );
  });

  it('has no length and no next page in the answer to HEAD', async () => {
    const ask = (method: string) =>
      gateway.fetch('/v0/eth/operators?window=7d&idType=pool&all', {
        method,
        headers: { ...CSV, authorization: `Bearer ${gateway.token}` },
      });
    const [whole, head] = [await ask('GET'), await ask('HEAD')];
    expect([head.status, head.text]).toEqual([200, '']);
    for (const name of ['content-type', 'content-length', 'link'])
      expect([name, head.headers.get(name)]).toEqual([name, whole.headers.get(name)]);
  });

  it.each(['size=10', 'from=5', 'revision=1'])('is refused together with %s', async (other) => {
    const { status, json } = await gateway.get(`/v0/eth/operators?window=7d&all&${other}`, CSV);
    const name = other.split('=')[0];
    expect(status).toBe(400);
    expect(json.detail[0]).toMatchObject({
      loc: ['query', name],
      msg: `${name} cannot be given together with all, which begins with the first row.`,
    });
  });

  it('takes no other value, and means nothing to JSON', async () => {
    const { status, json } = await gateway.get('/v0/eth/slashings?all=yes', CSV);
    expect([status, json.detail[0].msg]).toEqual([400, 'all takes no value but true or false.']);
    const asked = await gateway.get('/v0/eth/slashings?all');
    expect(asked.json.data).toHaveLength((await gateway.get('/v0/eth/slashings')).json.data.length);
  });

  slow('reads a list no faster than its reader takes it, and stops when the reader goes', async () => {
    const rows = Array.from({ length: 20_000 }, (_, index) =>
      operator(`Operator ${index}`, { idType: 'entity', timeWindow: '1d', displayName: 'x'.repeat(200) }),
    );
    await importText(gateway, 'operators', JSON.stringify(rows), { replace: true });
    const path = '/v0/eth/operators?window=1d&idType=entity&all';
    gateway.statements.length = 0;
    const paused = async () => {
      const headers = { ...NDJSON, authorization: `Bearer ${gateway.token}` };
      const [response] = (await once(request(gateway.url + path, { headers }).end(), 'response')) as [
        IncomingMessage,
      ];
      return response.pause();
    };
    const slow = [await paused()];
    let read = -1;
    while (read !== gateway.statements.length) {
      read = gateway.statements.length;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    expect(read).toBeLessThan(80); // of 100 pages
    slow.push(await paused());
    const third = await gateway.get(path, NDJSON);
    expect(third.status).toBe(429);
    expect(third.json.detail).toBe('An account can read 2 whole lists at a time.');
    expect(third.headers.get('retry-after')).toBe('5');
    for (const response of slow) response.destroy();
    await eventually(async () => expect((await gateway.get('/v0/eth/slashings?all', CSV)).status).toBe(200));
    const { text } = await gateway.get(path, NDJSON);
    expect(linesIn(text)).toHaveLength(20_000);
  });
});
