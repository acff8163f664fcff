import { playFaults } from './matrix';
import { ROUTING } from './rows/routing';

playFaults(ROUTING);
