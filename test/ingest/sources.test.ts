import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importFile } from '../../src/ingest/import-file.ts';
import { validator } from '../refresh/facts.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { slow } from '../support/thorough.ts';
import { body, operator, slashing, useFiles } from './rows.ts';

const write = useFiles();
let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase('empty');
});
afterAll(() => database.drop());
const load = async (content: unknown, options = {}) =>
  importFile(database.pool, 'slashings', await write(content), { network: 'mainnet', ...options });

const ndjson = (rows: unknown[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const two = [slashing(1), slashing(2)];
const forms: [string, string, number][] = [
  ['a REST body', JSON.stringify(body(two)), 2],
  ['a REST body over several lines', JSON.stringify(body(two), null, 2), 2],
  ['a JSON array', JSON.stringify(two), 2],
  ['NDJSON', ndjson(two), 2],
  [
    'NDJSON with empty lines, CRLF and no last line break',
    `${ndjson(two).replaceAll('\n', '\r\n\r\n')}`.trim(),
    2,
  ],
  ['a JSON array of one row on a line of its own', `[\n${JSON.stringify(slashing(1))}\n]`, 1],
  ['a REST body whose one row is a line', `{"data": [\n${JSON.stringify(slashing(1))}\n]}\n`, 1],
  ['a single object', JSON.stringify(slashing(1)), 1],
  ['a single object over several lines', JSON.stringify(slashing(1), null, 2), 1],
  ['an empty array', '[]', 0],
];

describe('importFile reads', () => {
  it.each(forms)('%s', async (_name, text, rows) => {
    expect(await load(text)).toMatchObject({ rows, faults: [], loaded: true });
  });

  it.each(forms)('%s, gzipped', async (_name, text, rows) => {
    expect(await load(gzipSync(text))).toMatchObject({ rows, faults: [], loaded: true });
  });

  it.each(forms)('%s after a byte order mark', async (_name, text, rows) => {
    expect(await load(`\ufeff${text}`)).toMatchObject({ rows, faults: [], loaded: true });
  });
});

describe('a file of another form', () => {
  it.each([
    [
      'zstd',
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 4, 0, 1, 0]),
      'is compressed with zstd; only gzip is read.',
    ],
    ['xz', Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0, 0, 4]), 'is compressed with xz; only gzip is read.'],
    ['CSV', 'validatorIndex,slashingEpoch\n1,2\n', 'looks like CSV; give --format csv, or a name that ends'],
    ['CSV, gzipped', gzipSync('validatorIndex,slashingEpoch\n1,2\n'), 'looks like CSV; give --format csv'],
  ])('is refused as what it is: %s', async (_name, content, message) => {
    await expect(load(content)).rejects.toThrow(message);
  });

  it('with semicolons between cells is told that they are commas', async () => {
    const text = 'validatorIndex;slashingEpoch\n1;2\n';
    await expect(load(text, { format: 'csv' })).rejects.toThrow('cells are separated by commas');
  });
});

describe('a small file that would take gigabytes of memory', () => {
  const deep = '['.repeat(100_000);
  const wide = `{"validatorIndex":1,"x":[${'1,'.repeat(1_000_000)}1]}`;
  it.each([
    ['levels', deep, 'has more than 64 levels of nesting in one value'],
    [
      'levels in a row',
      `[{"validatorIndex":1,"x":${deep}`,
      'has more than 64 levels of nesting in one value',
    ],
    ['values', `${wide.slice(0, -1)},\n"y":1}`, 'has more than 1000000 values in one value'],
  ])('of %s is refused', async (_name, text, message) => {
    await expect(load(gzipSync(text))).rejects.toThrow(message);
  });

  it('of values in a line is refused by its line', async () => {
    const { faults } = await load(gzipSync(`${ndjson(two)}${wide}\n`));
    expect(faults).toMatchObject([{ place: 'line 3', msg: 'has more than 1000000 values' }]);
  });
});

describe('a row with a list named data or results, which would be taken for rows,', () => {
  const [row] = two as [object];
  it.each([
    ['an array', JSON.stringify([row, { ...slashing(2), results: [] }, slashing(3)]), ' after row 1'],
    ['an array, deeper', JSON.stringify([{ ...row, meta: { data: [slashing(2)] } }]), ' after row 1'],
    [
      'NDJSON',
      ndjson([
        { ...row, data: [] },
        { ...row, data: [] },
      ]),
      '',
    ],
    ['an object of its own', JSON.stringify({ ...row, data: [1] }), ' after row 1'],
  ])('is refused in %s', async (_of, text, place) => {
    await expect(load(text)).rejects.toThrow(
      `an object${place} has the field validatorIndex and contains a list named data or results. A row must not`,
    );
  });
});

