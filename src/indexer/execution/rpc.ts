import { z } from 'zod';
import { type HttpSource, SourceError } from '../answers/source.ts';

export const hexOf = (number: number): string => `0x${number.toString(16)}`;
const Answer = z.object({
  result: z.unknown().optional(),
  error: z.object({ code: z.number().optional(), message: z.string().optional() }).nullish(),
});

export type Rpc = {
  readonly name: string;
  /** Throws SourceError: `missing` for null unless it is an empty list, `refused` for an error response, `nonsense` for another shape. */
  call<T extends z.ZodType>(method: string, params: readonly unknown[], result: T): Promise<z.output<T>>;
};

export function openRpc(source: HttpSource): Rpc {
  const { name } = source;
  let id = 0;
  return {
    name,
    async call(method, params, result) {
      const { status, value } = await source.json('', { jsonrpc: '2.0', id: ++id, method, params });
      const answer = Answer.safeParse(value);
      const fault = answer.data?.error;
      if (fault) {
        const message = (fault.message ?? '').replace(/[^\x20-\x7e]+/g, ' ').slice(0, 200);
        throw new SourceError('refused', name, `${method}: error ${fault.code ?? ''} ${message}`);
      }
      if (status >= 400) throw new SourceError('refused', name, `${method}: responds with ${status}`);
      if (!answer.success || answer.data.result === undefined)
        throw new SourceError(
          'nonsense',
          name,
          `${method}: no JSON-RPC response; is it an execution node's HTTP address?`,
        );
      if (answer.data.result === null && !result.safeParse(null).success)
        throw new SourceError('missing', name, `${method}: the node does not have it`);
      const read = result.safeParse(answer.data.result);
      if (read.success) return read.data;
      const [issue] = read.error.issues;
      throw new SourceError(
        'nonsense',
        name,
        `${method}: ${issue?.path.join('.') || 'result'} ${issue?.message}`,
      );
    },
  };
}
