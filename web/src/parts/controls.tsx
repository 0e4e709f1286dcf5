import { type FormEvent, type MouseEvent, useEffect, useId, useRef } from 'react';
import { Link, type LinkProps, useNavigate, useSearchParams } from 'react-router';
import { changed, isCursor, MAX_INTEGER, newest, type Param } from '../url/url-state.ts';
import { useParam } from '../url/use-param.ts';

/** A list of values of one parameter of the URL. */
export function Choice<T extends string>(props: {
  param: Param<T> & { values: readonly T[] };
  label: string;
  names?: Partial<Record<T, string>>;
}) {
  const { param, label, names } = props;
  const [value, set] = useParam(param);
  return (
    <fieldset className="choice">
      <legend className="visually-hidden">{label}</legend>
      {param.values.map((one) => (
        <label key={one}>
          <input type="radio" name={param.name} checked={one === value} onChange={() => set(one)} />
          <span>{names?.[one] ?? one}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** Like Choice, for more values than fit beside each other. */
export function Select<T extends string>(props: {
  param: Param<T> & { values: readonly T[] };
  label: string;
  names?: Partial<Record<T, string>>;
}) {
  const { param, label, names } = props;
  const [value, set] = useParam(param);
  return (
    <label className="field">
      {label}
      <select name={param.name} value={value} onChange={({ target }) => set(target.value as T)}>
        {param.values.map((one) => (
          <option key={one} value={one}>
            {names?.[one] ?? one}
          </option>
        ))}
      </select>
    </label>
  );
}

type Followed = Omit<LinkProps, 'to' | 'onClick'> & { onFollow?: () => void };

/**
 * A link to other parameters of the URL. While rows of other parameters are loading, React shows the page before them with
 * its links: `make` is called with the newest parameters on a click. With `isOfRows`, such a click does nothing.
 */
export function SearchLink({
  make,
  isOfRows,
  onFollow,
  preventScrollReset = true,
  ...rest
}: Followed & { make: (search: URLSearchParams) => URLSearchParams; isOfRows?: boolean }) {
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    const latest = newest();
    const isReplaced = String(changed(search, {})) !== String(changed(latest, {}));
    if (isOfRows && isReplaced) return;
    onFollow?.();
    navigate(`?${make(latest)}`, { preventScrollReset });
  };
  return <Link {...rest} to={`?${make(search)}`} onClick={follow} />;
}

/** Cursors are of the rows that are shown. */
export const ChangeLink = ({
  changes,
  ...rest
}: Followed & { changes: Record<string, string | undefined> }) => (
  <SearchLink
    {...rest}
    make={(search) => changed(search, changes)}
    isOfRows={Object.keys(changes).some(isCursor)}
  />
);

/** What browsers call the choice of a text in a datalist. */
const CHOSEN = 'insertReplacementText';

/** A text, number or date of the URL; Enter or leaving the field applies it. */
export function Field(props: {
  param: Param<string> | Param<number | undefined> | Param<string | undefined>;
  label: string;
  type?: 'text' | 'number' | 'date' | 'search';
  /** Other parameters that a value changes, or what is applied in its place. */
  also?: (value: string) => Record<string, string | undefined>;
  /** Called with the text that is typed. */
  onType?: (text: string) => void;
  /** Only for screen readers, where its place says what it is. */
  hidesLabel?: boolean;
  /** Texts that the browser offers: the id of their datalist. A text that is chosen is applied. */
  list?: string;
}) {
  const { param, label, type = 'text', also, onType, list, hidesLabel = false } = props;
  const [search, setSearch] = useSearchParams();
  const id = useId();
  const value = String(param.read(search) ?? '');
  const input = useRef<HTMLInputElement>(null);
  const applied = useRef(value);
  // What is typed while its own value is on the way to the URL stays.
  useEffect(() => {
    if (input.current && applied.current !== value) {
      input.current.value = value;
      input.current.setCustomValidity('');
    }
    applied.current = value;
  }, [value]);
  const check = (typed: HTMLInputElement) => {
    const text = typed.value.trim();
    typed.setCustomValidity(text === '' ? '' : param.problem(text));
  };
  const apply = (form: HTMLFormElement) => {
    const typed = String(new FormData(form).get(param.name)).trim();
    if (typed === applied.current) return;
    const changes = { [param.name]: typed, ...also?.(typed) };
    applied.current = changes[param.name] ?? '';
    if (input.current) input.current.value = applied.current;
    setSearch(changed(newest(), changes), { preventScrollReset: true });
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    apply(event.currentTarget);
  };
  return (
    <form className="field" onSubmit={submit}>
      <label htmlFor={id} className={hidesLabel ? 'visually-hidden' : undefined}>
        {label}
      </label>
      <input
        ref={input}
        id={id}
        name={param.name}
        type={type}
        min={type === 'number' ? 0 : undefined}
        max={type === 'number' ? MAX_INTEGER : undefined}
        defaultValue={value}
        list={list}
        autoComplete={list && 'off'}
        onInput={({ currentTarget, nativeEvent }) => {
          check(currentTarget);
          onType?.(currentTarget.value.trim());
          if ((nativeEvent as InputEvent).inputType === CHOSEN) currentTarget.form?.requestSubmit();
        }}
        onBlur={({ currentTarget: { form } }) => form?.checkValidity() && apply(form)}
        // Chromium submits no form by Enter in a date.
        onKeyDown={({ key, currentTarget }) =>
          key === 'Enter' && type === 'date' && currentTarget.form?.requestSubmit()
        }
      />
    </form>
  );
}
