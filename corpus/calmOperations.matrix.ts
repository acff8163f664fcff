import { playCalm } from './matrix';
import { CALM_OPERATIONS } from './rows/calm';

playCalm(CALM_OPERATIONS);
