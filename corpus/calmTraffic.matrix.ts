import { playCalm } from './matrix';
import { CALM_TRAFFIC } from './rows/calm';

playCalm(CALM_TRAFFIC);
