import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Account, accountOf, mutated } from '../support/account.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

let gateway: Gateway;
let owner: Account;
let other: Account;
beforeAll(async () => {
  gateway = await startGateway({ template: 'empty' });
  [owner, other] = [await accountOf(gateway, 'free'), await accountOf(gateway)];
});
afterAll(() => gateway.close());

const select = 'id viewId name path createdBy createdAt updatedAt';
const save = (name: string, path: string, account = owner) =>
  mutated(account, 'createSavedView', { name, path }, `savedView { ${select} }`);
const rename = (viewId: string, name: string, account = owner) =>
  mutated(account, 'renameSavedView', { viewId, name }, 'savedView { name updatedAt }');
const remove = (viewId: string, account = owner) =>
  mutated(account, 'deleteSavedView', { viewId }, 'deletedId deletedViewId');
const list = async (account = owner) =>
  (await account.graphql(`{ savedViews { ${select} } }`)).data.savedViews;
const messages = ({ userErrors }: any) =>
  userErrors.map(({ code, field, message }: any) => [code, field, message]);

const NONE = '00000000-0000-4000-8000-000000000000';

describe('saved views', () => {
  it('are saved, listed by name, found by node, renamed and deleted, in the tier free too, and cost units', async () => {
    const path = '/explore/operators?class=pool&range=7d';
    const { savedView: made } = await save('Pools', path);
    expect(made).toMatchObject({ name: 'Pools', path, createdBy: 'a token' });
    const { savedView: home } = await save('home', '/');
    gateway.statements.length = 0;
    const listed = await owner.post('/graphql', { query: `{ savedViews { ${select} } }` });
    expect(listed.json.data.savedViews).toEqual([home, made]);
    expect(gateway.statements).toEqual(['savedViews']);
    expect(listed.headers.get('x-service-compute-units')).toBe('3');
    gateway.statements.length = 0;
    const nodes = `{ nodes(ids: ["${home.id}", "${made.id}"]) { ... on SavedView { ${select} } } }`;
    expect((await owner.graphql(nodes)).data.nodes).toEqual([home, made]);
    expect(gateway.statements).toEqual(['savedViewsById']);
    expect((await rename(made.viewId, 'Zoë’s pools')).savedView.name).toBe('Zoë’s pools');
    expect((await rename(made.viewId, 'Zoë’s pools')).userErrors).toEqual([]); // its own name
    expect(await remove(made.viewId)).toEqual({
      deletedId: made.id,
      deletedViewId: made.viewId,
      userErrors: [],
    });
    expect(await list()).toEqual([home]);
    const { rows } = await gateway.database.pool.query({
      text: `select action from audit_log where subject = $1 order by entry_id`,
      values: [made.viewId],
    });
    const verbs = ['create', 'rename', 'rename', 'delete'];
    expect(rows.map(({ action }) => action)).toEqual(verbs.map((verb) => `saved-view.${verb}`));
    await remove(home.viewId);
  });

  it('of another account are there for nobody else, and stay as they are', async () => {
    const { savedView: view } = await save('Mine', '/explore/sets');
    expect(await list(other)).toEqual([]);
    const { data } = await other.graphql(`{ node(id: "${view.id}") { id } }`);
    expect(data.node).toBeNull();
    for (const [theirs, absent] of [
      [await rename(view.viewId, 'Theirs', other), await rename(NONE, 'Theirs', other)],
      [await remove(view.viewId, other), await remove(NONE, other)],
    ]) {
      const message = `Saved view "${view.viewId}" was not found.`;
      expect(messages(theirs)).toEqual([['NOT_FOUND', null, message]]);
      expect(JSON.stringify(absent).replace(NONE, view.viewId)).toBe(JSON.stringify(theirs));
    }
    // The same name is free for another account.
    expect((await save('Mine', '/', other)).userErrors).toEqual([]);
    expect(await list()).toEqual([view]);
    await remove(view.viewId);
  });

  const wrongName =
    'name must be a text of 1 to 100 characters, not all of them blank, without control characters.';
  it.each([
    [{ name: ' ' }, ['name'], wrongName],
    [{ name: 'x'.repeat(101) }, ['name'], expect.stringContaining('1 to 100 characters')],
    ...[
      ...['', 'explore', '//example.com', '/\\example.com', 'https://example.com/explore', '/graphql'],
      ...['/explorer', '/explore/a b', '/explore/\n', 'javascript:alert(1)', `/?${'x'.repeat(1_999)}`],
    ].map((path) => [{ path }, ['path'], expect.stringMatching(/^path must be the path of a page/)] as const),
  ] as const)('are refused %j', async (wrong, field, message) => {
    const given = { name: 'Fine', path: '/explore', ...wrong };
    expect(messages(await save(given.name, given.path))).toEqual([['BAD_INPUT', field, message]]);
    expect(await list()).toEqual([]);
  });

  it('may have any address below /explore, up to 2,000 characters', async () => {
    const paths = ['/', '/?range=1y', '/explore', '/explore?x=1', `/explore/a%20b#${'x'.repeat(1_984)}`];
    for (const path of paths) expect((await save(path.slice(0, 90), path)).userErrors).toEqual([]);
    const saved = await list();
    expect(saved.map(({ path }: any) => path).sort()).toEqual([...paths].sort());
    for (const { viewId } of saved) await remove(viewId);
  });

  it('have names of their own, and ids that are UUIDs', async () => {
    const [{ savedView: one }, { savedView: two }] = [await save('One', '/'), await save('Two', '/')];
    const taken = [
      'BAD_INPUT',
      ['name'],
      'name is "One", which another saved view of the account has; another name is needed.',
    ];
    expect(messages(await save('One', '/explore'))).toEqual([taken]);
    expect(messages(await rename(two.viewId, 'One'))).toEqual([taken]);
    expect(messages(await rename('x', ''))).toEqual([
      ['BAD_INPUT', ['viewId'], 'viewId is "x"; a UUID is needed.'],
      ['BAD_INPUT', ['name'], wrongName],
    ]);
    expect(messages(await remove('x'))).toEqual([
      ['BAD_INPUT', ['viewId'], 'viewId is "x"; a UUID is needed.'],
    ]);
    for (const { viewId } of [one, two]) await remove(viewId);
  });

  it('are at most 100, also when saved at once', async () => {
    const account = await accountOf(gateway);
    await gateway.database.pool.query({
      text: `insert into saved_views (account_id, name, path, created_by, created_at, updated_at)
        select $1, 'view ' || n, '/', 'a token', now(), now() from generate_series(1, 98) n`,
      values: [account.id],
    });
    const results = await Promise.all(['a', 'b', 'c'].map((name) => save(name, '/', account)));
    expect(results.flatMap(messages)).toEqual([
      ['FORBIDDEN', null, 'An account has at most 100 saved views, and this one has as many: delete one.'],
    ]);
    expect(await list(account)).toHaveLength(100);
  });
});
