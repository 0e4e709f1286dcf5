import { type KeyboardEvent, useCallback, useEffect, useId, useRef, useState } from 'react';
import { fetchQuery, graphql } from 'react-relay';
import { useNavigate } from 'react-router';
import type { searchQuery } from './__generated__/searchQuery.graphql';
import { environment } from './api/environment.ts';
import { token } from './api/token.ts';
import { stakeShare } from './parts/operators.tsx';
import { hasPage, paths, slugOf } from './url/links.ts';
import { useHref, useNetwork } from './url/use-network.ts';

type Hit = NonNullable<searchQuery['response']['search']>[number];

const query = graphql`
  query searchQuery($text: String!, $network: Network!) {
    search(query: $text, network: $network, first: 10) {
      id
      kind
      text
      score
      node {
        __typename
        ... on Operator {
          operatorId
          idType
          summary(window: ONE_DAY) {
            networkPenetration
          }
        }
        ... on Validator {
          validatorIndex
          status
        }
        ... on Block {
          consensusSlot
          consensusOutcome
        }
        ... on StakeAuthority {
          stakeAuthority
          stake: summary(window: ONE_DAY) {
            share: networkPenetration
          }
        }
        ... on PrivateSet {
          setId
        }
      }
    }
  }
`;

function pathOf({ kind, text, node }: Hit): string | undefined {
  // The node of a tag is the largest operator that has it.
  if (kind === 'TAG') return paths.tag(text, node?.__typename === 'Operator' ? node.idType : 'POOL');
  switch (node?.__typename) {
    case 'Operator':
      return paths.operator(node.idType, node.operatorId);
    case 'Validator':
      return paths.validator(node.validatorIndex);
    case 'Block':
      return paths.block(node.consensusSlot);
    case 'StakeAuthority':
      return paths.stakeAuthority(node.stakeAuthority);
    case 'PrivateSet':
      return paths.set(node.setId);
    default:
      return undefined;
  }
}

const kinds: Record<string, string> = {
  OPERATOR: 'Operators',
  VALIDATOR: 'Validators',
  BLOCK: 'Blocks',
  STAKE_AUTHORITY: 'Solana stake authorities',
  PRIVATE_SET: 'My sets',
  TAG: 'Labels',
};

const shared = (share: number | null | undefined) => (share == null ? {} : { share: stakeShare(share) });

/** What a hit is, and its share of the stake of its network. */
function aboutOf({ kind, node }: Hit): { what: string; share?: string } {
  if (kind === 'TAG') return { what: 'operators with this label' };
  switch (node?.__typename) {
    case 'Operator':
      return { what: slugOf(node.idType).replaceAll('-', ' '), ...shared(node.summary?.networkPenetration) };
    case 'StakeAuthority':
      return { what: '', ...shared(node.stake?.share) };
    case 'Validator':
      return { what: node.status.toLowerCase() };
    case 'Block':
      return { what: node.consensusOutcome.toLowerCase() };
    default:
      return { what: '' };
  }
}

const PAUSE_MS = 200;
const MAX_LENGTH = 100;

type Found = {
  /** May be of a shorter text, while the present one is looked for. */
  of: string;
  /** `begins` tells whether the text is the hit or its beginning: Enter opens no other that was not chosen. */
  hits: Shown[];
};
type Shown = {
  text: string;
  path: string;
  kind: string;
  id: string;
  begins: boolean;
  what: string;
  share?: string;
};

/** Groups hits by kind, in the order of the best hit of each kind. */
const grouped = (hits: readonly Shown[]) =>
  [...new Set(hits.map(({ kind }) => kind))].map((kind) => ({
    kind,
    hits: hits.filter((hit) => hit.kind === kind),
  }));

/** Hits whose page exists; undefined until a text was looked for. */
function useHits(text: string) {
  const network = useNetwork();
  const [found, setFound] = useState<Found>();
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    setFailure(undefined);
    if (text === '') return setFound(undefined);
    let request: { unsubscribe(): void } | undefined;
    const timer = setTimeout(() => {
      request = fetchQuery<searchQuery>(environment, query, { text, network }).subscribe({
        next: ({ search }) =>
          setFound({
            of: text,
            hits: grouped(
              (search ?? []).flatMap((hit) => {
                const path = pathOf(hit);
                if (!path || !hasPage(path)) return [];
                const begins = hit.score === 1 || hit.text.toLowerCase().startsWith(text.toLowerCase());
                const kind = kinds[hit.kind] ?? '';
                return { id: hit.id, text: hit.text, kind, path, begins, ...aboutOf(hit) };
              }),
            ).flatMap((group) => group.hits),
          }),
        error(error: Error) {
          setFound(undefined);
          setFailure(error.message);
        },
      });
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      request?.unsubscribe();
    };
  }, [text, network]);
  return { found, failure };
}

