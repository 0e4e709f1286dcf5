import { describe, expect, it } from 'vitest';
import { explainOpenError } from '../../src/db/open/index.ts';
import { errorText } from '../../src/diagnostics/error-text.ts';
import { unavailable } from '../../src/kernel/refusal.ts';

const told = { detail: 'Key (name)=(a) exists.', hint: 'Take another name.' };
const error = (message: string, more: object = {}) => Object.assign(new Error(message), more);
const LINES = '\nDETAIL:  Key (name)=(a) exists.\nHINT:  Take another name.';

describe('what a command prints of an error', () => {
  it('has the DETAIL and HINT of PostgreSQL, and nothing where there is none', () => {
    expect(errorText(error('refused', told))).toBe(`refused${LINES}`);
    expect(errorText(error('refused', { hint: told.hint }))).toBe('refused\nHINT:  Take another name.');
    expect(errorText(error('refused', { detail: '', hint: undefined }))).toBe('refused');
  });

  it('has those of a cause, whose message is in its own or takes the place of that of a refusal', () => {
    const full = error('no space', { code: '53100', ...told });
    expect(errorText(explainOpenError(full))).toBe(`The database of DATABASE_URL: no space${LINES}`);
    expect(errorText(unavailable(5, full))).toBe(`no space${LINES}`);
    const wrapped = new Error('outer', { cause: new Error('inner', { cause: full }) });
    expect(errorText(wrapped)).toBe(`outer${LINES}`);
    const [one, other] = [error('one'), error('other')];
    [one.cause, other.cause] = [other, one];
    expect(errorText(one)).toBe('one');
  });

  it('repeats nothing that the message has, shows no token, and is bounded', () => {
    expect(errorText(error(`refused: ${told.detail}`, told))).toBe(
      `refused: ${told.detail}\nHINT:  Take another name.`,
    );
    const token = `sgt_${'a1'.repeat(22)}`;
    expect(errorText(error('refused', { detail: `row (${token})` }))).toBe('refused\nDETAIL:  row (sgt_…)');
    expect(errorText(error('refused', { detail: 'x'.repeat(5_000) })).length).toBeLessThan(1_100);
  });
});
