/** Why an answer of a node is not used; label of `stakegraph_index_node_errors_total`. */
export type NodeReason =
  | 'unreachable'
  | 'slow'
  | 'status'
  | 'unauthorized'
  | 'cut'
  | 'too-large'
  | 'nonsense'
  | 'optimistic'
  | 'syncing'
  | 'behind'
  | 'back-in-time'
  | 'other-network'
  | 'disagree'
  | 'pruned'
  | 'missing-block'
  | 'unknown-proposer'
  | 'unknown-fork';

/** Asking the same node again may help. */
const transient = new Set<NodeReason>(['unreachable', 'slow', 'status', 'cut', 'nonsense', 'missing-block']);

/** A node did not answer, or its answer is refused. The message names the node, the path and what to do. */
export class NodeError extends Error {
  override readonly name = 'NodeError';
  readonly reason: NodeReason;
  /** Its host, as its URL may hold a key. */
  readonly node: string;
  /** Milliseconds that the node asks to wait. */
  readonly waitMs: number | undefined;

  constructor(reason: NodeReason, node: string, message: string, waitMs?: number) {
    super(`${node}: ${message}`);
    this.reason = reason;
    this.node = node;
    this.waitMs = waitMs;
  }

  get transient(): boolean {
    return transient.has(this.reason);
  }
}

/** Found while an answer is read: not what it must be. Becomes a `NodeError` that names node and path. */
export class AnswerError extends Error {
  readonly reason: NodeReason;

  constructor(message: string, reason: NodeReason = 'nonsense') {
    super(message);
    this.reason = reason;
  }
}

/** What was found, shortened for a message. */
export const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? JSON.stringify(value) : (JSON.stringify(value) ?? String(value));
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
};