/** What the list of hits does not say. */
function messageOf({ of, hits }: Found): string {
  const none = hits.length === 0 ? `Nothing is found for ${of}.` : '';
  const isNoIndex = /^\d+$/.test(of) && !hits.some(({ kind }) => kind === kinds.VALIDATOR);
  return isNoIndex ? `${none} No validator has this index.` : none;
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** `/`, and Ctrl-K or Command-K, move to the search from everywhere in the page. */
function useShortcut(focus: () => void) {
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey;
      const isK = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey;
      if (!isK && !(isSlash && !isTyping(event.target))) return;
      event.preventDefault();
      focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [focus]);
}

/** Finds operators, validators, blocks and sets from the first letter on. */
export function Search() {
  const input = useRef<HTMLInputElement>(null);
  const focus = useCallback(() => input.current?.select(), []);
  useShortcut(focus);
  const [text, setText] = useState('');
  const [open, setOpen] = useState(false);
  const [chosen, setChosen] = useState<number>();
  const wanted = text.trim();
  const [entered, setEntered] = useState<string>();
  const { found, failure } = useHits(wanted);
  const hits = found?.hits ?? [];
  const active = chosen ?? hits.findIndex(({ begins }) => begins);
  const isFound = found?.of === wanted;
  const id = useId();
  const href = useHref();
  const navigate = useNavigate();
  const shown = open && wanted !== '' && (found !== undefined || failure !== undefined);
  const message = failure ?? (found && messageOf(found));
  const follow = (path: string) => {
    setOpen(false);
    setText('');
    void navigate(
      href(path.split('?')[0] as string, Object.fromEntries(new URLSearchParams(path.split('?')[1]))),
    );
  };
  // Enter before the hits of the text are there opens the one that begins with it.
  useEffect(() => {
    if (entered !== wanted || !isFound) return;
    setEntered(undefined);
    if (hits[active]) follow(hits[active].path);
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const { length } = hits;
    const hit = hits[active];
    if (event.key === 'Escape') setOpen(false);
    else if (event.key === 'Enter' && open && wanted !== '' && !isFound) setEntered(wanted);
    else if (event.key === 'Enter' && shown && hit) follow(hit.path);
    else if (event.key === 'ArrowDown' && !open) setOpen(true);
    else if (event.key === 'ArrowDown' && length) setChosen((active + 1) % length);
    else if (event.key === 'ArrowUp' && length) setChosen((Math.max(active, 0) + length - 1) % length);
    else return;
    event.preventDefault();
  };
  return (
    <search className="search">
      <input
        ref={input}
        type="search"
        role="combobox"
        aria-label="Search operators, validators, blocks and sets"
        aria-expanded={shown}
        aria-controls={`${id}-hits`}
        aria-autocomplete="list"
        aria-activedescendant={shown && hits[active] ? `${id}-${active}` : undefined}
        aria-keyshortcuts="/ Control+K Meta+K"
        placeholder={
          matchMedia('(width < 48rem)').matches ? 'Search' : 'Search operators, validators, blocks…'
        }
        autoComplete="off"
        spellCheck={false}
        maxLength={MAX_LENGTH}
        disabled={!token()}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setChosen(undefined);
          setOpen(true);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => setOpen(false)}
      />
      <kbd>/</kbd>
      <div className="found" hidden={!shown}>
        <div id={`${id}-hits`} role="listbox" aria-label="Found" hidden={hits.length === 0}>
          {grouped(hits).map(({ kind, hits: ofKind }) => (
            // biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a list box
            <div key={kind} role="group" aria-label={kind}>
              <p className="kind" aria-hidden="true">
                {kind}
              </p>
              {ofKind.map((hit) => {
                const index = hits.indexOf(hit);
                return (
                  <div
                    key={hit.id}
                    id={`${id}-${index}`}
                    role="option"
                    tabIndex={-1}
                    aria-selected={index === active}
                    onPointerDown={(event) => {
                      event.preventDefault();
                      follow(hit.path);
                    }}
                  >
                    <span className="hit">{hit.text}</span> <small>{hit.what}</small>{' '}
                    <small className="hit-share" title="Share of the stake of its network">
                      {hit.share}
                    </small>
                  </div>
                );
              })}
            </div>
          ))}
        </div>
        {shown && message && <p role="status">{message}</p>}
      </div>
    </search>
  );
}
