import { playFaults } from './matrix';
import { ABORTS } from './rows/aborts';

playFaults(ABORTS);
