import { type FormEvent, type ReactNode, useDeferredValue, useId, useMemo, useRef, useState } from 'react';
import { useRevalidator } from 'react-router';
import { count } from './format.ts';
import type { UserError } from './mutate.ts';
import { type Entry, readLines, type ValidatorBy, type WrongLine, withoutLines } from './validator-lines.ts';

/** The most that a mutation takes. */
const BATCH = 1_000;
const WRONG_SHOWN = 12;

const plural = (number: number, one: string, many = `${one}s`) =>
  `${count(number)} ${number === 1 ? one : many}`;

/** Errors of single validators by key, and whatever else speaks against a batch. */
function sort(errors: readonly UserError[], batch: readonly Entry[]) {
  const refused = new Map<string, string>();
  const others: string[] = [];
  for (const { field, message } of errors) {
    const entry = field?.[0] === 'validators' && field[1] !== undefined ? batch[Number(field[1])] : undefined;
    if (entry) refused.set(entry.key, 'is no validator that the gateway knows here');
    else others.push(message);
  }
  return { refused, others };
}

function WrongLines(props: { wrong: WrongLine[]; select: (line: number) => void; leaveOut: () => void }) {
  const { wrong, select, leaveOut } = props;
  const lines = new Set(wrong.map(({ line }) => line)).size;
  return (
    <section className="wrong" aria-label="Wrong lines">
      <p role="alert">
        {lines === 1 ? 'One line is wrong. ' : `${count(lines)} lines are wrong. `}
        Correct {lines === 1 ? 'it' : 'them'}, or leave {lines === 1 ? 'it' : 'them'} out.
      </p>
      <ul>
        {wrong.slice(0, WRONG_SHOWN).map(({ line, text, why }) => (
          <li key={`${line} ${text}`}>
            <button type="button" onClick={() => select(line)}>
              Line {line}
            </button>{' '}
            <code>{text.length > 24 ? `${text.slice(0, 12)}…${text.slice(-8)}` : text}</code> {why}
          </li>
        ))}
      </ul>
      {wrong.length > WRONG_SHOWN && <p>and {count(wrong.length - WRONG_SHOWN)} more</p>}
      <button type="button" onClick={leaveOut}>
        Leave {lines === 1 ? 'this line' : `these ${count(lines)} lines`} out
      </button>
    </section>
  );
}

/**
 * Takes a list of validators and sends it in batches. Nothing is sent while a line is wrong. A batch that the gateway
 * refuses changes nothing; what was sent before is not sent again.
 */
export function ValidatorsForm(props: {
  label: string;
  /** The name of the button, for so many validators; none yet when undefined. */
  action: (validators: string | undefined) => string;
  /** Sends a batch and returns what was wrong with it. */
  send: (validators: ValidatorBy[]) => Promise<readonly UserError[]>;
  onDone: (sent: number) => Promise<void>;
  /** The list may be empty. */
  optional?: boolean;
  children?: ReactNode;
}) {
  const { label, action, send, onDone, optional = false, children } = props;
  const id = useId();
  const { revalidate } = useRevalidator();
  const area = useRef<HTMLTextAreaElement>(null);
  const sent = useRef(new Set<string>());
  const [text, setText] = useState('');
  const [refused, setRefused] = useState<ReadonlyMap<string, string>>(new Map());
  const [problem, setProblem] = useState<string>();
  const [progress, setProgress] = useState<{ done: number; of: number }>();
  const read = useMemo(() => readLines(text), [text]);
  const shown = useDeferredValue(read);
  const wrong = useMemo(() => {
    const unknown = shown.entries.flatMap(({ key, line }) => {
      const why = refused.get(key);
      return why ? [{ line, text: key, why }] : [];
    });
    return [...shown.wrong, ...unknown].sort((a, b) => a.line - b.line);
  }, [shown, refused]);

  const select = (line: number) => {
    const lines = text.split('\n');
    const start = lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
    area.current?.focus();
    area.current?.setSelectionRange(start, start + (lines[line - 1] ?? '').length);
  };
  const leaveOut = () => {
    setText(withoutLines(text, new Set(wrong.map(({ line }) => line))));
    area.current?.focus();
  };

  async function sendAll() {
    const left = read.entries.filter(({ key }) => !sent.current.has(key));
    const of = read.entries.length;
    for (let at = 0; at < left.length || at === 0; at += BATCH) {
      const batch = left.slice(at, at + BATCH);
      setProgress({ done: of - left.length + at, of });
      const { refused: unknown, others } = sort(await send(batch.map(({ by }) => by)), batch);
      if (others.length > 0) setProblem(others.join(' '));
      if (unknown.size > 0) setRefused(new Map([...refused, ...unknown]));
      if (others.length + unknown.size > 0) return revalidate();
      for (const { key } of batch) sent.current.add(key);
    }
    sent.current.clear();
    setText('');
    return onDone(of);
  }

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (progress || wrong.length > 0 || (read.entries.length === 0 && !optional)) return;
    setProblem(undefined);
    try {
      await sendAll();
    } catch (error) {
      setProblem(`${(error as Error).message} What was sent before is kept.`);
      void revalidate();
    } finally {
      setProgress(undefined);
    }
  }

  const { entries, repeated } = shown;
  return (
    <form className="lines" onSubmit={(event) => void submit(event)}>
      {children}
      <label htmlFor={id}>{label}</label>
      <textarea
        ref={area}
        id={id}
        value={text}
        rows={7}
        spellCheck={false}
        autoComplete="off"
        aria-describedby={`${id}-hint`}
        aria-invalid={wrong.length > 0}
        placeholder={'1204\n1205\n0x93247f2209abcacf57b75a51dafae777f9dd38bc…'}
        onChange={({ target }) => setText(target.value)}
      />
      <p className="hint" id={`${id}-hint`}>
        Indices or public keys, one a line or separated by commas.{' '}
        {entries.length > 0 && (
          <strong>
            {plural(entries.length, 'validator')}
            {repeated > 0 && `, ${plural(repeated, 'repetition')} ignored`}.
          </strong>
        )}
      </p>
      {wrong.length > 0 && <WrongLines wrong={wrong} select={select} leaveOut={leaveOut} />}
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      {progress && (
        <p role="status" className="sending">
          <progress aria-label="Validators sent" value={progress.done} max={progress.of || 1} />
          {count(progress.done)} of {count(progress.of)} sent
        </p>
      )}
      <p className="actions">
        <button type="submit" disabled={Boolean(progress) || wrong.length > 0}>
          {action(entries.length > 0 ? plural(entries.length, 'validator') : undefined)}
        </button>
      </p>
    </form>
  );
}
