import {
  type FormEvent,
  type ReactNode,
  useDeferredValue,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useRefresh } from '../../page.tsx';
import { count } from '../../parts/format.ts';
import { type Counts, type Result, type Send, sendBatches } from './batches.ts';
import { readLines, type WrongLine, withoutLines } from './validator-lines.ts';

const WRONG_SHOWN = 12;

const plural = (number: number, one: string, many = `${one}s`) =>
  `${count(number)} ${number === 1 ? one : many}`;

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

type Progress = { done: number; of: number; waits: boolean; stops: boolean };

function Sending({ progress, stop }: { progress: Progress; stop: () => void }) {
  const { done, of, waits, stops } = progress;
  const figures = `${count(done)} of ${count(of)} sent`;
  return (
    <div className="sending">
      <progress aria-label="Validators sent" value={done} max={of || 1} />
      <span role="status">
        {stops ? `Stopping, ${figures}` : waits ? `Waiting for the rate limit, ${figures}` : figures}
      </span>
      <button type="button" disabled={stops} onClick={stop}>
        Cancel
      </button>
    </div>
  );
}

const LEFT = 'the page was left';

/** Sends a list in batches; leaving the page stops it after the batch that is on its way. */
function useSending(send: Send) {
  const [progress, setProgress] = useState<Progress>();
  const control = useRef<AbortController>(undefined);
  useEffect(() => () => control.current?.abort(LEFT), []);
  const isSending = progress !== undefined;
  useEffect(() => {
    if (!isSending) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isSending]);
  const change = (values: Partial<Progress>) => setProgress((before) => before && { ...before, ...values });
  async function start(...[entries, sent]: [Parameters<typeof sendBatches>[0], Set<string>]) {
    const { signal } = (control.current = new AbortController());
    setProgress({ done: 0, of: entries.length, waits: false, stops: false });
    const waits = { signal, onWait: (waits: boolean) => change({ waits }) };
    const result = await sendBatches(entries, { sent, send, waits, onProgress: (done) => change({ done }) });
    setProgress(undefined);
    return signal.reason === LEFT ? undefined : result;
  }
  const stop = () => {
    change({ stops: true });
    control.current?.abort();
  };
  return { progress, start, stop };
}

/**
 * Takes a list of validators and sends it in batches. Nothing is sent while a line is wrong. A batch that the gateway
 * refuses changes nothing; what was sent before is not sent again.
 */
export function ValidatorsForm(props: {
  label: string;
  /** Text of the button for so many validators; undefined if the list is still empty. */
  action: (validators: string | undefined) => string;
  send: Send;
  /** A sentence about the part of a list that was sent before it stopped. */
  tell: (counts: Counts) => string;
  onDone: (sent: number) => Promise<void>;
  /** The list may be empty. */
  optional?: boolean;
  children?: ReactNode;
}) {
  const { label, action, send, tell, onDone, optional = false, children } = props;
  const id = useId();
  const refresh = useRefresh();
  const area = useRef<HTMLTextAreaElement>(null);
  const sent = useRef(new Set<string>());
  const [text, setText] = useState('');
  const [result, setResult] = useState<Result>();
  const { progress, start, stop } = useSending(send);
  const read = useMemo(() => readLines(text), [text]);
  const shown = useDeferredValue(read);
  const wrong = useMemo(() => {
    const unknown = shown.entries.flatMap(({ key, line }) => {
      const why = result?.refused.get(key);
      return why ? [{ line, text: key, why }] : [];
    });
    return [...shown.wrong, ...unknown].sort((a, b) => a.line - b.line);
  }, [shown, result]);

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

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (progress || wrong.length > 0 || (read.entries.length === 0 && !optional)) return;
    setResult(undefined);
    const result = await start(read.entries, sent.current);
    if (!result) return;
    if (result.why === undefined) {
      sent.current.clear();
      setText('');
      return onDone(result.of);
    }
    setResult(result);
    await refresh();
  }

  const { entries, repeated } = shown;
  const rest = result && result.done > 0 ? entries.filter(({ key }) => !sent.current.has(key)).length : 0;
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
        readOnly={Boolean(progress)}
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
      {result && (result.why || result.done > 0) && (
        <p className="problem" role="alert">
          {tell(result)} {result.why}
        </p>
      )}
      {progress && <Sending progress={progress} stop={stop} />}
      <p className="actions">
        <button type="submit" disabled={Boolean(progress) || wrong.length > 0}>
          {rest > 0
            ? `Send the other ${count(rest)}`
            : action(entries.length > 0 ? plural(entries.length, 'validator') : undefined)}
        </button>
      </p>
    </form>
  );
}
