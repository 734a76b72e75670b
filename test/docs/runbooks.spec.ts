import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unknownIn } from '../packaging/monitoring/catalogue-rules.js';
import { ALERTS, queriesIn, RECORDED, ROOT, RULES } from '../packaging/monitoring/rule-files.js';
import { ALL_SETTINGS } from '#providers';

const RUNBOOKS = join(ROOT, 'docs', 'runbooks');
const INDEX = 'README.md';
const SECTIONS = ['Meaning', 'Diagnosis', 'Mitigation', 'False alarms', 'Resolution'];

const read = (...path: string[]): string => readFileSync(join(ROOT, ...path), 'utf8');
const names = [...new Set(ALERTS.map(({ alert }) => alert))].sort();
const pages = readdirSync(RUNBOOKS).filter((name) => name !== INDEX);
const sources = execFileSync('git', ['ls-files', 'apps', 'libs'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((path) => /(?<!\.spec)\.ts$/.test(path))
  .map((path) => read(path));
const commands = sources.filter((source) => source.includes("from 'nest-commander'"));
const routes = read('apps', 'dashboard', 'src', 'routes.tsx');

describe('rules', () => {
  it.each(RULES.map((rule) => [rule.record ?? rule.alert, rule.labels?.['slo'] ?? '', rule.expr]))(
    '%s %s reads what is measured',
    (_, __, expr) => expect(unknownIn(expr ?? '', RECORDED)).toEqual([]),
  );

  it.each(ALERTS.map((alert) => [alert.alert, alert]))(
    '%s says how bad it is, what it is and where to read on',
    (_, alert) => {
      expect(alert.labels?.['severity']).toMatch(/^(critical|warning)$/);
      expect(alert.annotations).toEqual({
        summary: expect.stringMatching(/^[A-Z].*\.$/),
        description: expect.stringMatching(/\.$/),
        // The chart makes an address of it.
        runbook: `docs/runbooks/${alert.alert}.md`,
      });
    },
  );
});

describe('runbooks', () => {
  it('there is one for each alert, and none besides', () => {
    expect(pages.sort()).toEqual(names.map((name) => `${name}.md`));
  });

  it('the index names each of them', () => {
    const linked = [...read('docs', 'runbooks', INDEX).matchAll(/\]\((\w+)\.md\)/g)].map(([, name]) => name);
    expect(linked.sort()).toEqual(names);
  });

  describe.each(pages)('%s', (name) => {
    const page = read('docs', 'runbooks', name);

    it('says everything that somebody who is woken up asks', () => {
      expect([...page.matchAll(/^## (.+)$/gm)].map(([, title]) => title)).toEqual(SECTIONS);
      const severities = ALERTS.filter(({ alert }) => `${alert}.md` === name).map(({ labels }) => labels?.['severity']);
      for (const severity of severities) expect(page).toMatch(new RegExp(`^Severity: .*\`${severity}\``, 'm'));
    });

    it('asks for what is measured', () => {
      expect(queriesIn(page).flatMap((query) => unknownIn(query, RECORDED))).toEqual([]);
    });

    it('names lines of the log that are written', () => {
      const lines = [...page.matchAll(/`([^`]+)` \((?:error|warn|fatal)\)/g)].map(([, line = '']) => line);
      expect(lines.filter((line) => !sources.some((source) => source.includes(`'${line}'`)))).toEqual([]);
    });

    it('names commands that there are', () => {
      const lines = [...page.matchAll(/\bops ([a-z-]+) ([a-z-]+)((?: --?[a-z-]+| <[\w-]+>| [\w-]+)*)/g)];
      for (const [, command, action, rest = ''] of lines) {
        const file = commands.find((source) => source.includes(`  name: '${command}',\n  description`));
        expect(file).toMatch(new RegExp(`name: '${action}',`));
        for (const [flag] of rest.matchAll(/--[a-z-]+/g)) expect(file).toContain(`'${flag} <`);
      }
    });

    it('leads to pages that there are', () => {
      const links = [...page.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, link = '']) => link);
      expect(links.filter((link) => !existsSync(join(RUNBOOKS, link)))).toEqual([]);
      const places = [...page.matchAll(/`\/dashboard\/([\w-]+)`/g)].map(([, place = '']) => place);
      expect(places.filter((place) => !routes.includes(`path: '${place}'`))).toEqual([]);
    });

    it('names settings that there are', () => {
      const settings = ALL_SETTINGS.map(({ env }) => env);
      const named = [...page.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(([, setting = '']) => setting);
      expect(named.filter((setting) => !settings.includes(setting))).toEqual([]);
    });
  });
});
