import React, { useState, type JSX } from 'react';
import { getBackendSrv } from '@grafana/runtime';
import { Button, useTheme2 } from '@grafana/ui';
import type { HostData } from '../hostWindow';
import { wordError } from '../unknown';

interface Outcome {
  failed: boolean;
  text: string;
}

/** Sets a fault in the attached simulator and says what came of it. */
export function FaultButtons({ faults }: Pick<HostData, 'faults'>): JSX.Element {
  const theme = useTheme2();
  const [busy, setBusy] = useState<string>();
  const [outcome, setOutcome] = useState<Outcome>();

  const setFault = async (name: string, label: string): Promise<void> => {
    setBusy(name);
    try {
      await getBackendSrv().post(`/host/faults/${name}`);
      setOutcome({ failed: false, text: `${label}: done at ${new Date().toLocaleTimeString()}` });
    } catch (error) {
      setOutcome({ failed: true, text: `${label}: failed, ${wordError(error)}` });
    }
    setBusy(undefined);
  };

  return (
    <>
      {faults.map(({ name, label }) => (
        <Button
          key={name}
          size="sm"
          variant="secondary"
          disabled={busy !== undefined}
          data-testid={`host-fault-${name}`}
          onClick={() => void setFault(name, label)}
        >
          {label}
        </Button>
      ))}
      <span
        role="status"
        data-testid="host-fault-result"
        style={outcome?.failed ? { color: theme.colors.error.text } : {}}
      >
        {outcome?.text}
      </span>
    </>
  );
}
