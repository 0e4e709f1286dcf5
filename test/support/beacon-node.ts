import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import * as answers from './beacon-answers.ts';
import { type Misbehaviour, misbehave } from './beacon-misbehaviour.ts';
import { type Answer, list, route, type Switches } from './beacon-routes.ts';
import { standard, type Writing } from './beacon-writing.ts';
import type { Chain } from './recorded-chain.ts';

export type { Misbehaviour } from './beacon-misbehaviour.ts';
export { caplin, rewritten } from './beacon-writing.ts';
export { hasRecordings, recordedChain } from './recorded-chain.ts';

type Options = {
  /** Slot of the head; the last one of the chain if not given. */
  head?: number;
  /** Share of answers that are late, cut, 500 or 503. */
  faults?: number;
  /** How late a late answer is. */
  lateMs?: number;
  seed?: number;
} & Partial<Pick<Switches, 'writes' | 'posts' | 'mostIds'>> &
  Partial<Omit<answers.View, 'chain' | 'head'>>;

export type BeaconNode = Switches & {
  readonly url: string;
  /** Paths and queries asked for so far. */
  readonly asked: string[];
  /** Bodies of the POSTs so far. */
  readonly posted: any[];
  /** The `traceparent` of each of these requests; empty without one. */
  readonly traceparents: string[];
  setHead(slot: number): void;
  /** Moves the head on by slots, with an event for each. */
  advance(slots?: number): void;
  /** Moves the head on by a slot every `ms`. Returns what ends it. */
  run(ms: number): () => void;
  /** The last `depth` slots and all after them become another branch, until `settle`. */
  reorganise(depth: number): void;
  /** The recorded chain is canonical again. */
  settle(): void;
  /** Answers to matching requests misbehave, `times` times if given. */
  break(path: RegExp, how: Misbehaviour, times?: number): void;
  /** All answers are as they should be. */
  mend(): void;
  /** Tells an event of any topic. */
  tell(topic: string, data: Record<string, unknown>): void;
  /** Event streams end. */
  dropEvents(): void;
  close(): Promise<void>;
};

type Listener = (topic: string, data: unknown) => void;
type Rule = { path: RegExp; how: Misbehaviour; left: number };

const base = { faults: 0, syncing: false, optimistic: false, otherLayout: false, events: true };
/** Topics of the stream of events. */
const topics = ['block', 'head', 'head_v2', 'finalized_checkpoint', 'chain_reorg'];
/** As many ids as the standard allows. */
const asStandard = { writes: standard, posts: 'taken', mostIds: 64 };
const SLOTS = 32;

class Node implements BeaconNode {
  url = '';
  readonly asked: string[] = [];
  readonly posted: any[] = [];
  readonly traceparents: string[] = [];
  readonly #server: Server;
  readonly #listeners = new Set<Listener>();
  readonly #streams = new Set<ServerResponse>();
  readonly #rules: Rule[] = [];
  readonly #lateMs: number;
  #random: number;
  #stop: () => void = () => {};
  declare chain: Chain;
  declare head: number;
  declare branch: number | undefined;
  declare branchSlashes: boolean;
  declare prune: number | undefined;
  declare lie: answers.View['lie'];
  declare shuffled: boolean;
  declare lookahead: boolean;
  declare recentDuties: boolean;
  declare pendingDeposits: boolean;
  declare tellsBuilders: boolean;
  declare dutiesV2: boolean;
  declare faults: number;
  declare syncing: boolean;
  declare optimistic: boolean;
  declare genesis: Record<string, string>;
  declare spec: Record<string, unknown>;
  declare otherLayout: boolean;
  declare events: boolean;
  declare topics: readonly string[];
  declare writes: Writing;
  declare posts: 'taken' | number;
  declare mostIds: number;

  constructor(chain: Chain, { seed = 1, lateMs = 1_500, ...options }: Options) {
    const view = {
      branch: undefined,
      branchSlashes: true,
      prune: undefined,
      lie: undefined,
      shuffled: false,
    };
    const has = { lookahead: true, recentDuties: false, pendingDeposits: true, genesis: {}, spec: {} };
    const since = { tellsBuilders: true, dutiesV2: true };
    Object.assign(this, base, asStandard, view, has, since, { topics, chain, head: chain.last }, options);
    this.#random = seed;
    this.#lateMs = lateMs;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  async listen(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  #next(): number {
    this.#random = (this.#random * 1103515245 + 12345) & 0x7fffffff;
    return this.#random / 0x7fffffff;
  }

  tell(topic: string, data: Record<string, unknown>): void {
    this.#tell(topic, data);
  }