describe('a key that is repeated in a row', () => {
  const repeated = (first: string, second: string) => {
    const text = JSON.stringify({ ...slashing(7), network: first });
    return `${text.slice(0, -1)},"network":"${second}"}`;
  };
  const lines = (...texts: string[]) => texts.map((text) => `${text}\n`).join('');

  it('is read if its values are equal', async () => {
    const text = lines(...Array(3).fill(repeated('mainnet', 'mainnet')));
    const { faults } = await load(text);
    expect(faults.map(({ place, msg }) => `${place} ${msg}`)).toEqual([
      'line 2 repeats line 1',
      'line 3 repeats line 1',
    ]);
    expect(await load(`[${repeated('mainnet', 'mainnet')}]`)).toMatchObject({ loaded: true, rows: 1 });
  });

  it('is a fault if its values differ', async () => {
    const text = lines(repeated('mainnet', 'mainnet'), repeated('mainnet', 'hoodi'));
    const { faults } = await load(text);
    expect(faults).toMatchObject([
      { place: 'line 2', msg: expect.stringContaining("Duplicate key 'network'") },
    ]);
  });
});

describe.each([
  ['a JSON array', (rows: string) => `[${rows}\n]`],
  ['a REST body', (rows: string) => `{"page":{"from":null},"data": [${rows}\n],"total":4000}`],
  ['the second of two bodies', (rows: string) => `{"data":[]}\n{"results":[${rows}],"next":null}`],
])('%s of several reads of a file', (_form, wrapped) => {
  const names = ['N, or M', 'é', '},{', 'a"b', '\\', '[', null];
  const rows = Array.from({ length: 4_000 }, (_, index) =>
    validator(index, { nodeOperator: index % 50 ? 'N' : names[(index / 50) % names.length] }),
  );
  const spacings: [string, (one: unknown) => string, string][] = [
    ['without spaces', (one) => JSON.stringify(one), ','],
    ['with a row on each line', (one) => JSON.stringify(one), ',\r\n'],
    ['over several lines', (one) => JSON.stringify(one, null, 2), ' ,\n  '],
  ];
  const loadRows = async (texts: string[], between: string) =>
    importFile(database.pool, 'validators', await write(wrapped(texts.join(between))), {
      network: 'mainnet',
    });

  slow.each(spacings)('%s, has each row as it is written', async (_name, textOf, between) => {
    await database.pool.query({ text: 'truncate validators cascade', values: [] });
    const report = await loadRows(rows.map(textOf), between);
    expect(report).toMatchObject({ rows: 4_000, inserted: 4_000, faults: [], loaded: true });
    const stored = await database.pool.query({
      text: `select validator_index as index, validator_pubkey as pubkey, node_operator as operator
        from validators order by 1`,
      values: [],
    });
    expect(stored.rows).toEqual(
      rows.map(({ validatorIndex: index, validatorPubkey: pubkey, nodeOperator: operator }) => ({
        index,
        pubkey,
        operator,
      })),
    );
  });

  it.each(spacings)('%s, has its faults told by the number of the row', async (_name, textOf, between) => {
    const texts = rows.map((row) =>
      textOf(row.validatorIndex % 1_500 === 1_499 ? { ...row, activationEpoch: -1 } : row),
    );
    const { faults, loaded } = await loadRows(texts, between);
    expect(loaded).toBe(false);
    expect(faults.map(({ place, field }) => `${place} ${field}`)).toEqual([
      'row 1500 activationEpoch',
      'row 3000 activationEpoch',
    ]);
  });

  it.each(spacings)(
    '%s, is refused if it breaks off, and nothing is loaded',
    async (_name, textOf, between) => {
      const texts = [...rows.slice(0, 3_000).map(textOf), textOf(rows[3_000]).slice(0, -20)];
      await expect(loadRows(texts, between)).rejects.toThrow('is not JSON after row 3000');
    },
  );
});

const open = '/proc/self/fd';
describe.skipIf(!existsSync(open))('importFile with resume', () => {
  it('opens no file that it passes over', async () => {
    const path = await write(JSON.stringify(two));
    const resume = () => importFile(database.pool, 'slashings', path, { network: 'mainnet', resume: true });
    expect(await resume()).toMatchObject({ loaded: true });
    const before = (await readdir(open)).length;
    for (let time = 0; time < 20; time += 1) expect(await resume()).toMatchObject({ passed: true });
    expect((await readdir(open)).length).toBeLessThan(before + 5);
  });
});

