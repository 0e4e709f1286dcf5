import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { integerOf, parsed } from '../answers/json.ts';
import type { Endpoint } from './endpoint.ts';
import { NodeError } from './errors.ts';
import { objectAt } from './scan/bytes.ts';

export type ChainEvent = {
  kind: 'head' | 'finalized' | 'reorg';
  /** Slot of the head, or the first slot of the finalized checkpoint. */
  slot: number;
};

const pathOf = (head: string) => `/eth/v1/events?topics=${head},finalized_checkpoint,chain_reorg`;
/** Since Gloas, `head` is deprecated. Nodes refuse topics that they do not know. */
const pathsOf = (gloas: boolean) => (gloas ? [pathOf('head_v2'), pathOf('head')] : [pathOf('head')]);

export function eventOf(topic: string, data: string, slotsPerEpoch: number): ChainEvent | undefined {
  const kind = { head: 'head', head_v2: 'head', finalized_checkpoint: 'finalized', chain_reorg: 'reorg' }[
    topic
  ];
  if (!kind) return undefined;
  let value: Record<string, unknown>;
  try {
    value = objectAt(parsed(data), 'data');
    if (topic === 'head_v2') value = objectAt(value.data, 'data');
  } catch {
    return undefined;
  }
  const number = integerOf(kind === 'finalized' ? value.epoch : value.slot);
  if (number === undefined) return undefined;
  const slot = kind === 'finalized' ? number * slotsPerEpoch : number;
  return { kind: kind as ChainEvent['kind'], slot };
}

const MAX_LINE = 1 << 16;

async function* linesOf(stream: Readable, onBytes: () => void): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of stream.setEncoding('utf8') as AsyncIterable<string>) {
    onBytes();
    const lines = (rest + chunk).split(/\r?\n/);
    rest = lines.pop() as string;
    if (rest.length > MAX_LINE) return;
    yield* lines;
  }
}

async function* streamEvents(
  stream: Readable,
  { idleMs, slotsPerEpoch }: Pick<Options, 'idleMs' | 'slotsPerEpoch'>,
): AsyncGenerator<ChainEvent> {
  const timer = setTimeout(() => stream.destroy(), idleMs);
  let [topic, data] = ['', ''];
  try {
    for await (const line of linesOf(stream, () => timer.refresh())) {
      const [, field, value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? [];
      if (field === 'event') topic = value;
      else if (field === 'data') data = value;
      else if (line === '') {
        const event = eventOf(topic, data, slotsPerEpoch);
        [topic, data] = ['', ''];
        if (event) yield event;
      }
    }
  } catch {
  } finally {
    clearTimeout(timer);
    stream.destroy();
  }
}

type Options = {
  endpoints: () => readonly Endpoint[];
  idleMs: number;
  pollMs: number;
  slotsPerEpoch: number;
  /** Whether Gloas is scheduled. */
  gloas: boolean;
  signal: AbortSignal;
};

async function streamOf({ client }: Endpoint, { gloas, signal }: Options): Promise<Readable | undefined> {
  for (const path of pathsOf(gloas)) {
    const stream = await client.events(path, signal);
    if (stream) return stream;
  }
  return undefined;
}

async function polled(endpoint: Endpoint, last: { root: string }, signal: AbortSignal) {
  const { slot, root } = await endpoint.head(signal);
  if (root === last.root) return undefined;
  last.root = root;
  return { kind: 'head', slot } satisfies ChainEvent;
}

/** Never throws NodeError. Polls a node that has no event stream. */
export async function* chainEvents(options: Options): AsyncGenerator<ChainEvent> {
  const { endpoints, pollMs, signal } = options;
  const last = { root: '' };
  while (!signal.aborted) {
    for (const endpoint of endpoints()) {
      try {
        const stream = await streamOf(endpoint, options);
        if (stream) {
          yield* streamEvents(stream, options);
          // Polls, because a head may have arrived between two streams.
          const event = await polled(endpoint, last, signal);
          if (event) yield event;
          break;
        }
        const event = await polled(endpoint, last, signal);
        if (event) yield event;
        break;
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof NodeError)) throw error;
        endpoint.failed(error);
      }
    }
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
  }
}
