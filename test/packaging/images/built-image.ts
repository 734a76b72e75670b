import { execFile } from 'node:child_process';
import { chmod, cp, link, mkdir, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { goTool, runTool } from '../chart/go-tools.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const exec = promisify(execFile);
/** What takes things out of the base image, of which there is Node alone here. It must not run on this machine. */
const BASE_IMAGE_ONLY = /^rm -rf \/usr\/local\//;

export interface Instruction {
  name: string;
  line: string;
  arguments?: string[];
  isShell?: boolean;
  values?: Record<string, string>;
  from?: string;
  sources?: string[];
  destination?: string;
}

/** docker/ as BuildKit and the Compose specification read it. */
export interface ImageSources {
  arguments: Record<string, string>;
  stages: { name: string; base: string; instructions: Instruction[] }[];
  warnings: string[];
  /** Files that .dockerignore leaves, relative to the root of the repository. */
  context: string[];
  compose: { services: Record<string, any> };
}

export async function imageSources(): Promise<ImageSources> {
  const files = [ROOT, join(ROOT, 'docker/Dockerfile'), join(ROOT, 'docker/compose.yaml')];
  return runTool<ImageSources>(await goTool('image'), files);
}

/** Instructions of a stage after those of the stages that it begins with. */
export function instructionsOf({ stages }: ImageSources, target: string): Instruction[] {
  const stage = stages.find(({ name }) => name === target);
  if (stage === undefined) return [];
  return [...instructionsOf({ stages } as ImageSources, stage.base), ...stage.instructions];
}

/** What a RUN runs. */
export function textOf({ arguments: args = [] }: Instruction): string {
  return args.join(' ').trim();
}

/** The last one of its name decides. */
export function lastOf(instructions: Instruction[], name: string): Instruction | undefined {
  return instructions.findLast((instruction) => instruction.name === name);
}

/**
 * Does what the Dockerfile says in a directory for each stage, with the npm of this machine. The packages that the stage
 * `build` compiles with are those of this checkout, which came by the same lockfile.
 */
export class BuiltImage {
  private readonly stages = new Map<string, Promise<string>>();

  constructor(
    private readonly sources: ImageSources,
    private readonly directory: string,
  ) {}

  /** @returns the root of the files of a stage */
  stage(name: string): Promise<string> {
    const made = this.stages.get(name) ?? this.make(name);
    this.stages.set(name, made);
    return made;
  }

  private async make(name: string): Promise<string> {
    const stage = this.sources.stages.find((one) => one.name === name);
    if (stage === undefined) throw new Error(`there is no stage ${name}`);
    const root = join(this.directory, name);
    const isFirst = !this.sources.stages.some((one) => one.name === stage.base);
    if (isFirst) await baseImage(root);
    else await copied(`${await this.stage(stage.base)}/.`, root);
    for (const instruction of stage.instructions) {
      const installs = name === 'build' && textOf(instruction).startsWith('npm ci');
      if (installs) await copied(join(ROOT, 'node_modules'), join(root, 'app/node_modules'));
      else await this.apply(instruction, root);
    }
    return root;
  }

  private async apply(instruction: Instruction, root: string): Promise<void> {
    const { name, from = '', sources = [], destination = '' } = instruction;
    if (name === 'COPY') {
      for (const source of sources) await this.copy(from, source, destination, root);
    } else if (name === 'RUN' && !BASE_IMAGE_ONLY.test(textOf(instruction))) {
      await exec('sh', ['-c', textOf(instruction)], { cwd: join(root, 'app'), maxBuffer: 2 ** 24, timeout: 480_000 });
    }
  }

  private async copy(from: string, source: string, destination: string, root: string): Promise<void> {
    const origin = from === '' ? join(ROOT, source) : join(await this.stage(from), source);
    const isAllowed =
      from !== '' || this.sources.context.some((file) => file === source || file.startsWith(`${source}/`));
    if (!isAllowed) throw new Error(`${source} is not in the context`);
    const directory = destination.startsWith('/') ? root : join(root, 'app');
    await copied(origin, join(directory, destination, destination.endsWith('/') ? basename(source) : ''));
  }
}

/** Hard links where possible: nothing is written below. */
async function copied(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await exec('cp', ['-al', from, to]).catch(() => cp(from, to, { recursive: true }));
}

/** Of the base image there is Node alone, the one that the tag names. */
async function baseImage(root: string): Promise<void> {
  const node = join(root, 'usr/local/bin/node');
  await mkdir(dirname(node), { recursive: true });
  await mkdir(join(root, 'app'), { recursive: true });
  const packaged = join(ROOT, 'node_modules/node/bin/node');
  await link(packaged, node).catch(() => cp(packaged, node));
  await chmod(node, 0o755);
}

/** Paths of the files below a directory whose name matches. */
export async function filesBelow(directory: string, pattern: RegExp): Promise<string[]> {
  return (await readdir(directory, { recursive: true })).filter((name) => pattern.test(name));
}

/** Bytes on the disk, each file once. */
export async function sizeOf(directory: string): Promise<number> {
  const files = await readdir(directory, { recursive: true, withFileTypes: true });
  const sizes = files.filter((file) => file.isFile()).map((file) => stat(join(file.parentPath, file.name)));
  return (await Promise.all(sizes)).reduce((sum, { size }) => sum + size, 0);
}
