import { fetchSeries, type Fetched } from './fetchSeries';
import { readServer } from './server';
import { type FakePrometheus, matrix, type Reply, startFake } from './testing/fakePrometheus';

const RANGE = { fromMs: 1_000_500, toMs: 2_000_500, stepMs: 5000 };
const QUERIES = [
  { id: 'a', expr: 'first' },
  { id: 'b', expr: 'second', name: 'given' },
];

let fake: FakePrometheus | undefined;

afterEach(async () => {
  await fake?.close();
  fake = undefined;
});

async function fetchFrom(answer: Parameters<typeof startFake>[0], timeoutMs?: number): Promise<Fetched> {
  fake = await startFake(answer);
  const server = readServer(fake.url.replace('//', '//u:p@'), ['X-Scope-OrgID: 7']);
  return fetchSeries({ server, range: RANGE, queries: QUERIES, timeoutMs });
}

function failure(fetched: Fetched): string {
  if (fetched.kind !== 'failed') {
    throw new Error('did not fail');
  }
  return `${fetched.failure.text} ${fetched.failure.nextStep}`;
}

describe('fetchSeries', () => {
  it('posts every query as a form, with the headers', async () => {
    await fetchFrom(() => matrix([]));
    expect(fake?.asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /api/v1/query_range',
      'POST /api/v1/query_range',
    ]);
    const [first] = fake?.asked ?? [];
    expect(Object.fromEntries(first?.form ?? [])).toEqual({
      query: 'first',
      start: '1000.5',
      end: '2000.5',
      step: '5',
      timeout: '30s',
    });
    expect(first?.headers).toMatchObject({ 'x-scope-orgid': '7', authorization: 'Basic dTpw' });
  });

  it('asks all queries at once', async () => {
    // Nobody gets an answer before both have asked.
    const waiting: string[] = [];
    const fetched = fetchFrom(({ form }) => {
      waiting.push(form.get('query') ?? '');
      return waiting.length === 2 ? { status: 503, body: waiting.join(' and ') } : undefined;
    });
    expect(failure(await fetched)).toContain('HTTP 503');
    expect(waiting.sort()).toEqual(['first', 'second']);
  });

  it('joins the answers, puts dropped names back and says each warning once', async () => {
    const fetched = await fetchFrom(
      ({ form }) =>
      matrix([{ metric: { job: form.get('query') }, values: [[1, '1'], [2, 'NaN']] }], ['partial']) // prettier-ignore
    );
    expect(fetched).toEqual({
      kind: 'fetched',
      series: [
        { labels: { job: 'first' }, timesMs: [1000], values: [1] },
        { labels: { job: 'second', __name__: 'given' }, timesMs: [1000], values: [1] },
      ],
      dropped: 2,
      warnings: ['partial'],
    });
  });

  const refusal = (status: number, error: string, errorType = 'execution'): Reply => ({
    status,
    body: { status: 'error', errorType, error },
  });

  it.each<[string, Reply, readonly string[]]>([
    ['a query that it cannot read', refusal(400, '1:9: parse error: x.', 'bad_data'), ['400, bad_data', 'parse error: x.', '--match']], // prettier-ignore
    ['too much', refusal(422, 'query processing would load too many samples'), ['422', 'Shorten --range']],
    ['a query that takes too long', refusal(503, 'query timed out in expression evaluation'), ['Shorten --range']],
    ['a broken store', refusal(500, 'disk on fire'), ['HTTP 500', 'disk on fire', 'log of Prometheus']],
    ['no right', { status: 401, body: 'who?' }, ['HTTP 401', 'credentials']],
    ['no Prometheus here', { status: 404, body: '<html>' }, ['HTTP 404', '/api/v1/query_range']],
    ['a dead backend', { status: 502, body: 'Bad Gateway' }, ['HTTP 502', 'is up']],
    ['a web page', { body: '<html>hello</html>' }, ['did not answer as Prometheus does', 'Check --prometheus']],
    ['cut JSON', { body: '{"status":"succ' }, ['did not answer as Prometheus does']],
    ['a login page', { status: 302, headers: { location: 'https://sso/x?t=secret' }, body: '' }, ['redirect (HTTP 302) to https://sso/x.', 'login']], // prettier-ignore
  ])('says in one line what is wrong: %s', async (_sentence, reply, parts) => {
    const line = failure(await fetchFrom(() => reply));
    parts.forEach((part) => expect(line).toContain(part));
    expect(line).not.toMatch(/\n|secret|u:p/);
  });

  it('goes on without an optional query that is refused, and warns', async () => {
    fake = await startFake(({ form }) =>
      form.get('query') === 'third'
        ? refusal(422, 'query processing would load too many samples')
        : matrix([{ metric: { __name__: 'x' }, values: [[1, '1']] }])
    );
    const queries = [...QUERIES, { id: 'c', expr: 'third', optional: true as const }];
    const fetched = await fetchSeries({ server: readServer(fake.url, []), range: RANGE, queries });
    expect(fetched).toMatchObject({
      kind: 'fetched',
      series: [{ labels: { __name__: 'x' } }, { labels: { __name__: 'x' } }],
      warnings: [expect.stringMatching(/^judged without its answer to "c": .*too many samples/)],
    });
  });

  it('gives up in time', async () => {
    const line = failure(await fetchFrom(() => undefined, 200));
    expect(line).toMatch(/did not answer within 0\.2 s\. Shorten --range/);
  });

  it('says that nobody listens', async () => {
    const closed = await startFake(() => matrix([]));
    await closed.close();
    const server = readServer(closed.url, []);
    expect(failure(await fetchSeries({ server, range: RANGE, queries: QUERIES }))).toBe(
      `${closed.url} refused the connection. Check host and port, and that Prometheus runs.`
    );
  });

  it('says that the server speaks no TLS', async () => {
    fake = await startFake(() => matrix([]));
    const server = readServer(fake.url.replace('http:', 'https:'), []);
    expect(failure(await fetchSeries({ server, range: RANGE, queries: QUERIES }))).toContain('does not speak TLS');
  });
});
