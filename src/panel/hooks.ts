import type { PanelData } from '@grafana/data';
import { useEffect, useState } from 'react';
import { isPending } from './judgement';

/** The newest data that is an answer; while the next one is on its way, the last one. */
export function useAnswered(data: PanelData): PanelData {
  const [answered, setAnswered] = useState(data);
  const next = isPending(data) ? answered : data;
  if (next !== answered) {
    setAnswered(next);
  }
  return next;
}

/** Time between the last two requests; `undefined` until there were two. */
export function useRefreshMs(data: PanelData): number | undefined {
  const startMs = data.request?.startTime;
  const [pace, setPace] = useState<{ startMs?: number; gapMs?: number }>({ startMs });
  if (startMs !== undefined && startMs !== pace.startMs) {
    setPace({ startMs, gapMs: pace.startMs === undefined ? undefined : Math.abs(startMs - pace.startMs) });
  }
  return pace.gapMs;
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Turns true when the clock passes the deadline, and false with a later one. */
export function usePassed(deadlineMs: number | undefined): boolean {
  const [checkedMs, setCheckedMs] = useState(() => Date.now());
  useEffect(() => {
    if (deadlineMs === undefined) {
      return;
    }
    const wait = Math.min(Math.max(0, deadlineMs - Date.now()), LONGEST_TIMER_MS);
    const timer = setTimeout(() => setCheckedMs(Date.now()), wait);
    return () => clearTimeout(timer);
  }, [deadlineMs]);
  return deadlineMs !== undefined && deadlineMs <= checkedMs;
}
