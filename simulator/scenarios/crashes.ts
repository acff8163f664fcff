import { type Scenario } from '../scenario';

export const prefillCrash: Scenario = {
  name: 'prefill-crash',
  summary: 'The process of prefill-0 is gone at T0, and nobody starts it again.',
  minMinutes: 13,
  script: ({ at, traffic, faults, prefill }) => {
    traffic.start();
    at(0, () => faults.crash(prefill));
  },
};

export const decodeCrash: Scenario = {
  name: 'decode-crash',
  summary: 'The process of decode-0 is gone at T0, and nobody starts it again.',
  minMinutes: 13,
  script: ({ at, traffic, faults, decode }) => {
    traffic.start();
    at(0, () => faults.crash(decode));
  },
};
