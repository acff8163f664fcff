import React, { type JSX } from 'react';
import { Alert } from '@grafana/ui';

export function UnknownPanel({ id }: { id: string }): JSX.Element {
  return (
    <Alert severity="info" title={`Panel type "${id}" is not in the embedded host`}>
      Open this dashboard in Grafana to see it.
    </Alert>
  );
}
