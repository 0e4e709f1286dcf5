import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.ts';
import { noBrowser } from '../../support/browser.ts';
import { csvIn, isPage, pasteInto, refusal, saved, settled, useExplorer } from '../../support/explorer.ts';
import { importText } from '../../support/import.ts';

const SAMPLE = '5a3f1c52-0d9e-4b8a-9d53-6f2f6f0c1e01';
const explorer = useExplorer();
const { gateway, open } = explorer;

isPage(explorer, '/explore/sets', { heading: 'My sets', statements: 4 });
isPage(explorer, `/explore/sets/${SAMPLE}`, { heading: 'Sample validators', statements: 12 });
for (const tab of ['performance', 'rewards', 'validators'])
  isPage(explorer, `/explore/sets/${SAMPLE}?tab=${tab}`, { heading: 'Sample validators', statements: 8 });
isPage(explorer, `/explore/sets/${SAMPLE}?tab=events`, { heading: 'Sample validators', statements: 10 });
isPage(explorer, `/explore/sets/${SAMPLE}/report?month=2025-10`, {
  heading: /^Sample validators: October 2025$/,
  statements: 8,
});

let known: { index: number; pubkey: string }[];
beforeAll(async () => {
  const { rows } = await gateway.database.pool.query({
    text: `select validator_index as index, validator_pubkey as pubkey from validators
      where network = 'mainnet' order by 1 limit 1500`,
    values: [],
  });
  known = rows as typeof known;
});

const mutations = (sent: { query: string; variables: any }[]) =>
  sent.filter(({ query }) => query.startsWith('mutation')).map(({ variables }) => variables.input);
const tile = (page: Page, name: string) => page.locator('.tile', { hasText: name }).locator('.value');

/** The page of a new set of the first three validators. */
async function setOfThree(name: string, tab = 'summary') {
  const { token, authorization } = await makeAccount(gateway);
  const input = { name, validators: known.slice(0, 3).map(({ index }) => ({ index })) };
  const { data } = await gateway.graphql(
    'mutation ($input: CreatePrivateSetInput!) { createPrivateSet(input: $input) { privateSet { setId } } }',
    { input },
    { authorization },
  );
  return open(`/explore/sets/${data.createPrivateSet.privateSet.setId}?tab=${tab}`, { token });
}

