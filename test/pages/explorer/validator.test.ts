import { describe, expect, it } from 'vitest';
import { noBrowser } from '../../support/browser.ts';
import { isPage, settled, useExplorer } from '../../support/explorer.ts';

const explorer = useExplorer();

isPage(explorer, '/explore/validators/854', { heading: 'Validator 854', statements: 14 });

describe.skipIf(noBrowser)('a validator', () => {
  it('is found by its public key too', async () => {
    const { data } = await explorer.gateway.graphql('{ validator(by: { index: 854 }) { validatorPubkey } }');
    const { page, sent } = await explorer.open(`/explore/validators/${data.validator.validatorPubkey}`);
    await page.getByRole('heading', { name: 'Validator 854' }).waitFor();
    expect(sent).toHaveLength(1);
  });

  it('has its figures by the granularity, calendar and range of the URL', async () => {
    const { page, sent } = await explorer.open('/explore/validators/854?from=2025-10-01&to=2025-10-10');
    const rewards = page.getByRole('figure', { name: 'Rewards', exact: true });
    await rewards.getByText('Table').click();
    expect(await rewards.locator('tbody tr').count()).toBe(10);
    await page.getByText('Week', { exact: true }).click();
    await page.waitForURL(/granularity=week/);
    await page.getByText('UTC days').click();
    await page.waitForURL(/calendar=utc/);
    await settled(page);
    expect(sent.at(-1)?.variables).toMatchObject({
      granularity: 'WEEK',
      utc: true,
      fromDate: '2025-10-01',
      toDate: '2025-10-10',
    });
    expect(await rewards.locator('tbody tr').count()).toBe(2);
  });

  it('has no bars on a day without missed and wrong votes', async () => {
    const { rows } = await explorer.gateway.database.pool.query({
      text: `select validator_index as index, date::text from validator_days
        where network = 'mainnet' and not utc and (sum_missed_attestations, sum_wrong_head_votes, sum_wrong_target_votes) = (0, 0, 0)
        limit 1`,
      values: [],
    });
    const { index, date } = rows[0] as { index: number; date: string };
    const { page } = await explorer.open(`/explore/validators/${index}?from=${date}&to=${date}`);
    const votes = page.getByRole('figure', { name: 'Missed and wrong votes' });
    await votes.locator('svg').waitFor();
    const heights = await votes
      .locator('svg rect')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
    expect(Math.max(...heights)).toBeLessThan(1);
  });

  it('that was slashed has its slashing, and walks its sync committee rewards apart from other lists', async () => {
    const { page } = await explorer.open('/explore/validators/39361');
    await page.getByText('Exited').waitFor();
    await page.getByRole('heading', { name: 'Slashing' }).waitFor();
    await page.getByText('No day of this validator is stored in this range.').waitFor();
    const seats = page.getByRole('figure', { name: 'Sync committee rewards' });
    await seats.getByRole('link', { name: 'Next' }).click();
    await page.waitForURL(/seats-after=/);
    await seats.getByRole('link', { name: 'Previous' }).waitFor();
    expect(await seats.locator('tbody tr').count()).toBe(20);
    await seats.getByText('12927595').waitFor();
  });

  it('that is unknown, or none, is not found', async () => {
    const { page } = await explorer.open('/explore/validators/1');
    await page.getByText('1 is no validator of mainnet.').waitFor();
    await page.goto(`${explorer.gateway.url}/explore/validators/0x12`);
    await page.getByText('0x12 is neither the index nor the public key of a validator.').waitFor();
  });
});
