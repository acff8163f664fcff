import React, { type JSX } from 'react';
import { renderMarkdown, type PanelProps } from '@grafana/data';
import { StandIn } from './StandIn';

export interface TextOptions {
  content?: string;
  mode?: string;
}

export function TextStandIn({ options, replaceVariables }: PanelProps<TextOptions>): JSX.Element {
  const html = renderMarkdown(replaceVariables(options.content ?? '')); // sanitizes its result
  return (
    <StandIn name="text">
      <div className="markdown-html" dangerouslySetInnerHTML={{ __html: html }} />
    </StandIn>
  );
}
