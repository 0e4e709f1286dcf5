/** Values of `reason` in `stakegraph_index_node_errors_total`. */
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
  | 'missing-payload'
  | 'unknown-proposer'
  | 'unknown-fork';

const transient = new Set<NodeReason>(['unreachable', 'slow', 'status', 'cut', 'nonsense', 'missing-block']);

export class NodeError extends Error {
  override readonly name = 'NodeError';
  readonly reason: NodeReason;
  /** Only the host, because the URL may contain a key. */
  readonly node: string;
  /** From the node's Retry-After. */
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

export class AnswerError extends Error {
  readonly reason: NodeReason;

  constructor(message: string, reason: NodeReason = 'nonsense') {
    super(message);
    this.reason = reason;
  }
}
