import type { z } from 'zod';
import type { Faults } from './importer.ts';

const nouns: Record<string, string> = {
  int: 'a whole number',
  number: 'a number',
  string: 'text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

export function faultText(issue: z.core.$ZodIssue, row: unknown): string {
  const { message } = issue;
  const isDefault = /^(Invalid|Too|Unrecognized)\b/.test(message); // zod's own message
  const needed = isDefault || message.startsWith('must be ');
  if (needed && isMissing(issue.path, row)) return isDefault ? 'is missing' : `is missing; ${message}`;
  if (!isDefault) return message;
  const rule = ruleOf(issue);
  return rule ? `must ${rule}` : message;
}

function isMissing(path: readonly PropertyKey[], row: unknown): boolean {
  let value = row;
  for (const name of path) {
    if (typeof value !== 'object' || value === null) return false;
    value = (value as Record<PropertyKey, unknown>)[name];
  }
  return path.length > 0 && value === undefined;
}

function ruleOf(issue: z.core.$ZodIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return `be ${nouns[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`;
    case 'too_small':
      return boundOf(issue.origin, issue.inclusive ? 'at least' : 'more than', issue.minimum);
    case 'too_big':
      return boundOf(issue.origin, issue.inclusive ? 'at most' : 'less than', issue.maximum);
    default:
      return undefined;
  }
}

function boundOf(origin: string, words: string, bound: number | bigint): string {
  if (origin === 'string') return `have ${words} ${bound} ${bound === 1 ? 'character' : 'characters'}`;
  return origin === 'array' ? `have ${words} ${bound} entries` : `be ${words} ${bound}`;
}

const HIGHEST_PERCENT = 100 + 1e-6; // rounding can raise a mean of doubles above 100

export const percentFaults = (field: string, percent: number): Faults =>
  percent > HIGHEST_PERCENT ? [[field, `is ${percent}; a percentage of at most 100 is needed`]] : [];
