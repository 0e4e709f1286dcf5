// Takes pictures of every page of the explorer at three widths, light and dark, with the sample data, and puts them on one
// HTML page:
//   npm run contact-sheet -- folder [part of the name of a page…]
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail, withExplorer } from './explorer-pictures.mjs';

const [folder, ...wanted] = process.argv.slice(2);
if (!folder)
  fail('Name the folder of the pictures: npm run contact-sheet -- folder [part of the name of a page…]');
const widths = [390, 1440, 2560];
const themes = ['light', 'dark'];

const tabsOf = (name, path) =>
  Object.fromEntries(
    ['performance', 'rewards', 'validators', 'events'].map((tab) => [`${name}-${tab}`, `${path}?tab=${tab}`]),
  );

/** Paths of objects are found in lists, because the sample data has others with each date. */
async function pathsOf(graphql) {
  const { blocks, compared, validators, slashings, privateSets, builders } = await graphql(`{
    blocks(first: 1) { nodes { consensusSlot } }
    compared: operators(window: ONE_DAY, idType: POOL, first: 4) { nodes { id } }
    validators: operators(window: ONE_DAY, idType: POOL, first: 1) {
      nodes { validators(first: 1) { nodes { validatorIndex } } operatorId }
    }
    slashings(first: 1) { nodes { validatorIndex } }
    privateSets(first: 1) { nodes { setId } }
    builders(first: 1) { nodes { builderPubkey: pubkey } }
  }`);
  const [operator] = validators.nodes;
  const operatorPath = `/explore/operators/pool/${encodeURIComponent(operator.operatorId)}`;
  const set = privateSets.nodes[0]?.setId;
  const builder = builders.nodes[0]?.builderPubkey;
  return {
    overview: '/',
    'overview-year': '/?range=1y',
    'overview-hoodi': '/?network=hoodi',
    operators: '/explore/operators',
    operator: operatorPath,
    ...tabsOf('operator', operatorPath),
    compare: `/explore/compare?${compared.nodes.map(({ id }) => `id=${id}`).join('&')}`,
    blocks: '/explore/blocks',
    block: `/explore/blocks/${blocks.nodes[0].consensusSlot}`,
    builders: '/explore/builders',
    ...(builder && { builder: `/explore/builders/${builder}` }),
    validators: '/explore/validators?range=30d',
    validator: `/explore/validators/${operator.validators.nodes[0].validatorIndex}`,
    slashed: `/explore/validators/${slashings.nodes[0].validatorIndex}`,
    slashings: '/explore/slashings',
    consolidations: '/explore/consolidations',
    sets: '/explore/sets',
    ...(set && {
      set: `/explore/sets/${set}`,
      ...tabsOf('set', `/explore/sets/${set}`),
      report: `/explore/sets/${set}/report`,
    }),
    views: '/explore/views',
    solana: '/explore/solana',
    'solana-rewards': '/explore/rewards/solana',
    polkadot: '/explore/rewards/polkadot',
    account: '/explore/account',
    missing: '/explore/nothing',
  };
}

const sheetOf = (shown) => `<!doctype html><meta charset="utf-8"><title>Contact sheet</title>
<style>body{margin:24px;background:#888;font:14px system-ui}h2{margin:24px 0 8px;color:#fff}
div{display:flex;gap:12px;align-items:flex-start}figure{margin:0}img{display:block;height:520px;max-width:900px;object-fit:cover;object-position:top}
figcaption{color:#fff;padding:2px 0}</style>
${shown
  .map(
    ({ name, path, pictures }) =>
      `<h2>${name} <small>${path.replace(/[&<]/g, (sign) => `&#${sign.charCodeAt(0)};`)}</small></h2><div>${pictures
        .map(
          ({ file, label }) =>
            `<figure><img src="${file}" alt="${name}, ${label}"><figcaption>${label}</figcaption></figure>`,
        )
        .join('')}</div>`,
  )
  .join('\n')}`;

await withExplorer(async ({ open, graphql }) => {
  const all = Object.entries(await pathsOf(graphql));
  const chosen = all.filter(([name]) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
  if (chosen.length === 0) {
    const names = all.map(([name]) => name).join(', ');
    process.stderr.write(`No page has ${wanted.join(' or ')} in its name; there are ${names}.\n`);
    process.exitCode = 1;
    return;
  }
  mkdirSync(folder, { recursive: true });
  const shown = [];
  for (const [index, [name, path]] of chosen.entries()) {
    const begin = performance.now();
    const pictures = [];
    for (const width of widths)
      for (const colorScheme of themes) {
        const page = await open(path, { viewport: { width, height: width < 500 ? 844 : 1000 }, colorScheme });
        const file = `${name}-${width}-${colorScheme}.png`;
        await page.screenshot({ path: join(folder, file), fullPage: true });
        await page.context().close();
        pictures.push({ file, label: `${width} px, ${colorScheme}` });
      }
    shown.push({ name, path, pictures });
    const seconds = ((performance.now() - begin) / 1_000).toFixed(0);
    process.stdout.write(
      `${index + 1} of ${chosen.length}: ${name}, ${pictures.length} pictures in ${seconds} s\n`,
    );
  }
  writeFileSync(join(folder, 'index.html'), sheetOf(shown));
  process.stdout.write(`${join(folder, 'index.html')}\n`);
});
