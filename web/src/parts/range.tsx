import { useId } from 'react';
import { useSearchParams } from 'react-router';
import {
  calendarNames,
  calendars,
  fromDate,
  hasDates,
  type RangeName,
  type Ranges,
  rangeNames,
  rangeText,
  toDate,
} from '../url/range.ts';
import { changed, newest } from '../url/url-state.ts';
import { Choice, Field } from './controls.tsx';
import { shortDate } from './format.ts';

/**
 * The one range of a page: of its tiles, plots and tables. `dates` offers a first and a last date besides, `calendar` how
 * days are counted, by its parameter if that has another default.
 */
export function RangeControl<T extends RangeName>(props: {
  of: Ranges<T>;
  dates?: boolean;
  calendar?: boolean | typeof calendars;
  /** Without a choice of the calendar: that of its days. */
  days?: 'chain' | 'utc';
  /** The date of the newest stored day, in the calendar of the range, where the page knows it. */
  lastDay?: string | null | undefined;
}) {
  const { of, dates = false, calendar = false, days = 'chain', lastDay } = props;
  const choice = calendar === true ? calendars : calendar;
  const [search, setSearch] = useSearchParams();
  const group = useId();
  const present = dates && hasDates(search) ? undefined : of.read(search);
  const nameOf = (name: T) =>
    name === '1d' && lastDay ? `${rangeNames[name]}, ${shortDate(lastDay)}` : rangeNames[name];
  const choose = (name: T) =>
    setSearch(
      changed(newest(), { [of.name]: of.write(name), [fromDate.name]: undefined, [toDate.name]: undefined }),
      { preventScrollReset: true },
    );
  // A start after the end clears the end, and an end before the start clears the start, so that a range can be moved.
  const afterTo = (from: string) => from > (toDate.read(newest()) ?? from);
  const beforeFrom = (to: string) => to !== '' && to < (fromDate.read(newest()) ?? to);
  return (
    <div className="range">
      <fieldset className="choice">
        <legend className="visually-hidden">Range</legend>
        {of.values.map((name) => (
          <label key={name}>
            <input
              type="radio"
              name={`range${group}`}
              checked={name === present}
              onChange={() => choose(name)}
            />
            <span>{nameOf(name)}</span>
          </label>
        ))}
      </fieldset>
      {dates && (
        <div className="dates" data-set={hasDates(search) ? '' : undefined}>
          <Field
            param={fromDate}
            label="From"
            hidesLabel
            type="date"
            also={(from) => ({
              [of.name]: undefined,
              ...(afterTo(from) && { [toDate.name]: undefined }),
            })}
          />
          <span aria-hidden="true">–</span>
          <Field
            param={toDate}
            label="To"
            hidesLabel
            type="date"
            also={(to) => ({
              [of.name]: undefined,
              ...(beforeFrom(to) && { [fromDate.name]: undefined }),
            })}
          />
        </div>
      )}
      {choice && <Choice param={choice} label="Calendar" names={calendarNames} />}
      <p className="hint">
        {rangeText(of, search, choice ? choice.read(search) : days, lastDay ?? undefined)}
      </p>
    </div>
  );
}
