import { playFaults } from './matrix';
import { LOOPS } from './rows/loops';

playFaults(LOOPS);
