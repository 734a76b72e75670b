import { Injectable, type INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { completeDocument } from './complete-document.js';

const DESCRIPTION = `One model over the calendars of GOOGLE, MICROSOFT, APPLE and CALDAV accounts.

Every request carries the application key in the header \`x-api-key\`, except those of users' browsers on their way
to a provider and back. Every answer carries \`x-request-id\`; every error
has the same body, with one of a closed list of codes. Clients have to tolerate fields and enum values that they do not
know.`;

/** The OpenAPI document of the running application, made when somebody asks for it. */
@Injectable()
export class OpenApiDocument {
  private app: INestApplication | undefined;
  private made: string | undefined;

  describe(app: INestApplication): void {
    this.app = app;
  }

  /** JSON text, indented, with a line break at its end. */
  text(): string {
    if (this.app === undefined) throw new Error('there is no application to describe');
    this.made ??= `${JSON.stringify(buildDocument(this.app), null, 2)}\n`;
    return this.made;
  }
}

function buildDocument(app: INestApplication): OpenAPIObject {
  const frame = new DocumentBuilder()
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
    .addTag('Webhook endpoints', 'Where messages go, how that goes, and messages about accounts.')
    .addApiKey({ type: 'apiKey', in: 'header', name: 'x-api-key', description: 'The application key.' }, 'apiKey')
    .addSecurityRequirements('apiKey')
    .build();
  const document = SwaggerModule.createDocument(app, frame, {
    operationIdFactory: (_controller, method) => method,
  });
  return completeDocument(document);
}
