import React from 'react';
import type { EdgeLayout, PipelineLayout } from '../../pipeline/layout';
import type { StageId, StageSummary } from '../../pipeline/model';
import type { Formats } from './formats';
import { hueOf, type Hue, type Paint } from './paint';
import type { Instant } from './stageView';
import { textWidth } from './text';
import { Words } from './Words';

interface Props {
  readonly layout: PipelineLayout;
  readonly stages: ReadonlyMap<StageId, StageSummary>;
  readonly instant: Instant;
  readonly paint: Paint;
}

/** The passages between the stages, and the two places where the lanes meet. */
export function Edges({ layout, stages, instant, paint }: Props): React.ReactElement {
  const { handshake, kv, delivered } = layout;
  const running = stages.get('decode.running');
  return (
    <g aria-hidden="true">
      {layout.edges.map((edge) => (
        <Edge key={`${edge.from}>${edge.to}`} edge={edge} moving={movement(stages.get(edge.from))} paint={paint} />
      ))}
      {handshake && <Handshake edge={handshake} stages={stages} instant={instant} paint={paint} />}
      {kv && <KvTransfer edge={kv} stages={stages} instant={instant} paint={paint} />}
      {delivered && (
        <>
          <Words
            text={running?.departuresPerSec === undefined ? '?' : instant.formats.rate(running.departuresPerSec)}
            rect={{ ...delivered, height: 18 }}
            size={13}
            bold
            align="end"
            color={paint.text}
          />
          <Words
            text="delivered"
            rect={{ ...delivered, y: delivered.y + 34, height: 16 }}
            align="end"
            color={paint.secondary}
          />
        </>
      )}
    </g>
  );
}

type Movement = 'moving' | 'still' | 'unknown';

function movement(stage: StageSummary | undefined): Movement {
  if (stage?.departuresPerSec === undefined || stage.state === 'unknown' || stage.state === 'lost') {
    return 'unknown';
  }
  return stage.departuresPerSec > 0 ? 'moving' : 'still';
}

const DASHES: Readonly<Record<Movement, string | undefined>> = { moving: undefined, still: '2 5', unknown: '7 5' };

/** Solid while something passes, dotted when nothing does, dashed when nobody knows. */
function Edge({ edge, moving, paint }: { edge: EdgeLayout; moving: Movement; paint: Paint }): React.ReactElement {
  const head = 7;
  const { x1, y1, x2, y2 } = edge;
  const right = y1 === y2;
  const end = right ? `${x2 - head} ${y2}` : `${x2} ${y2 - head}`;
  const wing = right
    ? `M${x2 - head - 1} ${y2 - 5}L${x2 - 1} ${y2}L${x2 - head - 1} ${y2 + 5}z`
    : `M${x2 - 5} ${y2 - head - 1}L${x2} ${y2 - 1}L${x2 + 5} ${y2 - head - 1}z`;
  const waits = edge.label && edge.from === 'decode.prealloc';
  return (
    <g data-movement={moving}>
      <path
        d={`M${x1} ${y1}L${end}`}
        stroke={paint.line}
        strokeWidth={moving === 'moving' ? 3 : 1.75}
        strokeDasharray={DASHES[moving]}
        fill="none"
      />
      <path d={wing} fill={paint.line} />
      {waits && edge.label && (
        <Words text="metadata sent, waits for KV" rect={edge.label} align="middle" color={paint.secondary} />
      )}
    </g>
  );
}

interface LinkProps {
  readonly edge: EdgeLayout;
  readonly stages: ReadonlyMap<StageId, StageSummary>;
  readonly instant: Instant;
  readonly paint: Paint;
}

function Handshake({ edge, stages, instant, paint }: LinkProps): React.ReactElement {
  const ends = [stages.get('prefill.bootstrap'), stages.get('decode.prealloc')];
  const hue = culpritHue(ends, instant, paint);
  const moving = movement(stages.get('decode.prealloc'));
  const word = { moving: 'handshake', still: 'handshake still', unknown: 'handshake ?' }[moving];
  const color = hue?.strong ?? paint.line;
  return (
    <>
      <path
        d={`M${edge.x1} ${edge.y1}L${edge.x2} ${edge.y2}`}
        stroke={color}
        strokeWidth={3}
        strokeDasharray={DASHES[moving]}
      />
      {edge.label && <LinkLabel edge={edge} lines={[word]} color={hue?.strong ?? paint.secondary} paint={paint} />}
    </>
  );
}

/** One transfer seen from two ends: two parallel lines, in the culprit's colour when it is the broken link. */
function KvTransfer({ edge, stages, instant, paint }: LinkProps): React.ReactElement {
  const transfer = stages.get('decode.transfer');
  const hue = culpritHue([stages.get('prefill.inflight'), transfer], instant, paint);
  const moving = movement(transfer);
  const { x1, y1, x2, y2 } = edge;
  const [dx, dy] = y1 === y2 ? [0, 6] : [6, 0];
  const path = `M${x1 - dx} ${y1 - dy}L${x2 - dx} ${y2 - dy}M${x1 + dx} ${y1 + dy}L${x2 + dx} ${y2 + dy}`;
  const color = hue?.strong ?? paint.line;
  return (
    <>
      <path
        d={path}
        stroke={color}
        strokeWidth={hue ? 4 : 3}
        strokeDasharray={moving === 'moving' ? undefined : '9 6'}
        fill="none"
      />
      {edge.label && (
        <LinkLabel
          edge={edge}
          lines={transferWords(transfer, moving, instant.formats).slice(edge.label.height < 30 ? 1 : 0)}
          color={hue?.strong ?? paint.secondary}
          paint={paint}
        />
      )}
    </>
  );
}

/** Two lines; the second can stand alone. */
function transferWords(transfer: StageSummary | undefined, moving: Movement, formats: Formats): readonly string[] {
  if (transfer === undefined || moving === 'unknown') {
    return ['KV transfer', 'KV unknown'];
  }
  if (moving === 'moving') {
    return ['KV transfer', `KV ${formats.rate(transfer.departuresPerSec ?? 0)}`];
  }
  const since = transfer.lastProgressMs;
  return ['KV transfer', since === undefined ? 'no KV concluded' : `no KV since ${formats.time(since)}`];
}

function culpritHue(ends: ReadonlyArray<StageSummary | undefined>, instant: Instant, paint: Paint): Hue | undefined {
  return ends.some((stage) => stage?.part === 'culprit') ? hueOf(instant.severity, paint) : undefined;
}

interface LabelProps {
  readonly edge: EdgeLayout;
  readonly lines: readonly string[];
  readonly color: string;
  readonly paint: Paint;
}

function LinkLabel({ edge, lines, color, paint }: LabelProps): React.ReactElement | null {
  if (!edge.label) {
    return null;
  }
  const { x, y, width, height } = edge.label;
  const wanted = Math.max(...lines.map((line) => textWidth(line, { size: 12, bold: true }))) + 8;
  const ground = { x: x + (width - wanted) / 2, y: y - 1, width: wanted, height: height + 2 };
  const row = height / lines.length;
  return (
    <>
      <rect {...ground} fill={paint.background} />
      {lines.map((line, index) => (
        <Words
          key={index}
          text={line}
          rect={{ ...ground, y: y + index * row, height: row }}
          align="middle"
          bold={index === 0 && lines.length > 1}
          color={color}
        />
      ))}
    </>
  );
}
