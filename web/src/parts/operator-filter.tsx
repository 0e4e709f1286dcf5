import { useEffect, useId, useState } from 'react';
import { fetchQuery, graphql } from 'react-relay';
import { useSearchParams } from 'react-router';
import type { operatorFilterQuery } from '../__generated__/operatorFilterQuery.graphql';
import { environment } from '../api/environment.ts';
import { slugOf } from '../url/links.ts';
import { changed, newest } from '../url/url-state.ts';
import { useNetwork } from '../url/use-network.ts';
import { Field, Select } from './controls.tsx';
import { type ClassSlug, classes, classNames, operatorName } from './filters.tsx';

const query = graphql`
  query operatorFilterQuery($text: String!, $network: Network!) {
    search(query: $text, network: $network, kinds: [OPERATOR], first: 50) {
      id
      text
      matched
      node {
        __typename
        ... on Operator {
          id
          idType
          operatorId
        }
      }
    }
  }
`;

const PAUSE_MS = 200;
const MAX_LENGTH = 100;

type Hit = { id: string; operatorId: string; slug: ClassSlug; fits: boolean };
type Found = { of: string; hits: readonly Hit[] };

const isClass = (slug: string): slug is ClassSlug => slug in classNames;

const hitsOf = ({ search }: operatorFilterQuery['response']): Hit[] =>
  (search ?? []).flatMap(({ matched, node }) => {
    const slug = node?.__typename === 'Operator' ? slugOf(node.idType) : '';
    if (node?.__typename !== 'Operator' || !isClass(slug)) return [];
    return [{ id: node.id, operatorId: node.operatorId, slug, fits: matched !== 'SIMILAR_NAME' }];
  });

/** Operators with a text in their names, best first; undefined until the search has ended, or if it failed. */
function useFound(text: string, pause: number): Found | undefined {
  const network = useNetwork();
  const [found, setFound] = useState<Found>();
  useEffect(() => {
    setFound(undefined);
    if (text === '' || text.length > MAX_LENGTH) return;
    let request: { unsubscribe(): void } | undefined;
    const timer = setTimeout(() => {
      request = fetchQuery<operatorFilterQuery>(environment, query, { text, network }).subscribe({
        next: (data) => setFound({ of: text, hits: hitsOf(data) }),
        error: () => undefined,
      });
    }, pause);
    return () => {
      clearTimeout(timer);
      request?.unsubscribe();
    };
  }, [text, network, pause]);
  return found;
}

/** The parameters of the best hit, preferably of the class that is chosen. A name that is only similar is no hit. */
function changesOf(found: Found | undefined, typed: string): Record<string, string | undefined> {
  const fitting = found?.of === typed ? found.hits.filter(({ fits }) => fits) : [];
  const chosen = classes.read(newest());
  const hit = fitting.find(({ slug }) => slug === chosen) ?? fitting[0];
  return hit ? { [operatorName.name]: hit.operatorId, [classes.name]: classes.write(hit.slug) } : {};
}

/**
 * The class and the name of an operator. A part of the name, in any case, is enough: while one types, the browser offers
 * what is found; Enter takes the best. `isUnknown` tells that no operator has the name in the URL as its full one: then the
 * URL gets the best that has it as a part.
 */
export function OperatorFilter({ isUnknown }: { isUnknown: boolean }) {
  const [typed, setTyped] = useState('');
  const found = useFound(typed, PAUSE_MS);
  const id = useId();
  return (
    <>
      <Select param={classes} label="Class" names={classNames} />
      <Field
        param={operatorName}
        label="Operator"
        type="search"
        list={id}
        onType={setTyped}
        also={(text) => changesOf(found, text)}
      />
      <datalist id={id}>
        {found?.hits.map((hit) => (
          <option key={hit.id} value={hit.operatorId} label={classNames[hit.slug]} />
        ))}
      </datalist>
      {isUnknown && <FindOperator />}
    </>
  );
}

/** Puts the operator into the URL that has the name there as a part of its own. */
export function FindOperator() {
  const [search, setSearch] = useSearchParams();
  const name = operatorName.read(search);
  const found = useFound(name, 0);
  useEffect(() => {
    const changes = changesOf(found, name);
    if (Object.keys(changes).length > 0 && operatorName.read(newest()) === name)
      setSearch(changed(newest(), changes), { replace: true, preventScrollReset: true });
  }, [found, name, setSearch]);
  return null;
}
