import { z } from 'zod';
import type { Fault } from './refusal.ts';

const REQUIRED = 'is required';

/** `loc` is like `["body","pubkeys",3]`. */
export function bodyFaults(error: z.ZodError, place = 'body'): Fault[] {
  return error.issues.flatMap((issue): Fault[] => {
    const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => {
        const name = key.slice(0, 80);
        return { loc: [place, ...path, name], msg: `${name} is not accepted here.`, type: 'unknown' };
      });
    }
    const name = path.length > 0 ? path.join('.') : `The ${place}`;
    const type = issue.message === REQUIRED ? 'missing' : issue.code;
    return [{ loc: [place, ...path], msg: `${name} ${issue.message}.`, type }];
  });
}

export const needed = (what: string) => (issue: z.core.$ZodRawIssue) =>
  issue.input === undefined ? REQUIRED : `must be ${what}`;

export const jsonBody = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) => (issue.code === 'invalid_type' ? 'must be a JSON object' : undefined),
  });
