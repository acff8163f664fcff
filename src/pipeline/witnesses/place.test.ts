import { isAt, placeOfEngine, placeOfWitness } from './place';

type Labels = Record<string, string>;
const rows: ReadonlyArray<[string, Labels, Labels, boolean]> = [
  ['the same host, other ports', { instance: '10.0.0.5:9400' }, { instance: '10.0.0.5:30002' }, true],
  ['another host', { instance: '10.0.0.6:9400' }, { instance: '10.0.0.5:30002' }, false],
  ['a host whose name begins alike', { instance: 'node-10:9400' }, { instance: 'node-1:30002' }, false],
  ['no ports at all', { instance: 'node-1' }, { instance: 'node-1' }, true],
  [
    'the host name that DCGM tells',
    { instance: '172.17.0.2:9400', Hostname: 'node-1' },
    { instance: 'node-1:30002' },
    true,
  ],
  ['an agent in a pod: its host name is that of the pod', { hostname: 'decode-0' }, { pod: 'decode-0' }, true],
  ['the same pod', { pod: 'decode-0', namespace: 'prod' }, { pod: 'decode-0', namespace: 'prod' }, true],
  [
    'a pod of that name elsewhere',
    { pod: 'decode-0', namespace: 'test' },
    { pod: 'decode-0', namespace: 'prod' },
    false,
  ],
  ['a namespace that is not told', { pod: 'decode-0' }, { pod: 'decode-0', namespace: 'prod' }, true],
  [
    'the pod that the exporter named, not its own',
    { pod: 'dcgm-x', namespace: 'gpu', exported_pod: 'decode-0', exported_namespace: 'prod' },
    { pod: 'decode-0', namespace: 'prod' },
    true,
  ],
  [
    'pods decide where both are known: another pod on the same host',
    { instance: '10.0.0.5:9400', pod: 'prefill-0' },
    { instance: '10.0.0.5:30002', pod: 'decode-0' },
    false,
  ],
  [
    'an engine behind a gateway',
    { instance: '10.0.0.5:9400' },
    { instance: 'gw:80', worker_addr: 'http://10.0.0.5:30002' },
    true,
  ],
  [
    'the gateway is not the engine',
    { instance: 'gw:9400' },
    { instance: 'gw:80', worker_addr: 'http://10.0.0.5:30002' },
    false,
  ],
  ['nothing is told', {}, {}, false],
];

it.each(rows)('%s', (_why, witness, engine, expected) => {
  expect(isAt(placeOfWitness(witness), placeOfEngine(engine))).toBe(expected);
});
