import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { extname, join, sep } from 'node:path';
import { HttpError } from './http';

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.woff2': 'font/woff2',
};

/** Sends a file of a folder; a path that leaves the folder, by dots or by a link, is "not found". */
export async function sendFile(res: ServerResponse, folder: string, relative: string): Promise<void> {
  const file = await findInside(folder, relative);
  const size = file === undefined ? undefined : (await stat(file)).size;
  if (file === undefined || size === undefined) {
    throw new HttpError(404, `No such file: ${relative}`);
  }
  res.writeHead(200, {
    'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
    'content-length': size,
    'cache-control': 'no-cache',
  });
  await new Promise<void>((resolve, reject) => {
    const stream = createReadStream(file);
    stream.on('error', reject);
    res.on('close', resolve);
    stream.pipe(res);
  });
}

async function findInside(folder: string, relative: string): Promise<string | undefined> {
  if (relative.includes('\0')) {
    return undefined;
  }
  try {
    const root = await realpath(folder);
    const file = await realpath(join(root, relative));
    return file.startsWith(root + sep) && (await stat(file)).isFile() ? file : undefined;
  } catch {
    return undefined;
  }
}
