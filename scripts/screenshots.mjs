// Takes the pictures of the README from the sample data, after npm run build:
//   node scripts/screenshots.mjs [overview] [operator]
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { withExplorer } from './explorer-pictures.mjs';

const pictures = {
  overview: '/',
  operator: '/explore/operators/pool/Alder%20Liquid',
};
const folder = 'docs/images';
const wanted = process.argv.slice(2);

await withExplorer(async ({ open }) => {
  mkdirSync(folder, { recursive: true });
  for (const [name, path] of Object.entries(pictures)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const page = await open(path, { viewport: { width: 1440, height: 900 } });
    await page.screenshot({ path: join(folder, `explorer-${name}.png`) });
    await page.context().close();
  }
});
