import { type Scenario, type ScenarioContext } from '../scenario';

const WATCHDOG_MS = 300_000;
const LOAD_MS = 40_000;

function wedge({ at, traffic, faults, prefill }: ScenarioContext, then: () => void): void {
  traffic.start();
  at(0, () =>
    faults.trouble(prefill, 'the next forward pass never returns', (troubles) => {
      troubles.onStuckPass = () => {
        faults.blockLoop(prefill);
        then();
      };
    })
  );
}

export const prefillWedged: Scenario = {
  name: 'prefill-wedged',
  summary: 'The first forward pass of prefill-0 after T0 never returns, and its watchdog is off.',
  minMinutes: 13,
  script: (context: ScenarioContext) => wedge(context, () => undefined),
};

export const prefillWatchdog: Scenario = {
  name: 'prefill-watchdog',
  summary: 'As prefill-wedged, but the watchdog kills the process after 300 s and a new one is there 40 s later.',
  minMinutes: 13,
  script: (context: ScenarioContext) => {
    const { faults, prefill, simulation } = context;
    wedge(context, () => simulation.after(WATCHDOG_MS, () => faults.restart(prefill, LOAD_MS)));
  },
};