  #tell(topic: string, data: Record<string, unknown>): void {
    for (const tell of this.#listeners) tell(topic, { ...data, execution_optimistic: this.optimistic });
  }

  #tellHead(): void {
    const slot = this.head;
    if (!this.chain.block(slot)) return;
    const block = answers.rootAt(this, slot);
    this.#tell('block', { slot: String(slot), block });
    const data = { slot: String(slot), block, state: block, epoch_transition: slot % SLOTS === 0 };
    this.#tell('head', data);
    if (this.chain.block(slot)?.version === 'gloas')
      for (const payload_status of ['empty', 'full'])
        this.#tell('head_v2', { version: 'gloas', data: { ...data, payload_status } });
  }

  setHead(slot: number): void {
    this.head = slot;
    this.#tellHead();
    if (slot % SLOTS !== 0 || !this.chain.state(slot)) return;
    const [epoch, root] = answers.finalityAt(this).checkpoints.finalized;
    this.#tell('finalized_checkpoint', { block: root, state: root, epoch: String(epoch) });
  }

  advance(slots = 1): void {
    for (let i = 0; i < slots && this.head < this.chain.last; i += 1) this.setHead(this.head + 1);
  }

  run(ms: number): () => void {
    const timer = setInterval(() => this.advance(), ms);
    this.#stop = () => clearInterval(timer);
    return this.#stop;
  }

  #tellReorg(depth: number): void {
    const block = answers.rootAt(this, answers.blockSlot(this, this.head));
    this.#tell('chain_reorg', { slot: String(this.head), depth: String(depth), new_head_block: block });
    this.#tellHead();
  }

  reorganise(depth: number): void {
    this.branch = this.head - depth + 1;
    this.#tellReorg(depth);
  }

  settle(): void {
    const depth = this.head - (this.branch ?? this.head) + 1;
    this.branch = undefined;
    this.#tellReorg(depth);
  }

  break(path: RegExp, how: Misbehaviour, times = Number.POSITIVE_INFINITY): void {
    this.#rules.push({ path, how, left: times });
  }

  mend(): void {
    this.#rules.length = 0;
    this.faults = 0;
  }

  dropEvents(): void {
    for (const response of this.#streams) response.destroy();
  }

  async close(): Promise<void> {
    this.#stop();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #listen(query: URLSearchParams, response: ServerResponse): void {
    const topics = list(query, 'topics');
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    const listener: Listener = (topic, data) => {
      if (topics.includes(topic)) response.write(`event: ${topic}\ndata: ${JSON.stringify(data)}\n\n`);
    };
    this.#listeners.add(listener);
    this.#streams.add(response);
    response.on('close', () => {
      this.#listeners.delete(listener);
      this.#streams.delete(response);
    });
  }

  #misbehaviour(path: string): Misbehaviour | undefined {
    const rule = this.#rules.find(({ path: pattern, left }) => left > 0 && pattern.test(path));
    if (rule) {
      rule.left -= 1;
      return rule.how;
    }
    if (this.faults === 0 || this.#next() >= this.faults) return undefined;
    const kinds = ['destroyed', 503, 500, { lateMs: this.#lateMs }, 'cut'] as const;
    return kinds[Math.floor(this.#next() * kinds.length)];
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => {});
    const path = request.url as string;
    const url = new URL(path, 'http://node');
    this.asked.push(path);
    this.traceparents.push(String(request.headers.traceparent ?? ''));
    const body = await text(request).catch(() => '');
    const how = this.#misbehaviour(path);
    const isKnown = list(url.searchParams, 'topics').every((topic) => this.topics.includes(topic));
    if (how === undefined && url.pathname === '/eth/v1/events' && this.events && isKnown)
      return this.#listen(url.searchParams, response);
    const answer = this.#answer(url, body);
    if (how !== undefined) return misbehave(how, answer, request, response);
    const version = answer.version && { 'eth-consensus-version': answer.version };
    response.writeHead(answer.code, { 'content-type': 'application/json', ...version }).end(answer.body);
  }

  #answer(url: URL, body: string): Answer {
    try {
      if (body && this.posts !== 'taken') throw new answers.Refused(this.posts, 'POST is not taken');
      if (body) this.posted.push(JSON.parse(body));
      const answer = route(this, url, body ? JSON.parse(body) : undefined);
      return { ...answer, body: this.writes(url.pathname, answer.body) };
    } catch (error) {
      const { status = 500, message } = error as answers.Refused;
      return { code: status, body: JSON.stringify({ code: status, message }) };
    }
  }
}

/** Serves a chain as a beacon node does. The caller closes it. */
export const startBeaconNode = (chain: Chain, options: Options = {}): Promise<BeaconNode> =>
  new Node(chain, options).listen();
