import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
export const HOST = join(ROOT, 'host');
/** Private copies of programs, stamps and run-time data; ignored by git and safe to delete. */
export const CACHE = join(ROOT, '.cache');
