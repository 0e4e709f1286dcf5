import * as answers from './beacon-answers.ts';
import type { Writing } from './beacon-writing.ts';

/** Switches of a node, which hold from the next request on. */
export type Switches = answers.View & {
  faults: number;
  syncing: boolean;
  optimistic: boolean;
  /** Replaced in the answers of `genesis` and `config/spec`. */
  genesis: Record<string, string>;
  spec: Record<string, unknown>;
  /** Answers of these paths are JSON with other white space and order of keys. */
  otherLayout: boolean;
  /** Has `/eth/v1/events`. */
  events: boolean;
  /** A stream of others is refused. */
  topics: readonly string[];
  /** Writes the JSON of an answer as some makes do. */
  writes: Writing;
  /** Answers POST as the standard wants, or with this status. */
  posts: 'taken' | number;
  /** Most ids of a GET; more are refused. */
  mostIds: number;
};

export type Answer = { code: number; body: string; version?: string };
const SLOTS = 32;

export const list = (query: URLSearchParams, name: string): string[] =>
  query.getAll(name).flatMap((given) => given.split(',').filter(Boolean));

function tell(node: Switches, data: unknown, slot: number, version?: string): Answer {
  const [epoch] = answers.finalityAt(node).checkpoints.finalized;
  const value: Record<string, unknown> = {
    ...(version && { version }),
    execution_optimistic: node.optimistic,
    finalized: slot <= epoch * SLOTS,
    data,
  };
  if (!node.otherLayout) return { code: 200, body: JSON.stringify(value), ...(version && { version }) };
  return { code: 200, body: ` ${JSON.stringify(reversed(value), null, 2)}\n`, ...(version && { version }) };
}

/** With keys in another order, and one that no other client has. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, reversed(item)]);
  return Object.fromEntries([...entries.reverse(), ['of_another_client', ['x', { y: 1 }]]]);
}

/** What the node has at a path. Throws `Refused`. */
export function route(node: Switches, { pathname: path, searchParams: query }: URL, body: any): Answer {
  const plain = (data: unknown): Answer => ({ code: 200, body: JSON.stringify({ data }) });
  const { chain, head } = node;
  if (path === '/eth/v1/node/version') return plain({ version: 'recorded-chain/1.0' });
  if (path === '/eth/v1/node/health') return { code: node.syncing ? 206 : 200, body: '' };
  if (path === '/eth/v1/node/syncing')
    return plain({
      head_slot: String(head),
      sync_distance: node.syncing ? '1000' : '0',
      is_syncing: node.syncing,
      is_optimistic: node.optimistic,
      el_offline: false,
    });
  if (path === '/eth/v1/beacon/genesis') return plain({ ...chain.genesis, ...node.genesis });
  if (path === '/eth/v1/config/spec') return plain({ ...chain.spec, ...node.spec });
  const found = /^\/eth\/v[12]\/beacon\/(headers|blocks)(?:\/(\w+))?(\/root)?$/.exec(path);
  if (found) return block(node, found[1] as string, found[2] ?? query.get('slot') ?? 'head', !!found[3]);
  const payload = /^\/eth\/v1\/beacon\/execution_payload_envelopes\/(\w+)$/.exec(path)?.[1];
  if (payload !== undefined && chain.envelope) return envelope(node, answers.slotOfBlock(node, payload));
  const duties = (
    node.dutiesV2
      ? /^\/eth\/v[12]\/validator\/duties\/proposer\/(\d+)$/
      : /^\/eth\/v1\/validator\/duties\/proposer\/(\d+)$/
  ).exec(path)?.[1];
  if (duties !== undefined) {
    const data = answers.proposerDuties(node, Number(duties));
    return { code: 200, body: JSON.stringify({ execution_optimistic: node.optimistic, data }) };
  }
  const state = /^\/eth\/v1\/beacon\/states\/(\w+)\/(\w+)$/.exec(path);
  if (!state) throw new answers.Refused(404, 'NOT_FOUND: no such endpoint');
  return stateAnswer(node, state[1] as string, state[2] as string, query, body);
}

function block(node: Switches, kind: string, id: string, rootOnly: boolean): Answer {
  const slot = answers.slotOfBlock(node, id);
  if (kind === 'headers') return tell(node, answers.headerOf(node, slot), slot);
  if (rootOnly) return tell(node, { root: answers.rootAt(node, slot) }, slot);
  const { version, text: json } = answers.blockText(node, slot);
  if (node.otherLayout) return tell(node, JSON.parse(json), slot, version);
  const around = tell(node, 0, slot, version);
  return { ...around, body: around.body.replace('"data":0', () => `"data":${json}`) };
}

function envelope(node: Switches, slot: number): Answer {
  const text = answers.envelopeText(node, slot);
  if (node.otherLayout) return tell(node, JSON.parse(text), slot, 'gloas');
  const around = tell(node, 0, slot, 'gloas');
  return { ...around, body: around.body.replace('"data":0', () => `"data":${text}`) };
}

function stateAnswer(node: Switches, id: string, what: string, query: URLSearchParams, body: any): Answer {
  const state = answers.stateOf(node, id);
  const told = (data: unknown, version?: string) => tell(node, data, state.slot, version);
  const point = ([epoch, root]: [number, string]) => ({ epoch: String(epoch), root });
  if (what === 'finality_checkpoints') {
    const justified = point(state.checkpoints.justified);
    const finalized = point(state.checkpoints.finalized);
    return told({ previous_justified: justified, current_justified: justified, finalized });
  }
  const ids: string[] = body ? (body.ids ?? body) : list(query, 'id');
  if (!body && ids.length > node.mostIds) throw new answers.Refused(400, 'id must be array');
  if (what === 'validators') return told(answers.validatorsAt(node, state, ids));
  if (what === 'validator_balances') return told(answers.balancesAt(node, state, ids));
  if (what === 'builders' && node.tellsBuilders) {
    if (!body) throw new answers.Refused(405, 'Method Not Allowed');
    return told(answers.buildersAt(state, body.ids ?? []), 'gloas');
  }
  if (what === 'pending_consolidations') return told(state.pendingConsolidations, 'electra');
  if (what === 'pending_deposits' && node.pendingDeposits && state.pendingDeposits)
    return told(state.pendingDeposits, 'electra');
  if (what === 'proposer_lookahead') return told(answers.lookaheadAt(node, state), 'fulu');
  if (what === 'sync_committees') {
    const { sync } = answers.epochOf(node, state, query.get('epoch'));
    return told({ validators: sync.map(String), validator_aggregates: [] });
  }
  if (what === 'committees') {
    const { committees } = answers.epochOf(node, state, query.get('epoch'));
    const rows = committees.map(([slot, index, members]) => ({
      index: String(index),
      slot: String(slot),
      validators: members.map(String),
    }));
    return told(rows);
  }
  throw new answers.Refused(404, 'NOT_FOUND: no such endpoint');
}
