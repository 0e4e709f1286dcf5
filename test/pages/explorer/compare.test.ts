import { once } from 'node:events';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.ts';
import { noBrowser } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { csvIn, isPage, saved, settled, useExplorer } from '../../support/explorer.ts';

const explorer = useExplorer();
const { gateway, open } = explorer;

const idOf = (name: string) => Buffer.from(`Operator:mainnet:pool:${name}`).toString('base64url');
const pathOf = (...names: string[]) =>
  `/explore/compare?${new URLSearchParams(names.map((name) => ['id', idOf(name)]))}`;
isPage(explorer, pathOf('Alder Liquid', 'Cedar Exchange'), { heading: 'Compare', statements: 4 });
const SET = '5a3f1c52-0d9e-4b8a-9d53-6f2f6f0c1e01';
const setId = Buffer.from(`PrivateSet:${SET}`).toString('base64url');
isPage(explorer, `${pathOf('Alder Liquid')}&id=${setId}`, { heading: 'Compare', statements: 6 });

const figure = (page: Page, name: string) => page.getByRole('figure', { name, exact: true });
async function csv(page: Page, name: string) {
  const file = await saved(page, page.getByRole('button', { name: `CSV of ${name}`, exact: true }));
  return (await csvIn(file)).trimEnd().split('\r\n');
}
const removal = (page: Page, name: string) => page.getByRole('link', { name: `Remove ${name} from` });

