import { type FormEvent, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import type { Network } from '../../url/network.ts';
import { useHref } from '../../url/use-network.ts';
import { deleteSet, renameSet } from './private-sets.ts';

type Named = { readonly setId: string; readonly name: string; readonly network: Network };

export function Rename({ set }: { set: Named }) {
  const [problem, setProblem] = useState<string>();
  const details = useRef<HTMLDetailsElement>(null);
  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget).get('name'));
    try {
      const refused = await renameSet(set.setId, name);
      setProblem(refused.map(({ message }) => message).join(' '));
      if (refused.length === 0) details.current?.removeAttribute('open');
    } catch (error) {
      setProblem((error as Error).message);
    }
  }
  return (
    <details className="menu" ref={details}>
      <summary>Rename</summary>
      <form onSubmit={(event) => void submit(event)}>
        <label>
          Name <input name="name" required maxLength={100} defaultValue={set.name} autoComplete="off" />
        </label>
        <button type="submit">Rename</button>
        {problem && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
      </form>
    </details>
  );
}

/** Deletes a set, once asked. */
export function Delete({ set }: { set: Named }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const navigate = useNavigate();
  const href = useHref(set.network);
  const [problem, setProblem] = useState<string>();
  async function confirm() {
    try {
      const refused = await deleteSet(set.setId);
      if (refused.length > 0) return setProblem(refused.map(({ message }) => message).join(' '));
      await navigate(href('/explore/sets'));
    } catch (error) {
      setProblem((error as Error).message);
    }
  }
  return (
    <>
      <button type="button" onClick={() => dialog.current?.showModal()}>
        Delete
      </button>
      <dialog ref={dialog} aria-labelledby="delete-set">
        <h2 id="delete-set">Delete {set.name}?</h2>
        <p>The set and its figures are gone for good. The validators stay as they are.</p>
        {problem && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <p className="actions">
          <button type="button" className="danger" onClick={() => void confirm()}>
            Delete the set
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            Keep it
          </button>
        </p>
      </dialog>
    </>
  );
}
