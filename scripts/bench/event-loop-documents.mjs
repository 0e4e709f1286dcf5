// Documents that ask for as much as they can, including those that the limits refuse.
const times = (count, part) => Array.from({ length: count }, (_, index) => part(index)).join(' ');

const attestation = `avgAttesterEffectiveness date day endDate endDay endEpoch endSlot endTimestamp hour startDate
  startDay startEpoch startSlot startTimestamp sumCorrectHead sumCorrectSource sumCorrectTarget sumEndEpochBalance
  sumEndEpochEffectiveBalance sumInclusionDelay sumLateSourceVotes sumLateTargetVotes sumMissedAttestations
  sumMissedSyncSignatures sumSyncSignatureCount sumWrongHeadVotes sumWrongTargetVotes totalUniqueAttestations validatorCount`;
const attestations = (first, i = 0) =>
  `attestations(operatorId: "nodeOperator ${i}", idType: NODE_OPERATOR, first: ${first})`;
const operators = (first) => `operators(window: SEVEN_DAYS, idType: NODE_OPERATOR, first: ${first})`;
const lists = 'clientPercentages { client ratio } relayerPercentages { relayer ratio }';
const summary = `id window validatorCount avgCorrectness avgInclusionDelay avgUptime avgValidatorEffectiveness
  networkPenetration nodeOperatorCount aprPercentage sumEndEpochBalance sumEndEpochEffectiveBalance ${lists}`;
const operator = `id operatorId network idType displayName operatorTags { name path } summary(window: SEVEN_DAYS) { ${summary} }`;
const A = `fragment A on AttestationRecord { ${attestation} }`;

export const worstDocuments = {
  'introspection, 29 aliases of types': `{ __schema { ${times(29, (i) => `a${i}: types { ...T }`)} } }
    fragment T on __Type { name description fields { ...F } } fragment F on __Field { name description type { ...R } args { name description type { ...R } } }
    fragment R on __Type { kind name description ofType { kind name description ofType { kind name } } }`,
  'introspection near its limit': `{ __schema { types { ...T ${times(11, (i) => `a${i}: fields { name description isDeprecated }`)} fields { name args { name } } } } } fragment T on __Type { kind name description }`,
  'types of types': `{ __schema { types { fields { type { ofType { fields { name description args { name description type { name description enumValues { name description } } } } } fields { name description } } args { type { enumValues { name description } } } } } } }`,
  '30 times the nodes of a page': `{ ${attestations(1000)} { ${times(30, (i) => `a${i}: nodes { ...A }`)} } } ${A}`,
  '10 times the nodes of a page': `{ ${attestations(1000)} { ${times(10, (i) => `a${i}: nodes { ...A }`)} } } ${A}`,
  '5 times the nodes of a page': `{ ${attestations(1000)} { ${times(5, (i) => `a${i}: nodes { ...A }`)} } } ${A}`,
  '3 times the nodes of a page': `{ ${attestations(1000)} { ${times(3, (i) => `a${i}: nodes { ...A }`)} } } ${A}`,
  '2 times the nodes of a page': `{ ${attestations(1000)} { ${times(2, (i) => `a${i}: nodes { ...A }`)} } } ${A}`,
  'a page of attestations': `{ ${attestations(1000)} { nodes { ...A } } } ${A}`,
  '20 pages of attestations': `{ ${times(20, (i) => `a${i}: ${attestations(1000, i)} { nodes { ...A } }`)} } ${A}`,
  '20 pages, 5 fields': `{ ${times(20, (i) => `a${i}: ${attestations(1000, i)} { nodes { day startDate startDay startEpoch endEpoch } }`)} }`,
  '6 pages of attestations': `{ ${times(6, (i) => `a${i}: ${attestations(1000, i)} { nodes { ...A } }`)} } ${A}`,
  '3 pages of attestations': `{ ${times(3, (i) => `a${i}: ${attestations(1000, i)} { nodes { ...A } }`)} } ${A}`,
  '200 operators with 99 days': `{ ${operators(200)} { nodes { attestations(first: 99) { nodes { ...A } } } } } ${A}`,
  '200 operators with 30 days': `{ ${operators(200)} { nodes { attestations(first: 30) { nodes { ...A } } } } } ${A}`,
  '200 operators with 15 days': `{ ${operators(200)} { nodes { attestations(first: 15) { nodes { ...A } } } } } ${A}`,
  '200 operators with 14 days': `{ ${operators(200)} { nodes { attestations(first: 14) { nodes { ...A } } } } } ${A}`,
  '200 operators with 99 days, 3 fields': `{ ${operators(200)} { nodes { attestations(first: 99) { nodes { day startDay startEpoch } } } } }`,
  '200 operators, 99 days, cursors': `{ ${operators(200)} { nodes { attestations(first: 99) { edges { cursor } } } } }`,
  '20 pages of cursors': `{ ${times(20, (i) => `a${i}: ${attestations(1000, i)} { edges { cursor } }`)} }`,
  '16 pages of cursors': `{ ${times(16, (i) => `a${i}: ${attestations(1000, i)} { edges { cursor } }`)} }`,
  'cursors of 16 aliases': `{ ${attestations(1000)} { ${times(16, (i) => `a${i}: edges { cursor }`)} } }`,
  'cursors of 29 aliases': `{ ${attestations(1000)} { ${times(29, (i) => `a${i}: edges { cursor }`)} } }`,
  '10 pages of operators': `{ ${times(10, (i) => `a${i}: ${operators(200)} { nodes { ...O } }`)} } fragment O on Operator { ${operator} }`,
  'aliased lists of operators': `{ ${operators(200)} { nodes { summary(window: SEVEN_DAYS) { ${times(10, (i) => `a${i}: clientPercentages { client ratio } b${i}: relayerPercentages { relayer ratio }`)} } } } }`,
  'operators in other windows': `{ ${operators(200)} { nodes { ${times(15, (i) => `a${i}: summary(window: ALL) { ...S }`)} } } } fragment S on OperatorSummary { ${summary} }`,
  'operators in 6 windows': `{ ${operators(200)} { nodes { ${times(6, (i) => `a${i}: summary(window: ALL) { ...S }`)} } } } fragment S on OperatorSummary { ${summary} }`,
  'operators in other windows, one field': `{ ${operators(200)} { nodes { ${times(28, (i) => `a${i}: summary(window: ALL) { window }`)} } } }`,
  'empty pages within rows': `{ ${operators(200)} { nodes { ${times(28, (i) => `a${i}: poolShares(window: SEVEN_DAYS, first: 1) { nodes { operatorId } }`)} } } }`,
  'pages within rows near the limit': `{ ${operators(200)} { nodes { ${times(20, (i) => `a${i}: poolShares(window: SEVEN_DAYS, first: 1) { nodes { operatorId } }`)} } } }`,
  '200 stake authorities': `{ stakeAuthorities(window: SEVEN_DAYS, first: 200) { nodes { summary(window: SEVEN_DAYS) { ${times(28, (i) => `a${i}: delegations { validatorVoteAccount validatorName ratio }`)} } } } }`,
  'a field 1,900 times': `{ ${operators(1)} { nodes { ${'id '.repeat(1_900)} } } }`,
  'nodes 450 times': `{ ${operators(1)} { ${'nodes { id } '.repeat(450)} } }`,
  'a field with arguments 200 times': `{ ${operators(1)} { nodes { ${'summary(window: ALL) { id } '.repeat(200)} } } }`,
  'a large document': `{ ${times(20, (i) => `a${i}: ${attestations(1, i)} { nodes { ...A } edges { node { ...A } } }`)} } ${A}`,
};