describe.skipIf(noBrowser)('the comparison of operators', () => {
  it('begins at an operator, takes up to six, by keyboard too, and its address shows the same', async () => {
    const { page } = await open('/explore/operators/pool/Alder%20Liquid');
    await page.locator('main').getByRole('link', { name: 'Compare', exact: true }).press('Enter');
    await removal(page, 'Alder Liquid').waitFor();
    const input = page.getByLabel('Compare with');
    const others = ['Cedar Exchange', 'Basalt Exchange', 'Amber Badger', 'Dunlin Staking', 'Fjord Liquid'];
    for (const name of others) {
      await input.fill(name);
      const option = page.locator(`datalist option[value^="${name} ("]`).first();
      await option.waitFor({ state: 'attached' });
      await input.fill((await option.getAttribute('value')) as string);
      await removal(page, name).waitFor();
    }
    expect(await input.count()).toBe(0);
    await settled(page);
    const names = ['Alder Liquid', ...others];
    expect((await csv(page, 'Side by side'))[0]).toBe(`Figure,${names.join(',')}`);
    const [head, ...days] = await csv(page, 'Effectiveness by day');
    expect(head?.split(',')).toEqual(['Chain day', ...names.map((name) => `${name} (%)`)]);
    const { data } = await gateway.graphql(`{ operator(operatorId: "Alder Liquid", idType: POOL) {
      history(window: THIRTY_DAYS, first: 1) { nodes { date avgValidatorEffectiveness } } } }`);
    const [newest] = data.operator.history.nodes;
    expect(days.at(-1)).toMatch(`${newest.date},${newest.avgValidatorEffectiveness},`);
    await page.getByRole('combobox', { name: 'Figure' }).selectOption('share');
    await figure(page, 'Share of stake by day').locator('svg').first().waitFor();
    const other = await open(page.url().slice(gateway.url.length));
    await figure(other.page, 'Share of stake by day').waitFor();
    expect(await csv(other.page, 'Side by side')).toEqual(await csv(page, 'Side by side'));
    await removal(page, 'Basalt Exchange').press('Enter');
    await input.waitFor();
    expect((await csv(page, 'Side by side'))[0]).not.toContain('Basalt');
  });

  it('adds the best match of a name with Enter, and says when there is none', async () => {
    const { page } = await open('/explore/compare');
    const input = page.getByPlaceholder('Name', { exact: true });
    await input.pressSequentially('alder liquid');
    await input.press('Enter');
    await removal(page, 'Alder Liquid').waitFor();
    expect(await input.inputValue()).toBe('');
    const next = page.getByLabel('Compare with');
    await next.pressSequentially('no such name');
    await next.press('Enter');
    await eventually(async () =>
      expect(await next.evaluate((element: HTMLInputElement) => element.validationMessage)).toBe(
        'No operator and none of your sets has this name.',
      ),
    );
    await next.fill('Cedar Exchange');
    await next.press('Enter');
    await removal(page, 'Cedar Exchange').waitFor();
  });

  it('keeps a range whose rows are loading when an operator is removed', async () => {
    const { page } = await open(pathOf('Alder Liquid', 'Basalt Exchange'));
    await settled(page);
    const answers = new AbortController();
    await page.route('**/graphql', async (route) => {
      if (!answers.signal.aborted) await once(answers.signal, 'abort');
      await route.continue();
    });
    await page.getByText('7 d', { exact: true }).click();
    await page.waitForURL(/range=7d/);
    await removal(page, 'Basalt Exchange').click();
    await page.waitForURL((url) => url.searchParams.getAll('id').length === 1);
    answers.abort();
    await settled(page);
    expect(await page.getByLabel('7 d', { exact: true }).isChecked()).toBe(true);
    expect(await removal(page, 'Basalt Exchange').count()).toBe(0);
  });

  it('has sets beside operators: begun at a set, by keyboard, with the figures of its summary; others do not see it', async () => {
    const { page } = await open(`/explore/sets/${SET}`);
    await page.locator('main').getByRole('link', { name: 'Compare', exact: true }).press('Enter');
    await removal(page, 'Sample validators').waitFor();
    const input = page.getByLabel('Compare with');
    await input.fill('Alder Liquid');
    const option = page.locator('datalist option[value^="Alder Liquid ("]').first();
    await option.waitFor({ state: 'attached' });
    await input.fill((await option.getAttribute('value')) as string);
    await removal(page, 'Alder Liquid').waitFor();
    await settled(page);
    const { data } = await gateway.graphql(`{ privateSet(setId: "${SET}") { summary(window: THIRTY_DAYS) {
      validatorCount avgValidatorEffectiveness aprPercentage networkPenetration missedProposalCount } } }`);
    const {
      validatorCount,
      avgValidatorEffectiveness,
      aprPercentage,
      networkPenetration,
      missedProposalCount,
    } = data.privateSet.summary;
    const lines = await csv(page, 'Side by side');
    expect(lines[0]).toBe('Figure,Sample validators,Alder Liquid');
    const cell = (name: string) => lines.find((line) => line.startsWith(`${name},`))?.split(',')[1];
    expect(cell('Validators')).toBe(String(validatorCount));
    expect(cell('APR (%)')).toBe(String(aprPercentage));
    expect(cell('Missed blocks')).toBe(missedProposalCount);
    const ofSet = async (name: string) =>
      (await csv(page, name)).map((line) => line.split(',')[1]).filter((value) => value !== '');
    const effectiveness = await ofSet('Effectiveness by day');
    expect(effectiveness.length).toBeGreaterThan(25);
    expect(effectiveness.at(-1)).toBe(String(avgValidatorEffectiveness));
    for (const [figureName, title, value] of [
      ['apr', 'APR by day', aprPercentage],
      ['share', 'Share of stake by day', networkPenetration],
    ] as const) {
      await page.getByRole('combobox', { name: 'Figure' }).selectOption(figureName);
      await figure(page, title).locator('svg').first().waitFor();
      expect((await ofSet(title)).at(-1)).toBe(String(value));
    }
    await removal(page, 'Alder Liquid').press('Enter');
    await input.fill('Sample');
    await page.locator('datalist option[value="Sample validators (my set)"]').waitFor({ state: 'attached' });
    const { token } = await makeAccount(gateway);
    const other = await open(`/explore/compare?id=${setId}`, { token });
    await other.page.getByText('One id of the address has no figures').waitFor();
  });

  it('says how to begin, and what is wrong with an address', async () => {
    const { page } = await open('/explore/compare');
    await page.getByText('Find an operator by its name or address, or a set by its name').waitFor();
    await page.goto(`${gateway.url}${pathOf('Alder Liquid', 'Nobody')}`);
    await page.getByText('One id of the address has no figures').waitFor();
    await page.goto(`${gateway.url}/explore/compare?id=nonsense`);
    await page.getByRole('alert').getByText('ids.0 is "nonsense"').waitFor();
    await page.goto(`${gateway.url}${pathOf(...'abcdefg')}`);
    await page.getByText('7 operators and sets are named by id, but at most 6 are compared.').waitFor();
  });
});
