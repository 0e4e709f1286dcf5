import { beforeAll, describe, expect, it } from 'vitest';
import { useGateway } from '../support/gateway.ts';
import { slow } from '../support/thorough.ts';
import { rowsOf } from '../support/typed.ts';
import { walkKeys } from '../support/walk.ts';

const gateway = useGateway();
const query = <T = Row>(text: string, values: unknown[] = []) =>
  rowsOf<T>(gateway.database.pool, text, values);

const LATE = 2 ** 31 - 1;
const statuses = ['PENDING', 'ACTIVE', 'EXITING', 'EXITED'] as const;
type Row = { index: number; activation: number; exit: number; slashed: boolean; pool: string | null };
let newest: number;
/** All validators by index, with LATE for epochs that are not known. */
let all: Row[];

/** The rule, as the description of each status has it. */
const statusIn = ({ activation, exit }: Row) =>
  exit <= newest ? 'EXITED' : activation > newest ? 'PENDING' : exit === LATE ? 'ACTIVE' : 'EXITING';
const having = (status: string) => all.filter((row) => statusIn(row) === status);

beforeAll(async () => {
  [{ newest } = { newest: 0 }] = await query<{ newest: number }>(`select greatest(
    (select slot / 32 from chain_heads where network = 'mainnet'),
    (select max(epoch) from chain_balances where network = 'mainnet')) as newest`);
  // Some wait for duties, some of these with a known epoch; some have a known exit, one at the next epoch, one at this.
  await query(`update validators set activation_epoch = null, exit_epoch = null
    where network = 'mainnet' and validator_index % 41 = 0`);
  await query(
    `update validators set activation_epoch = $1 + validator_index % 5 - 1, exit_epoch = null
     where network = 'mainnet' and validator_index % 43 = 0`,
    [newest],
  );
  await query(
    `update validators set exit_epoch = $1 + validator_index % 7
     where network = 'mainnet' and validator_index % 47 = 0 and activation_epoch < $1`,
    [newest],
  );
  all = await query(`select validator_index as index, coalesce(activation_epoch, ${LATE}) as activation,
    coalesce(exit_epoch, ${LATE}) as exit, slashed, pool
    from validators where network = 'mainnet' order by validator_index`);
});

const ask = (args: string, select = 'totalCount nodes { validatorIndex status }') =>
  gateway.graphql(`{ validators(${args}) { ${select} } }`);

const list = ['validators', 'validatorIndex'] as const;
async function expectRows(args: string, rows: readonly Row[], size = 200) {
  const { data, errors } = await ask(`${args}, first: 1`, 'totalCount');
  expect(errors).toBeUndefined();
  const indices = rows.map(({ index }) => index);
  expect(data.validators.totalCount).toBe(indices.length);
  expect(await walkKeys(gateway, list, args, size, 'forward')).toEqual(indices);
  expect(await walkKeys(gateway, list, args, size, 'backward')).toEqual(indices);
}

