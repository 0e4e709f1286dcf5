import { useNavigate } from 'react-router';
import { Ask, NameField } from '../../parts/ask.tsx';
import type { Network } from '../../url/network.ts';
import { useHref } from '../../url/use-network.ts';
import { deleteSet, renameSet } from './private-sets.ts';

type Named = { readonly setId: string; readonly name: string; readonly network: Network };

export const Rename = ({ set: { setId, name } }: { set: Named }) => (
  <Ask
    button="Rename"
    title={`Rename ${name}`}
    submit="Save the name"
    cancel="Cancel"
    run={(given) => renameSet(setId, String(given.get('name')))}
  >
    <NameField given={name} />
  </Ask>
);

export function Delete({ set: { setId, name, network } }: { set: Named }) {
  const navigate = useNavigate();
  const href = useHref(network);
  return (
    <Ask
      button="Delete"
      title={`Delete ${name}?`}
      submit="Delete the set"
      cancel="Keep it"
      danger
      run={async () => {
        const refused = await deleteSet(setId);
        if (refused.length === 0) await navigate(href('/explore/sets'));
        return refused;
      }}
    >
      <p>The set and its figures are gone for good. The validators stay as they are.</p>
    </Ask>
  );
}
