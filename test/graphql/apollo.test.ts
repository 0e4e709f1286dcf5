import {
  ApolloClient,
  CombinedGraphQLErrors,
  gql,
  HttpLink,
  InMemoryCache,
  type ObservableQuery,
} from '@apollo/client';
import { Defer20220824Handler, GraphQL17Alpha9Handler } from '@apollo/client/incremental';
import pg from 'pg';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { makeAccount } from '../support/accounts.ts';
import { gatewayForTest, useGateway } from '../support/gateway.ts';

const gateway = useGateway();

type Options = Partial<ApolloClient.Options> & { token?: string; url?: string };

/** Apollo Client 4 as its own documentation sets it up. */
const clientOf = ({ token = gateway.token, url = gateway.url, ...options }: Options = {}) =>
  new ApolloClient({
    cache: new InMemoryCache(),
    link: new HttpLink({ uri: `${url}/graphql`, headers: { authorization: `Bearer ${token}` } }),
    ...options,
  });

const query = gql`{ slashings(first: 3) { totalCount } }`;
const codeOf = async (client: ApolloClient, document = query) => {
  const error = await client.query({ query: document }).then(
    () => undefined,
    (caught: unknown) => caught,
  );
  expect(CombinedGraphQLErrors.is(error)).toBe(true);
  return (error as CombinedGraphQLErrors).errors.map(({ extensions }) => extensions?.code);
};

describe('Apollo Client 4 shows the code of a refusal', () => {
  it('of an unknown token', async () => {
    expect(await codeOf(clientOf({ token: 'x' }))).toEqual(['UNAUTHENTICATED']);
  });

  it('of a used-up allowance', async () => {
    const { token } = await makeAccount(gateway, { tier: 'starter', unitAllowance: 1, used: 2 });
    expect(await codeOf(clientOf({ token }))).toEqual(['ALLOWANCE_USED']);
  });

  it('of a too high rate', async () => {
    const { token } = await makeAccount(gateway, { rateLimit: 1 });
    const client = clientOf({ token });
    const tries = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        client.query({ query: gql(`{ slashings(first: ${n + 1}) { totalCount } }`) }).then(
          () => [],
          (error) => error.errors.map(({ extensions }: any) => extensions.code),
        ),
      ),
    );
    expect(new Set(tries.flat())).toEqual(new Set(['RATE_LIMITED']));
  });

  it('of a body that is too large', async () => {
    const long = gql(`{ operator(window: ALL, operatorId: "${'x'.repeat(300_000)}") { id } }`);
    expect(await codeOf(clientOf(), long)).toEqual(['TOO_LARGE']);
  });

  it('of a document that exceeds a limit, and of a wrong argument', async () => {
    expect(await codeOf(clientOf(), gql('{ slashings(first: 100000) { totalCount } }'))).toEqual([
      'BAD_INPUT',
    ]);
    expect(await codeOf(clientOf(), gql('{ nope }'))).toEqual(['BAD_QUERY']);
  });

  it('of a gateway that cannot reach its database', async () => {
    const away = await gatewayForTest({ template: 'empty' });
    const client = clientOf({ token: away.token, url: away.url });
    const admin = new pg.Client({ connectionString: inject('serverUrl') });
    await admin.connect();
    onTestFinished(() => admin.end());
    const name = new URL(away.database.url).pathname.slice(1);
    await admin.query(`alter database ${name} allow_connections false`);
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
    expect(await codeOf(client)).toEqual(['UNAVAILABLE']);
    await admin.query(`alter database ${name} allow_connections true`);
  });
});

type Shown = { rows: number | undefined; totalCount?: number; dataState: string; loading: boolean };

/** What a component is shown, from the first part to the last. */
const shownBy = (client: ApolloClient, document: string) =>
  new Promise<Shown[]>((done, failed) => {
    const shown: Shown[] = [];
    client
      .watchQuery({ query: gql(document) })
      .subscribe(({ data, dataState, error, loading }: ObservableQuery.Result<any>) => {
        const { nodes, totalCount } = data?.slashings ?? {};
        shown.push({ rows: nodes?.length, totalCount, dataState, loading });
        if (error) failed(error);
        else if (!loading) done(shown);
      });
  });

const deferred = '{ slashings(first: 3) { nodes { id } ... @defer { totalCount } } }';
const streamed = '{ slashings(first: 3) { nodes @stream(initialCount: 1) { id } } }';

// docs/graphql.md says the same. If one of these tests fails after an update of the client, the page changes, too.
describe('incremental delivery to Apollo Client 4', () => {
  const older = () => clientOf({ incrementalHandler: new Defer20220824Handler() });

  it('is refused by the client without an incrementalHandler', async () => {
    for (const document of [deferred, streamed]) {
      const message = /not supported without specifying an incremental handler/;
      await expect(clientOf().query({ query: gql(document) })).rejects.toThrow(message);
      await expect(shownBy(clientOf(), document)).rejects.toThrow(message);
    }
  });

  it('with Defer20220824Handler has the deferred fields, and dataState "streaming" before them', async () => {
    const [, ...shown] = await shownBy(older(), deferred);
    const totalCount = expect.any(Number);
    expect(shown).toEqual([
      { rows: 3, totalCount: undefined, dataState: 'streaming', loading: true },
      { rows: 3, totalCount, dataState: 'complete', loading: false },
    ]);
  });

  it('with Defer20220824Handler calls a streamed list complete after its first row, while it is loading', async () => {
    const [, ...shown] = await shownBy(older(), streamed);
    expect(shown[0]).toEqual({ rows: 1, totalCount: undefined, dataState: 'complete', loading: true });
    expect(shown.at(-1)).toEqual({ rows: 3, totalCount: undefined, dataState: 'complete', loading: false });
    const { data } = await older().query<any>({ query: gql(streamed) });
    expect(data.slashings.nodes).toHaveLength(3);
  });

  it.each([deferred, streamed])('with GraphQL17Alpha9Handler is one result: %s', async (document) => {
    const handler = new GraphQL17Alpha9Handler() as never; // its types disagree with those of the client
    const [, ...shown] = await shownBy(clientOf({ incrementalHandler: handler }), document);
    expect(shown).toEqual([expect.objectContaining({ rows: 3, dataState: 'complete', loading: false })]);
  });
});
