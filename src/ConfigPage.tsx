import { LinkButton, Stack, Text, TextLink } from '@grafana/ui';
import React, { type ReactElement } from 'react';

const SGLANG_DOCS = 'https://docs.sglang.ai/references/production_metrics.html';

/** Page of the app's settings: what the app brings and the two steps that make it work. */
export function ConfigPage(): ReactElement {
  return (
    <Stack direction="column" gap={2} alignItems="flex-start">
      <Text element="p">
        PD Flow shows a prefill/decode disaggregated SGLang deployment as one pipeline and names the stage that has
        stalled. It brings a data source, which reads through a Prometheus data source that you already have, and a
        panel.
      </Text>
      <Text element="h3">1. Let Prometheus scrape the engines</Text>
      <Text element="p">
        Start every SGLang server with --enable-metrics.{' '}
        <TextLink href={SGLANG_DOCS} external>
          SGLang&apos;s metrics
        </TextLink>
      </Text>
      <Text element="h3">2. Add the data source</Text>
      <Text element="p">
        While this app is enabled, &quot;PD Flow&quot; is in the list of new data sources. Choose your Prometheus data
        source in its settings, then add a PD Flow panel to a dashboard.
      </Text>
      <LinkButton href="connections/datasources/new" icon="plus">
        Add the data source
      </LinkButton>
    </Stack>
  );
}
