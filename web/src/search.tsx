import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { fetchQuery, graphql } from 'react-relay';
import { useNavigate } from 'react-router';
import type { searchQuery } from './__generated__/searchQuery.graphql';
import { environment } from './api/environment.ts';
import { token } from './api/token.ts';
import { hasPage, paths } from './url/links.ts';
import { useHref, useNetwork } from './url/network.ts';

type Hit = NonNullable<searchQuery['response']['search']>[number];

const query = graphql`
  query searchQuery($text: String!, $network: Network!) {
    search(query: $text, network: $network, first: 10) {
      id
      kind
      text
      node {
        __typename
        ... on Operator {
          operatorId
          idType
        }
        ... on Validator {
          validatorIndex
        }
        ... on Block {
          consensusSlot
        }
        ... on StakeAuthority {
          stakeAuthority
        }
        ... on PrivateSet {
          setId
        }
      }
    }
  }
`;

function pathOf({ node }: Hit): string | undefined {
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
  OPERATOR: 'Operator',
  VALIDATOR: 'Validator',
  BLOCK: 'Block',
  STAKE_AUTHORITY: 'Stake authority',
  PRIVATE_SET: 'Set',
  TAG: 'Tag',
};

const PAUSE_MS = 200;
const MAX_LENGTH = 100;

type Found = {
  /** May be of a shorter text, while the present one is looked for. */
  of: string;
  hits: { text: string; path: string; kind: string; id: string }[];
};

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
            hits: (search ?? []).flatMap((hit) => {
              const path = pathOf(hit);
              if (!path || !hasPage(path)) return [];
              return { id: hit.id, text: hit.text, kind: kinds[hit.kind] ?? '', path };
            }),
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

/** Finds operators, validators, blocks and sets from the first letter on. */
export function Search() {
  const [text, setText] = useState('');
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const wanted = text.trim();
  const [entered, setEntered] = useState<string>();
  const { found, failure } = useHits(wanted);
  const hits = found?.hits;
  const isFound = found?.of === wanted;
  const id = useId();
  const href = useHref();
  const navigate = useNavigate();
  const shown = open && wanted !== '' && (hits !== undefined || failure !== undefined);
  const choose = (path: string) => {
    setOpen(false);
    setText('');
    void navigate(
      href(path.split('?')[0] as string, Object.fromEntries(new URLSearchParams(path.split('?')[1]))),
    );
  };
  // Enter before the hits of the text are there opens the first of them.
  useEffect(() => {
    if (entered !== wanted || !isFound) return;
    setEntered(undefined);
    if (hits?.[0]) choose(hits[0].path);
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const length = hits?.length ?? 0;
    const hit = hits?.[active];
    if (event.key === 'Escape') setOpen(false);
    else if (event.key === 'Enter' && open && wanted !== '' && !isFound) setEntered(wanted);
    else if (event.key === 'Enter' && shown && hit) choose(hit.path);
    else if (event.key === 'ArrowDown' && length) setActive((active + 1) % length);
    else if (event.key === 'ArrowUp' && length) setActive((active + length - 1) % length);
    else return;
    event.preventDefault();
  };
  return (
    <search className="search">
      <input
        type="search"
        role="combobox"
        aria-label="Search operators, validators, blocks and sets"
        aria-expanded={shown}
        aria-controls={`${id}-hits`}
        aria-autocomplete="list"
        aria-activedescendant={shown && hits?.length ? `${id}-${active}` : undefined}
        placeholder="Search"
        autoComplete="off"
        spellCheck={false}
        maxLength={MAX_LENGTH}
        disabled={!token()}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setActive(0);
          setOpen(true);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => setOpen(false)}
      />
      <div id={`${id}-hits`} role="listbox" aria-label="Found" hidden={!shown || !hits?.length}>
        {hits?.map((hit, index) => (
          <div
            key={hit.id}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            onPointerDown={(event) => {
              event.preventDefault();
              choose(hit.path);
            }}
          >
            <span>{hit.text}</span>
            <small>{hit.kind}</small>
          </div>
        ))}
      </div>
      {shown && !hits?.length && (
        <p className="none" role="status">
          {failure ?? `Nothing is found for ${text}.`}
        </p>
      )}
    </search>
  );
}
