import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { operator } from '../../ingest/rows.ts';
import { noBrowser } from '../../support/browser.ts';
import { csvIn, settled, useExplorer } from '../../support/explorer.ts';
import { importText } from '../../support/import.ts';

const { gateway, open } = useExplorer();

describe.skipIf(noBrowser)('a CSV file of the explorer', () => {
  it('is UTF-8 with a byte order mark, and has no cell that a spreadsheet takes for a formula', async () => {
    const names = ['Zoë', '=HYPERLINK(1)', '株式, "会社"'];
    const rows = names.map((id, index) => operator(id, { networkPenetration: 0.9 - index / 100 }));
    expect((await importText(gateway, 'operators', JSON.stringify(rows))).faults).toEqual([]);
    const { page } = await open('/explore/operators?range=7d');
    await settled(page);
    const figure = page
      .getByRole('figure')
      .filter({ has: page.getByRole('link', { name: 'Zoë', exact: true }) });
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      figure.getByRole('button', { name: /^CSV of / }).click(),
    ]);
    const [, ...lines] = parse(await csvIn(file)) as string[][];
    expect(lines.slice(0, 3).map(([, name]) => name)).toEqual(['Zoë', "'=HYPERLINK(1)", '株式, "会社"']);
  });
});
