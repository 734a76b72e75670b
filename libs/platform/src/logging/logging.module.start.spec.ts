import { createLogger } from '#platform';

describe('the lines with which Nest names every module and route', () => {
  it.each(['info', 'debug'])('are of level debug: a log of level %s', (level) => {
    const written: string[] = [];
    const logger = createLogger({ service: 'test', level, destination: { write: (line) => void written.push(line) } });
    for (const context of ['InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'Process']) {
      logger.info({ context }, 'x');
      logger.warn({ context }, 'x');
    }
    const lines = written.map((line) => JSON.parse(line) as { level: string; context: string });
    const infos = lines.filter((line) => line.level === 'info');
    expect(infos.map(({ context }) => context)).toEqual(['Process']);
    expect(lines.filter((line) => line.level === 'warn')).toHaveLength(4);
    expect(lines.filter((line) => line.level === 'debug')).toHaveLength(level === 'debug' ? 3 : 0);
  });
});
