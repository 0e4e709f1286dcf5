import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { fetchQuery, graphql } from 'react-relay';
import { useSearchParams } from 'react-router';
import type { comparePickerQuery } from '../../__generated__/comparePickerQuery.graphql';
import { environment } from '../../api/environment.ts';
import { changed, newest } from '../../url/url-state.ts';
import { useNetwork } from '../../url/use-network.ts';

const query = graphql`
  query comparePickerQuery($text: String!, $network: Network!) {
    search(query: $text, network: $network, kinds: [OPERATOR, PRIVATE_SET], first: 10) {
      id
      text
      node {
        __typename
        ... on Operator {
          id
          idType
        }
        ... on PrivateSet {
          id
        }
      }
    }
  }
`;

export const MOST_COMPARED = 6;
const PAUSE_MS = 200;

/** Global ids of the operators and sets that the page compares. */
export const comparedIn = (search: URLSearchParams) => [...new Set(search.getAll('id'))];

/** Search parameters with other operators and sets. */
export function compared(search: URLSearchParams, ids: readonly string[]) {
  const next = changed(search, { id: undefined });
  for (const id of ids) next.append('id', id);
  return next;
}

type Hit = { id: string; label: string };
type Found = NonNullable<comparePickerQuery['response']['search']>[number];

function hitOf({ text, node }: Found): Hit[] {
  if (node?.__typename === 'PrivateSet') return [{ id: node.id, label: `${text} (my set)` }];
  if (node?.__typename !== 'Operator') return [];
  return [{ id: node.id, label: `${text} (${node.idType.toLowerCase().replaceAll('_', ' ')})` }];
}

const hitsIn = ({ search }: comparePickerQuery['response']) => (search ?? []).flatMap(hitOf);

function useHits(text: string): Hit[] {
  const network = useNetwork();
  const [hits, setHits] = useState<Hit[]>([]);
  useEffect(() => {
    if (text === '') return setHits([]);
    let request: { unsubscribe(): void } | undefined;
    const timer = setTimeout(() => {
      request = fetchQuery<comparePickerQuery>(environment, query, { text, network }).subscribe({
        next: (found) => setHits(hitsIn(found)),
        error: () => setHits([]),
      });
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      request?.unsubscribe();
    };
  }, [text, network]);
  return hits;
}

/**
 * Finds an operator of any class, or a set of the account, and adds it to those that the page compares: the one that is picked
 * from the list, or with Enter the best of the list.
 */
export function Picker() {
  const [search, setSearch] = useSearchParams();
  const [text, setText] = useState('');
  const hits = useHits(text.trim());
  const id = useId();
  const ids = comparedIn(search);
  const network = useNetwork();
  const add = (hit: Hit) => {
    setText('');
    const present = comparedIn(newest()); // which may have changed while a name was looked up
    if (!present.includes(hit.id) && present.length < MOST_COMPARED)
      setSearch(compared(newest(), [...present, hit.id]), { preventScrollReset: true });
  };
  const choose = (input: HTMLInputElement) => {
    input.setCustomValidity('');
    const hit = hits.find(({ label }) => label === input.value);
    if (hit) add(hit);
    else setText(input.value);
  };
  const addBest = async ({ key, currentTarget: input }: KeyboardEvent<HTMLInputElement>) => {
    const wanted = input.value.trim();
    if (key !== 'Enter' || wanted === '') return;
    const variables = { text: wanted, network };
    const found = await fetchQuery<comparePickerQuery>(environment, query, variables)
      .toPromise()
      .catch(() => undefined);
    if (!found || input.value.trim() !== wanted) return;
    const [best] = hitsIn(found);
    if (best) return add(best);
    input.setCustomValidity('No operator and none of your sets has this name.');
    input.reportValidity();
  };
  if (ids.length >= MOST_COMPARED) return null;
  return (
    <label className="field">
      {ids.length === 0 ? 'Compare' : 'Compare with'}
      <input
        type="search"
        list={id}
        autoComplete="off"
        placeholder="Name"
        maxLength={100}
        value={text}
        onChange={({ target }) => choose(target)}
        onKeyDown={addBest}
      />
      <datalist id={id}>
        {hits.map((hit) => (
          <option key={hit.id} value={hit.label} />
        ))}
      </datalist>
    </label>
  );
}
