import { DEPOSIT_TOPIC } from '../../src/indexer/execution/deposit-log.ts';
import {
  depositData,
  headerGasOf,
  hexOf,
  type MadeBlock,
  type MadeDeposit,
  type MadeTransaction,
  quantity,
} from './execution-chain.ts';
import { type Broken, type Fault, faultOf, misbehaves, send, serve } from './source-server.ts';

/** Quantities below 2^52 as numbers, and null in place of empty lists. */
export function quantitiesAsNumbers(value: unknown): unknown {
  if (typeof value === 'string') return /^0x[0-9a-f]{1,13}$/.test(value) ? Number(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.length === 0 ? null : value.map(quantitiesAsNumbers);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, quantitiesAsNumbers(item)]));
}

const transactionHash = (block: MadeBlock, place: number) => hexOf(`${block.hash} ${place}`, 32);

function receipt(block: MadeBlock, one: MadeTransaction, place: number) {
  return {
    transactionHash: transactionHash(block, place),
    transactionIndex: quantity(place),
    blockHash: block.hash,
    blockNumber: quantity(block.number),
    from: one.from,
    to: one.to,
    type: quantity(one.type),
    gasUsed: quantity(one.gasUsed),
    effectiveGasPrice: quantity(block.baseFee + one.tip),
    status: one.fails ? '0x0' : '0x1',
    logs: [],
  };
}

/** JSON-RPC over HTTP of an execution node with these blocks and deposits; it can misbehave. */
export async function startExecutionNode(chain: {
  chainId?: number;
  blocks?: MadeBlock[];
  contract?: string;
  deposits?: MadeDeposit[];
  finalized?: number;
}) {
  const node = {
    url: '',
    chainId: chain.chainId ?? 560_048,
    blocks: chain.blocks ?? [],
    deposits: chain.deposits ?? [],
    /** By hash, with transactions and withdrawals. */
    payloads: new Map<string, unknown>(),
    finalized: chain.finalized ?? 1_000_000,
    /** Most blocks and results of eth_getLogs. */
    logLimits: { blocks: Number.POSITIVE_INFINITY, results: Number.POSITIVE_INFINITY },
    /** Logs before it are left out silently. */
    logsFrom: 0,
    /** Methods, in order. */
    asked: [] as { method: string; params: any[] }[],
    break: (what: RegExp, how: Fault, times = Number.POSITIVE_INFINITY) =>
      void broken.unshift({ what, how, times }),
    mend: () => void broken.splice(0),
    close: () => close(),
  };
  const broken: Broken[] = [];
  const sent = (hash: string) => {
    const deposit = node.deposits.find(({ index }) => hexOf(`deposit ${index}`, 32) === hash);
    if (deposit)
      return {
        hash,
        blockHash: hexOf(`${deposit.at}`, 32),
        from: deposit.from,
        to: chain.contract,
        value: '0x0',
      };
    for (const block of node.blocks)
      for (const [place, { from, to, value }] of block.transactions.entries())
        if (transactionHash(block, place) === hash)
          return { hash, blockHash: block.hash, from, to, value: quantity(value) };
    return null;
  };
  const methods: Record<string, (...params: any[]) => unknown> = {
    eth_chainId: () => quantity(node.chainId),
    eth_getBlockByNumber(tag: string) {
      if (tag === 'finalized') return { number: quantity(node.finalized) };
      const block = node.blocks.find(({ number }) => quantity(number) === tag);
      return block
        ? {
            hash: block.hash,
            number: tag,
            miner: block.feeRecipient,
            gasUsed: quantity(headerGasOf(block)),
            ...(block.headerGas && { blockAccessListHash: block.hash, slotNumber: quantity(block.slot) }),
            baseFeePerGas: quantity(block.baseFee),
            transactions: block.transactions.map((_, place) => transactionHash(block, place)),
          }
        : null;
    },
    eth_getBlockByHash: (hash: string) => node.payloads.get(hash) ?? null,
    eth_getBlockReceipts(tag: string) {
      const block = node.blocks.find(({ number }) => quantity(number) === tag);
      return block?.transactions.map((one, place) => receipt(block, one, place)) ?? null;
    },
    eth_getTransactionByHash: sent,
    eth_getLogs({ address, topics, fromBlock, toBlock }) {
      const [from, to] = [Number(fromBlock), Number(toBlock)];
      if (to - from + 1 > node.logLimits.blocks)
        throw { code: -32602, message: `range ${to - from + 1} exceeds limit of ${node.logLimits.blocks}` };
      const found = node.deposits.filter(({ at }) => at >= Math.max(from, node.logsFrom) && at <= to);
      if (address !== chain.contract || topics[0] !== DEPOSIT_TOPIC) return [];
      if (found.length > node.logLimits.results)
        throw { code: -32005, message: `query returned more than ${node.logLimits.results} results` };
      return found.map((deposit) => ({
        address,
        topics,
        data: depositData(deposit),
        blockNumber: quantity(deposit.at),
        transactionHash: hexOf(`deposit ${deposit.index}`, 32),
        removed: false,
      }));
    },
  };
  const close = await serve(node, async (request, response, text) => {
    const { id, method, params } = JSON.parse(text);
    node.asked.push({ method, params });
    const answer = (body: object) => send(response, 200, { jsonrpc: '2.0', id, ...body });
    const fault = faultOf(broken, method);
    if (misbehaves(request, response, fault)) return;
    if (typeof fault === 'object') return answer(fault);
    try {
      const result = fault === 'null' ? null : methods[method]?.(...params);
      if (result === undefined) return answer({ error: { code: -32601, message: `no method ${method}` } });
      answer({ result: typeof fault === 'function' ? fault(structuredClone(result), params) : result });
    } catch (error) {
      answer({ error });
    }
  });
  return node;
}
export type ExecutionNode = Awaited<ReturnType<typeof startExecutionNode>>;

