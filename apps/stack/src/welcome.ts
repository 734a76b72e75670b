import type { StartedStack } from './stack.js';

/** Returns what `npm start` prints once everything runs. */
export function welcomeOf(
  env: NodeJS.ProcessEnv,
  { baseUrl, demo, signInUrls, setupLink, setupCommand }: StartedStack,
): string {
  const operatorUrl = env['OPERATOR_URL']?.trim().replace(/\/+$/, '');
  const key = demo?.apiKey ?? '$API_KEY';
  return [
    '',
    'The unified calendar service is running.',
    '',
    `  API         ${baseUrl}/api/v1`,
    ...(env['API_DOCS'] === 'off' ? [] : [`  Docs        ${baseUrl}/api/docs`]),
    ...(operatorUrl === 'off' ? [] : [`  Dashboard   ${operatorUrl || baseUrl}/dashboard`]),
    ...(setupLink === null ? [] : [`  First visit ${setupLink}`]),
    ...(setupCommand === null ? [] : [`  First visit by the link that this makes: ${setupCommand}`]),
    ...(demo === null ? [] : [`  Application ${demo.applicationId} (${demo.name})`]),
    ...(demo?.apiKey == null
      ? [
          '  API key     shown at the first start. Another one:',
          '              npm run -s ops -- application list',
          '              npm run -s ops -- api-key create --application <id> --name mine --expires never',
        ]
      : [`  API key     ${demo.apiKey}`, '              (shown this once: keep it)']),
    '',
    '  Try it      ' + `curl -H "x-api-key: ${key}" ${baseUrl}/api/v1/endUserAccounts`,
    '',
    ...(signInUrls === null
      ? []
      : [
          '  Connect an account of the sandbox, in a browser:',
          ...Object.entries(signInUrls).map(([provider, url]) => `    ${provider.padEnd(9)} ${url}`),
          '',
        ]),
    'Stop it with Ctrl-C; the data stay.',
    '',
  ].join('\n');
}
