import { playFaults } from './matrix';
import { ENGINES } from './rows/engines';

playFaults(ENGINES);
