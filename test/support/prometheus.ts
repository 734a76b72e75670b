import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { eventually, freePort, runProgram, startServer, temporaryDirectory } from './processes.js';

/** Exit code, and everything that was printed. */
export interface PromtoolRun {
  exitCode: number | NodeJS.Signals;
  output: string;
}

export async function promtool(...arguments_: string[]): Promise<PromtoolRun> {
  const program = runProgram('promtool', arguments_, { env: { PATH: process.env['PATH'] } });
  const exitCode = await program.exited;
  return { exitCode, output: program.stdout() + program.stderr() };
}

/** One series of an answer; `value`: time and value, or of each time. */
export interface PrometheusSample {
  metric: Record<string, string>;
  value: [atSeconds: number, value: string];
}

/** Health of a rule: `ok`, or what went wrong. */
export interface PrometheusRule {
  name: string;
  health: string;
  lastError?: string;
}

export interface PrometheusServer {
  /** What a query finds now. @throws Error that names it, when it is none */
  query(text: string): Promise<PrometheusSample[]>;
  /** As they are at the moment. */
  rules(): Promise<PrometheusRule[]>;
  stop(): Promise<void>;
}

export interface PrometheusOptions {
  /** By job: host and port of what serves `/metrics`. */
  targets: Record<string, string>;
  /** Label of every series. */
  namespace: string;
  /** Texts of files of rules. */
  rules: string[];
}

/** A Prometheus that asks every second, with data of its own. */
export async function startPrometheus({ targets, namespace, rules }: PrometheusOptions): Promise<PrometheusServer> {
  const directory = await temporaryDirectory('prometheus');
  const config = join(directory.path, 'prometheus.yaml');
  const ruleFiles = rules.map((_, index) => join(directory.path, `rules-${index}.yaml`));
  await Promise.all([
    ...rules.map((text, index) => writeFile(ruleFiles[index]!, text)),
    writeFile(
      config,
      stringify({
        global: { scrape_interval: '1s', evaluation_interval: '1s' },
        rule_files: ruleFiles,
        scrape_configs: Object.entries(targets).map(([job, target]) => ({
          job_name: job,
          static_configs: [{ targets: [target], labels: { namespace } }],
        })),
      }),
    ),
  ]);
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const get = async (path: string): Promise<any> => {
    const { status, data, error } = (await (await fetch(`${origin}/api/v1/${path}`)).json()) as Record<string, any>;
    if (status !== 'success') throw new Error(`${decodeURIComponent(path)}: ${error}`);
    return data;
  };
  try {
    const program = await startServer(
      'prometheus',
      () =>
        runProgram('prometheus', [
          ...[`--config.file=${config}`, `--web.listen-address=127.0.0.1:${port}`],
          ...[`--storage.tsdb.path=${join(directory.path, 'data')}`, '--log.level=warn'],
        ]),
      async () => (await fetch(`${origin}/-/ready`)).status === 200,
    );
    await eventually('everything is scraped', async () => {
      const { activeTargets } = await get('targets');
      return activeTargets.every(({ health }: { health: string }) => health === 'up') ? true : undefined;
    });
    return {
      query: async (text) => (await get(`query?query=${encodeURIComponent(text)}`)).result,
      rules: async () => (await get('rules')).groups.flatMap(({ rules: of }: { rules: PrometheusRule[] }) => of),
      async stop() {
        await program.stop(5_000);
        await directory.remove();
      },
    };
  } catch (error) {
    await directory.remove();
    throw error;
  }
}
