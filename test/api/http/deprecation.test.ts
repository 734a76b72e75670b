import { Controller, Get, Module, NotFoundException } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { completeDocument } from '../../../apps/api/src/openapi/complete-document.js';
import { Deprecated } from '../../../apps/api/src/http/deprecated.decorator.js';

const NOTICE = { since: '2026-11-21', sunset: '2027-11-21', link: 'https://calendar.example.com/versioning' };

@Controller('api/v1')
class OldController {
  @Get('old')
  @Deprecated(NOTICE)
  old(): string {
    return 'still here';
  }

  @Get('failing')
  @Deprecated(NOTICE)
  failing(): string {
    throw new NotFoundException();
  }

  @Get('young')
  young(): string {
    return 'here';
  }
}

@Module({ controllers: [OldController] })
class OldModule {}

describe('an operation that is deprecated', () => {
  let origin: string;
  let document: OpenAPIObject;
  let close: () => Promise<void>;

  beforeAll(async () => {
    const app = await NestFactory.create(OldModule, { logger: false });
    await app.listen(0, '127.0.0.1');
    origin = await app.getUrl();
    document = completeDocument(SwaggerModule.createDocument(app, new DocumentBuilder().build()));
    close = () => app.close();
  });

  afterAll(() => close());

  it.each(['old', 'failing'])('says so in every answer: %s', async (path) => {
    const { headers } = await fetch(`${origin}/api/v1/${path}`);
    expect(headers.get('deprecation')).toBe(`@${Date.UTC(2026, 10, 21) / 1_000}`);
    expect(headers.get('sunset')).toBe('Sun, 21 Nov 2027 00:00:00 GMT');
    expect(headers.get('link')).toBe(`<${NOTICE.link}>; rel="deprecation"; type="text/html"`);
  });

  it('is marked in the OpenAPI document, with the headers', () => {
    const { get } = document.paths['/api/v1/old']!;
    expect(get).toMatchObject({ deprecated: true });
    expect(get).not.toHaveProperty('x-deprecated');
    const [success] = Object.values(get!.responses) as { headers: object }[];
    expect(success?.headers).toMatchObject({ Sunset: { $ref: '#/components/headers/Sunset' } });
    expect(document.components?.headers).toHaveProperty('Sunset');
  });

  it('is no other one', async () => {
    const { headers } = await fetch(`${origin}/api/v1/young`);
    expect([headers.get('deprecation'), headers.get('sunset'), headers.get('link')]).toEqual([null, null, null]);
    expect(document.paths['/api/v1/young']?.get).not.toHaveProperty('deprecated');
  });

  it.each([[{ ...NOTICE, sunset: '2027-11-20' }], [{ ...NOTICE, sunset: 'soon' }]])(
    'cannot go within a year of the notice: %j',
    (notice) => {
      expect(() => Deprecated(notice)).toThrow('stays for a year');
    },
  );
});
