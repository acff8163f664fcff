/** The recorded facts on disk: sorted JSON without times or paths, and a readable difference. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

export function encodeFacts(facts) {
  return `${JSON.stringify(sortKeys(facts), null, 2)}\n`;
}

export async function writeFacts(file, facts) {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, encodeFacts(facts));
}

/** Lines such as `- scheduler.sglang:x.type: "gauge"` and `+ …: "counter"`; empty when nothing differs. */
export async function compareFacts(file, facts) {
  let recorded;
  try {
    recorded = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    return [`! ${error.code === 'ENOENT' ? 'not recorded yet' : error.message}`];
  }
  const [before, now] = [leaves(recorded), leaves(JSON.parse(encodeFacts(facts)))];
  const removed = [...before].filter(([path, value]) => now.get(path) !== value);
  const added = [...now].filter(([path, value]) => before.get(path) !== value);
  return [
    ...removed.map(([path, value]) => `- ${path}: ${value}`),
    ...added.map(([path, value]) => `+ ${path}: ${value}`),
  ].sort((one, other) => one.slice(2).localeCompare(other.slice(2)));
}

/** Every leaf by its path; a list of plain values is one leaf. */
function leaves(value, path = '', found = new Map()) {
  const isBranch = value !== null && typeof value === 'object' && !Array.isArray(value);
  if (isBranch && Object.keys(value).length > 0) {
    for (const [key, child] of Object.entries(value)) {
      leaves(child, path === '' ? key : `${path}.${key}`, found);
    }
  } else {
    found.set(path, JSON.stringify(value));
  }
  return found;
}

function sortKeys(value) {
  if (Array.isArray(value)) {
    return value.map(sortKeys);
  }
  if (value === null || typeof value !== 'object') {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, child]) => [key, sortKeys(child)])
  );
}
