/**
 * Is in the page itself, and runs before the application is even requested: on a slow network, the first figures of a page
 * are there long before it. Sends the document of the page, whose response the page then takes, and loads the file that draws
 * what comes first in it, while the response is on the way.
 */
import blocks from './__generated__/blocksQuery.graphql.ts';
import operator from './__generated__/operatorQuery.graphql.ts';
import operators from './__generated__/operatorsQuery.graphql.ts';
import overview from './__generated__/overviewQuery.graphql.ts';
import solana from './__generated__/solanaQuery.graphql.ts';
import validator from './__generated__/validatorQuery.graphql.ts';
import { bodyOf, postEarly } from './api/post.ts';
import { token } from './api/stored-token.ts';
import { markTheme } from './chosen-theme.ts';
import type { Draw } from './first/parts/draw.tsx';
import type { Place } from './page.tsx';
import { variables as ofBlocks } from './pages/blocks/blocks-variables.ts';
import { variables as ofOperator } from './pages/operator/operator-variables.ts';
import { variables as ofOperators } from './pages/operators/operators-variables.ts';
import { overviewVariables } from './pages/overview/overview-days.ts';
import { variables as ofSolana } from './pages/solana/solana-variables.ts';
import { variables as ofValidator } from './pages/validator/validator-variables.ts';
import { base } from './url/base.ts';
import { networkOf } from './url/network.ts';
import { strictly } from './url/url-state.ts';

const LONGEST_WAIT_MS = 3_000;

type First = [
  /** As in routes.tsx. */
  path: string,
  /** Name of the file in `first/`, which vite.config.ts compiles. */
  name: string,
  document: { params: { text: string | null | undefined; name: string } },
  variables: (place: Place) => object,
];

const pages: First[] = [
  ['/', 'overview', overview, ({ search }) => overviewVariables(search)],
  ['/explore/operators', 'operators', operators, ofOperators],
  ['/explore/operators/:idType/:id', 'operator', operator, ofOperator],
  ['/explore/validators/:validator', 'validator', validator, ofValidator],
  ['/explore/blocks', 'blocks', blocks, ofBlocks],
  ['/explore/solana', 'solana', solana, ofSolana],
];

/** The parameters in a path; nothing if it is of another page. */
function paramsIn(path: string, pattern: string): Record<string, string> | undefined {
  const [given, wanted] = [path.split('/'), pattern.split('/')];
  const fits = wanted.every((part, index) => part === given[index] || (part[0] === ':' && given[index]));
  if (!fits || given.length > wanted.length) return undefined;
  return Object.fromEntries(
    wanted.map((part, index) => [part.slice(1), decodeURIComponent(given[index] ?? '')]),
  );
}

async function drawFirst() {
  const path = location.pathname.slice(base.length) || '/';
  if (!token() || location.hash) return;
  for (const [pattern, file, { params: document }, variables] of pages) {
    const params = paramsIn(path, pattern);
    if (!params) continue;
    const search = new URLSearchParams(location.search);
    const place = { params, search, network: networkOf(search) };
    const answered = postEarly(
      bodyOf(
        document.text,
        document.name,
        strictly(() => variables(place)),
      ),
    );
    const drawn = import(/* @vite-ignore */ sourcesOf(`[data-first="${file}"]`)[0] as string);
    const [response, { draw }] = (await Promise.all([answered, drawn])) as [Response, { draw: Draw }];
    const { data } = (await response.json()) as { data?: object };
    if (data) draw(data, place);
    return;
  }
}

/** The page only names the files of scripts, so that they do not delay the figures. */
const sourcesOf = (which: string) =>
  [...document.querySelectorAll<HTMLScriptElement>(`script[type="later"]${which}`)].map(({ src }) => src);

function loadApplication() {
  for (const src of sourcesOf(':not([data-first])')) void import(/* @vite-ignore */ src);
}

markTheme();
const pause = new Promise((done) => setTimeout(done, LONGEST_WAIT_MS));
// The application reports whatever goes wrong here.
void Promise.race([drawFirst().catch(() => undefined), pause]).then(loadApplication);
