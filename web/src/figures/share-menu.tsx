import { useMemo, useState } from 'react';
import { useSource } from '../page.tsx';
import { at } from '../url/base.ts';
import { useNetwork } from '../url/use-network.ts';
import { type CardDocument, cardOf } from './card-document.ts';
import { savePlot } from './save-plot.ts';

/** What a token is called in commands, which never have the token of the reader. */
const TOKEN = '-H "authorization: Bearer $STAKEGRAPH_TOKEN"';
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
const addressOf = (path: string) => new URL(at(path), location.origin).href;

const curlOf = ({ query, name, variables }: CardDocument) =>
  [
    `curl ${quoted(addressOf('/graphql'))}`,
    TOKEN,
    `-H 'content-type: application/json'`,
    `--data ${quoted(JSON.stringify({ query, operationName: name, variables }))}`,
  ].join(' \\\n  ');

const restOf = (path: string, network: string) =>
  [
    `curl ${quoted(addressOf(path))}`,
    TOKEN,
    ...(network !== 'MAINNET' && path.includes('/eth/')
      ? [`-H 'X-Service-Network: ${network.toLowerCase()}'`]
      : []),
  ].join(' \\\n  ');

/** The document, with its variables below it as a comment. */
const textOf = ({ query, variables }: CardDocument) =>
  `${query}\n\n${JSON.stringify(variables, null, 2).replace(/^/gm, '# ')}\n`;

export const graphiqlOf = ({ query, variables }: CardDocument) =>
  `${at('/graphql')}#${new URLSearchParams({ query, variables: JSON.stringify(variables, null, 2) })}`;

type Props = {
  figure: HTMLElement;
  title: string;
  hasPlot: boolean;
  /** What of the response the card shows. */
  parts: readonly unknown[];
  /** The REST path that answers the same figures, if one does. */
  rest: string | undefined;
};

/** What can be done with a card, loaded when it is asked for. */
export function ShareMenu({ figure, title, hasPlot, parts, rest }: Props) {
  const source = useSource();
  const network = useNetwork();
  const card = useMemo(() => cardOf(source, parts), [source, parts]);
  const [said, say] = useState('');
  const link = `${location.origin}${location.pathname}${location.search}#${figure.id}`;
  const copies = [
    ['link', link],
    ['GraphQL', textOf(card)],
    ['curl', curlOf(card)],
    ...(rest ? [['REST', restOf(rest, network)] as const] : []),
  ] as const;
  const copy = (name: string, text: string) =>
    navigator.clipboard.writeText(text).then(
      () => say(`Copied: ${name}.`),
      () => say('The browser does not let this page copy.'),
    );
  return (
    <>
      <ul>
        {copies.map(([name, text]) => (
          <li key={name}>
            <button type="button" onClick={() => void copy(name, text)}>
              Copy {name === 'link' ? name : `as ${name}`}
            </button>
          </li>
        ))}
        <li>
          <a
            href={graphiqlOf(card)}
            target="_blank"
            rel="noreferrer"
            aria-label={`${title}: open in GraphiQL`}
          >
            Open in GraphiQL
          </a>
        </li>
        {hasPlot &&
          (['png', 'svg'] as const).map((kind) => (
            <li key={kind}>
              <button type="button" onClick={() => void savePlot(figure, title, kind)}>
                Save as {kind.toUpperCase()}
              </button>
            </li>
          ))}
      </ul>
      <p role="status">{said}</p>
    </>
  );
}
