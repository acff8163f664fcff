import type { AdHocVariableFilter, ScopedVars } from '@grafana/data';
import { getTemplateSrv } from '@grafana/runtime';

/**
 * Matchers with the variables replaced by their present values, as the Prometheus data source would do it: several
 * values become a regular expression. Only needed where a query leaves its dashboard (Explore); see `encodeRequest`.
 */
export function interpolateMatchers(matchers: string, scopedVars: ScopedVars): string {
  return getTemplateSrv().replace(matchers, scopedVars, formatValue);
}

/** Ad hoc filters as matchers behind those given; Grafana's operators are those of PromQL, apart from "one of". */
export function addFilters(matchers: string, filters: readonly AdHocVariableFilter[]): string {
  return [matchers.trim(), ...filters.map(encodeFilter)].filter((part) => part !== '').join(', ');
}

function encodeFilter({ key, operator, value, values }: AdHocVariableFilter): string {
  const listed = operator === '=|' ? '=~' : operator === '!=|' ? '!~' : undefined;
  const text = listed ? (values ?? [value]).map(escapeRegex).join('|') : value;
  return `${key}${listed ?? operator}"${escapeText(text)}"`;
}

function formatValue(value: unknown): string {
  if (!Array.isArray(value)) {
    return escapeText(String(value));
  }
  const parts = value.map((one) => escapeText(escapeRegex(String(one))));
  return parts.length === 1 ? parts.join('') : `(${parts.join('|')})`;
}

function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

function escapeText(text: string): string {
  return text.replace(/\\/g, '\\\\').replace(/"/g, '\\"');
}