describe.each(statuses)('validators(where: {status: %s})', (status) => {
  slow('are those of the status by index, each with it, in both directions', async () => {
    const rows = having(status);
    expect(rows.length).toBeGreaterThan(5);
    await expectRows(`where: { status: ${status} }`, rows, 37);
    await expectRows(`where: { status: ${status} }, orderBy: { field: INDEX }`, rows.toReversed(), 61);
    const { data } = await ask(`where: { status: ${status} }, first: 200`);
    expect(new Set(data.validators.nodes.map((node: any) => node.status))).toEqual(new Set([status]));
  });

  it('combine with slashed and operator', async () => {
    for (const slashed of [true, false])
      await expectRows(
        `where: { status: ${status}, slashed: ${slashed} }`,
        having(status).filter((row) => row.slashed === slashed),
      );
    const pool = having(status).find((row) => row.pool !== null)?.pool;
    const operator = `operator: { operatorId: ${JSON.stringify(pool)}, idType: POOL }`;
    await expectRows(
      `where: { status: ${status}, ${operator} }`,
      having(status).filter((row) => row.pool === pool),
    );
  });

  it.each(['ACTIVATION_EPOCH', 'EXIT_EPOCH'])(
    'are ordered by %s where it tells them apart',
    async (field) => {
      const name = field === 'EXIT_EPOCH' ? 'exit' : 'activation';
      const fitting = name === 'exit' ? ['EXITING', 'EXITED'] : ['PENDING', 'ACTIVE', 'EXITING'];
      const args = `where: { status: ${status} }, orderBy: { field: ${field}, direction: ASC }`;
      if (!fitting.includes(status)) {
        const { errors } = await ask(args);
        expect(errors?.[0]).toMatchObject({
          message: `where.status is ${status}; orderBy by ${field} needs one of ${fitting.join(', ')}.`,
          extensions: { code: 'BAD_INPUT', faults: [{ loc: ['argument', 'where'] }] },
        });
        return;
      }
      const sorted = having(status).toSorted((a, b) => a[name] - b[name] || a.index - b.index);
      await expectRows(args, sorted, 53);
      const [low, high] = [sorted[3]?.[name], sorted.at(-3)?.[name]] as [number, number];
      if (high < LATE)
        await expectRows(
          `${args}, fromEpoch: ${low}, toEpoch: ${high}`,
          sorted.filter((row) => row[name] >= low && row[name] <= high),
        );
    },
  );
});

describe('the status of a validator', () => {
  it('is one of four, of all validators', async () => {
    expect(statuses.flatMap(having)).toHaveLength(all.length);
    const { data } = await ask('first: 200');
    expect(data.validators.nodes.map((node: any) => node.status)).toEqual(all.slice(0, 200).map(statusIn));
  });

  it('takes one statement for a page, and one for a list of a status', async () => {
    for (const [args, select, expected] of [
      ['first: 200', 'nodes { status }', ['validatorPage', 'newestEpochs']],
      ['first: 200', 'nodes { validatorIndex }', ['validatorPage']],
      ['where: { status: EXITED }', 'nodes { status }', ['newestEpochs', 'validatorPage']],
    ] as const) {
      gateway.statements.length = 0;
      expect((await ask(args, select)).errors).toBeUndefined();
      expect(gateway.statements).toEqual(expected);
    }
  });

  it('follows the newest epoch, and known epochs are past where none is stored', async () => {
    const index = having('EXITING').find((row) => row.exit === newest + 1)?.index;
    const status = async () =>
      (await gateway.graphql(`{ datasets { name } validator(by: { index: ${index} }) { status } }`)).data
        .validator.status;
    expect(await status()).toBe('EXITING');
    await query(`delete from chain_balances where network = 'mainnet' and epoch > $1`, [newest - 1]);
    await query(`update chain_heads set slot = 32 * ($1::int + 1) where network = 'mainnet'`, [newest]);
    expect(await status()).toBe('EXITED');
    await query(`delete from chain_balances where network = 'mainnet'`);
    await query(`delete from chain_heads where network = 'mainnet'`);
    expect(await status()).toBe('EXITED');
    const waiting = (await ask('where: { status: PENDING }', 'totalCount')).data.validators.totalCount;
    expect(waiting).toBe(all.filter((row) => row.activation === LATE && row.exit === LATE).length);
    expect((await ask('where: { status: EXITING }', 'totalCount')).data.validators.totalCount).toBe(0);
  });
});

it('refuses a cursor of another status', async () => {
  const { data } = await ask('where: { status: ACTIVE }, first: 1', 'pageInfo { endCursor }');
  const cursor = data.validators.pageInfo.endCursor;
  const { errors } = await ask(`where: { status: EXITED }, after: "${cursor}"`);
  expect(errors?.[0].extensions.code).toBe('BAD_INPUT');
});
