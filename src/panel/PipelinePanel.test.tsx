import {
  dateTime,
  EventBusSrv,
  FieldType,
  LoadingState,
  toDataFrame,
  type DataFrame,
  type PanelData,
  type PanelProps,
} from '@grafana/data';
import { act, fireEvent, render, screen, within } from '@testing-library/react';
import React from 'react';
import type { RawSeries } from '../pipeline/model';
import { clock, decodeFlow, endOf, engine, prefillFlow, until } from '../testing/traces';
import { DEFAULT_OPTIONS, type PanelOptions } from './options';
import { PipelinePanel } from './PipelinePanel';
import { testIds } from './testIds';

const AT = clock(30);
const STALLED_AT = 60;

function flowing(prefix = ''): RawSeries[] {
  return [
    ...engine(AT, { id: `${prefix}p:30000`, role: 'prefill', counters: prefillFlow(3) }),
    ...engine(AT, { id: `${prefix}d:30002`, role: 'decode', counters: decodeFlow(3) }),
  ];
}

/** Requests go on arriving; from one scrape on, decode concludes no transfer. */
function stalled(): RawSeries[] {
  const decode = {
    ...decodeFlow(until(STALLED_AT, 3)),
    httpRequests: 3,
    received: 3,
    admitted: 3,
  };
  return [
    ...engine(AT, {
      id: 'p:30000',
      role: 'prefill',
      counters: {
        ...prefillFlow(3),
        handedOver: until(STALLED_AT, 3),
        kvTransfers: until(STALLED_AT, 3),
        finished: until(STALLED_AT, 3),
      },
    }),
    ...engine(AT, { id: 'd:30002', role: 'decode', counters: decode }),
  ];
}

function frames(series: readonly RawSeries[]): DataFrame[] {
  return series.map(({ labels, timesMs, values }) =>
    toDataFrame({
      fields: [
        { name: 'Time', type: FieldType.time, values: [...timesMs] },
        { name: 'Value', type: FieldType.number, values: [...values], labels: { ...labels } },
      ],
    })
  );
}

interface Given {
  readonly series?: readonly DataFrame[];
  readonly state?: LoadingState;
  readonly errors?: PanelData['errors'];
  readonly options?: Partial<PanelOptions>;
  readonly live?: boolean;
  readonly startTime?: number;
}

function panel({
  series = [],
  state = LoadingState.Done,
  errors,
  options,
  live,
  startTime,
}: Given): React.ReactElement {
  const to = dateTime(endOf(AT));
  const from = dateTime(AT.startMs);
  const timeRange = { from, to, raw: { from: 'now-30m', to: live ? 'now' : to } };
  const data: PanelData = {
    series: [...series],
    state,
    errors,
    timeRange,
    request: startTime === undefined ? undefined : { ...REQUEST, startTime, range: timeRange },
  };
  const props: PanelProps<PanelOptions> = {
    id: 1,
    data,
    timeRange,
    timeZone: 'utc',
    options: { ...DEFAULT_OPTIONS, ...options },
    fieldConfig: { defaults: {}, overrides: [] },
    width: 1280,
    height: 720,
    transparent: false,
    renderCounter: 0,
    title: '',
    eventBus: new EventBusSrv(),
    onOptionsChange: () => undefined,
    onFieldConfigChange: () => undefined,
    replaceVariables: (value) => value,
    onChangeTimeRange: () => undefined,
  };
  return <PipelinePanel {...props} />;
}

const REQUEST = {
  app: 'dashboard',
  requestId: 'Q1',
  timezone: 'utc',
  interval: '15s',
  intervalMs: 15_000,
  scopedVars: {},
  targets: [],
};

describe('plain Prometheus data', () => {
  it('of a stalled transfer names it, with its culprit', () => {
    render(panel({ series: frames(stalled()) }));
    expect(screen.getByTestId(testIds.headline)).toHaveTextContent(/KV transfer stalled for/);
    expect(screen.getByTestId(testIds.stage('decode.transfer'))).toHaveAttribute('data-part', 'culprit');
    expect(screen.getByTestId(testIds.strip).querySelector('[data-part="culprit"]')).toBeInTheDocument();
  });

  it('of a flowing pipeline is calm', () => {
    render(panel({ series: frames(flowing()) }));
    expect(screen.getByTestId(testIds.headline)).toHaveTextContent(/^Flowing/);
    expect(document.querySelector('[data-part="culprit"]')).toBeNull();
  });
});

describe('data without a pipeline', () => {
  it('is explained: what is expected and what to do', () => {
    render(panel({}));
    expect(screen.getByTestId(testIds.message)).toHaveTextContent(
      /returned no series.*Expected: the metrics of SGLang.*Use a query/s
    );
  });

  it('from other programs is explained as well', () => {
    const other = { labels: { __name__: 'node_load1', instance: 'x' }, timesMs: [AT.startMs], values: [1] };
    render(panel({ series: frames([other]) }));
    expect(screen.getByTestId(testIds.message)).toHaveTextContent('No pipeline in the data');
  });

  it('because the query failed says so', () => {
    render(panel({ state: LoadingState.Error, errors: [{ message: 'bad gateway', refId: 'A' }] }));
    expect(screen.getByTestId(testIds.message)).toHaveTextContent(
      /Query A failed: bad gateway\.\s*Open the query inspector/
    );
  });

  it('that is on its way for the first time says that', () => {
    render(panel({ state: LoadingState.Loading }));
    expect(screen.getByTestId(testIds.message)).toHaveTextContent('Waiting for data');
  });
});

