import { type FormEvent, type MouseEvent, useEffect, useId, useRef } from 'react';
import { Link, type LinkProps, useNavigate, useSearchParams } from 'react-router';
import { changed, MAX_INTEGER, newest, type Param, useParam } from '../url/url-state.ts';

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

/** As Choice, for more values than have room beside each other. */
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

/**
 * A link that changes parameters of the URL. While rows of other parameters are loading, React shows the page before them
 * with its links; a click keeps those parameters too.
 */
export function ChangeLink(
  props: Omit<LinkProps, 'to' | 'onClick'> & { changes: Record<string, string | undefined> },
) {
  const { changes, preventScrollReset = true, ...rest } = props;
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(`?${changed(newest(), changes)}`, { preventScrollReset });
  };
  return <Link {...rest} to={`?${changed(search, changes)}`} onClick={follow} />;
}

/** A text, number or date of the URL; Enter or leaving the field applies it. */
export function Field(props: {
  param: Param<string> | Param<number | undefined> | Param<string | undefined>;
  label: string;
  type?: 'text' | 'number' | 'date' | 'search';
  /** Other parameters that a value changes. */
  also?: (value: string) => Record<string, string | undefined>;
}) {
  const { param, label, type = 'text', also } = props;
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
    const next = String(new FormData(form).get(param.name)).trim();
    if (next === applied.current) return;
    applied.current = next;
    setSearch(changed(newest(), { [param.name]: next, ...also?.(next) }), { preventScrollReset: true });
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    apply(event.currentTarget);
  };
  return (
    <form className="field" onSubmit={submit}>
      <label htmlFor={id}>{label}</label>
      <input
        ref={input}
        id={id}
        name={param.name}
        type={type}
        min={type === 'number' ? 0 : undefined}
        max={type === 'number' ? MAX_INTEGER : undefined}
        defaultValue={value}
        onInput={({ currentTarget }) => check(currentTarget)}
        onBlur={({ currentTarget: { form } }) => form?.checkValidity() && apply(form)}
        // Chromium submits no form by Enter in a date.
        onKeyDown={({ key, currentTarget }) =>
          key === 'Enter' && type === 'date' && currentTarget.form?.requestSubmit()
        }
      />
    </form>
  );
}