export type MadePayload = {
  slot: number;
  hash: string;
  builder: string;
  proposerFeeRecipient: string;
  value: bigint;
};

/** The data API of a relay that delivered these payloads; it can misbehave. */
export async function startRelay(payloads: MadePayload[] = []) {
  const relay = {
    url: '',
    payloads,
    /** Most entries of a page. */
    limit: 100,
    asked: [] as string[],
    break: (what: RegExp, how: Fault, times = Number.POSITIVE_INFINITY) =>
      void broken.unshift({ what, how, times }),
    mend: () => void broken.splice(0),
    close: () => close(),
  };
  const broken: Broken[] = [];
  const close = await serve(relay, async (request, response) => {
    const url = new URL(request.url as string, 'http://relay');
    relay.asked.push(url.search);
    const fault = faultOf(broken, url.pathname + url.search);
    if (misbehaves(request, response, fault)) return;
    if (!url.pathname.endsWith('/relay/v1/data/bidtraces/proposer_payload_delivered'))
      return send(response, 404, { message: 'not found' });
    const number = (name: string) => Number(url.searchParams.get(name) ?? Number.NaN);
    const [slot, cursor] = [number('slot'), number('cursor')];
    const found = relay.payloads
      .filter((one) => (Number.isNaN(slot) ? !(one.slot > cursor) : one.slot === slot))
      .sort((a, b) => b.slot - a.slot)
      .slice(0, Math.min(relay.limit, number('limit') || 100))
      .map((one) => ({
        slot: String(one.slot),
        parent_hash: hexOf('parent', 32),
        block_hash: one.hash,
        builder_pubkey: one.builder,
        proposer_pubkey: hexOf('key', 48),
        proposer_fee_recipient: one.proposerFeeRecipient,
        gas_limit: '30000000',
        gas_used: '84000',
        value: String(one.value),
        num_tx: '4',
        block_number: '1',
      }));
    send(response, 200, typeof fault === 'function' ? fault(found, []) : found);
  });
  return relay;
}
