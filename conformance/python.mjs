/** A private Python with what the drivers need, and the released packages unpacked beside it. */
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MAX_OUTPUT = 64 * 1024 * 1024;
const PACKAGES = [
  'prometheus_client',
  'msgspec',
  'fastapi',
  'setproctitle',
  'aiohttp',
  'orjson',
  'uvicorn',
  'requests',
];
/** Wheels since 0.5.11 name a platform; only their Python sources are read, so any machine takes this one. */
const READ_ONLY_PLATFORM = [
  ['--python-version', '3.11'],
  ['--implementation', 'cp'],
  ['--abi', 'cp311'],
  ['--platform', 'manylinux_2_34_x86_64'],
].flat();

export class Python {
  #folder;
  #driver;

  constructor(cacheFolder) {
    this.#folder = cacheFolder;
    this.#driver = join(import.meta.dirname, 'python');
  }

  get #binary() {
    return join(this.#folder, 'venv', 'bin', 'python');
  }

  async prepare() {
    await mkdir(this.#folder, { recursive: true });
    if (existsSync(join(this.#folder, 'venv', 'ready'))) {
      return;
    }
    await rm(join(this.#folder, 'venv'), { recursive: true, force: true });
    await this.#attempt('python3', ['-m', 'venv', join(this.#folder, 'venv')], {
      hint: 'Install Python 3.9 or later with its venv module (Debian: python3-venv).',
    });
    await this.#pip(['install', ...PACKAGES], 'The package registry must be reachable through pip.');
    await mkdir(join(this.#folder, 'venv', 'ready'));
  }

  /** The folder of a release's sources; the wheel is downloaded and unpacked once. */
  async unpack(name, version) {
    const target = join(this.#folder, 'sources', `${name}-${version}`);
    if (!existsSync(target)) {
      const wheels = join(this.#folder, 'wheels', `${name}-${version}`);
      await this.#pip(
        ['download', '--no-deps', '--only-binary', ':all:', ...READ_ONLY_PLATFORM, '-d', wheels, `${name}==${version}`],
        `Check that ${name} ${version} still exists in the package registry.`
      );
      const [wheel] = await readdir(wheels);
      const partial = `${target}.partial`;
      await rm(partial, { recursive: true, force: true });
      await mkdir(partial, { recursive: true });
      await this.#attempt(this.#binary, [join(this.#driver, 'unpack.py'), join(wheels, wheel), partial]);
      await rename(partial, target);
      await rm(wheels, { recursive: true });
    }
    return target;
  }

  async install(name, version) {
    await this.#pip(
      ['install', '--no-deps', `${name}==${version}`],
      `${name} ${version} needs a wheel for this platform; run on x86-64 Linux.`
    );
  }

  /** Runs one of the scripts in conformance/python and reads its JSON. */
  async facts(script, ...args) {
    const output = await this.#attempt(this.#binary, ['-B', join(this.#driver, script), ...args]);
    return JSON.parse(output);
  }

  start(args, options) {
    return spawn(this.#binary, args, options);
  }

  #pip(args, hint) {
    return this.#attempt(this.#binary, ['-m', 'pip', '--quiet', '--disable-pip-version-check', ...args], { hint });
  }

  async #attempt(command, args, { hint = '' } = {}) {
    try {
      const { stdout } = await run(command, args, { maxBuffer: MAX_OUTPUT });
      return stdout;
    } catch (error) {
      const reason = (error.stderr || error.message).trim().split('\n').slice(-3).join('\n');
      throw new Error(`${command} ${args.slice(0, 4).join(' ')} failed:\n${reason}\n${hint}`.trim(), { cause: error });
    }
  }
}
