import { type Role } from '../rankLabels';
import { type Scenario, type ScenarioContext } from '../scenario';

const DOWN_MS = 20_000;
const BREATH_MS = 10_000;
const FIRST_S = -60;

/**
 * One engine after the other: it gets nothing new, finishes what it has, is replaced within 20 s and taken back.
 * A pool of one gets a second engine for that time. No request is lost.
 */
function roll({ at, simulation, traffic, faults, deployment, truth }: ScenarioContext, role: Role): void {
  traffic.start();
  at(FIRST_S, () => {
    const pool = deployment.engines.filter((engine) => engine.role === role);
    const substitute = pool.length > 1 ? undefined : deployment.addEngine(role);
    if (substitute !== undefined) {
      truth.note({ kind: 'added', atMs: simulation.nowMs, engine: substitute.instance });
    }
    const next = (): void => {
      const engine = pool.shift();
      if (engine !== undefined) {
        faults.redeploy(engine, DOWN_MS, () => simulation.after(BREATH_MS, next));
      } else if (substitute !== undefined) {
        faults.remove(deployment, substitute);
      }
    };
    simulation.after(BREATH_MS, next);
  });
}

export const rollingRestartDecode: Scenario = {
  name: 'rolling-restart-decode',
  summary: 'Healthy: from T0 - 50 s on every decode engine in turn is drained, restarted within 20 s and taken back.',
  minMinutes: 13,
  script: (context: ScenarioContext) => roll(context, 'decode'),
};

export const rollingRestartPrefill: Scenario = {
  name: 'rolling-restart-prefill',
  summary: 'Healthy: from T0 - 50 s on every prefill engine in turn is drained, restarted within 20 s and taken back.',
  minMinutes: 13,
  script: (context: ScenarioContext) => roll(context, 'prefill'),
};
