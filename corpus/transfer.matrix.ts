import { playFaults } from './matrix';
import { TRANSFER } from './rows/transfer';

playFaults(TRANSFER);
