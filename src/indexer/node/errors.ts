import type { NodeReason } from '../answers/error.ts';

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
