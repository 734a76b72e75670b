import type { INestApplication, Type } from '@nestjs/common';
import { SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';

export class OpenApiDocument {
  private app: INestApplication | undefined;
  private made: string | undefined;

  /** @param file name below docs/ */
  constructor(
    private readonly modules: Type<object>[],
    readonly file: string,
    private readonly frame: () => Omit<OpenAPIObject, 'paths'>,
    private readonly complete: (document: OpenAPIObject) => OpenAPIObject,
  ) {}

  describe(app: INestApplication): void {
    this.app = app;
  }

  text(): string {
    if (this.app === undefined) throw new Error('there is no application to describe');
    this.made ??= `${JSON.stringify(this.build(this.app), null, 2)}\n`;
    return this.made;
  }

  private build(app: INestApplication): OpenAPIObject {
    const document = SwaggerModule.createDocument(app, this.frame(), {
      include: this.modules,
      operationIdFactory: (_controller, method) => method,
    });
    return this.complete(document);
  }
}
