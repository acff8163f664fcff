import { duration } from '../../pipeline';
import React, { useEffect, useState } from 'react';
import type { Rect } from '../../pipeline/layout';
import { testIds } from '../testIds';
import type { Formats } from './formats';
import type { Paint } from './paint';
import { Words } from './Words';

interface Props {
  readonly dataAsOfMs: number | undefined;
  /** The range ends at the present: the age of the data counts. */
  readonly live: boolean;
  /** Told here where there is no line of its own for them. */
  readonly problemCount: number;
  readonly rect: Rect;
  readonly align: 'start' | 'end';
  readonly formats: Formats;
  readonly paint: Paint;
}

/** Proves that the panel is alive. The only thing that changes without new data, once a second. */
export function DataAge({ dataAsOfMs, live, problemCount, rect, align, formats, paint }: Props): React.ReactElement {
  const nowMs = useEverySecond(live);
  const since = dataAsOfMs === undefined ? 'no data yet' : `data as of ${formats.time(dataAsOfMs)}`;
  const age = live && dataAsOfMs !== undefined ? ` · ${duration(nowMs - dataAsOfMs)} ago` : '';
  const problems = problemCount > 0 ? ` · ${problemCount} data ${problemCount === 1 ? 'problem' : 'problems'}` : '';
  return (
    <Words
      text={since + age + problems}
      rect={rect}
      size={13}
      align={align}
      color={paint.secondary}
      testId={testIds.dataAge}
    />
  );
}

function useEverySecond(enabled: boolean): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    if (!enabled) {
      return;
    }
    const timer = setInterval(() => setNowMs(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [enabled]);
  return nowMs;
}
