import { type FormEvent, type ReactNode, useId, useRef, useState } from 'react';
import type { UserError } from '../api/mutate.ts';

/** A button that asks before something is changed, in a dialog that stays open while the change is refused. */
export function Ask(props: {
  button: string;
  /** What screen readers say of the button, where several are alike. */
  label?: string;
  title: string;
  submit: string;
  cancel: string;
  danger?: boolean;
  children: ReactNode;
  /** Makes the change with what was given, and returns what speaks against it. */
  run: (given: FormData) => Promise<readonly UserError[]>;
}) {
  const { button, label, title, submit, cancel, danger = false, children, run } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [problem, setProblem] = useState('');
  async function change(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    try {
      const refused = await run(new FormData(event.currentTarget));
      setProblem(refused.map(({ message }) => message).join(' '));
      if (refused.length === 0) dialog.current?.close();
    } catch (error) {
      setProblem((error as Error).message);
    }
  }
  return (
    <>
      <button type="button" aria-label={label} onClick={() => dialog.current?.showModal()}>
        {button}
      </button>
      <dialog ref={dialog} aria-labelledby={id} onClose={() => setProblem('')}>
        <form onSubmit={(event) => void change(event)}>
          <h2 id={id}>{title}</h2>
          {children}
          {problem && (
            <p className="problem" role="alert">
              {problem}
            </p>
          )}
          <p className="actions">
            <button type="submit" className={danger ? 'danger' : undefined}>
              {submit}
            </button>
            <button type="button" onClick={() => dialog.current?.close()}>
              {cancel}
            </button>
          </p>
        </form>
      </dialog>
    </>
  );
}

const LONGEST_NAME = 100;

/** A field for the name of something of the account. */
export const NameField = ({ given }: { given: string }) => (
  <label className="stacked">
    Name
    <input name="name" required maxLength={LONGEST_NAME} defaultValue={given} autoComplete="off" />
  </label>
);