describe.skipIf(noBrowser)('my sets', () => {
  it('makes a set of pasted validators: three wrong lines are named, and nothing is sent before they are left out', async () => {
    const { token } = await makeAccount(gateway);
    const { page, sent, violations } = await open('/explore/sets', { token });
    await page.getByText('Your account has no set of validators of mainnet yet.').waitFor();
    const [first, second, third] = known as [(typeof known)[0], (typeof known)[0], (typeof known)[0]];
    const lines = [
      first.index,
      'abc',
      second.pubkey,
      '0x1234567890',
      third.index,
      '99999999999',
      first.index,
    ];
    await page.getByLabel('Name').fill('Mine');
    await page.getByRole('textbox', { name: 'Validators' }).fill(lines.join('\n'));
    const wrong = page.getByRole('region', { name: 'Wrong lines' });
    await wrong.getByText('3 lines are wrong.').waitFor();
    expect(await wrong.getByRole('listitem').allInnerTexts()).toEqual([
      'Line 2 abc is neither an index nor a public key',
      'Line 4 0x1234567890 has 10 hexadecimal digits; a public key has 96',
      'Line 6 99999999999 is too large for an index',
    ]);
    await page.getByText('3 validators, 1 repetition ignored').waitFor();
    expect(await violations()).toEqual([]);
    await wrong.getByRole('button', { name: 'Line 4' }).click();
    const chosen = await page.evaluate(() => {
      const area = document.querySelector('textarea') as HTMLTextAreaElement;
      return area.value.slice(area.selectionStart, area.selectionEnd);
    });
    expect(chosen).toBe('0x1234567890');
    const make = page.getByRole('button', { name: 'Make a set of 3 validators' });
    expect(await make.isDisabled()).toBe(true);
    await page.getByLabel('Name').press('Enter');
    expect(mutations(sent)).toEqual([]);
    await wrong.getByRole('button', { name: 'Leave these 3 lines out' }).click();
    await make.click();
    await page.getByRole('heading', { level: 1, name: 'Mine' }).waitFor();
    expect(mutations(sent)).toEqual([
      {
        name: 'Mine',
        network: 'MAINNET',
        validators: [{ index: first.index }, { pubkey: second.pubkey }, { index: third.index }],
      },
    ]);
    expect(await tile(page, 'Validators').innerText()).toBe('3');
  });

  it('names a line that only the gateway knows to be wrong, and makes no set until it is left out', async () => {
    const { token } = await makeAccount(gateway);
    const { page } = await open('/explore/sets', { token });
    await page.getByLabel('Name').fill('Known ones');
    await page.getByRole('textbox', { name: 'Validators' }).fill(`${known[0]?.index}\n999999999`);
    await page.getByRole('button', { name: 'Make a set of 2 validators' }).click();
    await page.getByText('Line 2 999999999 is no validator that the gateway knows here').waitFor();
    await page.getByText('Your account has no set').waitFor();
    await page.getByRole('button', { name: 'Leave this line out' }).click();
    await page.getByRole('button', { name: 'Make a set of 1 validator' }).click();
    await page.getByRole('heading', { level: 1, name: 'Known ones' }).waitFor();
  });

  it('sends thousands in batches, and those that were sent not again after a batch was refused', async () => {
    const { token } = await makeAccount(gateway);
    const { page, sent } = await open('/explore/sets', { token });
    await page.getByLabel('Name').fill('Many');
    const list = [...known.map(({ index }) => index), 999_999_999];
    await page.getByRole('textbox', { name: 'Validators' }).fill(list.join(', '));
    await page.getByRole('button', { name: 'Make a set of 1,501 validators' }).click();
    await page.getByText('999999999 is no validator').waitFor();
    await page.getByText('The set was made. 1,000 of 1,501 validators were added; 501 were not.').waitFor();
    const field = page.getByRole('textbox', { name: 'Validators' });
    await pasteInto(field, known.map(({ index }) => index).join('\n'));
    await page.getByRole('button', { name: 'Send the other 500' }).click();
    await page.getByRole('heading', { level: 1, name: 'Many' }).waitFor();
    expect(mutations(sent).map(({ validators }) => validators.length)).toEqual([1000, 501, 500]);
    expect(await tile(page, 'Validators').innerText()).toBe('1,500');
  });

  it('shows the clients, relays and share of the network of a set', async () => {
    const clients = known.slice(0, 3).map(({ index }) => ({ validatorIndex: index, client: 'Lodestar' }));
    await importText(gateway, 'validator-clients', JSON.stringify(clients));
    const { page } = await setOfThree('With clients');
    const rows = page.getByRole('figure', { name: 'Clients' }).locator('tbody tr');
    await rows.first().waitFor();
    expect(await rows.allInnerTexts()).toEqual([expect.stringMatching(/^Lodestar\s+100\.00%$/)]);
    await page.getByText('No relay of its blocks is known.', { exact: true }).waitFor();
    expect(await page.getByRole('figure', { name: 'Relays' }).count()).toBe(0);
    expect(await tile(page, 'Share of the network').innerText()).toMatch(/^0\.0\d+\s?%$/);
  });

  it('renames a set, adds and removes validators, and deletes it, once asked', async () => {
    const { page, violations } = await setOfThree('Before', 'validators');
    await page.getByRole('button', { name: 'Rename' }).press('Enter');
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.fill(' ');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('name must be a text of 1 to 100 characters').waitFor();
    expect(await violations()).toEqual([]);
    await name.fill('After');
    await page.getByRole('button', { name: 'Save the name' }).click();
    await page.getByRole('heading', { level: 1, name: 'After' }).waitFor();
    const member = page.getByRole('figure', { name: 'Validators' }).locator('tbody tr');
    await page.getByLabel(`Choose validator ${known[1]?.index}`).check();
    await page.getByRole('button', { name: 'Remove 1' }).click();
    await page.getByText('1 removed.').waitFor();
    await page.waitForFunction(() => document.querySelectorAll('figure tbody tr input').length === 2);
    await page.getByRole('textbox', { name: 'Validators' }).fill(`${known[4]?.index}`);
    await page.getByRole('button', { name: 'Add 1 validator' }).click();
    await page.getByText('1 are in the set.').waitFor();
    await member.getByText(String(known[4]?.index), { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    expect(await violations()).toEqual([]);
    await page.getByRole('button', { name: 'Keep it' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete the set' }).click();
    await page.getByText('Your account has no set of validators of mainnet yet.').waitFor();
  });

  it('tells an account whose tier has no sets so, also when the page is over the rate afterwards', async () => {
    const { token } = await makeAccount(gateway, { tier: 'starter' });
    const { page } = await open('/explore/sets', { token });
    await page.getByLabel('Name').fill('Mine');
    let refused = 0;
    await page.route('**/graphql', (route) => {
      const isPage = route.request().postDataJSON().operationName === 'setsQuery';
      return isPage && refused++ < 2
        ? route.fulfill(refusal('RATE_LIMITED', 429, { 'retry-after': '1' }))
        : route.fallback();
    });
    const again = page.waitForResponse(
      (response) => response.ok() && response.request().postDataJSON()?.operationName === 'setsQuery',
    );
    await page.getByRole('button', { name: 'Make an empty set' }).click();
    const alert = page.getByRole('alert');
    await alert.getByText(/^The set was not made\. .*tier/).waitFor();
    await page.getByText('Waiting for the rate limit of the token…').waitFor();
    await again;
    await settled(page);
    expect(refused).toBeGreaterThan(2);
    expect(await alert.innerText()).toMatch(/tier/);
    expect(await page.getByLabel('Name').inputValue()).toBe('Mine');
  });

  it('have links to the network of the set, and a long name that fits a narrow screen', async () => {
    const name = 'n'.repeat(100);
    const { data } = await gateway.graphql(
      `mutation { createPrivateSet(input: { name: "${name}", network: HOODI }) { privateSet { setId } } }`,
    );
    const { setId } = data.createPrivateSet.privateSet;
    const { page } = await open(`/explore/sets/${setId}`, { viewport: { width: 360, height: 800 } });
    const width = () => page.evaluate(() => document.documentElement.scrollWidth);
    const sets = page.locator('main').getByRole('link', { name: 'My sets' });
    await sets.waitFor();
    expect(await width()).toBe(360);
    expect(await sets.getAttribute('href')).toBe('/explore/sets?network=hoodi');
    await page.getByRole('link', { name: "A month's report" }).click();
    await page.waitForURL(/report\?network=hoodi$/);
    await page.getByRole('link', { name: 'Back to the set' }).waitFor();
    expect(await width()).toBe(360);
    await page.goto(`${gateway.url}/explore/sets/${SAMPLE}?network=hoodi`);
    await page.getByRole('link', { name: 'Validators', exact: true }).click();
    const member = page.getByRole('figure', { name: 'Validators' }).locator('tbody a').first();
    expect(await member.getAttribute('href')).toMatch(/^\/explore\/validators\/\d+$/);
  });

  it('are those of the account: another has no set by this id', async () => {
    const { token } = await makeAccount(gateway);
    const other = await open(`/explore/sets/${SAMPLE}`, { token });
    await other.page.getByRole('heading', { name: 'Not found' }).waitFor();
  });

  it('names the calendar of its windows beside the UTC days of its plots and its report', async () => {
    const { page } = await open(`/explore/sets/${SAMPLE}`);
    await settled(page);
    const note = page.getByRole('figure', { name: 'The four windows' }).locator('figcaption p');
    const noteOf = (label: string) => page.locator('.tile', { hasText: label }).locator('.note').innerText();
    expect(await note.innerText()).toBe(
      'The same figures in each window, of chain days. The plots, the rewards and the report of a month are of UTC days.',
    );
    expect(await noteOf('Effectiveness')).toBe('mean, 30 chain days');
    await page.getByText('Chain days', { exact: true }).click();
    await page.waitForURL(/calendar=chain/);
    await settled(page);
    expect(await note.innerText()).toBe('The same figures in each window, of chain days.');
    expect(await noteOf('Effectiveness')).toBe('mean, 30 days');
    await page.getByText('UTC days', { exact: true }).click();
    await page.waitForURL((url) => url.search === '');
    await settled(page);
    expect(await noteOf('APR')).toBe('a year, from 30 chain days');
  });

  it('shows the figures of a range by a granularity and a calendar, all in the URL', async () => {
    const { page, sent } = await open(
      `/explore/sets/${SAMPLE}?granularity=week&from=2025-10-06&to=2025-10-19`,
    );
    const figure = page.getByRole('figure', { name: 'Rewards' });
    await figure.locator('svg').first().waitFor();
    expect(sent[0]?.variables).toMatchObject({
      granularity: 'WEEK',
      utc: true,
      fromDate: '2025-10-06',
      toDate: '2025-10-19',
    });
    await figure.getByText('Table', { exact: true }).click();
    expect(await figure.locator('tbody tr').count()).toBe(2);
    expect(await page.locator('.tile', { hasText: 'Rewards' }).locator('.note').innerText()).toBe(
      'Oct 6, 2025 to Oct 19, 2025',
    );
    await page.getByLabel('Granularity').selectOption('month');
    await page.waitForURL(/granularity=month/);
    await page.getByLabel('From').fill('2025-09-01');
    await page.getByLabel('From').press('Enter');
    await page.waitForURL(/from=2025-09-01/);
    await settled(page);
    expect(sent.at(-1)?.variables).toMatchObject({ granularity: 'MONTH', fromDate: '2025-09-01' });
  });
});

describe.skipIf(noBrowser)('a set in tabs', () => {
  it('has one calendar with its report, UTC days unless the reader chooses, which the links between them keep', async () => {
    const { page, sent } = await open(`/explore/sets/${SAMPLE}?tab=rewards&from=2025-10-01&to=2025-10-31`);
    await settled(page);
    expect(sent.at(-1)?.variables).toMatchObject({ utc: true });
    const rewards = () => tile(page, 'Rewards').first().getAttribute('title');
    const ofPage = await rewards();
    await page.getByRole('link', { name: "A month's report" }).click();
    await page.getByRole('heading', { name: 'Sample validators: October 2025' }).waitFor();
    await settled(page);
    expect(new URL(page.url()).search).toBe('?month=2025-10');
    expect(await rewards()).toBe(ofPage);
    await page.getByText('Chain days').click();
    await page.waitForURL(/calendar=chain/);
    await settled(page);
    expect(sent.at(-1)?.variables).toMatchObject({ utc: false });
    const ofChainDays = await rewards();
    expect(ofChainDays).not.toBe(ofPage);
    await page.getByRole('link', { name: 'Back to the set' }).click();
    await page.waitForURL((url) => url.search === '?calendar=chain');
    await page.goto(`${page.url()}&from=2025-10-01&to=2025-10-31`);
    await settled(page);
    expect(await rewards()).toBe(ofChainDays);
  });

  it('keeps the range through its tabs, by keyboard', async () => {
    const { page, sent } = await open(`/explore/sets/${SAMPLE}?range=7d`);
    await settled(page);
    const tabs = page.getByRole('navigation', { name: 'Parts of the set' });
    await tabs.getByRole('link', { name: 'Performance' }).press('Enter');
    await page.waitForURL((url) => url.search === '?range=7d&tab=performance');
    await settled(page);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Performance');
    expect(sent.at(-1)?.variables).toMatchObject({ window: 'SEVEN_DAYS', periods: 7, onPerformance: true });
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await tabs.getByRole('link', { name: 'Validators' }).and(page.locator('[aria-current]')).waitFor();
    expect(await page.getByRole('group', { name: 'Range' }).count()).toBe(0);
    await page.goBack();
    await page.waitForURL(/tab=performance/);
    await page.getByText('7 d').and(page.locator('label:has(:checked) *')).waitFor();
  });

  it('lists slashings of its validators, which its plots mark, and days with missed blocks', async () => {
    const { rows } = await gateway.database.pool.query({
      text: `with slashed as (
        select validator_index, validator_pubkey from slashings where network = 'mainnet' order by slashing_epoch desc limit 3
      ), made as (
        insert into private_sets (account_id, network, name, created_by, created_at, updated_at)
        select account_id, 'mainnet', 'Slashed', 'test', now(), now() from private_sets where set_id = $1
        returning set_id
      )
      insert into private_set_members (set_id, validator_index, validator_pubkey, added_at, counts_from)
      select set_id, validator_index, validator_pubkey, now(), '-infinity' from slashed, made
      returning set_id as id, validator_index as index`,
      values: [SAMPLE],
    });
    const indices = rows.map(({ index }) => String(index)).sort();
    const { page } = await open(`/explore/sets/${rows[0]?.id}?tab=events`);
    await settled(page);
    const links = page.getByRole('figure', { name: 'Slashings' }).locator('tbody a');
    expect((await links.allInnerTexts()).sort()).toEqual(indices);
    expect(await tile(page, 'Slashed validators').innerText()).toBe('3');
    await gateway.database.pool.query({
      text: `update private_set_days set missed_proposal_count = 1 + day % 3 where set_id = $1 and day % 5 = 0`,
      values: [SAMPLE],
    });
    const { data } = await gateway.graphql(`{ privateSet(setId: "${SAMPLE}") {
      all: proposals(granularity: ALL, utc: true, first: 1) { nodes { missedProposalCount } } } }`);
    await page.goto(`${gateway.url}/explore/sets/${SAMPLE}?tab=events`);
    await settled(page);
    const missed = data.privateSet.all.nodes[0].missedProposalCount;
    expect(await tile(page, 'Missed blocks').innerText()).toBe(String(missed));
    const days = page.getByRole('figure', { name: 'Missed blocks' }).locator('tbody td:nth-child(2)');
    const counts = (await days.allInnerTexts()).map(Number);
    expect(counts.length).toBeGreaterThan(0);
    expect(counts).toEqual([...counts].sort((one, other) => other - one));
  });

  it('lists the consolidations of its validators between dates, page by page, in the calendar of the page', async () => {
    const { rows } = await gateway.database.pool.query({
      text: `with moved as (
        select source_index from consolidations join validators v on (v.network, v.validator_index) = (consolidations.network, source_index)
        where consolidations.network = 'mainnet' order by epoch desc limit 30
      ), made as (
        insert into private_sets (account_id, network, name, created_by, created_at, updated_at)
        select account_id, 'mainnet', 'Moved', 'test', now(), now() from private_sets where set_id = $1
        returning set_id
      )
      insert into private_set_members (set_id, validator_index, validator_pubkey, added_at, counts_from)
      select set_id, validator_index, validator_pubkey, now(), '-infinity'
      from made, moved join validators on network = 'mainnet' and validator_index = source_index
      returning set_id as id`,
      values: [SAMPLE],
    });
    const id = rows[0]?.id;
    const { page } = await open(`/explore/sets/${id}?tab=events`);
    await settled(page);
    const ask = async (args: string) => {
      const { data } =
        await gateway.graphql(`{ privateSet(setId: "${id}") { consolidations(utc: true, ${args}) {
        totalCount nodes { sourceValidatorIndex date } } } }`);
      return data.privateSet.consolidations;
    };
    const all = await ask('first: 200');
    expect(all.totalCount).toBeGreaterThanOrEqual(30);
    expect(await tile(page, 'Consolidations').innerText()).toBe(String(all.totalCount));
    const figure = page.getByRole('figure', { name: 'Consolidations' });
    const sources = () => figure.locator('tbody td:nth-child(2)').allInnerTexts();
    const expected = all.nodes.map(({ sourceValidatorIndex }: any) => String(sourceValidatorIndex));
    expect(await sources()).toEqual(expected.slice(0, 20));
    await figure.getByRole('link', { name: 'Next' }).press('Enter');
    await page.waitForURL(/moves-after=/);
    await settled(page);
    expect(await sources()).toEqual(expected.slice(20, 40));
    const { date } = all.nodes[0];
    await page.getByLabel('From').fill(date);
    await page.getByLabel('From').press('Enter');
    await page.waitForURL(/from=/);
    await settled(page);
    const within = await ask(`fromDate: "${date}", first: 20`);
    expect(await sources()).toEqual(
      within.nodes.map(({ sourceValidatorIndex }: any) => String(sourceValidatorIndex)),
    );
  });
});

describe.skipIf(noBrowser)('a plot of few days', () => {
  it('has a dot and a date for each, and no label of its axes twice', async () => {
    const { page } = await open(`/explore/sets/${SAMPLE}?tab=rewards&from=2025-10-01&to=2025-10-03`);
    await settled(page);
    const plot = page.getByRole('figure', { name: 'Balance' }).locator('.plot svg').first();
    expect(await plot.locator('circle').count()).toBe(3);
    const labels = await plot.locator('g[font-variant] > text').allTextContents();
    expect(labels.filter((label) => label.startsWith('Oct'))).toEqual(['Oct 1', 'Oct 2', 'Oct 3']);
    expect(labels.length).toBeGreaterThan(5);
    expect(new Set(labels).size).toBe(labels.length);
  });
});

describe.skipIf(noBrowser)("a set's report of a month", () => {
  it('prints every day of the month on A4, without what is there to be clicked', async () => {
    const { page } = await open(`/explore/sets/${SAMPLE}/report?month=2025-10`);
    await settled(page);
    await page.emulateMedia({ media: 'print' });
    for (const hidden of ['.top', '.bottom', '.tools', '.controls', '.figure details'])
      expect(await page.locator(hidden).first().isVisible(), hidden).toBe(false);
    await page.getByText(/UTC days · printed .* UTC/).waitFor();
    const days = page.getByRole('figure', { name: 'Days' }).locator('tbody tr');
    expect(await days.count()).toBe(31);
    expect(await days.last().isVisible()).toBe(true);
    expect(await days.locator('th').first().innerText()).toBe('Oct 1, 2025');
    const { data } = await gateway.graphql(
      `{ privateSet(setId: "${SAMPLE}") {
        rewards(granularity: MONTH, utc: true, fromDate: "2025-10-01", toDate: "2025-10-31") {
          nodes { sumRewards } } } }`,
    );
    const [{ sumRewards: gwei }] = data.privateSet.rewards.nodes;
    const exact = `${gwei.slice(0, -9)}.${gwei.slice(-9)}`.replace(/0+$/, '');
    expect(await page.locator('.statement tfoot td').innerText()).toBe(`${exact} ETH`);
    const file = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
    const boxes = [...file.matchAll(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/g)];
    expect(boxes.length).toBeLessThanOrEqual(2);
    expect([Number(boxes[0]?.[1]), Number(boxes[0]?.[2])].map(Math.round)).toEqual([595, 842]);
  });

  it('says beside its sums which days have no figures, in the list and its CSV file too', async () => {
    const gone = ['2025-10-01', '2025-10-10', '2025-10-11'];
    const { page } = await setOfThree('With gaps');
    const id = new URL(page.url()).pathname.split('/').at(-1) as string;
    await page.goto(`${gateway.url}/explore/sets/${id}/report?month=2025-10`);
    const earned = page.locator('.tile', { hasText: 'Rewards' });
    await earned.getByText('both layers, 31 of 31 days').waitFor();
    expect(await page.getByRole('note').count()).toBe(0);
    await gateway.database.pool.query({
      text: `delete from private_set_days where set_id = $1 and utc and date = any($2::date[])`,
      values: [id, gone],
    });
    await page.reload();
    await settled(page);
    await page.emulateMedia({ media: 'print' });
    await page
      .getByRole('note')
      .getByText(
        '28 of 31 days have figures of these validators, and the sums are of these: Oct 1, 2025, Oct 10, 2025 to Oct 11, 2025 have none.',
      )
      .waitFor();
    await earned.getByText('both layers, 28 of 31 days').waitFor();
    await page.emulateMedia({ media: 'screen' });
    const figure = page.getByRole('figure', { name: 'Days' });
    expect(await figure.locator('tbody tr').count()).toBe(31);
    expect(await figure.locator('tbody tr').first().innerText()).toMatch(/^Oct 1, 2025\s+–\s+–/);
    const file = await saved(page, figure.getByRole('button', { name: /^CSV of/ }));
    const empty = (await csvIn(file)).split('\r\n').filter((line) => /^[-\d]+,+$/.test(line));
    expect(empty.map((line) => line.slice(0, 10))).toEqual(gone);
  });

  it('says so of a month without days', async () => {
    const { page } = await open(`/explore/sets/${SAMPLE}/report?month=2024-02`);
    await page.getByText('No day of these validators is stored in this month.').waitFor();
    await page.getByRole('link', { name: 'October 2025' }).click();
    await page.getByRole('heading', { name: 'Sample validators: October 2025' }).waitFor();
  });
});
