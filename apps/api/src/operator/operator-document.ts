import { DocumentBuilder, type OpenAPIObject } from '@nestjs/swagger';

const DESCRIPTION = `What the dashboard of an installation shows and does.

A session begins with \`POST /api/operator/v1/session\` and is carried by the cookie \`__Secure-uc_operator\`. Every request
that changes something has to carry the \`csrfToken\` of the session in the header \`x-csrf-token\`, this service's own
\`Origin\`, and JSON if it has a body. \`viewer\`s read; what changes something is for \`admin\`s. Errors have the same body
as those of the API of applications.`;

/** What the document of the operators' API says besides its operations. */
export function operatorFrame(): Omit<OpenAPIObject, 'paths'> {
  return new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Unified Calendar operator API')
    .setDescription(DESCRIPTION)
    .setVersion('1')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/', 'This service')
    .addCookieAuth('__Secure-uc_operator', { type: 'apiKey', description: 'The session.' }, 'session')
    .addSecurityRequirements('session')
    .build();
}
