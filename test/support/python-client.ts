import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { outputOf, temporaryDirectory } from './processes.js';
import { pythonPath } from './python-packages.js';

const SOURCE = join(import.meta.dirname, '..', '..', 'clients/python');

export interface PythonClient {
  /** A copy of clients/python, whose package is installed from its wheel. */
  directory: string;
  /** Runs python3 in the copy. @returns what it prints. @throws Error for another exit code than 0 */
  run(args: string[], env?: NodeJS.ProcessEnv): Promise<string>;
  remove(): Promise<void>;
}

/** Builds the wheel of the Python client and installs it where nothing else of the repository is. */
export async function installPythonClient(): Promise<PythonClient> {
  const temporary = await temporaryDirectory('python-client');
  const [directory, installed] = [join(temporary.path, 'source'), join(temporary.path, 'installed')];
  cpSync(SOURCE, directory, { recursive: true });
  const pip = ['-m', 'pip', '--quiet', '--disable-pip-version-check'];
  const env = { PYTHONPATH: pythonPath(), PYTHONDONTWRITEBYTECODE: '1' };
  await outputOf('python3', [...pip, 'wheel', '.', '--no-deps', '--no-build-isolation', '-w', 'dist'], directory, env);
  const [wheel = ''] = readdirSync(join(directory, 'dist'));
  await outputOf(
    'python3',
    [...pip, 'install', '--no-deps', '--target', installed, join('dist', wheel)],
    directory,
    env,
  );
  return {
    directory,
    run: (args, more = {}) =>
      outputOf('python3', args, directory, { ...env, PYTHONPATH: `${installed}:${pythonPath()}`, ...more }),
    remove: temporary.remove,
  };
}
