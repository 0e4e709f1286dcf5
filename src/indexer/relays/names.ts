export type RelaySource = { name: string; url: URL };

/** Names that similar services use (in `relayerPercentages`). */
const known: Record<string, string> = {
  'boost-relay.flashbots.net': 'flashbots',
  'bloxroute.max-profit.blxrbdn.com': 'bloxroute_maxprofit',
  'bloxroute.regulated.blxrbdn.com': 'bloxroute_regulated',
  'bloxroute.ethical.blxrbdn.com': 'bloxroute_ethical',
  'relay.ultrasound.money': 'ultra_sound_money',
  'relay-analytics.ultrasound.money': 'ultra_sound_money',
  'agnostic-relay.net': 'agnostic',
  'aestus.live': 'aestus',
  'mainnet.aestus.live': 'aestus',
  'relay.edennetwork.io': 'edennetwork',
  'builder-relay-mainnet.blocknative.com': 'blocknative',
  'mainnet-relay.securerpc.com': 'manifold',
};

/** Ignores the public key in a mev-boost URL. Throws for an invalid relay. */
export function parseRelays(given: readonly string[]): RelaySource[] {
  const relays = given.map(relayOf);
  for (const [place, { name }] of relays.entries()) {
    if (relays.findIndex((relay) => relay.name === name) < place)
      throw new Error(`--relays has ${name} twice; give them different names, as name=URL.`);
  }
  return relays;
}

function relayOf(given: string): RelaySource {
  const [, named, address] = /^(?:([\w.-]+)=)?(https?:\/\/.+)$/.exec(given) ?? [];
  if (!address || !URL.canParse(address)) {
    throw new Error(
      `--relays: ${given.replace(/\/\/.*@/, '//')} is not a relay; write https://host or name=https://host.`,
    );
  }
  const url = new URL(address);
  url.username = url.password = '';
  return { name: named ?? known[url.hostname] ?? url.host, url };
}
