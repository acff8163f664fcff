import { FieldType, type DataFrame } from '@grafana/data';
import type { Hypothesis, PipelineEvaluation, StageReading, Timeline } from '../pipeline/model';
import { eventsFrame, readEventsFrame } from './eventsFrame';
import { hypothesesFrame } from './hypothesesFrame';
import { stagesFrame } from './stagesFrame';
import { timelineFrame } from './timelineFrame';

const columns = (frame: DataFrame): Record<string, unknown[]> =>
  Object.fromEntries(frame.fields.map(({ name, values }) => [name, values]));

const transfer: StageReading = {
  stage: 'decode.transfer',
  engine: '',
  state: 'stalled',
  reason: 'No transfer has concluded.',
  depth: { source: 'balance', value: 3 },
  arrivalsPerSec: 0,
  parkedSinceMs: 5000,
  windowMs: 45_000,
  completeness: 1,
};
const zombie: Hypothesis = {
  kind: 'zombie-requests',
  status: 'refuted',
  name: 'Zombie requests',
  text: 'Nothing runs.',
  evidence: [
    { text: 'no decode step', signal: 'sglang:realtime_tokens_total', engine: 'd:1' },
    { text: 'gauge is stale', signal: 'sglang:num_running_reqs' },
  ],
};
const evaluation: PipelineEvaluation = {
  id: 'prod',
  atMs: 9000,
  verdict: {
    kind: 'transfer-stalled',
    severity: 'critical',
    headline: '',
    detail: '',
    completeness: 1,
    evidence: [],
    alternatives: [],
    knownDefects: [],
  },
  findings: [],
  hypotheses: [zombie],
  stages: [{ ...transfer, part: 'culprit', engines: [{ ...transfer, engine: 'd:1', depth: { source: 'none' } }] }],
  engines: [],
  contradictions: [],
  metrics: { seen: [], missing: [], notInRelease: [] },
};

describe('tables', () => {
  it('hypotheses: what was ruled out, and on which series', () => {
    expect(columns(hypothesesFrame(evaluation))).toEqual({
      pipeline: ['prod'],
      hypothesis: ['Zombie requests'],
      status: ['refuted'],
      because: ['Nothing runs.'],
      evidence: ['no decode step (sglang:realtime_tokens_total, d:1) · gauge is stale (sglang:num_running_reqs)'],
    });
  });

  it('stages: the sum first, then its engines; what is not known is null, never 0', () => {
    const frame = stagesFrame(evaluation);
    expect(columns(frame)).toMatchObject({
      stage: ['decode.transfer', 'decode.transfer'],
      engine: ['all', 'd:1'],
      part: ['culprit', 'culprit'],
      depth: [3, null],
      in: [0, 0],
      out: [null, null],
      'parked since': [5000, 5000],
      'last progress': [null, null],
    });
    expect(frame.fields.map(({ config }) => config.unit).filter(Boolean)).toEqual([
      'short',
      'reqps',
      'reqps',
      'ms',
      'percentunit',
    ]);
    expect(frame.fields.filter(({ type }) => type === FieldType.time).map(({ name }) => name)).toEqual([
      'parked since',
      'last progress',
    ]);
  });

  it('events: read back as they were written, foreign rows skipped', () => {
    const events: Timeline['events'] = [
      { kind: 'abort-burst', atMs: 1000, engine: 'd:1', stage: 'decode.running', size: 8, text: '8 aborts' },
      { kind: 'recovery', atMs: 2000, text: 'Recovered' },
    ];
    const frame = eventsFrame('prod', { fromMs: 0, toMs: 9000, verdicts: [], stages: [], events });
    expect(columns(frame).size).toEqual([8, null]);
    expect(readEventsFrame(frame)).toEqual([
      { pipeline: 'prod', kind: 'abort-burst', atMs: 1000, text: '8 aborts', stage: 'decode.running', engine: 'd:1' },
      { pipeline: 'prod', kind: 'recovery', atMs: 2000, text: 'Recovered', stage: undefined, engine: undefined },
    ]);
    expect(readEventsFrame({ fields: [], length: 3 })).toEqual([]);
  });

  it('timeline: a row wherever anything changes, null in gaps and at the end', () => {
    const timeline: Timeline = {
      fromMs: 0,
      toMs: 40,
      verdicts: [
        { fromMs: 0, toMs: 20, kind: 'healthy', severity: 'none' },
        { fromMs: 20, toMs: 40, kind: 'transfer-stalled', severity: 'critical' },
      ],
      stages: [
        {
          stage: 'decode.transfer',
          spans: [
            { fromMs: 0, toMs: 10, state: 'flowing', part: 'none' },
            { fromMs: 20, toMs: 40, state: 'stalled', part: 'culprit' },
          ],
        },
        { stage: 'decode.running', spans: [] },
      ],
      events: [],
    };
    expect(columns(timelineFrame('prod', timeline))).toEqual({
      time: [0, 10, 20, 40],
      verdict: ['healthy', 'healthy', 'transfer-stalled', null],
      'decode.transfer': ['flowing', null, 'stalled', null],
      'decode.running': [null, null, null, null],
    });
  });

  it('timeline: nothing judged is one row of nulls', () => {
    const frame = timelineFrame('prod', { fromMs: 0, toMs: 40, verdicts: [], stages: [], events: [] });
    expect(columns(frame)).toEqual({ time: [40], verdict: [null] });
  });
});
