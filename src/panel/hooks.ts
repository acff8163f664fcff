import type { PanelData } from '@grafana/data';
import { useEffect, useState } from 'react';
import { isPending, PACE_GAPS } from './judgement';

/** The newest data that is an answer; while the next one is on its way, the last one. */
export function useAnswered(data: PanelData): PanelData {
  const [answered, setAnswered] = useState(data);
  const next = isPending(data) ? answered : data;
  if (next !== answered) {
    setAnswered(next);
  }
  return next;
}

/** Times between the last requests, newest last, as many as are needed to know the pace of refreshes. */
export function useRefreshGaps(data: PanelData): readonly number[] {
  const startMs = data.request?.startTime;
  const [seen, setSeen] = useState<{ startMs?: number; gapsMs: readonly number[] }>({ startMs, gapsMs: [] });
  if (startMs !== undefined && startMs !== seen.startMs) {
    const gapsMs = seen.startMs === undefined ? [] : [...seen.gapsMs, Math.abs(startMs - seen.startMs)];
    setSeen({ startMs, gapsMs: gapsMs.slice(-PACE_GAPS) });
  }
  return seen.gapsMs;
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
