import { setTimeout as sleep } from 'node:timers/promises';
import type { Network } from '../../chain/networks.ts';
import type { Pool } from '../../db/pool.ts';
import { traced } from '../../kernel/tracing.ts';
import { quantity } from '../answers/leaves.ts';
import { openHttpSource, SourceError } from '../answers/source.ts';
import type { ChainSpec } from '../chain/spec.ts';
import type { BeaconBlock, ExecutionPayload } from '../chain/types.ts';
import { openRelays } from '../relays/index.ts';
import { parseRelays } from '../relays/names.ts';
import { BlockFills } from './block-fills.ts';
import { openDeposits } from './deposits.ts';
import { fetchPayload } from './payload.ts';
import { openRpc, type Rpc } from './rpc.ts';

export type FillOptions = {
  pool: Pool;
  network: Network;
  spec: Pick<ChainSpec, 'depositContractAddress' | 'depositChainId' | 'forkEpochs'>;
  execution?: string | undefined;
  /** URLs or `name=URL`. */
  relays?: readonly string[] | undefined;
  estimateMissed: boolean;
  /** Requests per second; default 50. */
  rate?: number | undefined;
  timeoutMs?: number | undefined;
  /** Wait after the first failure; each further failure doubles it. Default 1 s. */
  firstWaitMs?: number | undefined;
  onError: (error: SourceError) => void;
  /** Fees became known of blocks in a month, such as 2024-03, whose days of validators are archived. */
  onArchived?: ((month: string) => void) | undefined;
  signal: AbortSignal;
};

export type Fills = {
  /** Never rejects; `onFault` receives all errors but SourceError. */
  run(onFault: (error: Error) => void): Promise<void>;
  /** Fills what is missing now, then ends. Leaves out what failed four times. */
  drain(): Promise<void>;
};

const RATE = 50;
const RELAY_RATE = 2;
const CONCURRENCY = 4;
const TIMEOUT_MS = 30_000;
const MAX_BYTES = 256 << 20;
const IDLE_MS = 6_000;
const MAX_WAIT_MS = 60_000;
const ATTEMPTS = 4;

/** Throws for an invalid relay. */
export function openFills(options: FillOptions): Fills | undefined {
  const { execution, network, pool, spec, signal, onError, onArchived, estimateMissed } = options;
  const { firstWaitMs = 1_000 } = options;
  const relaySources = parseRelays(options.relays ?? []);
  if (!execution && relaySources.length === 0) return undefined;
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const rpc = execution ? checkedRpc(execution, options, timeoutMs) : undefined;
  const blocks = new BlockFills({
    ...{ pool, network, spec, rpc, estimateMissed, firstWaitMs, onError, onArchived, now: Date.now },
    concurrency: CONCURRENCY,
    relays:
      relaySources.length > 0
        ? openRelays({ relays: relaySources, rate: RELAY_RATE, timeoutMs, signal, onError })
        : undefined,
  });
  const contract = spec.depositContractAddress;
  const deposits = rpc && contract ? depositSteps(rpc, contract, options) : undefined;
  const fillBlocks = () => traced('index fill', {}, () => blocks.step());

  return {
    async run(onFault) {
      const loops = [fillBlocks, ...(deposits ? [deposits] : [])];
      await Promise.all(loops.map((step) => forever(step, { signal, onError, onFault, firstWaitMs })));
    },
    async drain() {
      for (let more = true; more && !signal.aborted; ) {
        if (await fillBlocks()) continue;
        more = blocks.waits(ATTEMPTS);
        if (more) await pause(firstWaitMs, signal);
      }
      for (let failures = 0; deposits && !signal.aborted && failures < ATTEMPTS; ) {
        try {
          if (!(await deposits())) return;
          failures = 0;
        } catch (error) {
          if (!(error instanceof SourceError)) throw error;
          onError(error);
          failures += 1;
          await pause(firstWaitMs * 2 ** failures, signal);
        }
      }
    },
  };
}

type PayloadOptions = Pick<FillOptions, 'rate' | 'timeoutMs' | 'onError' | 'signal'>;

/** Asks an execution node for payloads that no beacon node has. If it has none either, calls `onError` and returns null. */
export function openPayloads(
  url: string,
  { rate = RATE, timeoutMs = TIMEOUT_MS, ...options }: PayloadOptions,
) {
  const { onError, signal } = options;
  const source = { url: new URL(url), name: `execution node ${new URL(url).host}`, rate, timeoutMs, signal };
  const rpc = openRpc(openHttpSource({ ...source, maxBytes: MAX_BYTES }));
  return async (block: BeaconBlock): Promise<ExecutionPayload | null> => {
    try {
      return await fetchPayload(rpc, block);
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      onError(error);
      return null;
    }
  };
}

function checkedRpc(url: string, options: FillOptions, timeoutMs: number): () => Promise<Rpc> {
  const { network, signal, spec, rate = RATE } = options;
  const address = new URL(url);
  const source = { url: address, name: `execution node ${address.host}`, rate, timeoutMs, signal };
  const rpc = openRpc(openHttpSource({ ...source, maxBytes: MAX_BYTES }));
  let checked = false;
  return async () => {
    if (checked) return rpc;
    const id = Number(await rpc.call('eth_chainId', [], quantity));
    if (spec.depositChainId !== undefined && id !== spec.depositChainId) {
      const message = `is of chain ${id}; ${network} has its deposits on chain ${spec.depositChainId}. Pass an execution node of ${network}.`;
      throw new SourceError('other-network', rpc.name, message);
    }
    checked = true;
    return rpc;
  };
}

function depositSteps(rpc: () => Promise<Rpc>, contract: string, options: FillOptions) {
  let reader: ReturnType<typeof openDeposits> | undefined;
  return async () => {
    const opened = await rpc();
    const { pool, network } = options;
    const steps = (reader ??= openDeposits({
      ...{ rpc: opened, pool, network, contract, concurrency: CONCURRENCY },
    }));
    return traced('index deposits', {}, () => steps.step());
  };
}

type Loop = {
  signal: AbortSignal;
  onError: (error: SourceError) => void;
  onFault: (error: Error) => void;
  firstWaitMs: number;
};

async function forever(step: () => Promise<boolean>, { signal, onError, onFault, firstWaitMs }: Loop) {
  for (let failures = 0; !signal.aborted; ) {
    try {
      if (!(await step())) await pause(IDLE_MS, signal);
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof SourceError) onError(error);
      else onFault(error as Error);
      failures += 1;
      await pause(Math.min(MAX_WAIT_MS, firstWaitMs * 2 ** failures), signal);
    }
  }
}

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  sleep(milliseconds, undefined, { signal }).catch(() => undefined);
