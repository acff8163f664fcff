import { type Request } from '../request';
import { type Scenario, type ScenarioContext } from '../scenario';

const BORN_S = [0, 64, 163] as const;

/** #36876: the abort is lost before the scheduler hears of it; the request decodes for ever and nobody reads it. */
function bear({ at, deployment, faults, router, decode }: ScenarioContext, bornS: number): void {
  const via = { decode: decode.instance };
  const asked: Request[] = [];
  at(bornS - 6, () => asked.push(deployment.clients.send({ promptTokens: 500, outputTokens: 4_000, via })));
  at(bornS, () => {
    for (const request of asked) {
      request.isZombie = true;
      router.drop(request);
      faults.trouble(decode, `request ${request.id} decodes for ever without a client`, () => undefined);
    }
  });
}

export const zombiesAlone: Scenario = {
  name: 'zombies-alone',
  summary: 'From T0 on 3 requests decode on decode-0 for ever without a client, and nobody else asks anything.',
  minMinutes: 13,
  script: (context: ScenarioContext) => {
    context.traffic.start();
    context.at(-20, () => context.traffic.pause());
    BORN_S.forEach(() => bear(context, 0));
  },
};

export const zombiesAmongTraffic: Scenario = {
  name: 'zombies-among-traffic',
  summary: 'At T0, T0 + 64 s and T0 + 163 s a zombie is born on decode-0; everybody else is served.',
  minMinutes: 13,
  script: (context: ScenarioContext) => {
    context.traffic.start();
    BORN_S.forEach((bornS) => bear(context, bornS));
  },
};