describe('importFile refuses', () => {
  it.each([
    ['an empty file', '', /: is empty; a REST body, a JSON array, NDJSON or CSV is needed\.$/],
    ['a file of white space', ' \n\t\n', /: is empty;/],
    ['an empty file, gzipped', gzipSync(''), /: is empty;/],
    ['a gzip file that was cut off', gzipSync(ndjson(two)).subarray(0, 60), /: unexpected end of file$/],
    ['broken JSON', '{"data": [}', /: is not JSON: .*expected a value/],
    ['a list that was cut off', JSON.stringify(two).slice(0, -9), /: is not JSON after row 1: /],
    ['a list with more behind it', `${JSON.stringify(two)} 7`, /: is not JSON.*unexpected characters/],
    [
      'a key given twice',
      `[${JSON.stringify(slashing(1))}, {"a":1,"b":{"c":1,"c":2}}]`,
      /after row 1: the key "c" appears twice in one object/,
    ],
    [
      'a body that breaks off behind its rows',
      `{"data":${JSON.stringify(two)},"total":tru}`,
      /: is not JSON after row 2: Object value expected after ':'$/,
    ],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22]), /: is not UTF-8 text\.$/],
    [
      'NDJSON that ends within a character',
      Buffer.from(`${ndjson(two)}"é`).subarray(0, -1),
      /: is not UTF-8/,
    ],
    ['a page of HTML', '<html></html>', /: is not JSON: /],
  ])('%s, and names the file', async (_name, content, message) => {
    await expect(load(content)).rejects.toThrow(message);
    await expect(load(content)).rejects.toThrow(/^\/.*\d+\.json/);
  });

  const many = Array.from({ length: 2_000 }, (_, index) => slashing(index));
  const header = Object.keys(slashing(0));
  const csv = [header, ...many.map(Object.values)].map((line) => line.join(',')).join('\n');
  const long = [
    ['a list', JSON.stringify(many), 'json'],
    ['a REST body', JSON.stringify(body(many)), 'json'],
    ['lines', ndjson(many), 'json'],
    ['CSV', csv, 'csv'],
  ] as const;
  it.each(long)('%s of more than is looked at first, gzipped and cut off', async (_form, text, format) => {
    const packed = gzipSync(text);
    const cut = load(packed.subarray(0, packed.length - 60), { format });
    await expect(cut).rejects.toThrow(/: unexpected end of file$/);
  });

  it.each(long)('%s with bytes far in that are not UTF-8', async (_form, text, format) => {
    const bytes = Buffer.from(text);
    bytes[bytes.length - 100] = 0xff;
    await expect(load(bytes, { format })).rejects.toThrow(/: is not UTF-8 text\.$/);
  });

  it('a file that is not there', async () => {
    const missing = importFile(database.pool, 'slashings', '/no/such.json', { network: 'mainnet' });
    await expect(missing).rejects.toThrow(/^\/no\/such\.json: there is no such file\.$/);
  });

  it.each([
    ['null', 'null'],
    ['text', '"row"'],
    ['an array of arrays', '[[]]'],
  ])('%s in place of a row', async (_name, text) => {
    const { faults, loaded } = await load(text);
    expect(loaded).toBe(false);
    expect(faults).toMatchObject([{ place: 'row 1', field: '(row)' }]);
  });
});

