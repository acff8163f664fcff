import { playFaults } from './matrix';
import { HANDSHAKE } from './rows/handshake';

playFaults(HANDSHAKE);
