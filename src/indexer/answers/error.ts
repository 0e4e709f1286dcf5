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

export class AnswerError extends Error {
  readonly reason: NodeReason;

  constructor(message: string, reason: NodeReason = 'nonsense') {
    super(message);
    this.reason = reason;
  }
}