describe('while and after loading', () => {
  it('the last picture stays until the next one is there', () => {
    const { rerender } = render(panel({ series: frames(stalled()) }));
    rerender(panel({ state: LoadingState.Loading }));
    expect(screen.getByTestId(testIds.headline)).toHaveTextContent(/stalled/);
    rerender(panel({ state: LoadingState.Done }));
    expect(screen.queryByTestId(testIds.headline)).toBeNull();
  });

  it('a part that failed stands beside the part that came', () => {
    render(panel({ series: frames(stalled()), errors: [{ message: 'timeout' }] }));
    expect(screen.getByTestId(testIds.problems)).toHaveTextContent('Query failed: timeout.');
    expect(screen.getByTestId(testIds.headline)).toHaveTextContent(/stalled/);
  });
});

describe('several pipelines', () => {
  const two = [
    ...stalled(),
    ...flowing('b-').map((one) => ({ ...one, labels: { ...one.labels, model_name: 'other' } })),
  ];

  it('the worst is shown, another can be chosen', () => {
    render(panel({ series: frames(two) }));
    expect(screen.getByTestId(testIds.headline)).toHaveTextContent(/stalled/);
    const buttons = within(screen.getByTestId(testIds.tabs)).getAllByRole('button');
    expect(buttons).toHaveLength(2);
    const [, second] = buttons;
    if (second) {
      fireEvent.click(second);
    }
    expect(screen.getByTestId(testIds.headline)).toHaveTextContent(/^Flowing/);
  });

  it('one that is not there is said to be missing', () => {
    render(panel({ series: frames(two), options: { pipeline: 'gone' } }));
    expect(screen.getByTestId(testIds.problems)).toHaveTextContent('The pipeline "gone" is not in the data.');
  });
});

/** The last of six refreshes is at the end of the data. */
function refreshEvery(paceMs: number, series: readonly DataFrame[]): ReturnType<typeof render> {
  const starts = [5, 4, 3, 2, 1, 0].map((back) => endOf(AT) - back * paceMs);
  const [first, ...rest] = starts.map((startTime) => panel({ series, live: true, startTime }));
  const rendered = render(first ?? <></>);
  rest.forEach((element) => rendered.rerender(element));
  return rendered;
}

describe('the age of the data', () => {
  beforeEach(() => jest.useFakeTimers({ now: endOf(AT) + 3000 }));
  afterEach(() => jest.useRealTimers());

  it('grows by itself, and after three missed refreshes the picture is lost', () => {
    const series = frames(flowing());
    refreshEvery(10_000, series);
    expect(screen.getByTestId(testIds.dataAge)).toHaveTextContent('· 3 s ago');
    act(() => jest.advanceTimersByTime(5000));
    expect(screen.getByTestId(testIds.dataAge)).toHaveTextContent('· 8 s ago');
    expect(screen.queryByTestId(testIds.veil)).toBeNull();
    // Scrapes are 15 s apart, refreshes 10 s: three of the slower are 45 s.
    act(() => jest.advanceTimersByTime(38_000));
    expect(screen.getByTestId(testIds.headline)).toHaveTextContent(/^LOST: no data since/);
    expect(screen.getByTestId(testIds.veil)).toBeInTheDocument();
  });

  it('is measured in the refreshes of the dashboard, whatever is refreshed by hand in between', () => {
    const series = frames(flowing());
    const { rerender } = refreshEvery(60_000, series);
    rerender(panel({ series, live: true, startTime: endOf(AT) + 2000 }));
    act(() => jest.advanceTimersByTime(120_000));
    expect(screen.queryByTestId(testIds.veil)).toBeNull();
    act(() => jest.advanceTimersByTime(60_000));
    expect(screen.getByTestId(testIds.veil)).toBeInTheDocument();
  });

  it('does not count in a range that has ended', () => {
    render(panel({ series: frames(flowing()) }));
    act(() => jest.advanceTimersByTime(3_600_000));
    expect(screen.getByTestId(testIds.dataAge)).not.toHaveTextContent('ago');
    expect(screen.queryByTestId(testIds.veil)).toBeNull();
  });

  it('never veils when told not to', () => {
    const series = frames(flowing());
    render(panel({ series, live: true, startTime: endOf(AT), options: { veilAfter: 0 } }));
    act(() => jest.advanceTimersByTime(3_600_000));
    expect(screen.queryByTestId(testIds.veil)).toBeNull();
  });

  it('leaves no timer behind', () => {
    const { unmount } = render(panel({ series: frames(flowing()), live: true }));
    unmount();
    expect(jest.getTimerCount()).toBe(0);
  });
});
