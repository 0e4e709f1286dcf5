import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { fetchQuery, graphql } from 'react-relay';
import { useNavigate } from 'react-router';
import type { searchQuery } from './__generated__/searchQuery.graphql';
import { environment } from './environment.ts';
import { hasPage, paths } from './links.ts';
import { useHref, useNetwork } from './network.ts';
import { token } from './token.ts';

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

/** Hits whose page exists; undefined until the text was looked for. */
function useHits(text: string) {
  const network = useNetwork();
  const [hits, setHits] = useState<{ text: string; path: string; kind: string; id: string }[]>();
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    setFailure(undefined);
    if (text === '') return setHits(undefined);
    let request: { unsubscribe(): void } | undefined;
    const timer = setTimeout(() => {
      request = fetchQuery<searchQuery>(environment, query, { text, network }).subscribe({
        next: ({ search }) =>
          setHits(
            (search ?? []).flatMap((hit) => {
              const path = pathOf(hit);
              if (!path || !hasPage(path)) return [];
              return { id: hit.id, text: hit.text, kind: kinds[hit.kind] ?? '', path };
            }),
          ),
        error: (error: Error) => setFailure(error.message),
      });
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      request?.unsubscribe();
    };
  }, [text, network]);
  return { hits, failure };
}

/** Finds operators, validators, blocks and sets from the first letter on. */
export function Search() {
  const [text, setText] = useState('');
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const { hits, failure } = useHits(text.trim());
  const id = useId();
  const href = useHref();
  const navigate = useNavigate();
  const shown = open && text.trim() !== '' && (hits !== undefined || failure !== undefined);
  const choose = (path: string) => {
    setOpen(false);
    setText('');
    void navigate(
      href(path.split('?')[0] as string, Object.fromEntries(new URLSearchParams(path.split('?')[1]))),
    );
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const length = hits?.length ?? 0;
    const hit = hits?.[active];
    if (event.key === 'Escape') setOpen(false);
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