describe('faults', () => {
  const bad = [
    slashing(1, { slashingEpoch: 1.5, withdrawableEpoch: '9' }),
    slashing(2),
    slashing(3, { validatorPubkey: '0x12' }),
  ];
  const places = (faults: { place: string; field: string }[]) =>
    faults.map(({ place, field }) => `${place} ${field}`);

  it('name file, row and field, and all of them', async () => {
    const path = await write(bad);
    const { faults } = await importFile(database.pool, 'slashings', path, { network: 'mainnet' });
    expect(places(faults)).toEqual([
      'row 1 slashingEpoch',
      'row 1 withdrawableEpoch',
      'row 3 validatorPubkey',
    ]);
    for (const fault of faults) expect(fault.file).toBe(path);
    expect(faults[2]?.msg).toBe('must be 0x and 96 hex digits');
  });

  it('name the line of NDJSON', async () => {
    const { faults } = await load(ndjson(bad).replace('\n', '\n\n'));
    expect(places(faults)).toEqual([
      'line 1 slashingEpoch',
      'line 1 withdrawableEpoch',
      'line 4 validatorPubkey',
    ]);
  });

  it('name a field within a list', async () => {
    const tags = [{ name: 'exchange', path: null }, { path: null }];
    const path = await write([operator('A', { operatorTags: tags, clientPercentages: null })]);
    const { faults } = await importFile(database.pool, 'operators', path, { network: 'mainnet' });
    expect(places(faults)).toEqual(['row 1 clientPercentages', 'row 1 operatorTags.1.name']);
  });

  it('are told of a row that comes twice', async () => {
    const { faults, loaded } = await load([slashing(1), slashing(2), slashing(1, { network: 'mainnet' })]);
    expect(loaded).toBe(false);
    expect(faults).toMatchObject([{ place: 'row 3', field: '(row)', msg: 'repeats row 1' }]);
  });

  it('are told of two rows with one public key, and of one that is stored under another index', async () => {
    const { validatorPubkey } = slashing(41);
    const twice = await load([slashing(41), slashing(42, { validatorPubkey })]);
    expect(twice).toMatchObject({ loaded: false });
    expect(twice.faults).toMatchObject([
      { place: 'row 2', field: 'validatorPubkey', msg: 'is that of row 1 too' },
    ]);
    await load([slashing(41)]);
    const stored = await load([slashing(40), slashing(43, { validatorPubkey })]);
    expect(stored.faults).toMatchObject([
      { place: 'row 2', field: 'validatorPubkey', msg: 'is stored as that of 41' },
    ]);
    const rejected: string[] = [];
    const options = { skipInvalid: true, onRejected: (text: string) => rejected.push(text) };
    const rows = [slashing(40), slashing(43, { validatorPubkey }), slashing(44), slashing(44)];
    expect(await load(rows, options)).toMatchObject({ loaded: true, inserted: 2, rejected: 2 });
    expect(rejected.map((text) => JSON.parse(text).validatorIndex)).toEqual([44, 43]);
  });

  it('are told of each line of NDJSON that is not JSON, and the others can be loaded without it', async () => {
    const [first, second] = ndjson(two).trim().split('\n');
    for (const lines of [
      ['{broken', first, second],
      [first, '{broken', second],
    ]) {
      const path = await write(lines.join('\n'));
      const options = { network: 'mainnet', skipInvalid: true } as const;
      const report = await importFile(database.pool, 'slashings', path, options);
      expect(report).toMatchObject({ loaded: true, rows: 3, rejected: 1 });
      expect(report.faults).toMatchObject([
        { place: `line ${lines.indexOf('{broken') + 1}`, field: '(row)' },
      ]);
    }
  });

  it('are told of a NUL in a text', async () => {
    const path = await write([operator('a\0b')]);
    const { faults } = await importFile(database.pool, 'operators', path, { network: 'mainnet' });
    expect(places(faults)).toEqual(['row 1 id']);
  });

  it('are told of text that is half a surrogate pair, which no UTF-8 can hold', async () => {
    const path = await write([operator('a\ud800b')]);
    const { faults, loaded } = await importFile(database.pool, 'operators', path, { network: 'mainnet' });
    expect(loaded).toBe(false);
    expect(faults).toEqual([{ file: path, place: 'row 1', field: 'id', msg: 'must be well-formed Unicode' }]);
  });

  it.each([
    ['privateSet as class of an operator', { idType: 'privateSet' }, 'idType'],
    ['a window that is not documented', { timeWindow: '2d' }, 'timeWindow'],
    ['a network that is not documented', { network: 'moon' }, 'network'],
    ['a ratio over 1', { networkPenetration: 1.01 }, 'networkPenetration'],
    ['a number that no double holds', { aprPercentage: '1e999' }, 'aprPercentage'],
    ['a balance with a fraction', { sumEndEpochBalance: 0.5 }, 'sumEndEpochBalance'],
    ['a count past 32 bits', { validatorCount: 2 ** 31 }, 'validatorCount'],
  ])('are told of %s', async (_name, change, field) => {
    const text = JSON.stringify([operator('A', change)]).replace('"1e999"', '1e999');
    const { faults } = await importFile(database.pool, 'operators', await write(text), {
      network: 'mainnet',
    });
    expect(places(faults)).toEqual([`row 1 ${field}`]);
  });
});
