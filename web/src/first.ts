/**
 * Is in the page itself, and runs before the application is even requested: on a slow network, the figures of the overview
 * are there long before it. Sends the document of the overview, whose response the page then takes, and draws the tiles.
 */
import type { overviewQuery } from './__generated__/overviewQuery.graphql.ts';
import request from './__generated__/overviewQuery.graphql.ts';
import { bodyOf, postEarly } from './api/post.ts';
import { token } from './api/stored-token.ts';
import { markTheme } from './chosen-theme.ts';
import { overviewVariables, spansOf } from './pages/overview/overview-days.ts';
import { figuresOf, type OverviewFigure } from './pages/overview/overview-figures.ts';
import { base } from './url/base.ts';
import { strictly } from './url/url-state.ts';

const LONGEST_WAIT_MS = 3_000;

const element = (tag: string, className: string, ...content: (Node | string)[]) => {
  const made = document.createElement(tag);
  made.className = className;
  made.append(...content);
  return made;
};

/** Like a Tile of `parts/tiles.tsx`, without its trend line. */
function tile({ label, value, unit, change, note }: OverviewFigure) {
  const figure = element('span', 'value', value, ...(unit ? [element('small', '', ` ${unit}`)] : []));
  const told =
    change && element('span', 'note', `${change.by < 0 ? '−' : '+'}${change.text} ${change.since}`);
  const said = note ? element('span', 'note', note) : undefined;
  const parts = [figure, told, said].filter((part) => part !== undefined);
  return element('div', 'tile', element('dt', '', label), element('dd', '', ...parts));
}

async function drawOverview() {
  const isOverview = location.pathname === base || location.pathname === `${base}/`;
  if (!isOverview || !token() || location.hash) return;
  const search = new URLSearchParams(location.search);
  const { text, name } = request.params;
  const variables = strictly(() => overviewVariables(search));
  const response = await postEarly(bodyOf(text, name, variables));
  const { data } = (await response.json()) as { data?: overviewQuery['response'] };
  const figures = figuresOf(spansOf(data?.networkOverview?.history?.nodes ?? [], search));
  if (figures.length > 0) document.querySelector('#first')?.replaceChildren(...figures.map(tile));
}

/** The page only names the files of the application, so that they do not delay the figures. */
function loadApplication() {
  for (const { src } of document.querySelectorAll<HTMLScriptElement>('script[type="later"]'))
    void import(/* @vite-ignore */ src);
}

markTheme();
const pause = new Promise((done) => setTimeout(done, LONGEST_WAIT_MS));
// Whatever goes wrong here, the application tells.
void Promise.race([drawOverview().catch(() => undefined), pause]).then(loadApplication);
