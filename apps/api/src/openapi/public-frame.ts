import { DocumentBuilder, type OpenAPIObject } from '@nestjs/swagger';
import { EVERY_PROVIDER } from '../validation/provider-fields.js';

const DESCRIPTION = `One model over the calendars of ${EVERY_PROVIDER} accounts.

Every request carries the application key in the header \`x-api-key\`, except those of users' browsers on their way
to a provider and back. Every answer carries \`x-request-id\`; every error
has the same body, with a code. Clients have to tolerate fields and codes that they do not know; \`x-extensible-enum\` has
the known ones.`;

export function publicFrame(): Omit<OpenAPIObject, 'paths'> {
  return new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Unified Calendar API')
    .setDescription(DESCRIPTION)
    .setVersion('1')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/', 'This service')
    .addTag('Authentication', 'Connect accounts: with a password, or by sending the user to the provider.')
    .addTag('End user accounts', "Users' accounts at their providers.")
    .addTag('Calendars', 'The calendars of an account.')
    .addTag('Events', 'The events of a calendar.')
    .addTag('Free/busy', 'When calendars are busy.')
    .addTag('Calendar subscriptions', 'Signed messages after changes in a calendar.')
    .addTag('Usage', 'Requests that were sent to providers.')
    .addTag('Webhook endpoints', 'Where messages go, how that goes, and messages about accounts.')
    .addApiKey({ type: 'apiKey', in: 'header', name: 'x-api-key', description: 'The application key.' }, 'apiKey')
    .addSecurityRequirements('apiKey')
    .build();
}
